"""Functions of strings alone, without entries or sources."""
