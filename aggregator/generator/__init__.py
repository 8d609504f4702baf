"""Items leave as files."""
