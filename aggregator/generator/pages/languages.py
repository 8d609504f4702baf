"""The languages in which a page is published, and its file in each.

The main one is that of the show; its file has the name of the page, ``index.html``, another one ``index.de.html``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from aggregator.generator.storage.names import is_translation
from aggregator.model.feed import Channel, Cover
from aggregator.translation.locale import NAMES, SOURCE, Locale, find_language


class LanguageEdition(Struct, frozen=True):
    """A page in one language: the language, its own name, and the file."""

    language: str
    name: str
    file: str


def list_languages(channel: Channel) -> tuple[str, ...]:
    """Return the languages of the pages of a feed, the main one first.

    It is that of the show, else the first that the config names, else English.
    """
    main = find_language(channel.language) or next(iter(channel.languages), SOURCE)
    return tuple(dict.fromkeys((main, *channel.languages)))


def list_index_languages(covers: Iterable[Cover]) -> tuple[str, ...]:
    """Return the languages of the list of all feeds, the main one first: those of the config, else the only one."""
    channels = [cover.channel for cover in covers]
    given = channels[0].languages if channels else ()
    of_shows = {list_languages(channel)[0] for channel in channels}
    return given or (of_shows.pop() if len(of_shows) == 1 else SOURCE,)


def list_editions(page: str, languages: Sequence[str]) -> tuple[LanguageEdition, ...]:
    """Return the page in each language, the main one first.

    >>> [edition.file for edition in list_editions("index.html", ("de", "en"))]
    ['index.html', 'index.en.html']
    """
    return tuple(LanguageEdition(each, NAMES[each], name_file(page, each, languages)) for each in languages)


def name_file(page: str, language: str, languages: Sequence[str]) -> str:
    """Return the file of a page in a language, or of its main one if it is not published in that language."""
    if language not in languages[1:]:
        return page
    return f"{Path(page).stem}.{language}{Path(page).suffix}"


def make_locale(channel: Channel, language: str | None = None) -> Locale:
    """Return the language, by default the main one, and the time zone of the pages of a feed."""
    return Locale(language or list_languages(channel)[0], channel.timezone)


def find_foreign(channel: Channel, language: str) -> str | None:
    """Return the language of the show if it is another one than that of a page, else ``None``."""
    return channel.language if find_language(channel.language) != language else None


def find_stale(folder: Path, current: Collection[str]) -> Iterator[str]:
    """Yield the pages of the folder in languages in which they are not published any more."""
    yield from sorted(path.name for path in folder.iterdir() if is_translation(path.name) and path.name not in current)
