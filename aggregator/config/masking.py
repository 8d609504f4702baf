"""Hide what may be a secret in a config that is shown or quoted: every value but those of keys known to be harmless.

A config with a mistake has no keys that could be trusted to be what they look like: a misspelt ``token`` is no token.
So nothing is searched for secrets; what is shown is listed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from aggregator.config.parse import Path, iterate_scalars

HIDDEN: Final = "…"
"""In place of what is not shown."""

_HARMLESS: Final = frozenset(
    {
        *("adds", "allow_networks", "audio_grace", "author", "backups", "before", "block", "boilerplate", "ca"),
        *("categories", "category", "chapters", "complete", "copyright", "decisions", "description", "different"),
        *("distrust_304_after_hours", "explicit", "field", "follow_moves", "full_text", "group", "guid", "kind"),
        *("language", "languages", "lease_seconds", "license", "locked", "longer_than", "medium", "mixed", "name"),
        *("notify_after", "obey_robots", "output", "owner_email", "path", "pattern", "primary"),
        *("probe_enclosures", "probe_gone", "refresh", "role", "same", "shorter_than", "show", "show_in_titles"),
        *("show_sources", "since", "snapshot", "text", "timezone", "title", "trust", "trusted_header"),
        *("trusted_networks", "ttl_minutes", "type", "value", "video", "websub", "window", "with", "without"),
    }
)
"""Keys whose values may be shown."""

_LINKS: Final = frozenset(
    {
        *("base_url", "contact", "history", "href", "hubs", "image", "img", "license_url", "link", "new_feed_url"),
        *("opml", "url"),
    }
)
"""Keys with an address, which a message about it may quote unless it has a login; not its query."""

_PRIVATE: Final = frozenset({"headers", "notify", "options"})
"""Keys with any keys below them, whose values are not shown."""

_PARTS: Final = frozenset(
    {
        *("api", "buried", "desk", "exclude", "feeds", "funding", "only", "overrides", "persons", "pings"),
        *("rewrite", "sources"),
    }
)
"""Keys with known keys below them, or names and then known keys."""

KEYS: Final = (
    _HARMLESS
    | _LINKS
    | _PRIVATE
    | _PARTS
    | {"new", "password", "proxy", "queue", "state", "token", "webhook", "webhook_secret"}
)
"""All keys of a config."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAMED: Final = ("feeds", "sources")
"""Keys below which names are keys."""

_KEY: Final = re.compile(r"^[ \t]*(?:- +)?([a-z_0-9]+)(?=[ \t]*:)", re.MULTILINE)
_LOGIN: Final = re.compile(r"@|%40|:(?!/|\d+(?:/|$))", re.IGNORECASE)
"""Of an address: what ends a login, also one that is not recognized as such, or a colon that begins no port."""

_QUERY: Final = re.compile(r"[?#;]|%3f|%23|%3b", re.IGNORECASE)
_KEY_WITHIN: Final = re.compile(r"\n[ \t]*(?:- +)?[\"']?[A-Za-z0-9_.-]+[\"']?[ \t]*:(?:\s|$)")
"""In a value: a line that looks like a key, so that a quote before it was probably not closed."""

_VALUE: Final = re.compile(r"[^\s:,{}\[\]-](?:.*[^\s:,{}\[\]-])?")
"""What of a line is hidden: all but white space and punctuation around it."""


def mask(path: Path, value: str) -> str:
    """Return a value as a message may quote it."""
    if _may_be_shown(path, value):
        return value
    if _has_key(path, _HARMLESS | _LINKS) and not _LOGIN.search(address := _QUERY.split(value, maxsplit=1)[0]):
        return address if address == value else f"{address}?{HIDDEN}"
    return HIDDEN


def mask_step(step: int | str) -> int | str:
    """Return a step of a path as a message may name it: an address in place of a key may have a login or a token."""
    return HIDDEN if isinstance(step, str) and re.search(r"://|@|%40", step) else step


def mask_config(text: str) -> str:
    r"""Return the text of a config, which need not be YAML, with values, comments and unknown keys hidden.

    >>> mask_config("token:  abc # mine\ntitle: A show\nurl: https://me:pa/ss@a.example/\n- {b: c")
    'token:  …\ntitle: A show\nurl: …\n- {…'
    """
    shown, done = [], 0
    for path, is_key, start, end in iterate_scalars(text):
        done = end
        if _is_name(path) if is_key else _may_be_shown(path, text[start:end]):
            shown.append((start, end))
    shown += [each.span(1) for each in _KEY.finditer(text, done) if each[1] in KEYS]
    return "".join(_join(text, shown))


def _join(text: str, shown: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield the parts of the text that are shown, and what is left of those between them."""
    done = 0
    for start, end in (*shown, (len(text), len(text))):
        yield _VALUE.sub(HIDDEN, text[done:start])
        yield text[start:end]
        done = end


def _has_key(path: Path, keys: Collection[str]) -> bool:
    """Return whether a value is that of one of the keys, which stands where a known key may stand."""
    steps, is_name = [str(step) for step in path if not isinstance(step, int)], False
    for step in steps[:-1]:
        if not is_name and step not in _HARMLESS | _PARTS:
            return False
        is_name = not is_name and step in {*_NAMED, "overrides"}
    return bool(steps) and not is_name and steps[-1] in keys


def _may_be_shown(path: Path, value: str) -> bool:
    return _has_key(path, _HARMLESS) and "://" not in value and "@" not in value and not _KEY_WITHIN.search(value)


def _is_name(path: Path) -> bool:
    """Return whether a key is one of a config, or nearly, or the name of a feed or source."""
    key = str(path[-1])
    if len(path) > 1 and path[-2] in _NAMED:
        return _NAME.fullmatch(key) is not None
    return key in KEYS or bool(get_close_matches(key, KEYS, n=1))
