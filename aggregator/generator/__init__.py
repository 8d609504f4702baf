"""Write the published files of a feed."""
