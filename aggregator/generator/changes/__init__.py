"""The page and the feed that list what changed."""
