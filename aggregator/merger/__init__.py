"""Many Entries become one Item."""
