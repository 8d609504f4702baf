"""Content of an item and of its channel, clean and bounded, equal in all formats."""
