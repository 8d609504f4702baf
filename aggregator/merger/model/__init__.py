"""Learning of all entries of a feed how its sources list items."""
