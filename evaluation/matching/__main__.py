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

The development sets and the recorded feeds (the fixtures) are not part of the project. Where they are missing, what
needs them is left out, with a line on stderr; `unseen`, `scenes` and `fileless` take feeds of yours in their place.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evaluation.matching import ablation, catalogues, directories, fileless, one_title, refreshes, scenes, sets, unseen

_PARTS = ("sets", "unseen", "catalogues", "scenes", "one-title", "refreshes", "fileless", "ablation")
_USUAL = ("sets", "unseen", "catalogues")
_OF_FEEDS = ("unseen", "scenes", "fileless")
_NEEDED = {"sets": sets.SETS, "ablation": sets.SETS} | dict.fromkeys(_OF_FEEDS, directories.FIXTURES)


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
    given = parser.parse_intermixed_args()
    feeds = list(map(Path, given.feeds))
    wanted = (given.part,) if given.part else _USUAL
    parts = [part for part in wanted if _has_data(part, feeds)]
    failures: list[str] = []
    if "sets" in parts:
        failures += _measure_sets(streams=given.streams, shows=given.shows)
    if "unseen" in parts:
        failures += unseen.measure(given.seeds or unseen.SEEDS, feeds or unseen.shows(), wrong=given.wrong)
    if "catalogues" in parts:
        failures += catalogues.measure(given.seeds or catalogues.SEEDS)
    if "scenes" in parts:
        scenes.measure(feeds or scenes.podcasts(), given.seeds or 2, wrong=given.wrong)
    if "one-title" in parts:
        one_title.measure(given.seeds or one_title.SEEDS, wrong=given.wrong)
    if "refreshes" in parts:
        refreshes.measure()
    if "fileless" in parts:
        fileless.measure(feeds or unseen.shows()[::8], given.seeds or 1)
    if "ablation" in parts:
        ablation.measure(given.feeds)
    for line in failures:
        print(f"does not hold: {line}", file=sys.stderr)
    return 1 if failures or not parts else 0


def _has_data(part: str, feeds: list[Path]) -> bool:
    """Return whether the recordings that a part needs are here; if not, say so on stderr."""
    folder = _NEEDED.get(part)
    if folder is None or folder.is_dir() or (feeds and part in _OF_FEEDS):
        return True
    instead = "; name feeds of yours in their place" if part in _OF_FEEDS else ""
    print(f"{part} left out: its recordings are not part of the project, and not in {folder}{instead}", file=sys.stderr)
    return False


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
