"""Make an item of a cluster: each field by its own rule, with its provenance."""
