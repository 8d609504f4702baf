"""The world outside comes in: every kind of source, and the one door to the network."""
