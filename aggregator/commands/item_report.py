"""One item's whole account, for a person: who saw it, why it is one, who said each field, what was repaired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from aggregator.commands.evidence_table import waterfall
from aggregator.commands.tables import heading, table
from aggregator.commands.wording import SHORT, count, line, value
from aggregator.model.entry import Entry
from aggregator.model.item import Item
from aggregator.store.entries import StoredEntry
from aggregator.text import visible_whitespace
from aggregator.text.html import to_text

SEEN = ("entry", "title", "date", "length", "text", "first seen", "last seen")
TEXT = 300
"""Characters shown of a description: enough to tell two episodes apart."""

GUID = 40
CHANGE = 60
"""Characters shown of each side of a repair."""


def tell(console: Console, item: Item, seen: Sequence[StoredEntry]) -> None:
    """Print the account of an item; ``seen`` are its entries as they are remembered."""
    console.print(line(item.title, 200), style="bold")
    console.print(f"{item.genre} {line(item.guid, 200)}")
    heading(console, f"Seen by {count(len({one.entry.source for one in seen}), 'source')}")
    table(console, SEEN, _seen(seen))
    heading(console, "Why it is one")
    if not item.pairs:
        console.print("One source alone tells of it." if len(item.entries) == 1 else "No pair of them was compared.")
    for pair in item.pairs:
        waterfall(console, pair)
    heading(console, "Who said what")
    heads = ("field", "value", "witness", "agreeing", "dissent", "confidence")
    table(console, heads, _fields(item), right=("confidence",))
    repairs = tuple(_repairs(item))
    heading(console, count(len(repairs), "repair"))
    table(console, ("field", "cause", "before", "after"), repairs)


def sides(console: Console, seen: Sequence[StoredEntry]) -> None:
    """Print entries beside each other, with the beginning of what each says."""
    table(console, SEEN, _seen(seen))
    for one in seen:
        console.print(f"{line(one.entry.id)}: {line(told(one.entry) or '', TEXT)}")


def told(entry: Entry) -> str | None:
    """What an entry tells at length, as text; ``None`` where it tells nothing."""
    if entry.description is None and entry.html is not None:
        return to_text(entry.html)
    return entry.description


def plain(item: Item, seen: Sequence[StoredEntry]) -> dict[str, object]:
    """The account of an item, for a machine."""
    return {"item": item, "entries": [vars_of(one) for one in seen]}


def vars_of(one: StoredEntry) -> dict[str, object]:
    """A remembered entry with its id."""
    return {
        "id": one.entry.id,
        "first_seen": one.first_seen,
        "last_seen": one.last_seen,
        "entry": one.entry,
    }


def _seen(seen: Sequence[StoredEntry]) -> Iterator[tuple[str, ...]]:
    """A row for each entry."""
    for one in seen:
        said = one.entry
        text = told(said)
        size = "" if text is None else f"{count(len(text), 'sign')}{', cut' if said.cut else ''}"
        yield (
            line(said.id, GUID),
            line(said.title, GUID),
            value(said.published),
            value(said.duration),
            size,
            f"{one.first_seen:%Y-%m-%d}",
            f"{one.last_seen:%Y-%m-%d}",
        )


def _fields(item: Item) -> Iterator[tuple[str, ...]]:
    """A row for each field that has a witness."""
    for said in item.provenance:
        dissent = "; ".join(f"{line(other.source, GUID)}: {line(other.value, GUID)}" for other in said.dissent)
        yield (
            said.field,
            value(getattr(item, said.field, None), SHORT),
            line(said.witness, GUID),
            line(", ".join(said.agreeing), SHORT),
            line(dissent, 2 * SHORT),
            f"{said.confidence:.2f}",
        )


def _repairs(item: Item) -> Iterator[tuple[str, ...]]:
    """A row for each change made to a value that is published."""
    for said in item.provenance:
        for note in said.notes:
            before, after = visible_whitespace.show_difference(note.before, note.after)
            yield note.field, note.cause, line(before, CHANGE), line(after, CHANGE)
