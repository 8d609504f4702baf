"""What was seen and what was promised; the only room that knows SQL."""
