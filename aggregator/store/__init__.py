"""The database: entries seen, guids published, decisions made, poll states and the cache."""
