"""``aggregator validate``: any RSS, Atom, JSON or OPML document held against the specifications and against apps."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from msgspec import Struct
from msgspec.structs import asdict

from aggregator.commands.options import AtOption, JsonOption, clock
from aggregator.commands.wording import count
from aggregator.errors import ConfigError, FetchError
from aggregator.fetchers.http.client import Client
from aggregator.fetchers.http.polling import Policy
from aggregator.model.source import PollState, Source
from aggregator.validator.artwork import Picture
from aggregator.validator.document import Served, image
from aggregator.validator.examine import RULES, examine
from aggregator.validator.rule import SEVERITIES, Finding

# A person who names their own machine means it; every other private address stays closed.
OWN = {"localhost": ("127.0.0.0/8", "::1/128"), "127.0.0.1": ("127.0.0.0/8",), "::1": ("::1/128",)}
# So many places of a rule are shown to a person; --json lists twenty.
SHOWN = 5
NAMES = {"rss": "RSS", "atom": "Atom", "json": "JSON Feed", "opml": "OPML", "unknown": "no feed"}


class Verdict(Struct, frozen=True):
    """One document and all that was found in it, the gravest first."""

    document: str
    kind: str
    findings: tuple[Finding, ...]

    def rules(self, severity: str) -> int:
        """How many rules of this severity are broken."""
        return len({finding.rule for finding in self.findings if finding.severity == severity})

    def places(self, severity: str) -> int:
        """In how many places rules of this severity are broken."""
        return sum(finding.places for finding in self.findings if finding.severity == severity)


def run(  # noqa: PLR0913  # one for each option
    documents: Annotated[
        list[str] | None, typer.Argument(help="Files or addresses; - is standard input.", metavar="FILE-OR-URL...")
    ] = None,
    *,
    as_json: JsonOption = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules instead.")] = False,
    artwork: Annotated[bool, typer.Option("--artwork", help="Fetch the show's artwork and measure it.")] = False,
    at: AtOption = None,
) -> None:
    """Check any feed against the specifications; exit 1 where one fails.

    A failure (M) breaks an app or a directory, a warning (S) costs quality, a note (i) is good to know.
    """
    if rules:
        typer.echo("\n".join(_rules(as_json=as_json)))
        return
    if not documents:
        raise ConfigError("validate: name a file or an address, or - for standard input")
    now = clock(at)
    verdicts = [_judge(document, now, artwork=artwork) for document in documents]
    typer.echo(_as_json(verdicts) if as_json else "\n".join(line for one in verdicts for line in _table(one)))
    grave = {"M", "S"} if strict else {"M"}
    if any(finding.severity in grave for verdict in verdicts for finding in verdict.findings):
        raise typer.Exit(1)


def _judge(document: str, now: datetime, *, artwork: bool) -> Verdict:
    raw, served = _fetched(document, now) if "://" in document else (_read(document), None)
    address = image(raw, now) if artwork else None
    kind, findings = examine(raw, now, served, _pictured(address, document, now) if address else None)
    return Verdict(document, kind, findings)


def _pictured(address: str, document: str, now: datetime) -> Picture:
    """The artwork, by one GET and one HEAD; it may lie on a private network only where the document does."""
    with closing(Client(_policy(document))) as client:
        answer = client.poll(Source("artwork", "feed", url=address), PollState(address), now, force=True)
        came = answer.document
        body, kind = (came.body, came.media_type) if came else (None, None)
        try:
            head = client.head(address)
        except FetchError:
            head = None
    return Picture(address, body, kind, head=head is not None, why=answer.message or "")


def _policy(document: str) -> Policy:
    return Policy(allow_networks=OWN.get(urlsplit(document).hostname or "", ()))


def _read(document: str) -> bytes:
    if document == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(document).read_bytes()
    except OSError as error:
        raise ConfigError(f"{document}: {error.strerror or error}") from error


def _fetched(document: str, now: datetime) -> tuple[bytes, Served]:
    """The body, and how it was given."""
    with closing(Client(_policy(document))) as client:
        answer = client.poll(Source("validate", "feed", url=document), PollState(document), now, force=True)
    if answer.document is None:
        raise FetchError(answer.message or f"{document}: nothing came back")
    known = answer.document.validators
    given = (answer.document.url, answer.document.media_type, answer.document.charset)
    return answer.document.body, Served(*given, validators=bool(known.etag or known.last_modified))


def _table(verdict: Verdict) -> Iterator[str]:
    yield f"{verdict.document}: {NAMES[verdict.kind]}, " + ", ".join(_tally(verdict))
    texts = {rule.name: rule.text for rule in RULES}
    for rule, group in groupby(verdict.findings, key=lambda finding: finding.rule):
        findings = tuple(group)
        yield f"  {SEVERITIES[findings[0].severity]:8} {rule}: {texts[rule]} ({findings[0].specification})"
        for one in findings[:SHOWN]:
            yield f"           {f'line {one.line}, ' if one.line else ''}{one.where}: {one.what}"
        if more := sum(one.places for one in findings[SHOWN:]):
            yield f"           and in {count(more, 'more place')}"


def _tally(verdict: Verdict) -> Iterator[str]:
    """How many rules are broken, and in how many places where those are more."""
    for key, word in SEVERITIES.items():
        rules, places = verdict.rules(key), verdict.places(key)
        yield count(rules, word) + (f" in {places} places" if places > rules else "")


def _as_json(verdicts: Sequence[Verdict]) -> str:
    told = [
        {
            "document": verdict.document,
            "kind": verdict.kind,
            "counts": {word: verdict.places(key) for key, word in SEVERITIES.items()},
            "findings": [asdict(finding) for finding in verdict.findings],
        }
        for verdict in verdicts
    ]
    return json.dumps(told, ensure_ascii=False, indent=2)


def _rules(*, as_json: bool) -> Iterator[str]:
    if as_json:
        told = [
            {
                "rule": one.name,
                "severity": one.severity,
                "beside": one.beside or one.severity,
                "text": one.text,
                "specification": one.specification,
            }
            for one in RULES
        ]
        yield json.dumps(told, ensure_ascii=False, indent=2)
        return
    for one in RULES:
        aside = f"; {one.beside} where it is no podcast" if one.beside else ""
        yield f"{one.severity}  {one.name:28} {one.text} ({one.specification}{aside})"
    tally = Counter(one.severity for one in RULES)
    yield f"{count(len(RULES), 'rule')}: " + ", ".join(f"{tally[key]} {key}" for key in SEVERITIES)
