"""What is remembered of a robots.txt, whatever stands in it and wherever it stands."""

from datetime import UTC, datetime

from aggregator.ledger import robots
from aggregator.model.source import Memory, Robots, Validators

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://a.example/robots.txt"


def test_a_robots_txt_comes_back_as_it_was_and_the_later_stands(book) -> None:
    first = Robots(Memory(URL, asked=AT), None, AT, "503 Service Unavailable")
    later = Robots(Memory(URL, Validators('"x"'), asked=AT, heard=AT), "allow: /\ufffd\x00é")
    other = Robots(Memory(f"https://{'b' * 300}.example/robots.txt"), "")
    assert robots.robots(book, URL) is None
    robots.keep_robots(book, [first])
    assert robots.robots(book, URL) == first
    robots.keep_robots(book, [later, other])
    assert robots.robots(book, URL) == later
    assert robots.robots(book, other.memory.url) == other
