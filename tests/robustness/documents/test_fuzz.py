"""Whatever the bytes, a reader answers with a sound listing or with a ReadError of one line."""

from __future__ import annotations

import json
from time import process_time

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggregator.errors import ReadError
from aggregator.fetchers import parse, registry
from aggregator.model.entry import Listing
from aggregator.model.record import encode_msgpack
from aggregator.model.source import Document, Source
from tests.support.paths import READ, SAMPLES

OPTIONS = {"page": (("items", "li"),), "json": (("items", "items || [@]"), ("date", "date"), ("length", "a.b[0]"))}
SEEDS = [
    (kind, path.read_bytes())
    for kind in registry.KINDS
    for path in sorted((READ / kind).glob("*"))
    if path.suffix != ".golden"
] + [
    (kind, (SAMPLES / file).read_bytes())
    for kind, file in [
        ("apple", "apple-page.txt"),
        ("listing", "casts.txt"),
        ("listing", "podyssey.txt"),
        ("blog", "blog.txt"),
    ]
]
SEEDS += [("json", body) for kind, body in SEEDS if kind == "jsonfeed"]
LONGEST_LINE = 1200
MOST_SECONDS = 10  # of processor time for 200 kB to 1 MB; ours take less than 2, a quadratic pattern takes minutes


def told(kind: str, body: bytes, charset: str | None = None) -> Listing | None:
    document = Document(
        Source("x", kind, options=OPTIONS.get(kind, ())), "https://example.org/x", body, charset=charset
    )
    message = ""
    listing: Listing | None
    try:
        listing = parse.read(document)
    except ReadError as error:
        message = str(error)
        listing = None
    finally:
        parse.discover(document)
    if listing is None:
        assert message.startswith("x: ")
        assert "\n" not in message
        assert len(message) < LONGEST_LINE
        return None
    keys = [entry.key for entry in listing.entries]
    assert len(keys) == len(set(keys))
    assert all(keys)
    assert all(entry.title for entry in listing.entries)
    assert msgspec.msgpack.decode(encode_msgpack(listing), type=Listing) == listing
    json.dumps([repr(listing)], ensure_ascii=False).encode("utf-8")
    for entry in listing.entries:
        for text in (
            entry.title,
            entry.description,
            entry.html,
            entry.summary,
            entry.guid,
            entry.link,
        ):
            (text or "").encode("utf-8")
    return listing


@settings(deadline=None)
@given(
    kind=st.sampled_from(sorted(registry.KINDS)),
    body=st.binary(max_size=400),
    charset=st.sampled_from([None, "utf-8", "x", "utf-16"]),
)
def test_any_bytes(kind: str, body: bytes, charset: str | None) -> None:
    told(kind, body, charset)


