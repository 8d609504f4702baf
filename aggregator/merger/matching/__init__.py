"""Entries of several sources to clusters: which entries are one item, and the evidence for it."""
