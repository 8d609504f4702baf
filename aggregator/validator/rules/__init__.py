"""The checklist of each format."""
