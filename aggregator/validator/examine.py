"""Check a document by every rule of the checklist; never raises, whatever the document is."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from aggregator.validator.artwork import Picture
from aggregator.validator.document import Kind, Served, read
from aggregator.validator.rule import Finding, Rule, apply
from aggregator.validator.rules import atom, channel, item, json, podcast, serving, structure, xml

RULES: tuple[Rule, ...] = (
    *xml.RULES,
    *structure.RULES,
    *channel.RULES,
    *item.RULES,
    *podcast.RULES,
    *atom.RULES,
    *json.RULES,
    *serving.RULES,
)
_ORDER = {"M": 0, "S": 1, "i": 2}


def examine(
    raw: bytes, now: datetime, served: Served | None = None, picture: Picture | None = None
) -> tuple[Kind, tuple[Finding, ...]]:
    """Return the kind of a document and its findings, the most severe first.

    ``now`` decides what is in the future. ``served`` is how the document was served, ``None`` for a file;
    ``picture`` is its artwork, ``None`` if it is not to be checked.
    """
    document = replace(read(raw, now, served), picture=picture)
    found = [finding for rule in RULES for finding in apply(rule, document)]
    return document.kind, tuple(sorted(found, key=lambda finding: _ORDER[finding.severity]))
