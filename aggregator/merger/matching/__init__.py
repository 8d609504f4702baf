"""Make clusters of the entries of several sources: which entries are one item, and the evidence for it."""
