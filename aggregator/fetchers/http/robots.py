"""What a robots.txt says to us: the rules that concern us, and whether they let an address be asked (RFC 9309).

Groups are told apart here, line by line: so only what concerns us is kept, and a file that names 20,000 robots for
20,000 rules costs no more than its length (a parser of whole files gives each robot a copy of each rule). What a rule
matches is the library's: the longest wins, Allow where two are equally long, ``*`` and ``$`` and escapes as they read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from protego import Protego

from aggregator.fetchers.http.target import LONGEST_URL

TOKEN: Final = "aggregator"  # noqa: S105  # says who we are, opens nothing
"""The product token of our User-Agent, which a robots.txt names in any case of letters (section 2.2.1)."""

_LINE = re.compile(r"(user-agent|allow|disallow)[ \t]*+:[ \t]*+([^\s#]*+)", re.IGNORECASE)
_BREAKS = re.compile(r"\r\n?|\n")
_TOKEN = re.compile(r"\*\Z|[a-z_-]+", re.IGNORECASE)


def concerning(body: bytes) -> str:
    r"""The rules for us, one a line: those of all groups that name us, else of those for everybody; empty for none.

    Lines that are no rule end no group (section 2.2.4), and a page in HTML has none. A pattern longer than any address
    that is asked could match nothing.

    >>> concerning(b"User-agent: *\nDisallow: /\nUser-agent: Aggregator/1\nSitemap: /s\nAllow: /feed # ours")
    'allow: /feed'
    """
    groups: dict[str, list[str]] = {}
    named: set[str] = set()
    ruled = False
    for line in _BREAKS.split(body.decode("utf-8-sig", "replace")):
        found = _LINE.match(line.lstrip(" \t"))
        if found is None:
            continue
        word, value = found[1].lower(), found[2]
        if word == "user-agent":
            named = set() if ruled else named
            ruled = False
            for token in {_named(value)} & {TOKEN, "*"}:
                named.add(token)
                groups.setdefault(token, [])
            continue
        ruled = True
        if value and len(value) <= LONGEST_URL:
            for token in named:
                groups[token].append(f"{word}: {value}")
    return "\n".join(groups.get(TOKEN, groups.get("*", [])))


def permit(rules: str, url: str) -> bool:
    r"""Whether the rules let the address be asked; ``robots.txt`` itself always may be.

    >>> (
    ...     permit("disallow: /\nallow: /*.xml$", "https://a.example/feed.xml"),
    ...     permit("disallow: /f", "https://a.example/f"),
    ... )
    (True, False)
    """
    return not rules or _parsed(rules).can_fetch(url, TOKEN)


def _named(value: str) -> str:
    """Whom a group is for: a product token in lower case, or everybody; empty where it names nobody."""
    found = _TOKEN.match(value)
    return found[0].lower() if found else ""


@lru_cache(maxsize=4)  # the rules of one file may take 40 MB, and 2,000 sources may stand on one host
def _parsed(rules: str) -> Protego:
    return Protego.parse(f"user-agent: *\n{rules}")
