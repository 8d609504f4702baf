"""A config that is plainly sound, read without pydantic, which takes longer to load than a refresh with nothing due.

What is read here is what pydantic would read (``tests/config/test_config_plain.py`` compares key by key); whatever is
written in any way that is not the usual one, every mistake among it, is left to pydantic, which says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace

from msgspec import Struct

from aggregator.config import kinds
from aggregator.config.categories import NAMES
from aggregator.text import cron

Check = Callable[[object], object]


class DoubtError(Exception):
    """Something is not written as usual: pydantic is to look at it."""


class Key(Struct, frozen=True):
    """One key: how its value is checked, and the value that it has where it is not given, unless it must be."""

    check: Check
    default: Callable[[], object] | None = None


class Keys(dict[str, Key]):
    """The keys of a mapping; ``defaults`` are the values of those that may be missing, which nobody changes."""

    def __init__(self, keys: Mapping[str, Key]) -> None:
        """As they are given."""
        super().__init__(keys)
        self.defaults = {name: key.default() for name, key in keys.items() if key.default is not None}


def read(values: object) -> SimpleNamespace | None:
    """The keys of the config as ``keys.ConfigKeys`` has them; ``None`` where anything is not plainly sound."""
    try:
        return _record(values, CONFIG)
    except DoubtError:
        return None


def _record(values: object, keys: Keys) -> SimpleNamespace:
    """A mapping of known keys, with the defaults of those that are not given."""
    if not isinstance(values, dict) or values.keys() - keys.keys():
        raise DoubtError
    told = dict(keys.defaults)
    for name, value in values.items():
        if value is None:
            raise DoubtError
        told[name] = keys[name].check(value)
    if len(told) < len(keys):
        raise DoubtError
    return SimpleNamespace(**told)


def _matching(pattern: str) -> Check:
    """Text of a shape."""
    shape = re.compile(pattern)

    def check(value: object) -> object:
        if not isinstance(value, str) or not shape.fullmatch(value):
            raise DoubtError
        return value

    return check


def _one_of(*words: str) -> Check:
    """One of a closed set of words."""
    return _matching("|".join(map(re.escape, words)))


def _truth(value: object) -> object:
    if not isinstance(value, bool):
        raise DoubtError
    return value


def _whole(value: object) -> object:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise DoubtError
    return value


def _share(value: object) -> object:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise DoubtError
    return float(value)


def _number(value: object) -> object:
    """Text, also where YAML took it for a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _cron(value: object) -> object:
    if cron.fault(str(_text(value))):
        raise DoubtError
    return value


def _list(check: Check) -> Check:
    """A list of values."""

    def checked(values: object) -> object:
        if not isinstance(values, list):
            raise DoubtError
        return [check(each) for each in values]

    return checked


def _named(name: Check, check: Check) -> Check:
    """A mapping of one name or more, each to a value."""

    def checked(values: object) -> object:
        if not isinstance(values, dict) or not values:
            raise DoubtError
        return {name(key): check(value) for key, value in values.items()}

    return checked


def _rare(_value: object) -> object:
    """What is left to pydantic."""
    raise DoubtError


def _only(values: object) -> object:
    """Which entries belong to the feed; patterns are left to pydantic."""
    return _record(values, ONLY)


def _source(values: object) -> object:
    """One source, whose kind, place and options go together."""
    told = _record(values, SOURCE)
    kind = kinds.KINDS[told.kind]
    places = [key for key in ("show", "url", "path") if getattr(told, key) is not None]
    local = told.path is not None and (len(places) > 1 or told.snapshot is not None)
    if not places or local or not set(places) <= set(kind.places):
        raise DoubtError
    if not told.options.keys() <= set(kind.options or ()) or not told.options.keys() >= set(kind.needed):
        raise DoubtError
    return told


def _feed(values: object) -> object:
    """One feed."""
    told = _record(values, FEED)
    if told.license_url and not told.license:
        raise DoubtError
    return told


def _nothing() -> None:
    return None


_text = _matching(r"\S|\S.*\S")
_web = _matching(r"https?://[A-Za-z0-9.-]*[A-Za-z0-9](?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}))?(?:[/?#][!-~]*)?")
_title = Key(_text, _nothing)
_address = Key(_web, _nothing)

ONLY = Keys({"show": _title, "category": _title, "title": Key(_rare, _nothing)})

SOURCE = Keys(
    {
        "kind": Key(_one_of(*kinds.KINDS)),
        **dict.fromkeys(("path", "snapshot"), _title),
        "url": _address,
        "show": Key(_number, _nothing),
        "only": Key(_only, lambda: _record({}, ONLY)),
        "trust": Key(_share, _nothing),
        "adds": Key(_one_of("always", "confirmed", "never"), _nothing),
        "distrust_304_after_hours": Key(_rare, _nothing),
        "options": Key(_named(_text, _text), dict),
    }
)

FEED = Keys(
    {
        "title": Key(_text),
        "sources": Key(_named(_matching(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"), _source)),
        "refresh": Key(_cron, _nothing),
        **dict.fromkeys(("description", "author", "copyright", "license"), _title),
        **dict.fromkeys(("link", "image", "license_url", "new_feed_url"), _address),
        "language": Key(_matching(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"), _nothing),
        "owner_email": Key(_matching(r"[!-?A-~]+@[!-?A-~]+"), _nothing),
        "explicit": Key(_truth, _nothing),
        "type": Key(_one_of("episodic", "serial"), _nothing),
        "categories": Key(_list(_one_of(*NAMES)), list),
        "locked": Key(_truth, lambda: True),
        "block": Key(_truth, lambda: False),
        "medium": Key(_one_of("podcast", "music", "video", "audiobook", "newsletter", "blog", "course"), _nothing),
        "complete": Key(_truth, _nothing),
        "guid": Key(_matching(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), _nothing),
        "hubs": Key(_list(_web), list),
        "ttl_minutes": Key(_whole, _nothing),
        "boilerplate": Key(_one_of("keep", "strip"), lambda: "strip"),
        "window": Key(_whole, _nothing),
        "probe_enclosures": Key(_truth, lambda: False),
        **{name: Key(_rare, list) for name in ("persons", "funding", "decisions")},
        **{name: Key(_rare, dict) for name in ("overrides", "buried")},
    }
)

CONFIG = Keys(
    {
        "state": Key(_text, lambda: ".aggregator/ledger.db"),
        "output": Key(_text, lambda: "output"),
        "base_url": Key(_web, lambda: "http://localhost:8000"),
        "contact": _address,
        "allow_networks": Key(_list(_matching(r"127\.0\.0\.0/8|10\.0\.0\.0/8|192\.168\.0\.0/16")), list),
        "proxy": Key(_rare, _nothing),
        "obey_robots": Key(_truth, lambda: False),
        "feeds": Key(_named(_matching(r"[a-z0-9][a-z0-9._-]{0,63}"), _feed)),
    }
)
