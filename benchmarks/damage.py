"""Damaged copies of the texts of any feeds, in the form that ``evaluation/text/run.py`` reads: other damage again.

    python benchmarks/damage.py FEED [FEED ...] --hits 2 --seed 1 > copies.jsonl
    python evaluation/text/run.py copies.jsonl

Each title and each description of 60 characters and more becomes three to five copies of five sources, each with a
trust; --hits is how often a copy is hit. Each source sticks words of its own to the texts of a show. The kinds of
damage, the words and the seeds are none of the development set's.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import re
import sys
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import feedparser

from aggregator.merger.repair.fixers import repair_text
from aggregator.text.html import to_text

TRUST = {"host": 0.9, "store": 0.7, "guide": 0.6, "paper": 0.5, "echo": 0.4}
MOST_ITEMS = 60
SHORTEST = 60
LONGEST = 4000
SYLLABLES = ("ba", "ri", "to", "len", "mu", "ska", "no", "vel", "di", "ok", "pra", "sun")
STUCK = ("{a} {b}: {}", "{} {a} {b} {c}", "{} {n} {a} {b}", "{} ({a}.example, {n} {b})", "{}")
ENDS = ("…", "...", " …", "", " [...]", "… more", "…mehr", " ...weiterlesen", "… (more)", "\ufffd")
Damage = Callable[[str, random.Random], str]


def main() -> int:
    """Write the copies, one line an item."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("feeds", nargs="+", type=Path)
    parser.add_argument("--hits", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for path in asked.feeds:
        for item in items(path):
            chance = random.Random(zlib.crc32(f"{asked.seed} {item['id']}".encode()))  # noqa: S311 -- damage, no secret
            item["witnesses"] = copies(item, asked.hits, chance)
            sys.stdout.write(json.dumps(item, ensure_ascii=False) + "\n")
    return 0


def items(path: Path) -> Iterator[dict]:
    """Return the titles and descriptions of a feed that nothing is to be mended in."""
    feed = feedparser.parse(path.read_bytes())
    show, language = feed.feed.get("title", path.stem), (feed.feed.get("language") or "")[:2].lower()
    seen = set()
    for number, entry in enumerate(feed.entries[:MOST_ITEMS]):
        title = " ".join(to_text(entry.get("title", "")).split())
        text = " ".join(to_text(entry.get("summary", "")).split())[:LONGEST]
        for field, truth in (("title", title), ("description", text if len(text) >= SHORTEST else "")):
            if truth and truth not in seen and repair_text(truth) == (truth, False, ()):
                seen.add(truth)
                name = f"{path.stem}-{number}-{field[0]}"
                yield {"id": name, "field": field, "lang": language, "show": show, "truth": truth}


def copies(item: dict, hits: int, chance: random.Random) -> list[dict]:
    """Three to five copies; one at least is not cut."""
    sources = chance.sample(sorted(TRUST), chance.randint(3, 5))
    full = chance.choice(sources)
    made = []
    for source in sources:
        text = item["truth"]
        kinds = [kind for kind in DAMAGES if kind is not cut or (source != full and item["field"] != "title")]
        for kind in chance.sample(kinds, hits) if chance.random() < 0.85 else ():
            text = kind(text, chance)
        made.append({"source": source, "trust": TRUST[source], "text": stuck(text, item, source, chance)})
    return made


def stuck(text: str, item: dict, source: str, chance: random.Random) -> str:
    """Return the text with what its source sticks to all texts of a show, most of the time."""
    habit = random.Random(zlib.crc32(f"{item['show']} {item['field']} {source}".encode()))  # noqa: S311
    form = habit.choice(STUCK)
    words = {name: "".join(habit.choices(SYLLABLES, k=3)) for name in "abc"}
    if item["field"] == "title" or chance.random() < 0.2:
        return text
    return form.format(text, **words, n=chance.randint(4, 4000))


def cut(text: str, chance: random.Random) -> str:
    """Cut anywhere behind a fifth."""
    return text[: max(12, int(len(text) * chance.uniform(0.2, 0.95)))].rstrip() + chance.choice(ENDS)


def redecoded(text: str, chance: random.Random) -> str:
    """Read in a wrong encoding, whole."""
    read = text.encode().decode(chance.choice(("cp1252", "latin-1", "cp1251", "cp1250", "cp1254")), "replace")
    return read if chance.random() < 0.7 else read.replace("\ufffd", "")


def asked(text: str, chance: random.Random) -> str:
    """Replace what a smaller character set lacks by a question mark."""
    return text.encode(chance.choice(("latin-1", "cp1252", "ascii")), "replace").decode("cp1252", "replace")


def unaccented(text: str, _chance: random.Random) -> str:
    """Letters without their marks."""
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(one for one in apart if not "\u0300" <= one <= "\u036f"))


