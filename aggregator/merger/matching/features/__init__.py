"""What is compared about entries, taken out of them once."""
