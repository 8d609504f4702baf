"""Dates and lengths in the forms of Unicode's CLDR: the tables made from it, and how many of its forms are parsed."""
