"""Configs of tests, written as JSON, which is YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

Keys = Mapping[str, object]


def write_config(folder: Path, feeds: Mapping[str, Keys], *, name: str = "config.yaml", **keys: object) -> Path:
    """Write a config of these feeds, in whose folder the store and the output are; loopback may be asked.

    Who reads it meanwhile finds the former one or the new one.
    """
    known = {"state": "store.db", "output": "output", "allow_networks": ["127.0.0.0/8"]}
    path = folder / name
    part = path.with_suffix(".part")
    part.write_text(json.dumps({**known, **keys, "feeds": feeds}, indent=1), encoding="utf-8")
    return part.replace(path)


def make_feed(title: str = "A show", /, sources: Mapping[str, Keys | str] = {}, **keys: object) -> Keys:
    """Return the keys of a feed; a source of which only a place is given, an address or a file, is of kind feed."""
    return {"title": title, **keys, "sources": {name: make_source(each) for name, each in sources.items()}}


def make_source(place: Keys | str, **keys: object) -> Keys:
    """Return the keys of a source of kind feed at an address or in a file; those of another kind as they are."""
    if isinstance(place, str):
        place = {"kind": "feed", "url" if "://" in place else "path": place}
    return {**place, **keys}
