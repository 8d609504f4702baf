"""Read, check and edit config.yaml."""
