"""Every kind of source: its addresses polled, its documents read."""
