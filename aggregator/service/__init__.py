"""What runs on and on."""
