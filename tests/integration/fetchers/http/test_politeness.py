"""The politeness checklist, one test or more a point, against an origin that writes down what it was asked."""

import pytest

from tests.support.origin import Origin, Request, answer, playing
from tests.support.polls import ETAG, RSS, Polls, feed


def unconditional(origin: Origin) -> int:
    return sum(not (each.get("If-None-Match") or each.get("If-Modified-Since")) for each in origin.requests)


def test_rule_1_one_unconditional_request_ever() -> None:
    with playing(feed(ETAG)) as origin:
        polls = Polls(origin.url())
        states = [polls.ask(hours=1).status for _ in range(24)]
        states += [polls.ask(force=True, minutes=1).status for _ in range(3)]
        assert ["ok", *["unchanged"] * 26] == states
        assert unconditional(origin) == 1
        assert len(origin.requests) == 27


@pytest.mark.parametrize(
    "etag",
    [
        '"abc"',
        "abc",
        'W/"abc"',
        '"abc-gzip"',
        '"a,b"',
        '""',
        "'x'",
        '"caf\xe9"',
        '"a b"',
        "W/abc",
        '"' + "x" * 1000 + '"',
    ],
)
def test_rule_2_etag_goes_back_byte_for_byte(etag: str) -> None:
    with playing(feed(("ETag", etag))) as origin:
        polls = Polls(origin.url())
        polls.ask()
        assert polls.ask(hours=1).status == "unchanged"
        assert etag == origin.requests[1].get("If-None-Match")
        assert origin.requests[1].get("If-Modified-Since") is None


@pytest.mark.parametrize(
    "date",
    [
        "Sun, 01 Mar 2026 10:00:00 GMT",
        "Sun, 1 Mar 2026 10:00:00 +0000",
        "Sunday, 01-Mar-26 10:00:00 GMT",
        "2026-03-01T10:00:00Z",
        "yesterday",
        "0",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Fri, 31 Dec 2099 00:00:00 GMT",
    ],
)
def test_rule_3_last_modified_goes_back_byte_for_byte(date: str) -> None:
    with playing(feed(("Last-Modified", date))) as origin:
        polls = Polls(origin.url())
        polls.ask()
        assert polls.ask(hours=1).status == "unchanged"
        assert date == origin.requests[1].get("If-Modified-Since")
        assert origin.requests[1].get("If-None-Match") is None


def test_rules_2_and_3_nothing_is_invented_where_nothing_was_given() -> None:
    with playing(feed()) as origin:
        polls = Polls(origin.url())
        polls.ask()
        polls.ask(days=2)
        assert [r.get(name) for r in origin.requests for name in ("If-None-Match", "If-Modified-Since")] == [None] * 4


@pytest.mark.parametrize("value", ['"x' + "y" * 5000 + '"', '"a\x7fb"', '"a\x01b"'])
def test_rule_2_an_etag_that_cannot_go_back_is_not_sent_mended(value: str) -> None:
    with playing(feed(("ETag", value))) as origin:
        polls = Polls(origin.url())
        assert polls.ask().status == "ok"
        polls.ask(days=2)
        assert origin.requests[1].get("If-None-Match") is None


def test_rule_4_validators_of_a_touched_file_are_saved() -> None:
    def play(_request: Request) -> bytes:
        return answer(200, RSS, ("ETag", f'"{len(origin.requests)}"'))

    with playing(play) as origin:
        polls = Polls(origin.url())
        assert [polls.ask(hours=1).status for _ in range(3)] == ["ok", "unchanged", "unchanged"]
        assert [request.get("If-None-Match") for request in origin.requests] == [None, '"1"', '"2"']


def test_rule_5_a_200_without_validators_clears_the_old_ones() -> None:
    def play(_request: Request) -> bytes:
        return answer(200, RSS, *([ETAG] if len(origin.requests) == 1 else []))

    with playing(play) as origin:
        polls = Polls(origin.url())
        for _ in range(3):
            polls.ask(days=2)
        assert [request.get("If-None-Match") for request in origin.requests] == [None, '"one"', None]


def test_rule_6_conditional_polls_are_an_hour_apart() -> None:
    with playing(feed(ETAG)) as origin:
        assert Polls(origin.url()).every_minute(180) == [1, 61, 121]


def test_rule_6_unconditional_polls_are_an_hour_apart() -> None:
    with playing(feed()) as origin:
        assert Polls(origin.url()).every_minute(180) == [1, 61, 121]


def test_rule_6_an_origin_without_validators_that_says_how_often_is_taken_at_its_word() -> None:
    with playing(feed(("Cache-Control", "max-age=7200"))) as origin:
        assert Polls(origin.url()).every_minute(250) == [1, 121, 241]


def test_rule_6_hourly_cron_with_seconds_of_drift_meets_each_hour() -> None:
    with playing(feed(ETAG)) as origin:
        polls = Polls(origin.url())
        drift = (0, 3600, 3599, 3601, 3598, 3600)
        assert ["ok", *["unchanged"] * 5] == [polls.ask(seconds=seconds).status for seconds in drift]


def test_rule_6_a_restart_changes_nothing() -> None:
    with playing(feed(ETAG)) as origin:
        first = Polls(origin.url())
        first.ask()
        second = Polls(origin.url(), now=first.now)
        second.poll_state = first.poll_state
        assert second.ask(minutes=44).status == "not due"
        assert len(origin.requests) == 1


def test_rule_7_force_is_conditional_too() -> None:
    with playing(feed(ETAG)) as origin:
        polls = Polls(origin.url())
        polls.ask()
        assert polls.ask(force=True, seconds=1).status == "unchanged"
        assert unconditional(origin) == 1


def stuck(request: Request) -> bytes:
    """An origin that says 304 to whoever asks conditionally, whatever changed; at other times a new version."""
    if request.get("If-None-Match"):
        return answer(304, b"", ETAG)
    return answer(200, RSS.replace(b"A show", request.path.encode()), ETAG)


def test_an_origin_whose_304_is_distrusted_is_asked_for_the_whole_after_a_day() -> None:
    with playing(stuck) as origin:
        polls = Polls(origin.url("/show"), distrust=24)
        states = [polls.ask(hours=1).status for _ in range(50)]
        blind = [turn for turn, each in enumerate(origin.requests) if not each.get("If-None-Match")]
        assert blind == [0, 24, 48]
        assert states == ["ok", *["unchanged"] * 49]


def test_a_304_is_trusted_unless_the_config_says_otherwise() -> None:
    with playing(stuck) as origin:
        polls = Polls(origin.url("/show"))
        assert {polls.ask(hours=1).status for _ in range(50)} == {"ok", "unchanged"}
        assert unconditional(origin) == 1


@pytest.mark.parametrize(
    "control", ["max-age=7200", "public, max-age=7200", 'Max-Age="7200"', "s-maxage=1,max-age=7200"]
)
def test_rule_8_max_age_is_not_before_on_200_and_304(control: str) -> None:
    with playing(feed(ETAG, ("Cache-Control", control))) as origin:
        assert Polls(origin.url()).every_minute(250) == [1, 121, 241]


def test_rule_8_a_year_of_max_age_is_a_week() -> None:
    with playing(feed(ETAG, ("Cache-Control", "max-age=31536000"))) as origin:
        polls = Polls(origin.url())
        polls.ask()
        assert polls.ask(days=6.9).status == "not due"
        assert polls.ask(days=0.1).status == "unchanged"
