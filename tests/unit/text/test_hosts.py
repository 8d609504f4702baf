"""Whom an address asks."""

import pytest

from aggregator.text.urls import find_host


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://Feeds.Example.org/x", "feeds.example.org:443"),
        ("http://example.org", "example.org:80"),
        ("http://example.org:8080/", "example.org:8080"),
        ("http://me:x@[::1]:80/", "::1:80"),
        ("/local", ""),
        ("http://[", ""),
        ("http://a:x/", ""),
    ],
)
def test_a_host_is_named_by_name_and_port(url: str, wanted: str) -> None:
    assert find_host(url) == wanted
