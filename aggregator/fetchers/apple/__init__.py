"""Apple Podcasts: lookup answers, show pages, catalogue records, and pages saved as text."""
