"""Entries that are hard to tell apart, or hard to know again, all compared at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from aggregator.merger.matching.match import match
from tests.support.daily import count_mixed
from tests.support.hard_listings import CASES, DAYS, LANGUAGES, Language, Listed, count_items, list_on


@pytest.mark.parametrize("words", LANGUAGES.values(), ids=LANGUAGES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_item_is_one_cluster(case: Callable[[Language], Iterable[Listed]], words: Language) -> None:
    host, page = list_on(case(words), DAYS)
    clusters = [[entry.id for entry in cluster.entries] for cluster in match([*host, *page]).clusters]
    assert count_mixed(clusters) == 0
    assert len(clusters) == count_items(host, page)
