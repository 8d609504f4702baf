"""Feeds: RSS, Atom, JSON Feed and Simplecast's API."""
