"""Parse a document by the module of its kind, in a parser process, which has no network and writes no files."""

from __future__ import annotations

import os
import resource
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import opml, registry
from aggregator.fetchers.directories import outline, proposals
from aggregator.fetchers.feeds import known_elements
from aggregator.fetchers.parser_process import LARGEST_ANSWER, Answer, Task, encode
from aggregator.fetchers.parsing import enclosures, html_page
from aggregator.fetchers.parsing.bombs import check_bombs
from aggregator.fetchers.parsing.entries import limit_lengths, make_keys_unique
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document, Filter
from aggregator.sandbox import seccomp
from aggregator.sandbox.forks import is_in_process, write_message
from aggregator.sandbox.template import close_files, format_traceback
from aggregator.text import html
from aggregator.text.fold import fold
from aggregator.text.times import dates

_ENTRIES: Final = 100
"""Entries in one message, so that neither process holds all of a long listing in encoded form."""

_MOST_FILES: Final = 64
"""Open files; pipes hold memory that no limit counts."""

for _name in registry.KINDS:
    registry.load(_name)  # before the process is forked for each document
dates.preload()
known_elements.get_code()


def run(task: bytes, out: IO[bytes], _note: Callable[[str], None]) -> None:
    """Write the answer to a task, the entries of its listing before the rest."""
    if not is_in_process():
        _confine(out.fileno())
    answer = _answer(msgspec.msgpack.decode(task, type=Task))
    if answer.listing is not None:
        entries, answer.listing = answer.listing.entries, replace(answer.listing, entries=())
        for start in range(0, len(entries), _ENTRIES):
            write_message(out, encode(Answer(tuple(entries[start : start + _ENTRIES]))))
    write_message(out, encode(answer))


def _confine(answer: int) -> None:
    """Remove all access that no parser needs: files except that of its answer, the network, the environment.

    `aggregator check` reports machines without such filters of system calls.
    """
    close_files({0, 1, 2, answer})
    os.environ.clear()
    sys.dont_write_bytecode = True
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = LARGEST_ANSWER if hard == resource.RLIM_INFINITY else min(LARGEST_ANSWER, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_FILES, _MOST_FILES))
    seccomp.confine()


def _answer(task: Task) -> Answer:
    """Return the answer to a task; its ``error`` says why a document was refused, or describes a bug."""
    try:
        if task.subscriptions:
            return Answer(subscriptions=opml.read(task.document.body))
        check_bombs(task.document.body, task.most_items)
        return _do(task)
    except ReadError as error:
        return Answer(error=str(error))
    except RecursionError:
        return Answer(error="it is nested too deep to be parsed")
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001  # a bug in a parser costs its document only
        return Answer(error=_describe_bug(error), traceback=format_traceback(error))


def _do(task: Task) -> Answer:
    if task.discover:
        return Answer(feeds=discover(task.document))
    if task.propose:
        return Answer(proposals=proposals.propose(task.document))
    if task.outline is not None:
        return Answer(outline=outline.make_outline(task.document, task.outline))
    if task.pick is not None:
        return Answer(options=outline.pick(task.document, task.pick))
    listing = read(task.document)
    too_long = len(listing.entries) > task.most_items
    return Answer(error=f"it lists more than {task.most_items} items") if too_long else Answer(listing=listing)


def _describe_bug(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error} at {Path(frame.filename).name}:{frame.lineno}"
    return f"the parser failed, which is a bug in the aggregator: {what}"[:2_000]


def discover(document: Document) -> tuple[str, ...]:
    """Return the addresses of the feeds that a page names, best first; none if the kind does not look for them."""
    find = getattr(registry.load(document.source.kind), "discover", None)
    return tuple(find(document)) if find else ()


def read(document: Document) -> Listing:
    """Return the listing of a document with unique keys, long texts cut, and only the shows that the config selects.

    Raise ReadError for a document that is not understood, such as a page without an item or title. A sound feed without
    items gives an empty listing.
    """
    name = document.source.name
    if not document.body.strip():
        raise ReadError(f"{name}: the document is empty ({document.url})")
    listing = limit_lengths(registry.load(document.source.kind).read(document))
    if not listing.entries and listing.show.title is None:
        raise ReadError(f"{name}: nothing in the document was understood ({document.url})")
    genre = dict(document.source.options).get("genre")
    shown = (replace(_show_images(document, each), genre=genre or each.genre) for each in listing.entries)
    chosen = [entry for entry in shown if _is_of_show(entry, document.source.filter, listing)]
    entries, remarks = make_keys_unique(chosen)
    if listing.entries and not chosen:
        remarks += (f"none of the {len(listing.entries)} entries is of the show that the config asks for",)
    show = listing.show
    if show.title:
        show = replace(show, title=html.to_line(show.title) or show.title)
    return replace(listing, entries=entries, show=show, remarks=listing.remarks + remarks)


def _show_images(document: Document, entry: Entry) -> Entry:
    """Return the entry with the real addresses of the lazy images in its text."""
    shown = html_page.show_lazy_images(entry.html) if entry.html else None
    if shown is None or shown == entry.html:
        return entry
    resolved = enclosures.resolve_markup(entry.link or enclosures.find_base(document), shown)
    return replace(entry, html=resolved, element=None)


def _is_of_show(entry: Entry, chosen: Filter, listing: Listing) -> bool:
    """Return whether an entry is of a show that the config asks for; other conditions are for what is stored."""
    show = fold(entry.show or listing.show.title or "")
    only, excluded = ({fold(name) for name in each.show} for each in (chosen.only, chosen.exclude))
    return show not in excluded and (not only or show in only)
