"""The page and the feed that list changes of a feed."""
