"""What can be learned from strings alone; knows no Entry."""
