"""Blend several damaged copies of a text into one reading."""
