"""Find sources that list entries of another show than the feed's, by the names of shows and by matches.

Reported are listings of several shows, some of them not the feed's, and sources without any match in the others if
their show has another name, or if the others match one another. An entry that matches is of the feed's show, with any
name; posts are compared with posts, so that a blog beside a podcast is no other show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry, Genre, Show
from aggregator.text.fold import fold
from aggregator.text.urls import canonical
from aggregator.translation.marks import N_

LEAST = 5
"""Entries without a match for which a source is reported; fewer may all be new or missing elsewhere."""

_SHORT_WORD = 3  # letters of a word that all texts have
_SHARED_WORDS = 4  # two shows have less than a fourth of the words of their descriptions in common
_NAMES = 3  # names of other shows that a line quotes


class Listed(Struct, frozen=True):
    """Entries that a source lists now, counted by their show (``None`` if not given), genre, and whether they match.

    ``matches`` says whether another source lists the same item; ``number`` is the number of such entries.
    """

    show: str | None
    genre: Genre
    matches: bool
    number: int = 1


def find_listed(clusters: Iterable[Cluster]) -> dict[str, tuple[Listed, ...]]:
    """Return what each source lists now, by source, with what matching found."""
    newest: Counter[str] = Counter()
    entries: list[tuple[Entry, bool]] = []
    for cluster in clusters:
        matches = len({entry.source for entry in cluster.entries}) > 1
        for entry in cluster.entries:
            newest[entry.source] = max(newest[entry.source], entry.span.last)
            entries.append((entry, matches))
    return tally(
        (entry.source, Listed(entry.show, entry.genre, matches))
        for entry, matches in entries
        if entry.span.last == newest[entry.source]
    )


def tally(entries: Iterable[tuple[str, Listed]]) -> dict[str, tuple[Listed, ...]]:
    """Return the entries by source, equal ones counted together."""
    found: dict[str, Counter[Listed]] = {}
    for source, entry in entries:
        found.setdefault(source, Counter())[entry] += 1
    return {
        source: tuple(Listed(one.show, one.genre, one.matches, number) for one, number in counted.items())
        for source, counted in found.items()
    }


def find_other_shows(
    title: str,
    known: Mapping[str, Sequence[Listed]],
    shows: Mapping[str, str | None],
    filtered: frozenset[str] = frozenset(),
    strangers: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Return one line for each source that lists another show, with what to add to the config, sorted.

    ``title`` is that of the feed, ``shows`` are the titles of the shows by source, ``filtered`` the sources for which
    the config selects a show, ``strangers`` those that are reported with fewer than ``LEAST`` entries.
    """
    found: list[str] = []
    for source in sorted(known):
        own = {fold(title), *(fold(name) for other, name in shows.items() if name and other != source)}
        mixed = "" if source in filtered else _describe_mixed(title, known[source], own)
        if mixed or _has_no_match(source, known, shows.get(source), own, least=1 if source in strangers else LEAST):
            found.append(f"{source}: {mixed or _describe_other(title, shows.get(source))}")
    return tuple(found)


def _describe_mixed(title: str, entries: Sequence[Listed], own: set[str]) -> str:
    """Describe a listing of several shows; empty if it has one show, or only the feed's."""
    names: Counter[str] = Counter()
    for entry in entries:
        if entry.show:
            names[entry.show] += entry.number
    if len({fold(name) for name in names}) < 2:  # noqa: PLR2004 - several
        return ""
    matching = {fold(entry.show) for entry in entries if entry.show and entry.matches}
    ours = [name for name in names if fold(name) in own or fold(name) in matching]
    kept = min(ours, key=lambda name: (fold(name) != fold(title), -names[name], name), default=None)
    if kept is None:
        kept = min(names, key=lambda name: (-names[name], name))
        ours = [name for name in names if fold(name) == fold(kept)]
    others = sorted((name for name in names if name not in ours), key=lambda name: (-names[name], name))
    if not others:
        return ""
    quoted = ", ".join(f'"{name}"' for name in others[:_NAMES])
    quoted = N_(f"{quoted} and others") if len(others) > _NAMES else quoted
    number = sum(names[name] for name in others)
    return N_(
        f"{number} of its {sum(names.values())} entries are of other shows ({quoted}); to leave them out add only: "
        f"{{show: {_quote(kept)}}}"
    )


def find_strangers(shows: Mapping[str, Show]) -> frozenset[str]:
    """Return the sources whose show has another title, picture and description than that of every other source."""
    described = {
        name: (canonical(show.image), {word for word in fold(show.description).split() if len(word) > _SHORT_WORD})
        for name, show in shows.items()
        if show.image and show.description
    }

    def is_strange(one: str, two: str) -> bool:
        (picture, words), (other_picture, others) = described[one], described[two]
        return picture != other_picture and len(words & others) * _SHARED_WORDS < min(len(words), len(others))

    return frozenset(
        one for one in described if len(described) > 1 and all(is_strange(one, two) for two in described if two != one)
    )


def _has_no_match(
    source: str, known: Mapping[str, Sequence[Listed]], name: str | None, own: set[str], *, least: int
) -> bool:
    """Return whether no entry of the source matches, though others list the same genre."""
    genres = {entry.genre for other, entries in known.items() if other != source for entry in entries}
    comparable = [entry for entry in known[source] if entry.genre in genres]
    if any(entry.matches for entry in known[source]) or sum(entry.number for entry in comparable) < least:
        return False
    if name is not None:
        return not any(_is_same_name(fold(name), other) for other in own)
    others = (entry for other, entries in known.items() if other != source for entry in entries)
    return sum(entry.number for entry in others if entry.matches) >= LEAST


def _is_same_name(left: str, right: str) -> bool:
    """Return whether one folded title contains the words of the other in sequence, as "X with Y" contains "X"."""
    return f" {left} " in f" {right} " or f" {right} " in f" {left} "


def _describe_other(title: str, name: str | None) -> str:
    """Describe a source without any entry of the feed's show."""
    if name:
        return N_(
            f'nothing that it lists matches the other sources and it calls its show "{name}": if it is another show, '
            f"remove it or add only: {{show: {_quote(title)}}}"
        )
    return N_(
        f"nothing that it lists matches the other sources: if it is another show, remove it or add only: "
        f"{{show: {_quote(title)}}}"
    )


def _quote(text: str) -> str:
    """Return a text in quotes of YAML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
