"""Permanent guids, frozen dates, aliases and tombstones of published items."""
