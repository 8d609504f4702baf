"""A source that lists its titles anew keeps its items; a title that comes again by itself is another item."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from msgspec.structs import replace

from aggregator.merger.matching import adjustments
from aggregator.merger.matching.adjustments import credit_relisted
from aggregator.merger.matching.features.records import make_record
from aggregator.merger.matching.match import compare_records, match
from aggregator.merger.matching.scoring import SHIPPED
from aggregator.model.entry import Duration, Entry, Moment, Span
from tests.support.levels import KINDS, LEVELS

TITLES = ("Tide tables", "Rope work", "Harbour pilots", "Dead reckoning")


def entry(key: str, title: str, span: Span, text: str) -> Entry:
    return Entry("blog", key, title, genre="post", span=span, description=text)


def before(titles=TITLES) -> list[Entry]:
    words = "How the harbour works at night, who keeps the lamps and the stores, and what a pilot is paid for"
    return [entry(f"text-{title}", title, Span(1, 1), f"{words} {title.lower()}.") for title in titles]


def after(titles=TITLES) -> list[Entry]:
    words = "An essay that was written anew from the first line to the last, with other examples and another end, on"
    return [entry(f"feed-{title}", title, Span(2, 2), f"{words} {title.lower()}.") for title in titles]


def items(*entries: Entry) -> int:
    return len(match(entries).clusters)


def test_a_page_that_became_a_feed_keeps_its_posts_though_every_text_is_new() -> None:
    assert items(*before(), *after()) == len(TITLES)


def test_one_title_that_comes_again_with_another_text_is_another_post() -> None:
    weekly = [*before(), entry("text-2", "Weekly links", Span(1, 1), "Seven pages about ropes, knots and old rigging.")]
    later = replace(after(("Weekly links",))[0], description="Nine pages about paint, rust and how to keep a hull dry.")
    assert items(*weekly, later) == len(weekly) + 1


def test_a_date_that_contradicts_keeps_them_apart() -> None:
    dated = [replace(each, published=Moment(datetime(2024, 5, 1, tzinfo=UTC))) for each in before()]
    redated = [replace(each, published=Moment(datetime(2024, 6, 9, tzinfo=UTC))) for each in after()]
    assert items(*dated, *redated) == 2 * len(TITLES)


def test_what_stands_side_by_side_is_never_relisted() -> None:
    beside = [replace(each, span=Span(1, 2)) for each in before()]
    assert items(*beside, *after()) == 2 * len(TITLES)


MORE = ("Paint against rust", "Bells in the fog", "Charts of the north", "Anchors", "Lamp oil", "Sextants")


def moved_archive(other_seconds: int | None) -> list[Entry]:
    """Episodes of a host, and the same at the next one, which dated all of them as it imported them, without texts.

    There they are longer by some seconds, or have no length.
    """
    entries = []
    for turn, title in enumerate((*TITLES, *MORE)):
        old = Moment(datetime(2020, 1, 6, 5, tzinfo=UTC) + timedelta(days=7 * turn))
        new = Moment(datetime(2022, 6, 1, tzinfo=UTC) + timedelta(minutes=turn))
        seconds, text = 1500 + 137 * turn, f"What we heard on the quay about {title.lower()}, and who told it to us."
        first = Entry("host", f"old-{turn}", title, published=old, duration=Duration(seconds), description=text)
        entries.append(replace(first, span=Span(1, 5)))
        length = None if other_seconds is None else Duration(seconds + other_seconds)
        second = Entry("host", f"new-{turn}", title, genre="episode", published=new, duration=length)
        entries.append(replace(second, span=Span(6, 9)))
    return entries


def test_an_archive_that_was_dated_anew_is_known_by_its_lengths() -> None:
    assert items(*moved_archive(other_seconds=0)) == len((*TITLES, *MORE))


@pytest.mark.parametrize("other_seconds", [30, None])
def test_an_archive_that_was_dated_as_it_was_imported_needs_no_equal_lengths(
    other_seconds: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert items(*moved_archive(other_seconds)) == len((*TITLES, *MORE))
    monkeypatch.setattr(adjustments, "_is_imported", lambda *_: False)
    assert items(*moved_archive(other_seconds)) == 2 * len((*TITLES, *MORE))


def test_the_programmes_of_two_days_are_no_archive() -> None:
    """A page of what is on today lists the same titles each day, and nothing of the day before."""
    days = [datetime(2024, 5, 1, 6, tzinfo=UTC), datetime(2024, 5, 8, 6, tzinfo=UTC)]
    listed = [
        replace(entry(f"{day}-{title}", title, Span(day, day), ""), published=Moment(at + timedelta(hours=turn)))
        for day, at in enumerate(days, 1)
        for turn, title in enumerate((*TITLES, *MORE))
    ]
    assert items(*listed) == len(listed)


def test_a_week_of_titles_that_comes_again_is_another_week() -> None:
    days = datetime(2024, 5, 6, 6, tzinfo=UTC)
    listed = [
        replace(
            entry(f"{week}-{title}", title, Span(week, week), ""), published=Moment(days + timedelta(14 * week + turn))
        )
        for week in (1, 2)
        for turn, title in enumerate((*TITLES, *MORE[:3]))
    ]
    assert items(*listed) == len(listed)


def test_an_archive_of_other_dates_and_lengths_is_another() -> None:
    assert items(*moved_archive(other_seconds=400)) == 2 * len((*TITLES, *MORE))


def test_a_few_titles_of_many_that_come_again_are_others() -> None:
    old, new = (*TITLES[:3], *MORE), (*TITLES[:3], *(f"{title} and what became of them" for title in MORE))
    assert items(*before(old), *after(new)) == len(old) + len(new)


def test_two_titles_that_come_again_prove_nothing() -> None:
    one = [*before(TITLES[:2]), *after(TITLES[:2])]
    other = [replace(each, source="mirror") for each in (*before(MORE[:2]), *after(MORE[:2]))]
    assert items(*one, *other) == len(one) + len(other)


def test_half_of_the_shorter_listing_is_enough() -> None:
    """A front page shows a few posts, the feed that took its place all of them."""
    assert items(*before(TITLES), *after((*TITLES, *MORE))) == len(TITLES) + len(MORE)


def test_a_day_later_is_no_other_date() -> None:
    dated = [replace(each, published=Moment(datetime(2024, 5, 1, tzinfo=UTC))) for each in before()]
    redated = [replace(each, published=Moment(datetime(2024, 5, 2, tzinfo=UTC))) for each in after()]
    assert items(*dated, *redated) == len(TITLES)


def most(*entries: Entry) -> float:
    """The most that a pair of entries gains by being listed anew."""
    found = compare_records([make_record(entry) for entry in entries])
    listing, none = found.frame.first - 1, np.zeros(len(found.compared.left), dtype=np.bool_)
    return float(credit_relisted(found.frame, found.compared, SHIPPED, listing, none).max())


def test_what_the_texts_agree_on_is_not_taken_back() -> None:
    again = [replace(each, key=f"again-{each.key}", span=Span(2, 2)) for each in before()]
    title = SHIPPED.weights[KINDS.index("title")]
    twice, once = (title[LEVELS["title"].index(level)] for level in ("equal, 2 or 3 times", "equal, in a source once"))
    told = SHIPPED.weights[KINDS.index("description")][LEVELS["description"].index("below .3")]
    assert most(*before(), *again) == pytest.approx(once - twice)
    assert most(*before(), *after()) == pytest.approx(once - twice - told)


def test_a_title_that_stood_twice_before_stays_a_repeated_one() -> None:
    third = [replace(each, key=f"more-{each.key}") for each in before()]
    told = SHIPPED.weights[KINDS.index("description")][LEVELS["description"].index("below .3")]
    assert most(*before(), *third, *after()) == pytest.approx(-told)
