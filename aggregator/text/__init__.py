"""What can be learned from strings alone; knows no Sighting."""
