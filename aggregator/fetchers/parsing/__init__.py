"""Parsing that several kinds of source share: decoding, trees, JSON fields, enclosures, entry keys, length limits."""
