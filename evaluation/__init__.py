"""Quality: how well the product matches, reads and publishes, with the figures that must hold."""