@pytest.mark.parametrize("kind", sorted(registry.KINDS))
@pytest.mark.parametrize("charset", ["x", "hex", "rot13", "idna", "punycode", "undefined", "utf-16", ""])
@pytest.mark.parametrize("body", [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"<rss/>", b"\xef\xbb\xbf<rss/>"])
def test_any_name_of_an_encoding(kind: str, charset: str, body: bytes) -> None:
    told(kind, body, charset)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A document of ours with a few cuts, repetitions, flips and insertions."""
    kind, body = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(body)))
        end = min(len(body), start + draw(st.integers(0, 60)))
        piece = draw(
            st.sampled_from(
                [
                    b"",
                    b"<",
                    b"&",
                    b"]]>",
                    b"&#0;",
                    b"&#xD800;",
                    b"\x00",
                    b"\xff",
                    b"null",
                    b"{",
                    b"\\",
                    b"\n\n",
                    b")",
                    b"i=1",
                    b"<item>",
                    b"](",
                ]
            )
        )
        body = draw(
            st.sampled_from(
                [
                    body[:start] + piece + body[end:],
                    body[:start] + piece + body[start:],
                    body[:start],
                    body[:end] + body[start:],
                ]
            )
        )
    return kind, body


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=250)
@given(mutated())
def test_mutated_documents(case: tuple[str, bytes]) -> None:
    told(*case)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=120)
@given(case=st.sampled_from(SEEDS), kind=st.sampled_from(sorted(registry.KINDS)))
def test_documents_of_other_kinds(case: tuple[str, bytes], kind: str) -> None:
    told(kind, case[1])


@pytest.mark.parametrize("kept", ["<itunes:explicit a='1'>perhaps", "<itunes:explicit a='1'>perhaps<b>"])
def test_what_feedparser_keeps_of_an_unclosed_element_is_no_flag(kept: str) -> None:
    start = "<rss xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>&</title>"
    item = told("feed", f"{start}<item><title>x</title>{kept}</item></channel></rss>".encode())
    show = told("feed", f"{start}{kept}<item><title>x</title></item></channel></rss>".encode())
    assert item is not None
    assert item.entries[0].explicit is None
    assert show is not None


def test_an_element_with_the_name_of_a_list_of_feedparser_is_no_list() -> None:
    named = "<links>x & y</links><tags>x</tags><media_content>x</media_content><content>x</content>"
    body = f"<rss><channel><title>&</title>{named}<item><title>x</title>{named}</item></channel></rss>"
    assert told("feed", body.encode()) is not None


def test_what_apple_says_of_an_error_is_one_line() -> None:
    assert told("apple", b'{"errorMessage": "Invalid\\nvalue"}') is None


@pytest.mark.heavy
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=20_000)
@given(mutated())
def test_many_mutated_documents(case: tuple[str, bytes]) -> None:
    told(*case)


N = 200_000
HOSTILE = {
    "blanks": b"x" + b" " * N + b"x",
    "blank lines": b"x" + b"\n" * N + b"x",
    "brackets": b"1. [ " + b"](" * N,
    "items": b"- 1. [ 01/02/2024 \n" * (N // 10),
    "links": b"1. [ 01/02/2024 a " + b"a " * N + b"](https://podcasts.apple.com/us/podcast/" + b"a-" * N + b"/id1?i=1",
    "dates": b"a\n" + b"x - May 5, 2021 - 5 minutes " * (N // 20),
    "heads": b"a\nx - May 5, 2021 - 5 minutes\n" * (N // 20),
    "numbers": b"\n".join(b"%d) x" % number for number in range(N // 10)),
    "dots": b"1) x\n" + b"..." * N,
    "deep lists": b"[" * N,
    "deep objects": b'{"data":' * N,
    "deep elements": b"<html>" + b"<article>" * N,
    "posts": b"<html>" + b"<article class=post><h2><a href=/>x</a></h2>" * (N // 40),
    "deep feed": b"<rss><channel><item>" + b"<a>" * (N // 10),
    "attributes": b"<rss " + b"a" * N,
    "entities": b"<rss><channel><title>" + b"&" * N,
    "read more": b"x\n\n" + b"Read more \n" * (N // 10),
    "references": b"&#x" + b"0" * N,
    "digits": b"1. [ 01/02/2024 a " + b"1" * N + b" min ](https://podcasts.apple.com/us/podcast/a/id1?i=1)",
}


@pytest.mark.parametrize("kind", registry.KINDS)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_document_costs_more_than_its_share(kind: str, name: str) -> None:
    before = process_time()
    told(kind, HOSTILE[name])
    assert process_time() - before < MOST_SECONDS


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data(), seed=st.sampled_from([case for case in SEEDS if case[1].lstrip()[:1] == b"{"]))
def test_json_with_other_types(data: st.DataObject, seed: tuple[str, bytes]) -> None:
    value = json.loads(seed[1])
    target = value
    for _ in range(data.draw(st.integers(0, 5))):
        inner = list(target.items()) if isinstance(target, dict) else list(enumerate(target))
        deeper = [(name, one) for name, one in inner if isinstance(one, dict | list) and one]
        if not deeper:
            break
        target = data.draw(st.sampled_from(deeper))[1]
    names = list(target) if isinstance(target, dict) else list(range(len(target)))
    target[data.draw(st.sampled_from(names))] = data.draw(JSON)
    told(seed[0], json.dumps(value).encode())
