"""Records of the checklist: a rule, and a place where a document breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from aggregator.generator.content import sanitize
from aggregator.generator.podcast import Node
from aggregator.validator.document import FeedDocument, Spot, find_line_of, place_element

_Severity = Literal["M", "S", "i"]
# Where in the document, and what is wrong there. An element's place is made only for those that are listed, because
# that takes as long as the element is deep.
Fault = tuple[str | Spot | Node, str]
Check = Callable[[FeedDocument], Iterator[Fault]]

SEVERITIES: dict[_Severity, str] = {"M": "failure", "S": "warning", "i": "note"}
# Places of one rule that are listed: a feed of 3,000 items without a duration has one fault, not 3,000.
_PLACES = 20


class Rule(Struct, frozen=True):
    """One line of the checklist.

    ``severity`` is M if a specification forbids it or apps cannot read it, S if a directory of podcasts demands it or
    quality suffers, i for information. ``specification`` is its source.
    """

    name: str
    severity: _Severity
    text: str
    specification: str
    check: Check


class Checklist(list[Rule]):
    """The rules of a module, in the order of their checks."""

    def add(self, name: str, severity: _Severity, text: str, specification: str) -> Callable[[Check], Check]:
        """Return the decorator that adds the rule of a check."""

        def decorate(check: Check) -> Check:
            self.append(Rule(name, severity, text, specification, check))
            return check

        return decorate


class Finding(Struct, frozen=True):
    """One place where a document breaks a rule: ``where`` is an element's path and the item's guid.

    ``line`` counts from 1, ``None`` where the document has no lines to name (JSON). ``places`` is more than one, and
    ``where`` empty, where it stands for all that are not listed.
    """

    rule: str
    severity: _Severity
    where: str
    what: str
    specification: str
    places: int = 1
    line: int | None = None


def apply(rule: Rule, document: FeedDocument) -> Iterator[Finding]:
    """Yield what this rule finds: at most ``_PLACES`` places and one line for the rest."""
    more = 0
    for number, (where, what) in enumerate(rule.check(document)):
        if number < _PLACES:
            place = where if isinstance(where, str | Spot) else place_element(where)
            line = find_line_of(document, place)
            yield Finding(
                rule.name, rule.severity, _make_safe(str(place)), _make_safe(what), rule.specification, line=line
            )
        else:
            more += 1
    if more:
        yield Finding(rule.name, rule.severity, "", f"and in {more} more places", rule.specification, more)


def _make_safe(text: str) -> str:
    """Remove control characters from a document's text, so that it is safe on a terminal."""
    return sanitize.clean_line(text, 2 * sanitize.LONGEST_LINE)
