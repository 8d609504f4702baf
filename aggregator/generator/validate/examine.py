"""A document held against every rule of the checklist; pure, and never raising, whatever the document is."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from aggregator.generator.validate import of_atom, of_channel, of_item, of_json, of_podcast, of_served, of_xml
from aggregator.generator.validate.artwork import Picture
from aggregator.generator.validate.paper import Kind, Served, read
from aggregator.generator.validate.rule import Finding, Rule, apply

RULES: tuple[Rule, ...] = (
    *of_xml.RULES,
    *of_channel.RULES,
    *of_item.RULES,
    *of_podcast.RULES,
    *of_atom.RULES,
    *of_json.RULES,
    *of_served.RULES,
)
ORDER = {"M": 0, "S": 1, "i": 2}


def examine(
    raw: bytes, now: datetime, served: Served | None = None, picture: Picture | None = None
) -> tuple[Kind, tuple[Finding, ...]]:
    """What the document is and every place where it breaks a rule, the gravest first.

    ``now`` decides what lies in the future; ``served`` is how the document was fetched, ``None`` for a file, and
    ``picture`` its artwork, ``None`` where nobody asked for it.
    """
    paper = replace(read(raw, now, served), picture=picture)
    found = [finding for rule in RULES for finding in apply(rule, paper)]
    return paper.kind, tuple(sorted(found, key=lambda finding: ORDER[finding.severity]))
