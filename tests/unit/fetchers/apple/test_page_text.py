"""Pages of Apple Podcasts that were saved as text."""

import pytest

from aggregator.fetchers.apple import page_text

EPISODE = "1. [ 05/03/2021 A lock 12 min ](https://podcasts.apple.com/us/podcast/a-lock/id1566080008?i=1000520013301)"


def test_a_total_of_thousands_of_digits_is_none() -> None:
    page = "# A show\n\n## Episodes\n\n{episode}\n\n- Episodes\n{total}"
    listings = [page_text.read("apple", page.format(episode=EPISODE, total=total)) for total in ("83", "9" * 5_000)]
    assert [listing and listing.show.total for listing in listings] == [83, None]


@pytest.mark.parametrize(
    ("store", "dated", "expected"),
    [
        ("us/", ["05/03/2021", "04/30/2021"], ["05-03", "04-30"]),
        ("us/", ["05/03/2021", "30/04/2021"], ["03-05", "04-30"]),  # as a browser in another country writes them
        ("ie/", ["05/03/2021", "04/30/2021"], ["05-03", "04-30"]),
        ("ie/", ["05/03/2021", "04/02/2021"], ["03-05", "02-04"]),
        ("", ["05.03.2021", "04.02.2021"], ["03-05", "02-04"]),
    ],
)
def test_the_dates_of_the_page_decide_their_order_before_its_store(
    store: str, dated: list[str], expected: list[str]
) -> None:
    page = "# A show\n\n" + "\n".join(
        f"{at}. [ {date} A lock 12 min ](https://podcasts.apple.com/{store}podcast/a-lock/id15660{at}?i=100052001330{at})"
        for at, date in enumerate(dated, start=1)
    )
    listing = page_text.read("apple", page)
    assert listing
    assert [entry.published and f"{entry.published.at:%m-%d}" for entry in listing.entries] == expected
