"""One item, its entries and the evidence that joins them, as tables on a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from io import StringIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from aggregator.commands.output import SHORT, format_count, format_value, shorten
from aggregator.commands.tables import print_heading, print_table
from aggregator.merger.matching.wording import describe_evidence, describe_level, describe_pair
from aggregator.model.cluster import Pair
from aggregator.model.entry import Duration, Entry, Moment
from aggregator.model.item import Item
from aggregator.store.entries import StoredEntry
from aggregator.text import visible_whitespace, word_diff
from aggregator.text.html import to_text

_ENTRY_HEADS = ("entry", "title", "date", "length", "text", "first seen", "last seen")
_TEXT = 300
"""Characters shown of a description, enough to tell two episodes apart."""

_GUID = 40

_CHANGE = 60
"""Characters shown of a text before and after its repair."""


def print_item(console: Console, item: Item, seen: Sequence[StoredEntry] = (), *, evidence: bool = False) -> None:
    """Print an item: its fields, its repairs, its entries if they are stored (``seen``), and why they were merged.

    A pair of entries is one line, with ``evidence`` a table.
    """
    console.print(shorten(item.title, 200), style="bold")
    console.print(f"{item.genre} {shorten(item.guid, 200)}")
    print_heading(console, "Where each field comes from")
    heads = ("field", "value", "from", "also", "differs", "confidence")
    print_table(console, heads, _field_rows(item), right=("confidence",))
    if repairs := tuple(_repair_rows(item)):
        print_heading(console, format_count(len(repairs), "repair"))
        print_table(console, ("field", "cause", "before", "after"), repairs)
    if seen:
        print_heading(console, f"Entries from {format_count(len({one.entry.source for one in seen}), 'source')}")
        print_table(console, _ENTRY_HEADS, _entry_rows(seen))
    print_heading(console, "Why these entries were merged")
    if not item.pairs:
        console.print("There is only one entry." if len(item.entries) == 1 else "No pair of them was compared.")
    for pair in item.pairs:
        if evidence:
            print_evidence(console, pair)
        else:
            names = f"{shorten(pair.left, _GUID)} and {shorten(pair.right, _GUID)}"
            console.print(f"{names}: {describe_pair(pair)}", soft_wrap=True)
    if item.pairs and seen and not evidence:
        console.print("Every piece of evidence with its weight: --evidence", style="dim")


def format_item(item: Item, width: int) -> str:
    """Return what :func:`print_item` prints of an item whose entries are not stored."""
    text = StringIO()
    print_item(Console(file=text, width=width, highlight=False, markup=False, emoji=False), item)
    return text.getvalue()


def print_entries(console: Console, seen: Sequence[StoredEntry]) -> None:
    """Print entries as a table, then the beginning of each text."""
    print_table(console, _ENTRY_HEADS, _entry_rows(seen))
    for one in seen:
        console.print(f"{shorten(one.entry.id)}: {shorten(_full_text(one.entry) or '', _TEXT)}")


_STYLES: Mapping[word_diff.Change, str] = {"same": "", "removed": "red", "added": "green"}
_MAX_TEXT = 900
"""Characters of a text beside another."""


def print_sides(console: Console, left: StoredEntry, right: StoredEntry) -> None:
    """Print two entries side by side; in titles and texts the words that only one of them has are marked."""
    table = Table("", shorten(left.entry.id, _GUID), shorten(right.entry.id, _GUID), box=None, header_style="dim")
    one, other = left.entry, right.entry
    table.add_row("title", *_mark(one.title, other.title))
    table.add_row("date", *(Text(format_value(each.published)) for each in (one, other)))
    table.add_row("length", *(Text(format_value(each.duration)) for each in (one, other)))
    table.add_row("audio", *(Text(format_value(each.enclosure)) for each in (one, other)))
    table.add_row("link", *(Text(format_value(each.link)) for each in (one, other)))
    texts = [_full_text(each) or "" for each in (one, other)]
    table.add_row("text", *(Text(format_count(len(text), "character")) for text in texts))
    table.add_row("", *_mark(*texts))
    console.print(table)


def _mark(left: str, right: str) -> tuple[Text, Text]:
    one, other = (_assemble(pieces) for pieces in word_diff.mark_sides(left, right))
    return one, other


def _assemble(pieces: Sequence[tuple[word_diff.Change, str]]) -> Text:
    text = Text(" ").join(Text(shorten(piece, _MAX_TEXT), _STYLES[change]) for change, piece in pieces)
    text.truncate(_MAX_TEXT, overflow="ellipsis")
    return text


def _full_text(entry: Entry) -> str | None:
    """Return an entry's description as text; ``None`` if it has none."""
    if entry.description is None and entry.html is not None:
        return to_text(entry.html)
    return entry.description


def item_values(item: Item, seen: Sequence[StoredEntry]) -> dict[str, object]:
    """Return an item and its stored entries for JSON."""
    entries = [
        {"id": one.entry.id, "first_seen": one.first_seen, "last_seen": one.last_seen, "entry": one.entry}
        for one in seen
    ]
    return {"item": item, "entries": entries}


def _entry_rows(seen: Sequence[StoredEntry]) -> Iterator[tuple[str, ...]]:
    for one in seen:
        entry = one.entry
        text = _full_text(entry)
        size = "" if text is None else f"{format_count(len(text), 'character')}{', cut' if entry.cut else ''}"
        yield (
            shorten(entry.id, _GUID),
            shorten(entry.title, _GUID),
            format_value(entry.published),
            format_value(entry.duration),
            size,
            f"{one.first_seen:%Y-%m-%d}",
            f"{one.last_seen:%Y-%m-%d}",
        )


def _field_rows(item: Item) -> Iterator[tuple[str, ...]]:
    for known in item.provenance:
        others = [(other.source, _show(known.field, other.value)) for other in known.dissent]
        dissent = "; ".join(f"{shorten(source, _GUID)}: {shorten(value, _GUID)}" for source, value in others)
        yield (
            known.field,
            format_value(getattr(item, known.field, None), SHORT),
            shorten(known.source, _GUID),
            shorten(", ".join(known.agreeing), SHORT),
            shorten(dissent, 2 * SHORT),
            f"{known.confidence:.2f}",
        )


def _show(field: str, value: str) -> str:
    """Return a value that differs as the chosen one is shown."""
    if field == "duration":
        return format_value(Duration(int(value.removesuffix(" s"))))
    return format_value(Moment(datetime.fromisoformat(value))) if field == "published" else value


def _repair_rows(item: Item) -> Iterator[tuple[str, ...]]:
    for known in item.provenance:
        for note in known.notes:
            before, after = visible_whitespace.show_difference(note.before, note.after)
            yield note.field, note.cause, shorten(before, _CHANGE), shorten(after, _CHANGE)


_HALF = 48
"""Characters of a value in the evidence table, which shows two beside each other."""


def print_evidence(console: Console, pair: Pair) -> None:
    """Print a pair of entries, the total weight and each piece of evidence, the strongest first."""
    veto = f"; never merged: {pair.veto}" if pair.veto else ""
    console.print(f"{shorten(pair.left)} and {shorten(pair.right)}: {pair.weight:+.1f}{veto}")
    rows = [
        (
            f"{one.weight:+.1f}",
            describe_evidence(one.name),
            describe_level(one.name, one.level),
            shorten(one.left, _HALF),
            shorten(one.right, _HALF),
        )
        for one in sorted(pair.evidence, key=lambda one: -abs(one.weight))
    ]
    print_table(console, ("weight", "evidence", "comparison", "left", "right"), rows, right=("weight",))
