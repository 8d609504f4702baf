"""Feeds made up for comparing readers: sound XML with every element that feedparser has steps for, at odd
places too.
"""

from __future__ import annotations

import csv
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

DATA = Path(__file__).parent / "data"


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a table, tabs between the columns."""
    lines = path.read_text("utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


WORDS = [line.encode().decode("unicode_escape") for line in (DATA / "made_words.txt").read_text("utf-8").split("\n")]
SPACES = {row["prefix"]: row["address"] for row in table(DATA / "made_names.tsv") if row["prefix"]}
SPACED = {row["prefix"]: row["names"].split() for row in table(DATA / "made_names.tsv")}
NAMES = SPACED[""] * 3 + [f"{prefix}:{name}" for prefix, names in SPACED.items() if prefix for name in names * 2]
ATTRIBUTES = {row["name"]: row["values"].split(" | ") for row in table(DATA / "made_attributes.tsv")}
TAME = [*SPACED[""][:8], *(f"itunes:{name}" for name in SPACED["itunes"][:8]), "content:encoded", "dc:creator"]
DEEPEST = 3
TEXTS = st.sampled_from(WORDS)


@st.composite
def element(draw: st.DrawFn, depth: int = 0) -> str:
    """One element: some attributes, then a text (escaped or as CDATA), other elements, or nothing."""
    name = draw(st.sampled_from(NAMES))
    keys = draw(st.lists(st.sampled_from(sorted(ATTRIBUTES)), max_size=3, unique=True)) if draw(st.booleans()) else []
    said = "".join(f" {key}={quoteattr(draw(st.sampled_from(ATTRIBUTES[key])))}" for key in keys)
    shape = draw(st.integers(0, 9))
    if shape == 0:
        return f"<{name}{said}/>"
    if shape == 1 and depth < DEEPEST:
        return f"<{name}{said}>{''.join(draw(st.lists(element(depth=depth + 1), max_size=3)))}</{name}>"
    text = draw(TEXTS)
    inner = f"<![CDATA[{text}]]>" if draw(st.booleans()) and "]]>" not in text else escape(text)
    aside = "<!-- aside -->" if shape == DEEPEST and draw(st.booleans()) else ""
    return f"<{name}{said}>{inner}{aside}</{name}>"


@st.composite
def tame(draw: st.DrawFn) -> str:
    """One element as most feeds have it: a known name, a text, no attribute but its own."""
    name = draw(st.sampled_from(TAME))
    text = escape(draw(TEXTS))
    if name in {"enclosure", "itunes:image"}:
        key = "url" if name == "enclosure" else "href"
        return f'<{name} {key}="https://example.org/e/{draw(st.integers(0, 3))}.mp3" length="12" type="audio/mpeg"/>'
    return f"<{name}>{text}</{name}>"


@st.composite
def feed(draw: st.DrawFn, *, wild: bool = True) -> bytes:
    """A feed of RSS 2.0, Atom 1.0 or RSS 1.0 in UTF-8, declared or not."""
    one = st.one_of(tame(), element()) if wild else tame()
    head, tail = draw(st.lists(one, max_size=6)), draw(st.lists(one, max_size=2))
    items = ["".join(draw(st.lists(one, min_size=1, max_size=9))) for _ in range(draw(st.integers(0, 4)))]
    spaces = "".join(f' xmlns:{prefix}="{address}"' for prefix, address in SPACES.items())
    declaration = draw(
        st.sampled_from(["", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>\n', "\ufeff"])
    )
    language = draw(st.sampled_from(["", ' xml:lang="en_GB"']))
    match draw(st.sampled_from(["rss", "rss", "atom", "rdf"])):
        case "rss":
            inner = "".join(f"<item>{item}</item>" for item in items)
            body = (
                f'<rss version="2.0"{language}{spaces}><channel>{"".join(head)}{inner}{"".join(tail)}</channel></rss>'
            )
        case "atom":
            inner = "".join(f"<entry>{item}</entry>\n" for item in items)
            body = f'<feed xmlns="http://www.w3.org/2005/Atom"{language}{spaces}>{"".join(head)}{inner}{"".join(tail)}</feed>'
        case _:
            spaces = spaces.replace(f' xmlns:atom="{SPACES["atom"]}"', ' xmlns:atom="https://example.org/atom"')
            rdf = ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
            inner = "".join(
                f'<item rdf:about="https://example.org/{at}">{item}</item>' for at, item in enumerate(items)
            )
            body = f"<rdf:RDF{rdf}{spaces}><channel>{''.join(head)}</channel>{inner}</rdf:RDF>"
    return (declaration + body).encode()
