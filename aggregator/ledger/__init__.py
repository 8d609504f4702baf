"""What was seen and what was promised."""
