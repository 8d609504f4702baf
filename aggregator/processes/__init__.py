"""Composing in child processes with limits of time and memory."""
