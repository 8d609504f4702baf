"""Features of entries that are compared, computed once."""
