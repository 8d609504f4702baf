"""Two listings of a show compared as a whole: which of their entries of one title are the same items."""
