"""Render the HTML pages for people."""
