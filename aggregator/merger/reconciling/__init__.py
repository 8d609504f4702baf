"""A cluster to an item: each field by its own rule, with its provenance."""
