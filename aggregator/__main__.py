"""``python -m aggregator``: the command ``aggregator``."""

from aggregator.cli import main

main()
