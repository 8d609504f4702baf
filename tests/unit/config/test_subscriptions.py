"""Which source each subscription of a list becomes, and which are left out, with the reason."""

import pytest

from aggregator import subscriptions
from aggregator.model.subscription import Subscription

APPLE = "https://podcasts.apple.com/de/podcast/salz-und-brot/id1234567?l=en"


@pytest.mark.parametrize(
    ("url", "keys"),
    [
        (APPLE, (("kind", "apple"), ("show", "1234567"))),
        ("https://overcast.fm/itunes1234567/salz", (("kind", "apple"), ("show", "1234567"))),
        ("https://feeds.simplecast.com/abc", (("kind", "simplecast"), ("url", "https://feeds.simplecast.com/abc"))),
        ("feed://salz.example/rss", (("kind", "feed"), ("url", "https://salz.example/rss"))),
        ("itpc://salz.example/rss", (("kind", "feed"), ("url", "https://salz.example/rss"))),
        ("feed:http://salz.example/rss", (("kind", "feed"), ("url", "http://salz.example/rss"))),
        ("salz.example/rss", (("kind", "feed"), ("url", "https://salz.example/rss"))),
    ],
)
def test_a_subscription_becomes_the_source_that_add_makes_of_it(url: str, keys: tuple[tuple[str, str], ...]) -> None:
    made = subscriptions.list_new(None, [Subscription("Salz", url)])
    assert [(each.feed, each.source, each.keys) for each in made.additions] == [("salz", keys[0][1], keys)]


def test_what_is_no_feed_is_left_out_with_the_reason() -> None:
    listed = [
        Subscription("Hafen", "https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk"),
        Subscription("Post", "mailbox:77"),
        Subscription("Seite", "https://salz.example/", problem="it is a page"),
        Subscription("Nichts", "", problem="it has no address"),
        Subscription("Salz", APPLE, problem="it is a page"),
        Subscription("Salz noch einmal", "https://podcasts.apple.com/us/podcast/id1234567"),
    ]
    made = subscriptions.list_new(None, listed)
    assert [each.title for each in made.added] == ["Salz"]
    reasons = {each.title: why for each, why in made.left_out}
    assert reasons.pop("Hafen").startswith("Spotify publishes no feed of its shows")
    assert reasons.pop("Post").startswith('"mailbox:77" is not an http or https URL')
    assert reasons == {
        "Seite": "it is a page", "Nichts": "it has no address", "Salz noch einmal": subscriptions.ALREADY,
    }  # fmt: skip


def test_long_titles_that_begin_alike_have_names_of_the_longest_length() -> None:
    title = "Vom Brot und vom Salz und von allem was dazwischen liegt und noch weiter"
    listed = [Subscription(f"{title} {number}", f"https://{number}.example/") for number in range(12)]
    names = [each.feed for each in subscriptions.list_new(None, listed).additions]
    assert len(set(names)) == 12
    assert max(map(len, names)) == 64
