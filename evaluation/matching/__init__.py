"""How well entries are matched, with the figures that must hold: `python -m evaluation.matching`."""
