"""Ask public catalogues, and a show's own site, for the addresses at which a show may be listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from aggregator import preview
from aggregator.config.settings import Config
from aggregator.errors import ConfigError, FetchError
from aggregator.fetchers import registry
from aggregator.fetchers.fetch import Resources
from aggregator.fetchers.http.target import redact
from aggregator.fetchers.show_search import (
    CATALOGUES,
    Catalogue,
    ShowQuery,
    find_links,
    is_feed_like,
    list_requests,
    read_shows,
)
from aggregator.model.record import Record
from aggregator.model.source import Request, Source
from aggregator.text.fold import fold
from aggregator.text.urls import canonical
from aggregator.translation.marks import N_

_ASKED_AT_ONCE: Final = 6
_MAX_NAMED: Final = 15
"""Shows that are named where several may be meant."""


class Candidate(Record, frozen=True):
    """An address at which a show may be listed, who named it, the first address that did, and its title there."""

    url: str
    named_by: tuple[str, ...]
    found_by: str
    title: str


class Answers(Record, frozen=True):
    """The candidates that were named, when, and why some could not be asked."""

    at: datetime
    show: str
    candidates: tuple[Candidate, ...] = ()
    problems: tuple[str, ...] = ()


def ask_catalogues(
    resources: Resources, show: ShowQuery, site: str | None, now: datetime, catalogues: Sequence[Catalogue]
) -> Answers:
    """Ask every catalogue and the show's site, all at once."""
    problems: list[str] = []
    named: dict[str, Candidate] = {}

    def ask(name: str, request: Request, catalogue: Catalogue | None) -> list[tuple[str, str]]:
        source = Source(name, "feed", url=request.url)
        document = preview.fetch_document(source, request, resources, now)
        if catalogue is not None:
            return read_shows(catalogue, document.body, show)
        links = find_links(document.body)
        return [(show.title, url) for url in links if registry.recognise(url) or is_feed_like(url)]

    asked = [(each.name, one, each) for each in catalogues for one in list_requests(each, show, now)]
    tasks = [*asked, *([(N_("its site"), Request(site), None)] if site else [])]
    with ThreadPoolExecutor(_ASKED_AT_ONCE, "search") as threads:
        futures = [(name, request.url, threads.submit(ask, name, request, each)) for name, request, each in tasks]
        for name, place, future in futures:
            try:
                for title, url in future.result():
                    known = named.setdefault(canonical(url), Candidate(url, (), place, title))
                    names = tuple(dict.fromkeys((*known.named_by, name)))
                    named[canonical(url)] = replace(known, named_by=names)
            except (FetchError, ValueError) as error:
                problems.append(f"{name}: {error}")
    return Answers(now, repr(show), tuple(named.values()), tuple(problems))


def find_address(config: Config | None, text: str, now: datetime, catalogues: Sequence[Catalogue] | None = None) -> str:
    """Return the address that a pasted text means: itself, or that of the one show that has this name.

    A text with a blank is a name. Raises ConfigError if the text is no address and none, or several shows have the
    name, with their addresses.
    """
    is_word = len(text.split()) == 1
    if (is_word and re.search("[/.:]", text)) or "://" in text or Path(text).expanduser().exists():
        return text
    with preview.open_resources(config, now) as resources:
        answers = ask_catalogues(
            resources, ShowQuery(text.strip()), None, now, CATALOGUES if catalogues is None else catalogues
        )
    exact = [each for each in answers.candidates if fold(each.title) == fold(text) and not _is_page(each)]
    if len(exact) == 1:
        return exact[0].url
    found = exact or [each for each in answers.candidates if not _is_page(each)]
    if not found:
        if not answers.problems:
            raise ConfigError(f'"{text}" is not an address, and no show of that name was found; give its address')
        why = "; ".join(answers.problems)
        raise ConfigError(f'"{text}" is not an address, and no show of that name was found ({why}); give its address')
    listed = (f"  {each.title}: {redact(each.url)} ({', '.join(each.named_by)})" for each in found[:_MAX_NAMED])
    if exact:
        said = N_(f'"{text}": several shows are called so; give the address of one:')
    else:
        said = N_(f'"{text}": no show is called just so; give the address of one:')
    raise ConfigError("\n".join((said, *listed)))


def _is_page(candidate: Candidate) -> bool:
    """Return whether a candidate is a page of Apple's, beside which the catalogue names the feed itself."""
    source = registry.recognise(candidate.url)
    return source is not None and source.kind == "apple"
