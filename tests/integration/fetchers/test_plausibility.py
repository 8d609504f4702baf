"""What is believed at once, what only when it repeats, and what is remembered meanwhile."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from aggregator.fetchers import plausibility
from aggregator.fetchers.plausibility import Plausibility
from aggregator.model.entry import Entry, Listing, Moment, Rhythm, Show
from aggregator.model.source import PollState, Validators
from tests.support.origin import Request, answer, playing
from tests.support.polls import START, Polls


def listing(count: int, first: int = 0, *, partial: bool = False) -> Listing:
    entries = tuple(Entry("show", f"key-{number}", "t") for number in range(first, first + count))
    return Listing(entries, partial=partial)


def weighed(before: int, now: Listing) -> Plausibility:
    held = PollState("u", Validators('"old"'), "old", items=before, listings=4)
    fresh = PollState("u", Validators('"new"'), "new", items=before, listings=4, asked=START)
    return plausibility.weigh(held, fresh, now)


@pytest.mark.parametrize(
    ("before", "after", "believed"),
    [
        (80, 80, True),
        (80, 120, True),
        (80, 40, True),  # half is kept
        (80, 39, False),
        (80, 1, False),
        (80, 0, False),
        (1, 0, False),
        (0, 0, True),
        (0, 50, True),
        (4, 1, True),  # three lost at most: a short list
        (5, 1, False),
        (9, 5, True),
        (9, 4, False),
    ],
)
def test_a_listing_that_lost_more_than_half_and_three_is_doubted(before: int, after: int, believed: bool) -> None:  # noqa: FBT001
    verdict = weighed(before, listing(after))
    assert verdict.believed == believed
    assert bool(verdict.message) != believed


def test_what_is_believed_is_remembered() -> None:
    verdict = weighed(80, listing(79))
    assert (verdict.poll_state.validators.etag, verdict.poll_state.digest) == ('"new"', "new")
    assert (verdict.poll_state.items, verdict.poll_state.listings) == (79, 5)


def test_what_is_doubted_leaves_the_document_that_is_held() -> None:
    verdict = weighed(80, listing(2))
    assert (verdict.poll_state.validators.etag, verdict.poll_state.digest) == ('"old"', "old")
    assert (verdict.poll_state.items, verdict.poll_state.listings, verdict.poll_state.doubts) == (80, 4, 1)
    assert verdict.message == (
        "it listed 80 items and now lists 2; not believed yet (1 of 3 equal listings), so that new items in it wait "
        "until 2 more polls list the same"
    )


def test_a_first_listing_and_a_partial_one_are_believed() -> None:
    assert plausibility.weigh(PollState("u"), PollState("u", asked=START), listing(0)).believed
    assert weighed(80, listing(1, partial=True)).believed


def test_the_third_equal_entry_is_believed() -> None:
    poll_state = PollState("u", items=80)
    verdicts = []
    for _ in range(3):
        verdict = plausibility.weigh(poll_state, poll_state, listing(2))
        poll_state = verdict.poll_state
        verdicts.append(verdict.believed)
    assert verdicts == [False, False, True]
    assert (poll_state.items, poll_state.doubt, poll_state.doubts) == (2, None, 0)


def test_another_doubtful_listing_begins_anew() -> None:
    poll_state = PollState("u", items=80)
    verdicts = []
    for shown in (listing(2), listing(2), listing(2, first=9), listing(2), listing(2), listing(2)):
        verdict = plausibility.weigh(poll_state, poll_state, shown)
        poll_state = verdict.poll_state
        verdicts.append(verdict.believed)
    assert verdicts == [False] * 5 + [True]


@pytest.mark.parametrize(("hours", "until"), [(24, 3), (6, 12), (72, 1)])
def test_a_short_listing_that_changes_with_each_poll_is_believed_after_three_days(hours: int, until: int) -> None:
    """A daily show cut its feed to the newest ten: no two polls saw the same, and new items were never published."""
    state, verdicts = PollState("u", items=40), []
    for turn in range(until + 1):
        asked = START + timedelta(hours=hours * turn)
        verdicts.append(plausibility.weigh(state, replace(state, asked=asked), listing(10, first=turn)))
        state = verdicts[-1].poll_state
    assert [each.believed for each in verdicts] == [False] * until + [True]
    assert state.doubted_since is None


def test_the_rhythm_of_a_believed_document_is_kept() -> None:
    fresh = PollState("u", Validators('"1"'), asked=START)
    verdict = plausibility.weigh(PollState("u"), fresh, Listing((), rhythm=Rhythm(timedelta(hours=6))))
    assert verdict.poll_state.not_before == START + timedelta(hours=6)


def test_on_the_wire_a_doubtful_answer_is_asked_for_again_and_a_recovered_one_forgiven() -> None:
    now = ["whole"]

    def play(request: Request) -> bytes:
        etag = f'"{now[0]}"'
        if request.get("If-None-Match") == etag:
            return answer(304)
        return answer(200, now[0].encode(), ("ETag", etag))

    lists = {b"whole": listing(80), b"broken": listing(1)}
    with playing(play) as origin:
        polls = Polls(origin.url())
        words = []
        for state in ("whole", "broken", "broken", "whole", "broken", "broken", "broken", "broken"):
            now[0] = state
            before = polls.poll_state
            got = polls.ask(hours=1)
            word = got.status
            if got.document is not None:
                verdict = plausibility.weigh(before, got.poll_state, lists[got.document.body])
                polls.poll_state = verdict.poll_state
                word = "ok" if verdict.believed else "held back"
            words.append(word)
        assert words == [
            *("ok", "held back", "held back", "unchanged"),
            *("held back", "held back", "ok", "unchanged"),
        ]
        assert len(origin.requests) == 8


def test_on_the_wire_an_unreadable_answer_is_an_error_and_the_feed_of_before_is_known_again() -> None:
    now = ["feed"]

    def play(request: Request) -> bytes:
        if now[0] == "portal":
            return answer(200, b"<html>log in</html>")
        return answer(304) if request.get("If-None-Match") else answer(200, b"<rss/>", ("ETag", '"1"'))

    with playing(play) as origin:
        polls = Polls(origin.url())
        polls.ask()
        now[0] = "portal"
        before = polls.poll_state
        got = polls.ask(hours=1)
        assert got.status == "ok"
        polls.poll_state = plausibility.refuse(before, got.poll_state, polls.now)
        assert (polls.poll_state.errors, polls.poll_state.validators.etag) == (1, '"1"')
        now[0] = "feed"
        assert polls.ask(hours=2).status == "unchanged"
        assert polls.poll_state.errors == 0


def show(title: str, first_day: int, count: int = 12) -> Listing:
    days = range(first_day, first_day + count)
    dates = [Moment(START + timedelta(days=day, minutes=7 * day + len(title))) for day in days]
    entries = tuple(Entry("show", f"{title}-{at.at}", "t", published=at) for at in dates)
    return Listing(entries, Show(title=title))


def poll_daily(*listings: Listing) -> list[Plausibility]:
    state, verdicts = PollState("u"), []
    for day, each in enumerate(listings):
        verdicts.append(plausibility.weigh(state, replace(state, asked=START + timedelta(days=day)), each))
        state = verdicts[-1].poll_state
    return verdicts


def test_another_show_at_the_address_is_believed_after_a_week() -> None:
    """It was sold, or a redirect leads elsewhere; all episodes of the stranger were published at once."""
    own, other = show("Sea Room", -100), show("Deep Questions", -99)
    verdicts = poll_daily(own, *[other] * 8)
    assert [each.believed for each in verdicts] == [True, *[False] * 7, True]
    assert verdicts[1].message == (
        "it was the listing of 'Sea Room' and is now that of 'Deep Questions', with none of the newest items: not "
        f"believed before {START + timedelta(days=8):%Y-%m-%d}; if that is right, remove the source and add it under "
        "another name"
    )


def test_the_week_begins_again_when_the_show_was_back() -> None:
    own, other = show("Sea Room", -100), show("Deep Questions", -99)
    verdicts = poll_daily(own, *[other] * 5, own, *[other] * 5)
    assert [each.believed for each in verdicts] == [True, *[False] * 5, True, *[False] * 5]


@pytest.mark.parametrize("count", [1, 3])
def test_a_listing_of_the_newest_items_only_may_have_another_title_each_day(count: int) -> None:
    """It is headed by the day or the newest item: seven of eight were held back, and were gone a day later."""
    titles = ("Rope", "27 November", "The pilot’s logbook", "Salt", "Deep Questions")
    verdicts = poll_daily(*(show(title, day * count, count) for day, title in enumerate(titles)))
    assert all(each.believed for each in verdicts)
    assert not poll_daily(show("Rope", 0, count), show("Deep Questions", 50))[1].believed


@pytest.mark.parametrize(
    "now",
    [
        replace(show("Sea Room", -90), show=Show(title="Deep Questions")),  # renamed: two of the items are left
        show("Sea Room", 50),  # dated anew
        show("The Sea Room Podcast", 50),
        show("SEA ROOM", 50),
        show("", 50),
        Listing((), Show(title="Deep Questions")),
    ],
)
def test_a_show_that_is_renamed_or_dated_anew_is_believed_at_once(now: Listing) -> None:
    before = poll_daily(show("Sea Room", -100, 3 if not now.entries else 12))[0].poll_state
    verdict = plausibility.weigh(before, replace(before, asked=START + timedelta(days=1)), now)
    assert verdict.believed == bool(now.entries)
    assert "Deep" not in verdict.message
