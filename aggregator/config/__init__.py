"""config.yaml becomes a Config: what may stand in it, and one line for each thing that is wrong."""
