"""Full texts of posts, read from pages made in the shapes of real blog engines."""
