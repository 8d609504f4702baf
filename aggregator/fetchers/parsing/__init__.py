"""Functions that parsers of several kinds share: decoding, trees, JSON fields, enclosures, keys, limits of length."""
