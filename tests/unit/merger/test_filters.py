from __future__ import annotations

from datetime import UTC, datetime
from time import process_time

import pytest

from aggregator.errors import PublishError
from aggregator.merger.filters import find_reason
from aggregator.model.entry import Duration, Entry, Moment
from aggregator.model.source import Conditions, Filter

DAY = datetime(2024, 5, 1, tzinfo=UTC)
ENTRY = Entry(
    "a", "1", "Trailer: the lift", categories=("Lifts",), show="Sea Room", duration=Duration(1200),
    published=Moment(DAY), episode_type="trailer",
)  # fmt: skip
MET = {
    "show": ("sea room",),
    "title": ("^Nothing", "^Trailer"),
    "category": ("LIFTS",),
    "type": ("trailer",),
    "longer_than": 1199,
    "shorter_than": 1201,
    "since": DAY,
    "before": datetime(2024, 5, 2, tzinfo=UTC),
}
NOT_MET = {
    "show": ("Other",),
    "title": ("^trailer",),
    "category": ("Stairs",),
    "type": ("full", "bonus"),
    "longer_than": 1200,
    "shorter_than": 1200,
    "since": datetime(2024, 5, 2, tzinfo=UTC),
    "before": DAY,
}


@pytest.mark.parametrize("name", Conditions.__struct_fields__)
def test_each_condition_leaves_out_what_it_says(name: str) -> None:
    met, not_met = (Conditions(**{name: given[name]}) for given in (MET, NOT_MET))
    assert find_reason(ENTRY, Filter(only=met), "a") is None
    assert find_reason(ENTRY, Filter(only=not_met), "a") == f"only {name}"
    assert find_reason(ENTRY, Filter(exclude=met), "a") == f"exclude {name}"
    assert find_reason(ENTRY, Filter(exclude=not_met), "a") is None


def test_of_only_every_condition_counts_and_of_exclude_any() -> None:
    mixed = Conditions(title=("lift",), category=("Stairs",))
    assert find_reason(ENTRY, Filter(only=mixed), "a") == "only category"
    assert find_reason(ENTRY, Filter(exclude=mixed), "a") == "exclude title"


@pytest.mark.parametrize("given", [MET, NOT_MET])
def test_an_unknown_length_date_or_show_leaves_nothing_out(given: dict[str, object]) -> None:
    bare = Entry("a", "1", "A title", published=Moment(DAY, "guess"))
    for name in ("show", "longer_than", "shorter_than", "since", "before"):
        conditions = Conditions(**{name: given[name]})
        assert find_reason(bare, Filter(conditions, conditions), "a") is None
    assert find_reason(bare, Filter(Conditions(type=("full",))), "a") is None


def test_a_catastrophic_pattern_is_ended_and_named() -> None:
    entry = Entry("a", "1", "a" * 60 + "!")
    start = process_time()
    with pytest.raises(PublishError, match=r'^feeds.f.only.title: the pattern "\^\(a\|a\|a\)\*\$" takes more than 1 s'):
        find_reason(entry, Filter(Conditions(title=("^(a|a|a)*$",))), "feeds.f")
    assert process_time() - start < 3
