"""Repair each copy of a text by itself and note each change."""
