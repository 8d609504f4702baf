"""Blogs: the feed that a front page names, else the front page itself, as HTML or saved as text."""
