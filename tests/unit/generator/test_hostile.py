"""Sources that give too much of everything: 4 MB in one field, every character of Unicode in every field."""

from __future__ import annotations

import io
import json
import time
from html import unescape

import feedparser
import pytest
from lxml import etree, html
from msgspec.structs import replace

from aggregator.generator import feed_files
from aggregator.generator.content import links, sanitize
from aggregator.generator.content.prepared import prepare
from aggregator.model.feed import Feed

HUGE = ("<p>tide &amp; " + "water " * 100 + "</p>") * 7000


@pytest.mark.parametrize("field", ["description", "html", "title", "author", "summary"])
def test_four_megabytes_are_bounded(harbour: Feed, field: str) -> None:
    assert len(HUGE) > 4_000_000
    item = replace(harbour.items[0], **{field: HUGE})
    files = dict(feed_files.render_files(prepare(replace(harbour, items=(item,)))))
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
        for name, body in dict(feed_files.render_files(prepare(replace(harbour, items=(item,))))).items():
            if name.endswith("json"):
                assert json.loads(body)
            else:
                etree.fromstring(body)
            assert "\ufffd" not in body.decode()


@pytest.mark.parametrize("tag", ["<b>", "</b><b>", "<b></i>", "<b><i>"])
def test_titles_of_tags_that_nothing_closes_take_no_quadratic_time(tag: str) -> None:
    begun = time.thread_time()
    for _ in range(20):
        sanitize.clean_title(tag * 4_000)
    assert time.thread_time() - begun < 1  # a pattern for both tags took 0.05 s a title


@pytest.mark.parametrize("host", ["\u0301\u0316" * 30_000, "ß" * 90_000])
def test_a_host_that_is_none_takes_no_quadratic_time(host: str) -> None:
    begun = time.thread_time()
    assert links.clean_url(f"https://a{host}.example/") is None
    assert time.thread_time() - begun < 1


SAID = (
    *("<script>alert(1)</script>", "<img onerror", "<iframe src=//evil.example>", "</p><style>*{}", "<svg/onload=x>"),
    *("<!-- ", "<?php x ?>", "a <b and c> d", "vector<int>", "1 < 2, <3", "&lt;script&gt;"),
)


@pytest.mark.parametrize("said", SAID)
def test_a_text_that_speaks_of_markup_is_none_in_a_reader_of_html(harbour: Feed, said: str) -> None:
    """RSS 2.0: a description is HTML. Each word is shown, nothing is run or loaded."""
    text = f"Of {said} and others. " + "Tides. " * 600
    channel = replace(harbour.channel, description=text)
    changed = replace(harbour, channel=channel, items=(replace(harbour.items[0], description=text, html=None),))
    files = dict(feed_files.render_files(prepare(changed)))
    for name in ("feed.xml", "podcast.xml"):
        for description in etree.fromstring(files[name]).iter("description"):
            assert len(description.text.encode()) <= sanitize.LONGEST_SUMMARY
            shown = html.fragment_fromstring(description.text, create_parent=True)
            assert list(shown) == []
            assert shown.text.startswith(f"Of {unescape(said)} and others.")
