"""Secrets that the config names and the environment has."""

import pytest

from aggregator.errors import FetchError
from aggregator.fetchers import registry
from aggregator.model.source import Source


def test_a_secret_that_is_not_utf_8_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("show", "feed", url="https://example.org/feed?token=${TOKEN}")
    monkeypatch.setenv("TOKEN", "na\u00efve")
    assert registry.locate(source)[0].secrets == (("TOKEN", "na\u00efve"),)
    monkeypatch.setenv("TOKEN", "na\udcefve")  # as Python decodes the Latin-1 byte
    with pytest.raises(FetchError, match=r"^the environment variable TOKEN is not UTF-8$"):
        registry.locate(source)
