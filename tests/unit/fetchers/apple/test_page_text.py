"""Pages of Apple Podcasts that were saved as text."""

from aggregator.fetchers.apple import page_text

EPISODE = "1. [ 05/03/2021 A lock 12 min ](https://podcasts.apple.com/us/podcast/a-lock/id1566080008?i=1000520013301)"


def test_a_total_of_thousands_of_digits_is_none() -> None:
    page = "# A show\n\n## Episodes\n\n{episode}\n\n- Episodes\n{total}"
    listings = [page_text.read("apple", page.format(episode=EPISODE, total=total)) for total in ("83", "9" * 5_000)]
    assert [listing and listing.show.total for listing in listings] == [83, None]
