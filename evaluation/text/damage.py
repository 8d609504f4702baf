"""Damaged copies of clean texts, by kinds of damage that the development corruptor lacks.

    python -m evaluation.text.damage --group tuning --hits 1 TRUTH.jsonl [FEED.xml ...] > tuning-light.jsonl
    python -m evaluation.text.damage --folder /tmp/sets TRUTH.jsonl [FEED.xml ...]
    python evaluation/text/run.py tuning-light.jsonl

Input: JSON Lines with {"id","field","lang","show","truth"}, or feeds, of which the titles and the descriptions that
show no damage are taken. Output: the form of the development files, {"id","field","lang","show","level","witnesses",
"truth"}, and a ``tag`` that names the kinds that each copy met (the scorers keep it from the engine). Each text becomes
two to four copies (or ``--copies`` of them), each hit by other kinds, once (``light``) or two or three times
(``heavy``). A kind that finds nothing to damage (an encoding in plain English) leaves the copy as it was, and one copy
at least is not cut.
``--folder`` writes both levels of both groups, ``{group}-{level}.jsonl``.

Repairs are tuned on the group ``tuning`` alone; ``held-out`` is for reporting.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import feedparser

from aggregator.text.html import to_text
from evaluation.text.held_out_kinds import HELD_OUT
from evaluation.text.kinds import TRANSPORT, Kind
from evaluation.text.tuning_kinds import TUNING

GROUPS = {"tuning": TUNING, "held-out": HELD_OUT}
LEVELS = {"light": (1, 1), "heavy": (2, 3)}
SOURCES = ("host", "store", "guide", "paper", "echo")
MOST_ITEMS = 5  # of one feed: shows shall not weigh more than languages
SHORTEST, LONGEST = 60, 3000
# A text that shows one of these is no sure truth: two readings of it can be defended.
DAMAGE = re.compile(
    r"[\\<>\ufffd`]|\*\*|\[\[|&#?\w+;|%[0-9A-F]{2}|(?:\.\.|…)\W*$|^[-*•#>]|[?&]utm_|\S\n\S|[\x80-\x9f]|[ÃÂ][\u0080-\u00bf]|â€"
)


def main() -> int:
    """Write the copies, one line an item."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--group", choices=GROUPS, default="tuning")
    parser.add_argument("--hits", type=int, choices=(1, 2), default=1, help="1: light; 2: heavy, two or three")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--copies", type=int, help="of each text, in place of two to four")
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    truths = list(read_truths(asked.texts))
    if not asked.folder:
        level = "light" if asked.hits == 1 else "heavy"
        sys.stdout.writelines(damage(truths, asked.group, level, asked.seed, asked.copies))
        return 0
    asked.folder.mkdir(parents=True, exist_ok=True)
    for group in GROUPS:
        for level in LEVELS:
            path = asked.folder / f"{group}-{level}.jsonl"
            path.write_text("".join(damage(truths, group, level, asked.seed, asked.copies)), encoding="utf-8")
    return 0


def read_truths(paths: Iterable[Path]) -> Iterator[dict]:
    """Return the clean texts of files of truths and of feeds; each text once."""
    seen: set[str] = set()
    for path in paths:
        for item in _truths_of_file(path) if path.suffix == ".jsonl" else _truths_of_feed(path):
            if item["truth"] not in seen and not DAMAGE.search(item["truth"]):
                seen.add(item["truth"])
                yield item


def _truths_of_file(path: Path) -> Iterator[dict]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            item = json.loads(line)
            yield {key: item.get(key, "") for key in ("id", "field", "lang", "show", "truth")}


def _truths_of_feed(path: Path) -> Iterator[dict]:
    feed = feedparser.parse(path.read_bytes())
    show, language = feed.feed.get("title", path.stem), (feed.feed.get("language") or "")[:2].lower()
    for number, entry in enumerate(feed.entries[:MOST_ITEMS]):
        texts = {
            field: _squeeze(to_text(entry.get(key, "")))
            for field, key in (("title", "title"), ("description", "summary"))
        }
        for field, truth in texts.items():
            if SHORTEST * (field == "description") < len(truth) <= LONGEST:
                yield {
                    "id": f"{path.stem}-{number}-{field[0]}",
                    "field": field,
                    "lang": language,
                    "show": show,
                    "truth": truth,
                }


def _squeeze(text: str) -> str:
    """Return a text in NFC on one line, without what prints nothing."""
    return " ".join(re.sub("[\u00ad\u200b\u2060\ufeff]", "", unicodedata.normalize("NFC", text)).split())


def damage(truths: Iterable[dict], group: str, level: str, seed: int, copies: int | None = None) -> Iterator[str]:
    """Return one line for each text, with so many ``copies``."""
    for truth in truths:
        chance = Random(zlib.crc32(f"{seed} {group} {level} {truth['id']}".encode()))
        item = truth | {"id": f"{truth['id']}-{group[0]}{level[0]}", "level": level}
        made = _make_copies(truth["truth"], GROUPS[group], LEVELS[level], chance, copies)
        item["witnesses"] = [{"source": source, "text": text} for source, text, _ in made]
        item["tag"] = "; ".join(" + ".join(names) for _, _, names in made)
        yield json.dumps(item, ensure_ascii=False) + "\n"


def _make_copies(
    truth: str, kinds: Sequence[Kind], hits: tuple[int, int], chance: Random, copies: int | None
) -> list[tuple[str, str, list[str]]]:
    """Return (source, text, names of the kinds) for each copy; no kind hits two copies before each has hit one."""
    left = chance.sample(kinds, len(kinds))
    made = []
    many = [f"source-{number:02}" for number in range(copies or 0)]
    sources = many or chance.sample(SOURCES, chance.randint(2, 4))
    for number, source in enumerate(sources):
        chosen: list[Kind] = []
        most = chance.randint(*hits)
        if len(left) < most:
            left = chance.sample(kinds, len(kinds))
        for kind in list(left):
            if len(chosen) == most:
                break
            if (number == 0 and kind.cuts) or (
                kind.stage == TRANSPORT and any(one.stage == TRANSPORT for one in chosen)
            ):
                continue
            chosen.append(kind)
            left.remove(kind)
        text = truth
        for kind in sorted(chosen, key=lambda one: one.stage):
            text = kind.damage(text, chance)
        made.append((source, text, [kind.name for kind in chosen]))
    chance.shuffle(made)
    return made


if __name__ == "__main__":
    sys.exit(main())
