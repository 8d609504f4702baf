"""Directory pages: saved listings, and public pages read by CSS, XPath or JSON paths."""
