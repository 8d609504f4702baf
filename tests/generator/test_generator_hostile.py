"""Sources that give too much of everything: 4 MB in one field, every character of Unicode in every field."""

from __future__ import annotations

import io
import json

import feedparser
import pytest
from lxml import etree
from msgspec.structs import replace

from aggregator.generator import feed_files
from aggregator.model.feed import Feed

HUGE = ("<p>tide &amp; " + "water " * 100 + "</p>") * 7000


@pytest.mark.parametrize("field", ["description", "html", "title", "author", "summary"])
def test_four_megabytes_are_bounded(harbour: Feed, field: str) -> None:
    assert len(HUGE) > 4_000_000
    item = replace(harbour.items[0], **{field: HUGE})
    files = dict(feed_files.render(replace(harbour, items=(item,))))
    assert all(len(body) < 1_000_000 for body in files.values())
    assert feedparser.parse(io.BytesIO(files["feed.xml"])).bozo == 0


def test_every_character_of_unicode_can_stand_in_every_field(harbour: Feed) -> None:
    for start in range(0, 0x110000, 0x8000):
        wild = "".join(map(chr, range(start, start + 0x8000)))
        item = replace(
            harbour.items[0],
            title=wild,
            description=wild,
            html=wild,
            author=wild,
            link=f"https://example.org/{wild}",
            guid=f"g{wild}",
        )
        for name, body in dict(feed_files.render(replace(harbour, items=(item,)))).items():
            if name.endswith("json"):
                assert json.loads(body)
            else:
                etree.fromstring(body)
            assert "\ufffd" not in body.decode()
