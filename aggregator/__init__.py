"""Merge many damaged, duplicated listings of a podcast or blog into one clean feed."""
