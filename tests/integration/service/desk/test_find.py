"""The page of other listings shows what was found, with a button to add it, and nothing of it as markup."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from aggregator.service.desk.find import _FindPage, _Search
from aggregator.service.desk.frame import Frame, MenuCounts, render
from aggregator.translation.locale import Locale

FOUND = {
    "listings": [
        {
            "url": "https://mirror.example/feed?a=<b>",
            "described": "kind feed, 118 of 121 episodes, 1 doubtful, 2 new",
            "kind": "feed",
            "matched": 118,
            "of": 121,
            "doubtful": ["Sea"],
            "named_by": ["Apple", "its site"],
            "new": ["<script>alert(1)</script>", "Fog"],
        }
    ],
    "others": 1,
    "problems": ["gpodder.net: https://gpodder.net/search.json: 503 Service Unavailable"],
}


def test_each_listing_says_what_it_would_add_and_can_be_looked_at() -> None:
    page = _FindPage("talk", datetime(2026, 1, 2, tzinfo=UTC), None, (), msgspec.convert(FOUND, _Search))
    shown = render("find.html.j2", page, Frame("/desk", "token", MenuCounts()))
    assert "kind <bdi>feed</bdi>, 118 of 121 episodes, 1 is doubtful, 2 new items" in shown
    assert "named by Apple, its site<" in shown
    assert "2 items that the feed lacks" in shown
    assert "1 candidate of other shows, or unreadable" in shown
    assert "503 Service Unavailable" in shown
    assert 'action="/desk/add/look"' in shown
    assert 'name="url" value="https://mirror.example/feed?a=&lt;b&gt;"' in shown
    assert 'name="feed" value="talk"' in shown
    assert "<script>alert" not in shown


def test_what_was_found_is_said_in_the_language_of_the_visitor() -> None:
    page = _FindPage("talk", datetime(2026, 1, 2, tzinfo=UTC), None, (), msgspec.convert(FOUND, _Search))
    shown = render("find.html.j2", page, Frame("/desk", "token", MenuCounts(), locale=Locale("de")))
    assert "Art <bdi>feed</bdi>, 118 von 121 Folgen, 1 ist zweifelhaft, 2 neue Einträge" in shown
    assert "genannt von Apple, ihrer Website<" in shown
    assert '<bdi lang="en">' not in shown
