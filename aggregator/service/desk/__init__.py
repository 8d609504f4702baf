"""The desk: pages on which people look at feeds, decide, and add sources, and the acts behind their buttons."""
