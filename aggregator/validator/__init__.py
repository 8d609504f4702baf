"""Check any feed: what is wrong, where, and by which specification."""
