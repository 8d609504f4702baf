"""Tests of the aggregator, in the tree of the package; shared helpers are in tests/support."""
