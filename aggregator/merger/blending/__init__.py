"""One text out of several damaged copies of it."""
