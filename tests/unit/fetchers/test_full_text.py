"""The text of a post from its page: the evaluation's pages, and pages that have none."""

from __future__ import annotations

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers import parser_process
from aggregator.model.source import Document, Source
from evaluation.full_text.__main__ import LEAST_F1, measure, read_ours

pytest.importorskip("readability")
SOURCE = Source("blog", "blog", url="https://blog.example/feed")
PAGE = "https://blog.example/2024/a/"
WORDS = "The harbour light was switched off in the winter of that year, and nobody asked why. " * 6


def read(body: bytes | str) -> str:
    return parser_process.read_full_text(Document(SOURCE, PAGE, body.encode() if isinstance(body, str) else body))


def test_the_posts_of_the_evaluation_are_read() -> None:
    found = measure(read_ours)
    assert len(found) == 30
    assert sum(one.f1 for _, one in found) / len(found) >= LEAST_F1
    assert min(one.recall for _, one in found) >= 0.95


def test_addresses_are_whole_and_images_those_that_a_script_would_load() -> None:
    image = '<img src="data:image/gif;base64,R0lGODlh" data-src="/big.jpg" alt="a">'
    page = f'<html><body><article><p>{WORDS}</p><p>{image} <a href="../b/">b</a></p><p>{WORDS}</p></article></body>'
    text = read(page)
    assert 'src="https://blog.example/big.jpg"' in text
    assert 'href="https://blog.example/2024/b/"' in text


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "expected"),
        ('{"a": 1}', "JSON where an HTML page was expected"),
        ("<html><body></body></html>", "no text of a post was found"),
        (f"<html><body><article><p>{'word ' * 60_000}</p></article></body></html>", "more than 200,000 characters"),
        ("<html><body>" + "<div>" * 100_000, "no text of a post was found"),
    ],
)
def test_a_page_without_a_post_says_so_in_one_line(body: str, why: str) -> None:
    with pytest.raises(ReadError) as raised:
        read(body)
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "bug" not in str(raised.value)
