"""Apple Podcasts: the lookup answer, the show page, its catalogue, and the page saved as text."""
