"""Every document in `data/read/<kind>/` is read to exactly what stands in the golden file beside it.

After a change that is meant: run this file with `AGGREGATOR_WRITE_GOLDENS=1` in the environment, then read the diff.
"""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from aggregator.errors import ReadError
from aggregator.fetchers import parse
from aggregator.model.source import Document, Source

DATA = Path(__file__).parent / "data" / "read"
DOCUMENTS = sorted(path for path in DATA.glob("*/*") if path.suffix != ".golden")
SELECTED = {
    "day_first": "yes",
    "date": ".when",
    "id": "./@id",
    "items": "ul.episodes > li",
    "length": ".long",
    "link": "a.more@href",
    "show": "Quiet Machines",
}
SOURCES: dict[str, dict[str, Any]] = {
    "apple/search.json": {"show": "77"},
    "apple/lookup.json": {"show": "77"},
    "apple/wrapped.json": {"show": "77"},
    "page/page.html": {"options": tuple(SELECTED.items())},
}


def plain(value: Any) -> Any:
    """The value as JSON, without the fields that say nothing."""
    if isinstance(value, Struct):
        shown = {}
        for field in fields(value):
            said = getattr(value, field.name)
            default = field.default_factory() if field.default_factory is not NODEFAULT else field.default
            if said != default:
                shown[field.name] = plain(said)
        return shown
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, frozenset):
        return sorted(value)
    return [plain(one) for one in value] if isinstance(value, tuple) else value


def account(path: Path) -> Any:
    """What the document comes to: its listing, or the error, and the addresses it hands on to."""
    name = f"{path.parent.name}/{path.name}"
    url = f"https://pages.example.org/{name}"
    source = Source(name="golden", kind=path.parent.name, url=url, **SOURCES.get(name, {}))
    document = Document(source, url, path.read_bytes())
    try:
        told = plain(parse.read(document))
    except ReadError as error:
        told = {"error": str(error)}
    found = parse.discover(document)
    return told | ({"discovered": list(found)} if found else {})


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_document(path: Path) -> None:
    golden = path.with_name(f"{path.name}.golden")
    told = json.dumps(account(path), ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("AGGREGATOR_WRITE_GOLDENS"):
        golden.write_text(told, "utf-8")
    assert golden.read_text("utf-8") == told
