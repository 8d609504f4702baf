"""Draw the pictures of how the program works that the docs show: ``python -m tests.support.drawings docs``."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from aggregator.merger.blending.aligned_copies import Column, align_copies, place_moved_runs
from aggregator.merger.blending.blend import Text, read_text
from aggregator.merger.blending.copies import Copy, PreparedCopy, prepare_copies, tokenise_copies
from aggregator.merger.blending.truncation import mark_cut_copies
from aggregator.merger.matching.match import THRESHOLD
from aggregator.merger.matching.wording import describe_evidence, describe_level
from aggregator.model.cluster import Pair
from aggregator.text.alignment import align
from aggregator.text.tokens import tokenise
from tests.support.paths import ROOT
from tests.support.program import run_program

WIDTH = 352  # pixels: the text of a page is as wide on a phone of 390
_LEAST, _MOST = -6.0, 10.0  # log-odds that a waterfall has room for
_HEAD, _ROW = 42, 32
_LINE, _CELL = 24, 83  # height and width of a token
COPIES = (
    Copy("host", "Why they ring, who tuncs them, and what the “slow roller” really was."),
    Copy("shelf", "Why they ring, who tunes them, and what the â€œslow..."),
    Copy("mirror", 'Why they they ring who tunes them, and the "slow roller" really was.'),
)
# A browser shows a picture in the scheme of the page around it (CSS Color Adjustment, section 2.3).
_STYLE = """
svg { --paper: #fff; --ink: #222; --quiet: #5f6368; --for: #1b7f3b; --against: #b3261e; --sum: #3349c9;
      --chosen: #d3efdb; --other: #fbdcd8 }
@media (prefers-color-scheme: dark) {
  svg { --paper: #1e2129; --ink: #e4e4e7; --quiet: #a3a7b0; --for: #57c27c; --against: #f28b82; --sum: #8a9bff;
        --chosen: #1c4a2c; --other: #5e2823 }
}
text { fill: var(--ink); font: 13px system-ui, sans-serif }
.head { font-weight: 600 } .quiet { fill: var(--quiet) } .end { text-anchor: end }
.bar-for { fill: var(--for) } .bar-against { fill: var(--against) }
.bar-sum { fill: var(--sum) } .bar-start { fill: var(--quiet) }
.zero { stroke: var(--quiet) } .threshold { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 3 2 }
.cell-chosen { fill: var(--chosen) } .cell-other { fill: var(--other) }
.other { text-decoration: line-through }
.cell-lost { fill: none; stroke: var(--quiet); stroke-dasharray: 3 2 }
"""


def make_picture(title: str, height: int, shapes: Iterable[str]) -> str:
    """Return an SVG file; its title is also the alternative text that a page has for it."""
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    paper = '<rect width="100%" height="100%" rx="6" fill="var(--paper)"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{escape(title)}</title>'
    return "\n".join([head, f"<style>{_STYLE}</style>", paper, *shapes, "</svg>\n"])


def _write(x: float, y: float, text: str, look: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{look}">{escape(text, quote=False)}</text>'


def _show(weight: float) -> str:
    return f"{weight:+.1f}".replace("-", "−")


def _read_pairs() -> Iterator[tuple[Sequence[str], Pair]]:
    """Yield pairs of the tutorial, with both titles: one that is merged, and one that waits for an answer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for listing in (ROOT / "docs/tutorial/listings").iterdir():
            shutil.copy(listing, folder)
        run_program(folder, "init", "host.xml", "shelf.xml")
        run_program(folder, "review", "--same", "host/tides-005", "shelf/7065")  # its evidence stays what it is
        run_program(folder, "refresh")
        for guid in ("tides-004", "tides-005"):
            told = json.loads(run_program(folder, "explain", guid, "--evidence", "--json").stdout)
            titles = [each["entry"]["title"] for each in told["entries"]]
            yield titles, msgspec.convert(told["item"]["pairs"][0], Pair)


def _draw_row(y: float, name: str, weight: float, begin: float, look: str) -> Iterator[str]:
    """Yield a line of words with a bar below, from one sum of log-odds to the next; 0 and the threshold are marked."""

    def place(value: float) -> float:
        return 10 + (value - _LEAST) * (WIDTH - 20) / (_MOST - _LEAST)

    left, right = sorted((place(begin), place(begin + weight)))
    yield _write(10, y + 12, name, "head" if look == "sum" else "")
    yield _write(WIDTH - 10, y + 12, _show(weight), "head end" if look == "sum" else "end")
    yield f'<rect x="{left:.1f}" y="{y + 18:g}" width="{right - left:.1f}" height="8" class="bar-{look}"/>'
    for mark, value in (("zero", 0.0), ("threshold", THRESHOLD)):
        at = f"{place(value):.1f}"
        yield f'<line x1="{at}" x2="{at}" y1="{y + 16:g}" y2="{y + 28:g}" class="{mark}"/>'


def _draw_pair(titles: Sequence[str], pair: Pair, top: float) -> Iterator[str]:
    """Yield the waterfall of a pair: each kind of evidence begins where the one above it ends."""
    for at, title in enumerate(titles):
        yield _write(10, top + 14 + 18 * at, f"“{title}”", "head")
    y, total = top + _HEAD, 0.0
    for evidence in pair.evidence:
        level = describe_level(evidence.name, evidence.level)
        name = describe_evidence(evidence.name) + (level and f": {level}")
        look = "start" if evidence.name == "prior" else "for" if evidence.weight > 0 else "against"
        yield from _draw_row(y, name, evidence.weight, total, look)
        y, total = y + _ROW, total + evidence.weight
    yield from _draw_row(y, f"sum: {_judge(pair)}", pair.weight, 0.0, "sum")


def _judge(pair: Pair) -> str:
    return "one item" if pair.weight >= THRESHOLD else "doubtful, not merged"


def _tell_pair(titles: Sequence[str], pair: Pair) -> str:
    """Return the waterfall of a pair in words."""
    weights = [f"{describe_evidence(one.name)} {_show(one.weight)}" for one in pair.evidence]
    return f"{' and '.join(titles)}: {', '.join(weights)}; sum {_show(pair.weight)}, {_judge(pair)}"


def draw_evidence() -> str:
    """Return the waterfalls of two pairs of the tutorial, by what ``explain`` says of them."""
    shapes: list[str] = []
    told, top = [], 10
    for titles, pair in _read_pairs():
        shapes += _draw_pair(titles, pair, top)
        top += _HEAD + _ROW * (len(pair.evidence) + 1) + 20
        told.append(_tell_pair(titles, pair))
    shapes.append(_write(10, top + 2, f"natural log-odds; dashed: the threshold, {THRESHOLD:g}", "quiet"))
    return make_picture(". ".join(told), top + 14, shapes)


def _align() -> tuple[Sequence[PreparedCopy], Sequence[tuple[Column, str]]]:
    """Return the copies as they are read, and their columns, each with what is read there, "" for nothing."""
    copies = tokenise_copies(prepare_copies(COPIES))
    mark_cut_copies(copies)
    columns = place_moved_runs(align_copies(copies), copies)
    read = tokenise(read_text(Text(field="description", copies=COPIES, language="en")).text)
    places = dict(align([column.key for column in columns], [token.key for token in read]))
    assert sorted(places.values()) == list(range(len(read)))
    return copies, [(column, read[places[at]].surface if at in places else "") for at, column in enumerate(columns)]


def _judge_cell(written: str, read: str) -> str:
    """Return what becomes of a token of one copy; "" where neither the copy nor the text has one."""
    return "chosen" if written and written == read else "other" if written else "lost" if read else ""


def _draw_cell(x: float, y: float, written: str, read: str, *, cut: bool) -> Iterator[str]:
    look = "" if cut else _judge_cell(written, read)
    if look:
        yield f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{_CELL - 2}" height="{_LINE - 2}" class="cell-{look}"/>'
    words = "cut" if cut else "lost" if look == "lost" else written
    yield _write(x + 6, y + 16, words, "quiet" if words != written else look)


def draw_copies() -> str:
    """Return three damaged copies of a sentence beside each other, a token a line, and what is read of them."""
    copies, columns = _align()
    order = sorted(range(len(copies)), key=lambda number: [one.source for one in COPIES].index(copies[number].source))
    shapes = [_write(16 + _CELL * at, 24, copies[number].source, "head") for at, number in enumerate(order)]
    shapes.append(_write(16 + _CELL * len(order), 24, "read", "head"))
    told = []
    for at, number in enumerate(order):
        ends = max(line for line, (column, _) in enumerate(columns) if number in column.cells)
        wrong = []
        for line, (column, read) in enumerate(columns):
            written = column.cells[number].surface if number in column.cells else ""
            cut = copies[number].cut and line > ends
            shapes += _draw_cell(10 + _CELL * at, 32 + _LINE * line, written, read, cut=cut)
            if written != read and not cut:
                wrong.append(f"{written or 'nothing'} for {read or 'nothing'}")
        wrong += [f"cut behind {columns[ends][0].cells[number].surface}"] if copies[number].cut else []
        told.append(f"{copies[number].source}: {'; '.join(wrong)}")
    for line, (_, read) in enumerate(columns):
        shapes.append(_write(16 + _CELL * len(order), 32 + 16 + _LINE * line, read, "head"))
    height = 32 + _LINE * len(columns) + 44
    shapes.append(_write(10, height - 26, "green: as it is read; struck out: not taken", "quiet"))
    shapes.append(_write(10, height - 9, "the copies after repair, the same trust in each", "quiet"))
    text = " ".join(read for _, read in columns if read)
    return make_picture(f"Three copies, token by token. read: {text} {'. '.join(told)}", height, shapes)


PICTURES: Mapping[str, Callable[[], str]] = {"evidence.svg": draw_evidence, "copies.svg": draw_copies}


def main() -> None:
    """Write the pictures into the folder that the command line names."""
    for name, draw in PICTURES.items():
        (Path(sys.argv[1]) / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
