"""text/urls: which addresses are the same place, the same audio, the same episode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.text import urls

CASES = [
    (function, case)
    for function, cases in json.loads((Path(__file__).parent / "data" / "urls.json").read_text("utf-8")).items()
    for case in cases
]
ADDRESSES = st.text(alphabet="htps:/.?#=&%25@[]ab1-_ é", max_size=60) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("function", "case"), CASES, ids=lambda case: case if isinstance(case, str) else case["comment"]
)
def test_url(function: str, case: dict[str, Any]) -> None:
    assert case["expected"] == getattr(urls, function)(case["url"])


@settings(deadline=None)
@given(ADDRESSES, st.sampled_from(["", "https://example.org/", "https://chtbl.com/track/1/", "http://"]))
def test_any_text_has_one_canonical_and_one_bare_form(text: str, start: str) -> None:
    url = start + text
    assert urls.canonical(url) == urls.canonical(urls.canonical(url))
    assert urls.bare_audio(url) is not None
    assert urls.audio_id(url) is None
    assert not urls.is_web(url) or "://" in url


@given(st.from_regex(urls._PLAIN, fullmatch=True))
def test_a_plain_address_is_what_urllib_takes_for_one(url: str) -> None:
    """The pattern only saves urllib's time: no function may give another answer because of it."""
    parts = urlsplit(url)
    assert (parts.hostname, parts.port, parts.username, parts.geturl()) == (parts.netloc, None, None, url)
    assert urljoin("https://example.org/a/b", url) == url


@pytest.mark.parametrize("rest", ["%20lang:de/listen/", "%41.example:8x/", "%:%/"])
def test_an_escape_in_the_host_is_no_reason_to_fail(rest: str) -> None:
    """Seen: a quotation mark lost in a feed, so that the host of a link ran on into the next attribute."""
    url = f"https://notes.example{rest}"
    assert not urls.is_plain(url)
    assert not urls.is_web(url)
    assert urls.canonical(url) == url
