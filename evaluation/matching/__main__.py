"""Measure matching; exit code 1 where a figure that must hold does not.

    python -m evaluation.matching                    all of the following but the last five
    python -m evaluation.matching sets [--streams] [--shows]
    python -m evaluation.matching unseen [--seeds N] [--wrong] [FEED ...]
    python -m evaluation.matching catalogues [--seeds N]
    python -m evaluation.matching scenes [--seeds N] [--wrong] [FEED ...]
    python -m evaluation.matching one-title [--seeds N] [--wrong]
    python -m evaluation.matching refreshes
    python -m evaluation.matching fileless [--seeds N] [FEED ...]
    python -m evaluation.matching ablation [NAME ...]

`sets`: the development sets. `unseen`: directories made of the fixtures with wordings the engine was not tuned on.
`catalogues`: products with model codes. `scenes`: one kind of harder damage at a time, for looking. `one-title`: daily
shows whose items share one title, in listings that differ as a whole, for looking, too. `refreshes`: what of such shows
is published twice, refresh by refresh. `fileless`: the same of listings without files beside the fixtures. `ablation`:
each part of the engine, or those named, switched off in turn, and its row of the table in `docs/matching.md` written;
all of them take an hour. `--wrong` prints each error, `--streams` lets the records of a set arrive in instalments,
`--shows` matches each show by itself.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evaluation.matching import ablation, catalogues, fileless, one_title, refreshes, scenes, sets, unseen

_PARTS = ("sets", "unseen", "catalogues", "scenes", "one-title", "refreshes", "fileless", "ablation")


def main() -> int:
    """Run the parts that the command line names and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=_PARTS)
    parser.add_argument(
        "feeds", nargs="*", help="feeds to make directories of, in place of the fixtures; names of switches"
    )
    parser.add_argument("--seeds", type=int, help="how many seeds are pooled")
    parser.add_argument("--wrong", action="store_true", help="print each error")
    parser.add_argument("--streams", action="store_true", help="let the records of each set arrive in instalments")
    parser.add_argument("--shows", action="store_true", help="match each show of directories-dev by itself")
    given = parser.parse_args()
    feeds = list(map(Path, given.feeds))
    failures: list[str] = []
    if given.part in (None, "sets"):
        failures += _measure_sets(streams=given.streams, shows=given.shows)
    if given.part in (None, "unseen"):
        failures += unseen.measure(given.seeds or unseen.SEEDS, feeds or unseen.shows(), wrong=given.wrong)
    if given.part in (None, "catalogues"):
        failures += catalogues.measure(given.seeds or catalogues.SEEDS)
    if given.part == "scenes":
        scenes.measure(feeds or scenes.podcasts(), given.seeds or 2, wrong=given.wrong)
    if given.part == "one-title":
        one_title.measure(given.seeds or one_title.SEEDS, wrong=given.wrong)
    if given.part == "refreshes":
        refreshes.measure()
    if given.part == "fileless":
        fileless.measure(feeds or unseen.shows()[::8], given.seeds or 1)
    if given.part == "ablation":
        ablation.measure(given.feeds)
    for line in failures:
        print(f"does not hold: {line}", file=sys.stderr)
    return 1 if failures else 0


def _measure_sets(*, streams: bool, shows: bool) -> list[str]:
    failures = []
    for name in sets.NAMES:
        failures += sets.check(name)
        if streams:
            sets.print_streams(name)
    if shows:
        sets.print_shows()
    return failures


if __name__ == "__main__":
    sys.exit(main())
