"""Whole refreshes: what is published, compared with what was published before."""
