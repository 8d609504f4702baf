"""Pages for people, in HTML."""
