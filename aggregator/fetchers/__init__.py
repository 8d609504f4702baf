"""Fetch sources of every kind: poll their addresses and parse their documents."""
