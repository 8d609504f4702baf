"""Quality of repair and blending of texts."""
