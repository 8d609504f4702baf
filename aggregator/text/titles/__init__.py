"""Titles: their parts, their numbers, and what a listing puts around them."""
