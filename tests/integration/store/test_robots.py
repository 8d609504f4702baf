"""What is remembered of a robots.txt, whatever stands in it and wherever it stands."""

from datetime import UTC, datetime

from aggregator.model.source import PollState, Robots, Validators
from aggregator.store import hosts

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://a.example/robots.txt"


def test_a_robots_txt_comes_back_as_it_was_and_the_later_stands(store) -> None:
    first = Robots(PollState(URL, asked=AT), None, AT, "503 Service Unavailable")
    later = Robots(PollState(URL, Validators('"x"'), asked=AT, answered=AT), "allow: /\ufffd\x00é")
    other = Robots(PollState(f"https://{'b' * 300}.example/robots.txt"), "")
    assert hosts.read_robots(store, URL) is None
    hosts.write_robots(store, [first])
    assert hosts.read_robots(store, URL) == first
    hosts.write_robots(store, [later, other])
    assert hosts.read_robots(store, URL) == later
    assert hosts.read_robots(store, other.poll_state.url) == other
