"""Sources that list another show are told, and no others: a case of each in three languages."""

import pytest

from aggregator.merger.other_shows import Listed, find_other_shows

OURS = Listed(None, "episode", matches=True, number=12)
ALONE = Listed(None, "episode", matches=False, number=12)


@pytest.mark.parametrize(
    ("title", "name", "other"),
    [
        ("Hedge and Ditch", "Hedge and Ditch", "Night Trains"),
        ("Brot & Bücher", "Brot und Bücher", "Zug um Zug"),
        ("縁側ラジオ", "縁側ラジオ", "夜の電車"),
    ],
)
def test_a_listing_of_several_shows_is_told_with_the_line_to_add(title, name, other) -> None:
    page = (Listed(name, "episode", matches=True, number=4), Listed(other, "episode", matches=False, number=7))
    known = {"host": (OURS,), "page": page}
    shows = {"host": title, "page": None}
    assert find_other_shows(title, known, shows) == (
        f'page: 7 of its 11 entries are of other shows ("{other}"); to leave them out add only: {{show: "{name}"}}',
    )
    assert find_other_shows(title, known, shows, frozenset({"page"})) == ()


def test_a_show_that_matches_under_another_name_is_the_feeds_own() -> None:
    page = (
        Listed("Hedge and Ditch", "episode", matches=True),
        Listed("Hedge & Ditch: the garden", "episode", matches=True),
    )
    assert find_other_shows("Hedge and Ditch", {"host": (OURS,), "page": page}, {"host": "Hedge and Ditch"}) == ()


def test_where_no_name_is_known_the_commonest_is_the_show() -> None:
    page = (Listed("A", "episode", matches=False, number=9), Listed("B", "episode", matches=False, number=2))
    assert find_other_shows("My list", {"page": page}, {"page": None}) == (
        'page: 2 of its 11 entries are of other shows ("B"); to leave them out add only: {show: "A"}',
    )


@pytest.mark.parametrize(
    ("title", "name"),
    [("Hedge and Ditch", "Night Trains"), ("Brot & Bücher", "Zug um Zug"), ("縁側ラジオ", "夜の電車")],
)
def test_a_source_of_which_nothing_matches_and_that_has_another_name_is_told(title, name) -> None:
    known = {"host": (ALONE,), "wrong": (ALONE,)}
    (line,) = find_other_shows(title, known, {"host": title, "wrong": name})
    assert line.startswith(f'wrong: nothing that it lists matches the other sources and it calls its show "{name}"')
    assert line.endswith(f'only: {{show: "{title}"}}')
    assert find_other_shows(title, known, {"host": title, "wrong": f"{title} – an archive"}) == ()


def test_without_a_name_the_others_must_match_one_another() -> None:
    assert len(find_other_shows("T", {"a": (OURS,), "b": (OURS,), "c": (ALONE,)}, {"a": "T", "b": "T"})) == 1
    assert find_other_shows("T", {"a": (ALONE,), "c": (ALONE,)}, {"a": "T"}) == ()


def test_a_blog_beside_a_podcast_and_a_short_listing_are_not_told() -> None:
    blog = (Listed(None, "post", matches=False, number=30),)
    assert find_other_shows("T", {"a": (OURS,), "b": (OURS,), "blog": blog}, {"a": "T", "blog": "My notes"}) == ()
    few = (Listed(None, "episode", matches=False, number=4),)
    assert find_other_shows("T", {"a": (OURS,), "b": (OURS,), "few": few}, {"few": "Other"}) == ()


def test_a_source_alone_is_never_told_for_its_name() -> None:
    assert find_other_shows("My favourite", {"host": (ALONE,)}, {"host": "Night Trains"}) == ()


def test_quotes_in_a_name_stay_yaml() -> None:
    page = (Listed('The "A" \\ Show', "episode", matches=True, number=3), Listed("B", "episode", matches=False))
    (line,) = find_other_shows("T", {"host": (OURS,), "page": page}, {})
    assert line.endswith('only: {show: "The \\"A\\" \\\\ Show"}')
