"""The changes page of a feed, ``changes.html``, and the same as an Atom feed, ``changes.atom``."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from html import escape

from msgspec import Struct, field

from aggregator.generator.changes.changes import (
    Change,
    History,
    RunChanges,
    describe_change,
    describe_values,
    quote_title,
)
from aggregator.generator.opml import escape_attribute
from aggregator.generator.pages import languages, pages, view
from aggregator.model.feed import Channel, Feed
from aggregator.translation.locale import Locale

PAGE, ATOM = "changes.html", "changes.atom"

_OF_OPERATION = frozenset({"listed", "unlisted", "source"})
_OF_FILES = frozenset({"audio type", "audio size"})


def render_changes_pages(feed: Feed, history: History) -> Iterator[tuple[str, bytes]]:
    """Yield the file and the content of ``changes.html`` in each language.

    It tells what changed for listeners in each run, newest first, linked to its items. Changes of
    sources, and of the type and size of audio, are in ``changes.atom`` alone.
    """
    there, channel = {item.guid for item in feed.items}, feed.channel
    editions = languages.list_editions(PAGE, languages.list_languages(channel))
    for each in editions:
        locale = languages.make_locale(channel, each.language)
        runs = [
            (locale.format_time(run.at), _format_time(run.at), _group(told, there, locale), run.more)
            for run in history.editions
            if (told := [change for change in run.changes if _is_for_listeners(change)])
        ]
        index = languages.name_file("index.html", each.language, languages.list_languages(channel))
        values = {"channel": channel, "runs": runs, "index": index, "feeds": pages.name_index(channel, each.language)}
        yield each.file, pages.render_template("changes.html.j2", locale, editions, **values)


def render_changes_feed(feed: Feed, history: History) -> bytes:
    """Render ``changes.atom`` (RFC 4287): one entry for each run that changed something, in the main language."""
    channel, locale = feed.channel, languages.make_locale(feed.channel)
    title = locale.gettext("Changes to %(title)s", title=channel.title)
    updated = history.editions[0].at if history.editions else feed.updated
    entries = "".join(_make_entry(channel, edition, locale) for edition in history.editions)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{locale.language}">\n'
        f"  <id>{_make_id(channel, 'changes')}</id>\n  <title>{escape_attribute(title)}</title>\n"
        f"  <updated>{_format_time(updated)}</updated>\n  <author><name>aggregator</name></author>\n"
        f'  <link rel="self" type="application/atom+xml" href="{escape_attribute(channel.base_url)}/{ATOM}"/>\n'
        f'  <link rel="alternate" type="text/html" href="{escape_attribute(channel.base_url)}/{PAGE}"/>\n'
        f"{entries}</feed>\n"
    ).encode("utf-8", "replace")


def _make_entry(channel: Channel, edition: RunChanges, locale: Locale) -> str:
    lines = [describe_change(each, locale) for each in edition.changes]
    named = map(describe_change, edition.changes)  # the id of an entry depends on no language
    name = _make_id(channel, " ".join((_format_time(edition.at), *named)))
    if edition.more:
        lines.append(locale.ngettext("and %(count)s more change", "and %(count)s more changes", edition.more))
    listed = "".join(f"<li>{escape_attribute(line)}</li>" for line in lines)
    total = len(edition.changes) + edition.more
    title = lines[0] if total == 1 else locale.ngettext("%(count)s change", "%(count)s changes", total)
    return (
        f"  <entry>\n    <id>{name}</id>\n    <title>{escape_attribute(title)}</title>\n"
        f"    <updated>{_format_time(edition.at)}</updated>\n"
        f'    <link rel="alternate" type="text/html" href="{escape_attribute(channel.base_url)}/{PAGE}"/>\n'
        f'    <content type="html">{escape(f"<ul>{listed}</ul>")}</content>\n  </entry>\n'
    )


class _Line(Struct):
    """The changes of one item or of the feed: a text that is linked, and what changed of it, unless that says it."""

    linked: str
    target: str | None
    texts: list[str] = field(default_factory=list)


def _is_for_listeners(change: Change) -> bool:
    return change.kind not in _OF_OPERATION and change.field not in _OF_FILES


def _group(found: Iterable[Change], there: Collection[str], locale: Locale) -> list[_Line]:
    lines: dict[str, _Line] = {}
    for number, change in enumerate(found):
        target = _find_target(change, there)
        if change.kind == "changed":
            line = lines.setdefault(change.guid, _Line(quote_title(change, locale), target))
            line.texts.append(describe_values(change, locale))
        else:
            lines[str(number)] = _Line(describe_change(change, locale), target)
    return list(lines.values())


def _find_target(change: Change, there: Collection[str]) -> str | None:
    """Return the fragment of the item on the feed's page; ``None`` if it is not there."""
    return f"#{view.make_anchor(change.guid)}" if change.guid and change.guid in there else None


def _make_id(channel: Channel, name: str) -> str:
    """Make a permanent id from the podcast:guid, else from the folder's name, so that it does not depend on the URL."""
    home = uuid.uuid5(uuid.NAMESPACE_URL, channel.guid or channel.name)
    return f"urn:uuid:{uuid.uuid5(home, name)}"


def _format_time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
