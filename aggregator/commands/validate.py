"""``aggregator validate``: check any RSS, Atom, JSON Feed or OPML document against specifications and apps."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from aggregator.commands.options import AtOption, JsonOption, current_time
from aggregator.commands.output import format_count, to_json
from aggregator.errors import ConfigError, FetchError
from aggregator.fetchers.http.client import Client
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.polling import Policy
from aggregator.model.source import PollState, Source
from aggregator.text.urls import find_host
from aggregator.validator.artwork import Picture
from aggregator.validator.document import Served, find_artwork
from aggregator.validator.examine import RULES, examine
from aggregator.validator.rule import SEVERITIES, Finding

# A document on the own machine may be fetched if it is named so; other private addresses stay forbidden.
_OWN_MACHINE = {"localhost": ("127.0.0.0/8", "::1/128"), "127.0.0.1": ("127.0.0.0/8",), "::1": ("::1/128",)}
# Places shown for each rule; --json lists twenty.
_SHOWN = 5
_KINDS = {"rss": "RSS", "atom": "Atom", "json": "JSON Feed", "opml": "OPML", "unknown": "no feed"}


class _Verdict(Struct, frozen=True):
    """One document and its findings, the most severe first."""

    document: str
    kind: str
    findings: tuple[Finding, ...]

    def rules(self, severity: str) -> int:
        """Return how many rules of this severity are broken."""
        return len({finding.rule for finding in self.findings if finding.severity == severity})

    def places(self, severity: str) -> int:
        """Return in how many places rules of this severity are broken."""
        return sum(finding.places for finding in self.findings if finding.severity == severity)


def run(  # noqa: PLR0913  # one for each option
    documents: Annotated[
        list[str] | None, typer.Argument(help="Files or URLs; - is standard input.", metavar="FILE-OR-URL...")
    ] = None,
    *,
    as_json: JsonOption = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings, too.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List all rules instead.")] = False,
    artwork: Annotated[bool, typer.Option("--artwork", help="Also fetch the show's artwork and check it.")] = False,
    at: AtOption = None,
) -> None:
    """Check any feed against the specifications and against what apps need; exits with 1 if one fails.

    A failure (M, must) breaks a specification or an app, a warning (S, should) what directories demand or quality,
    a note (i) is information.
    """
    if rules:
        typer.echo("\n".join(_list_rules(as_json=as_json)))
        return
    if not documents:
        raise ConfigError("validate: name a file or a URL, or - for standard input")
    now = current_time(at)
    verdicts = [_examine(document, now, artwork=artwork) for document in documents]
    if as_json:
        typer.echo(to_json(list(map(_to_values, verdicts))))
    else:
        typer.echo("\n".join(line for one in verdicts for line in _format_verdict(one)))
    grave = {"M", "S"} if strict else {"M"}
    if any(finding.severity in grave for verdict in verdicts for finding in verdict.findings):
        raise typer.Exit(1)


def _examine(document: str, now: datetime, *, artwork: bool) -> _Verdict:
    raw, served = _fetch_document(document, now) if "://" in document else (_read(document), None)
    address = find_artwork(raw, now) if artwork else None
    kind, findings = examine(raw, now, served, _fetch_artwork(address, document, now) if address else None)
    return _Verdict(document, kind, findings)


def _fetch_artwork(address: str, document: str, now: datetime) -> Picture:
    """Fetch the artwork by one GET and one HEAD; it may be on a private network only if the document is."""
    with closing(Client(_make_policy(document))) as client:
        artwork = Source("artwork", "feed", url=address)
        answer = client.poll(PollRequest(artwork, PollState(address), now, force=True))
        came = answer.document
        body, kind = (came.body, came.media_type) if came else (None, None)
        try:
            head = client.head(address, source=artwork)
        except FetchError:
            head = None
    return Picture(address, body, kind, head=head is not None, why=answer.message or "")


def _make_policy(document: str) -> Policy:
    host, _, _port = find_host(document).rpartition(":")
    return Policy(allow_networks=_OWN_MACHINE.get(host, ()))


def _read(document: str) -> bytes:
    if document == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(document).read_bytes()
    except OSError as error:
        raise ConfigError(f"{document}: {error.strerror or error}") from error


def _fetch_document(document: str, now: datetime) -> tuple[bytes, Served]:
    """Fetch a document; return its body and how it was served."""
    with closing(Client(_make_policy(document))) as client:
        source = Source("validate", "feed", url=document)
        answer = client.poll(PollRequest(source, PollState(document), now, force=True))
    if answer.document is None:
        raise FetchError(answer.message or f"{document}: empty answer")
    known = answer.poll_state.validators
    given = (answer.document.url, answer.document.media_type, answer.document.charset)
    return answer.document.body, Served(*given, validators=bool(known.etag or known.last_modified))


def _format_verdict(verdict: _Verdict) -> Iterator[str]:
    yield f"{verdict.document}: {_KINDS[verdict.kind]}, " + ", ".join(_count_by_severity(verdict))
    texts = {rule.name: rule.text for rule in RULES}
    for rule, group in groupby(verdict.findings, key=lambda finding: finding.rule):
        findings = tuple(group)
        yield f"  {SEVERITIES[findings[0].severity]:8} {rule}: {texts[rule]} ({findings[0].specification})"
        for one in findings[:_SHOWN]:
            yield f"           {f'line {one.line}, ' if one.line else ''}{one.where}: {one.what}"
        if more := sum(one.places for one in findings[_SHOWN:]):
            yield f"           and in {format_count(more, 'more place')}"


def _count_by_severity(verdict: _Verdict) -> Iterator[str]:
    """Yield for each severity the number of broken rules, and of places if those are more."""
    for key, word in SEVERITIES.items():
        rules, places = verdict.rules(key), verdict.places(key)
        yield format_count(rules, word) + (f" in {places} places" if places > rules else "")


def _to_values(verdict: _Verdict) -> dict[str, object]:
    counts = {word: verdict.places(key) for key, word in SEVERITIES.items()}
    return {"document": verdict.document, "kind": verdict.kind, "counts": counts, "findings": verdict.findings}


def _list_rules(*, as_json: bool) -> Iterator[str]:
    if as_json:
        names = ("severity", "text", "specification")
        yield to_json([{"rule": one.name, **{name: getattr(one, name) for name in names}} for one in RULES])
        return
    for one in RULES:
        yield f"{one.severity}  {one.name:28} {one.text} ({one.specification})"
    tally = Counter(one.severity for one in RULES)
    yield f"{format_count(len(RULES), 'rule')}: " + ", ".join(f"{tally[key]} {key}" for key in SEVERITIES)
