"""``aggregator validate``: any RSS, Atom, JSON or OPML document held against the specifications and against apps."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from aggregator.commands.options import AtOption, JsonOption, clock
from aggregator.commands.wording import count
from aggregator.errors import ConfigError, FetchError
from aggregator.fetchers import web
from aggregator.generator.validate.examine import RULES, examine
from aggregator.generator.validate.paper import Served
from aggregator.generator.validate.rule import SEVERITIES, Finding
from aggregator.model.source import Memory, Source

# A person who names their own machine means it; every other private address stays closed.
OWN = {"localhost": ("127.0.0.0/8", "::1/128"), "127.0.0.1": ("127.0.0.0/8",), "::1": ("::1/128",)}
NAMES = {"rss": "RSS", "atom": "Atom", "json": "JSON Feed", "opml": "OPML", "unknown": "no feed"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One document and all that was found in it, the gravest first."""

    document: str
    kind: str
    findings: tuple[Finding, ...]

    def count(self, severity: str) -> int:
        """How many findings are of this severity."""
        return sum(finding.severity == severity for finding in self.findings)


def run(
    documents: Annotated[
        list[str] | None, typer.Argument(help="Files or addresses; - is standard input.", metavar="FILE-OR-URL...")
    ] = None,
    *,
    as_json: JsonOption = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules instead.")] = False,
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
    verdicts = [_judge(document, now) for document in documents]
    typer.echo(_as_json(verdicts) if as_json else "\n".join(line for one in verdicts for line in _table(one)))
    grave = {"M", "S"} if strict else {"M"}
    if any(finding.severity in grave for verdict in verdicts for finding in verdict.findings):
        raise typer.Exit(1)


def _judge(document: str, now: datetime) -> Verdict:
    raw, served = _fetched(document, now) if "://" in document else (_read(document), None)
    kind, findings = examine(raw, now, served)
    return Verdict(document, kind, findings)


def _read(document: str) -> bytes:
    if document == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(document).read_bytes()
    except OSError as error:
        raise ConfigError(f"{document}: {error.strerror or error}") from error


def _fetched(document: str, now: datetime) -> tuple[bytes, Served]:
    """The body, and how it was given."""
    policy = web.Policy(allow_networks=OWN.get(urlsplit(document).hostname or "", ()))
    answer = web.ask(Source("validate", "feed", url=document), Memory(document), policy, now, force=True)
    if answer.document is None:
        raise FetchError(answer.message or f"{document}: nothing came back")
    known = answer.document.validators
    given = (answer.document.url, answer.document.media_type, answer.document.charset)
    return answer.document.body, Served(*given, validators=bool(known.etag or known.last_modified))


def _table(verdict: Verdict) -> Iterator[str]:
    tally = ", ".join(count(verdict.count(key), word) for key, word in SEVERITIES.items())
    yield f"{verdict.document}: {NAMES[verdict.kind]}, {tally}"
    texts = {rule.name: rule.text for rule in RULES}
    before = ""
    for finding in verdict.findings:
        if finding.rule != before:
            yield f"  {SEVERITIES[finding.severity]:8} {finding.rule}: {texts[finding.rule]} ({finding.specification})"
        before = finding.rule
        yield f"           {finding.where}: {finding.what}" if finding.where else f"           {finding.what}"


def _as_json(verdicts: Sequence[Verdict]) -> str:
    told = [
        {
            "document": verdict.document,
            "kind": verdict.kind,
            "counts": {word: verdict.count(key) for key, word in SEVERITIES.items()},
            "findings": [asdict(finding) for finding in verdict.findings],
        }
        for verdict in verdicts
    ]
    return json.dumps(told, ensure_ascii=False, indent=2)


def _rules(*, as_json: bool) -> Iterator[str]:
    if as_json:
        told = [
            {"rule": one.name, "severity": one.severity, "text": one.text, "specification": one.specification}
            for one in RULES
        ]
        yield json.dumps(told, ensure_ascii=False, indent=2)
        return
    for one in RULES:
        yield f"{one.severity}  {one.name:28} {one.text} ({one.specification})"
    tally = Counter(one.severity for one in RULES)
    yield f"{count(len(RULES), 'rule')}: " + ", ".join(f"{tally[key]} {key}" for key in SEVERITIES)
