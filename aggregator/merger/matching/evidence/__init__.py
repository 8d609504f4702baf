"""The kinds of evidence, a file for each: its levels with their weights and words, how it is graded, and exceptions."""
