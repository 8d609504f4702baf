"""When to ask again: decisions over memory alone."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.fetchers.http import headers, polling
from aggregator.fetchers.http.polling import Reply
from aggregator.model.entry import Rhythm
from aggregator.model.source import PollState, Validators
from aggregator.text.urls import find_host

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)  # a Monday
HELD = PollState("https://example.org/feed", Validators('"1"'), asked=NOON)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # zoned there
lengths = st.timedeltas(timedelta(), timedelta(days=400))
rhythms = st.builds(
    Rhythm,
    st.one_of(st.none(), st.timedeltas(timedelta(days=-1), timedelta(days=4000))),
    st.frozensets(st.integers(0, 23)),
    st.frozensets(st.integers(0, 6)),
)


def usable(**fields: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    return Reply(200, named, NOON, NOON, host="example.org:443")


@pytest.mark.parametrize(
    ("minutes", "hours"), [(60, 1), (30, 1), (0, 1), (180, 3), (7 * 24 * 60, 7 * 24), (9 * 24 * 60, 7 * 24)]
)
def test_ttl_is_not_before(minutes: int, hours: int) -> None:
    poll_state = polling.update_after_answer(HELD, usable(etag='"1"'), "d")
    poll_state = polling.apply_rhythm(poll_state, Rhythm(timedelta(minutes=minutes)))
    assert polling.is_due(poll_state, NOON + timedelta(hours=hours))
    assert not polling.is_due(poll_state, NOON + timedelta(hours=hours, minutes=-1))
    assert polling.is_due(poll_state, NOON + timedelta(minutes=1), force=True)


def test_ttl_holds_on_304_too_and_the_greatest_wins() -> None:
    poll_state = polling.apply_rhythm(HELD, Rhythm(6 * HOUR))
    later = Reply(304, {"cache-control": "max-age=60"}, NOON + DAY, NOON + DAY, conditional=True)
    after = polling.update_after_answer(poll_state, later)
    assert after.not_before == NOON + DAY + 6 * HOUR
    longer = replace(later, fields={"cache-control": "max-age=36000"})
    assert polling.update_after_answer(poll_state, longer).not_before == NOON + DAY + 10 * HOUR


def test_ttl_is_obeyed_without_validators_too() -> None:
    blind = polling.update_after_answer(PollState("u"), usable(), "d")
    assert polling.is_due(blind, NOON + HOUR)
    assert polling.is_due(polling.apply_rhythm(blind, Rhythm(2 * HOUR)), NOON + 2 * HOUR)
    assert not polling.is_due(polling.apply_rhythm(blind, Rhythm(2 * HOUR)), NOON + timedelta(minutes=119))


def test_hours_to_skip_are_left_out_whenever_the_question_comes() -> None:
    poll_state = polling.apply_rhythm(HELD, Rhythm(skip_hours=frozenset({13, 14, 18})))
    asked = [hour for hour in range(13, 24) if polling.is_due(poll_state, NOON.replace(hour=hour, minute=30))]
    assert asked == [15, 16, 17, 19, 20, 21, 22, 23]
    assert polling.due_at(None, [poll_state], NOON.replace(hour=13, minute=30)) == NOON.replace(hour=15)


def test_days_to_skip_are_left_out() -> None:
    poll_state = polling.apply_rhythm(HELD, Rhythm(skip_days=frozenset({1, 2})))  # Tuesday, Wednesday
    assert [polling.is_due(poll_state, NOON + number * DAY) for number in range(1, 5)] == [False, False, True, True]
    assert polling.due_at(None, [poll_state], NOON + DAY) == datetime(2026, 3, 5, tzinfo=UTC)


def test_a_rhythm_that_leaves_nothing_is_none() -> None:
    poll_state = polling.apply_rhythm(HELD, Rhythm(None, frozenset(range(24)), frozenset(range(7))))
    assert polling.is_due(poll_state, NOON + HOUR)


def test_a_document_without_a_rhythm_ends_the_last_one() -> None:
    poll_state = polling.apply_rhythm(HELD, Rhythm(DAY, frozenset({13}), frozenset({1})))
    poll_state = polling.apply_rhythm(poll_state, Rhythm())
    assert (poll_state.every, poll_state.skip_hours, poll_state.skip_days) == (None, (), ())


def test_force_passes_the_schedule_and_never_a_hold() -> None:
    held = replace(HELD, not_before=NOON + DAY, hold_until=NOON + HOUR)
    assert not polling.is_due(held, NOON + timedelta(minutes=59), force=True)
    assert polling.is_due(held, NOON + HOUR, force=True)
    assert not polling.is_due(held, NOON + HOUR)


@pytest.mark.parametrize("back", [DAY, 400 * DAY])
def test_a_clock_that_went_back_neither_silences_nor_storms(back: timedelta) -> None:
    poll_state = replace(HELD, not_before=NOON + HOUR)
    assert polling.is_due(poll_state, NOON - back)
    again = polling.update_after_answer(poll_state, Reply(304, {}, NOON - back, NOON - back, conditional=True))
    assert not polling.is_due(again, NOON - back + timedelta(minutes=30))


@given(st.integers(-7200, 7200), st.integers(0, 90_000), st.integers(0, 90_000))
def test_a_schedule_and_a_poll_agree_on_when_an_address_may_be_asked(asked: int, rest: int, hold: int) -> None:
    seconds = [timedelta(seconds=each) for each in (asked, asked + rest, asked + hold)]
    poll_state = replace(HELD, asked=NOON + seconds[0], not_before=NOON + seconds[1], hold_until=NOON + seconds[2])
    assert (polling.due_at(None, (poll_state,), NOON) == NOON) == polling.is_due(poll_state, NOON)


def test_a_clock_that_went_back_by_a_minute_is_only_skewed() -> None:
    poll_state = replace(HELD, asked=NOON + timedelta(minutes=1), not_before=NOON + HOUR)
    assert polling._ready_at(poll_state, NOON) == NOON + HOUR


def test_a_clock_that_went_back_keeps_a_hold_of_a_week_and_no_longer_one() -> None:
    assert not polling.is_due(replace(HELD, hold_until=NOON + DAY), NOON - DAY)
    assert polling.is_due(replace(HELD, hold_until=NOON + DAY), NOON - 30 * DAY)


def test_a_clock_that_went_forward_asks_once() -> None:
    poll_state = replace(HELD, not_before=NOON + HOUR)
    assert polling.is_due(poll_state, NOON + 400 * DAY)


def test_the_leap_day_and_the_turn_of_the_year_are_days() -> None:
    for start in (datetime(2028, 2, 28, 23, 30, tzinfo=UTC), datetime(2026, 12, 31, 23, 30, tzinfo=UTC)):
        poll_state = replace(HELD, asked=start, skip_hours=(0,))
        assert polling.due_at(None, [poll_state], start + HOUR) == (start + DAY).replace(hour=1, minute=0)


@given(moments, moments, rhythms)
def test_asking_is_always_allowed_within_a_week_and_a_skip(asked: datetime, now: datetime, rhythm: Rhythm) -> None:
    poll_state = polling.apply_rhythm(replace(HELD, asked=asked, not_before=asked + HOUR), rhythm)
    until = polling.due_at(None, [poll_state], now)
    assert now <= until <= max(now, asked) + polling._LONGEST_REST + 7 * DAY + HOUR
    if now >= asked:
        assert polling.is_due(poll_state, until)


@given(st.integers(1, 400), st.text(max_size=20))
def test_backoff_grows_to_a_day_and_is_the_same_each_time(errors: int, url: str) -> None:
    poll_state = replace(HELD, url=url, errors=errors)
    one, other = (polling.update_after_failure(poll_state, NOON, NOON) for _ in range(2))
    assert one == other
    assert one.not_before is not None
    assert timedelta(minutes=59) < one.not_before - NOON < polling._LONGEST_BACKOFF * 1.1


def test_backoff_is_spread_over_addresses() -> None:
    rests = {
        polling.update_after_failure(replace(HELD, url=str(n), errors=9), NOON, NOON).not_before for n in range(100)
    }
    assert len(rests) > 80


@given(st.text(max_size=80), moments)
def test_any_text_is_a_header(text: str, now: datetime) -> None:
    fields = {"cache-control": text, "expires": text, "retry-after": text, "date": text, "content-length": text}
    for length in (headers.parse_freshness(fields, now), headers.parse_retry_after(fields, now)):
        assert length is None or length >= timedelta()
    headers.parse_content_type(text)
    headers.parse_content_length(text)
    find_host(text)


@given(st.integers(100, 999), st.dictionaries(st.sampled_from(["retry-after", "expires", "etag", "date"]), st.text()))
def test_any_answer_leaves_a_memory_that_lets_ask_again(status: int, fields: dict[str, str]) -> None:
    after = polling.update_after_answer(HELD, Reply(status, fields, NOON, NOON, conditional=True), "d")
    assert after.url == HELD.url
    assert not polling.is_due(after, NOON + timedelta(minutes=59))
    assert polling.is_due(after, NOON + 9 * DAY, force=True)
