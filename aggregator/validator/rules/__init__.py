"""The rules of each format."""
