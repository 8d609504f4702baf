"""What is remembered of a robots.txt, whatever stands in it and wherever it stands."""

from datetime import UTC, datetime

from aggregator.model.source import Memory, Robots, Validators
from aggregator.store import robots

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://a.example/robots.txt"


def test_a_robots_txt_comes_back_as_it_was_and_the_later_stands(store) -> None:
    first = Robots(Memory(URL, asked=AT), None, AT, "503 Service Unavailable")
    later = Robots(Memory(URL, Validators('"x"'), asked=AT, heard=AT), "allow: /\ufffd\x00é")
    other = Robots(Memory(f"https://{'b' * 300}.example/robots.txt"), "")
    assert robots.robots(store, URL) is None
    robots.keep_robots(store, [first])
    assert robots.robots(store, URL) == first
    robots.keep_robots(store, [later, other])
    assert robots.robots(store, URL) == later
    assert robots.robots(store, other.memory.url) == other