def escaped(text: str, chance: random.Random) -> str:
    """As HTML, once or twice, also by number."""
    if chance.random() < 0.5:
        text = "".join(f"&#{ord(one)};" if ord(one) > 0x7E else html.escape(one) for one in text)
    return f"<p>{html.escape(text) if chance.random() < 0.5 else text}</p>"


def sown(text: str, chance: random.Random) -> str:
    """Insert invisible characters between letters."""
    seed = chance.choice("\u200b\u00ad\u2060\ufeff")
    return "".join(one + seed * (chance.random() < 0.06) for one in text)


def narrow(text: str, chance: random.Random) -> str:
    """Wrap a text at a width, with or without a hyphen in the last word."""
    width, lines, line = chance.randint(44, 72), [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def misread(text: str, chance: random.Random) -> str:
    """Replace some letters by similar ones."""
    swaps = [
        ("m", "rn"),
        ("l", "1"),
        ("O", "0"),
        ("e", "c"),
        ("h", "b"),
        ("cl", "d"),
        ("ı", "i"),
        ("ü", "ii"),
        ("の", "め"),
    ]
    for one, other in chance.sample(swaps, 4):
        places = [found.start() for found in re.finditer(re.escape(one), text)]
        if places:
            at = chance.choice(places)
            text = text[:at] + other + text[at + len(one) :]
    return text


def restyled(text: str, _chance: random.Random) -> str:
    """Typographic marks made plain."""
    return text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-", 0x2026: "..."})


def dropped(text: str, chance: random.Random) -> str:
    """Remove a few words, or letters of a text without spaces."""
    unit = " " if text.count(" ") > len(text) / 20 else ""
    parts = text.split(" ") if unit else list(text)
    for _ in range(chance.randint(1, 3)):
        if len(parts) > 3:
            del parts[chance.randrange(len(parts))]
    return unit.join(parts)


def exchanged(text: str, chance: random.Random) -> str:
    """Two neighbouring sentences, or halves, changed round."""
    parts = re.split(r"(?<=[.!?。！？]) ?", text)
    if len(parts) < 3:
        return text
    at = chance.randrange(len(parts) - 1)
    parts[at], parts[at + 1] = parts[at + 1], parts[at]
    return (" " if " " in text else "").join(part.strip() for part in parts)


def doubled(text: str, chance: random.Random) -> str:
    """Repeat a run of words."""
    words = text.split(" ")
    at, size = chance.randrange(len(words)), chance.randint(1, 4)
    return " ".join([*words[: at + size], *words[at:]])


def unspaced(text: str, chance: random.Random) -> str:
    """Blanks lost, doubled or of another kind."""
    return re.sub(" ", lambda _: "" if chance.random() < 0.03 else chance.choice(("  ", "\u00a0", " ", " ")), text)


def linked(text: str, chance: random.Random) -> str:
    """Addresses with a campaign, a blank, or a part of the path twice."""
    ways = (r"\1?utm_source=x&utm_medium=rss", r"\1/ \2", r"\1/\2/\2")
    return re.sub(
        r"(https?://[^\s?]+)/([\w-]+)(?=[\s.,)]|$)", chance.choice((ways[0].replace(r"\1", r"\1/\2"), *ways[1:])), text
    )


def starred(text: str, chance: random.Random) -> str:
    """Markdown round some words, and backslashes."""
    words = [f"**{word}**" if word.isalpha() and chance.random() < 0.05 else word for word in text.split(" ")]
    return re.sub(r"([_#*+!-])", r"\\\1", text) if chance.random() < 0.4 else " ".join(words)


DAMAGES: tuple[Damage, ...] = (
    *(cut, cut, redecoded, asked, unaccented, escaped, sown, narrow, misread, restyled),
    *(dropped, exchanged, doubled, unspaced, linked, starred),
)

if __name__ == "__main__":
    sys.exit(main())
