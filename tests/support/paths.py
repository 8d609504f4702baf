"""Folders that tests read."""

from pathlib import Path

SUPPORT = Path(__file__).parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
SAMPLES = ROOT / "samples" / "pytorch"
READ = TESTS / "unit" / "fetchers" / "data" / "read"
"""One folder a kind, one document a file, with what is read of it in ``.golden`` beside it."""
SHARED = ROOT.parent / "shared"
"""Stands beside the project on some machines; tests that need it are marked ``shared``."""
FIXTURES = SHARED / "fixtures"
