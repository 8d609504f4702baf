"""Repair of each copy of a text by itself, each change noted."""
