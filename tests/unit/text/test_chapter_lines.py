"""Chapters in notes: the ways in which people write them, and lists of times that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.text.chapter_lines import find_chapters

HOUR = 3600
WRITTEN = {
    "plain": "0:00 Tide tables\n4:10 The ferry\n31:05 Letters",
    "hours": "00:00:00 Tide tables\n00:04:10 The ferry\n00:31:05 Letters",
    "brackets": "(0:00) Tide tables\n[4:10] The ferry\n(31:05) Letters",
    "bullets and dashes": "• 0:00 – Tide tables\n• 4:10 – The ferry\n• 31:05 – Letters",
    "ranges": "0:00-4:10 Tide tables\n4:10-31:05 The ferry\n31:05-59:00 Letters",
    "behind": "Tide tables (0:00)\nThe ferry (4:10)\nLetters (31:05)",
    "behind a dash": "Tide tables - 0:00\nThe ferry - 4:10\nLetters - 31:05",
    "behind, with a dot": "Tide tables - 00:00:00.\nThe ferry - 00:04:10.\nLetters - 00:31:05.",
    "among other lines": "Ahoy.\n\n0:00 Tide tables\nhttps://sea.example: more\n4:10 The ferry\n31:05 Letters\nBye: us",
}


@pytest.mark.parametrize("notes", WRITTEN.values(), ids=WRITTEN)
def test_chapters_are_read_as_people_write_them(notes: str) -> None:
    assert find_chapters(notes, HOUR) == ((0, "Tide tables"), (250, "The ferry"), (1865, "Letters"))
    assert find_chapters(notes, None) == find_chapters(notes, HOUR)


def test_the_first_chapter_begins_late_where_times_have_hours() -> None:
    late = "00:09:22 Tide tables\n00:24:10 The ferry\n00:31:05 Letters"
    assert [at for at, _ in find_chapters(late, HOUR)] == [562, 1450, 1865]
    assert find_chapters(late.replace("00:09", "9:09").replace("00:", ""), HOUR) == ()


def test_brackets_of_a_title_stay() -> None:
    kept = "Tide tables (part 2)", "(Live) The ferry", "Letters & bells!"
    ahead = "0:00 {}\n4:10: {}\n(31:05) {}".format(*kept)
    behind = "{} (0:00)\n{} - 4:10\n• {} | 31:05".format(*kept)
    for notes in (ahead, behind):
        assert tuple(title for _, title in find_chapters(notes, HOUR)) == kept


OTHERS = {
    "a timetable": "19:30 Doors\n20:00 The choir\n21:15 Bus home",
    "two lines": "0:00 Tide tables\n4:10 The ferry",
    "not in order": "0:00 Tide tables\n31:05 Letters\n4:10 The ferry",
    "one time twice": "0:00 Tide tables\n4:10 The ferry\n4:10 Letters",
    "after the end": "0:00 Tide tables\n4:10 The ferry\n61:05 Letters",
    "scores": "0:00\n1:00\n2:01",
    "a transcript": "\n".join(f"{second // 60}:{second % 60:02} said" for second in range(301)),
    "verses": "Psalm 1:02, Psalm 3:04 and Psalm 5:06 are read.",
    "clocks in sentences": "At 0:05 we sail.\nAt 1:10 we land, at 2:20 we eat.\nThat is all: enough.",
}


@pytest.mark.parametrize("notes", OTHERS.values(), ids=OTHERS)
def test_other_times_are_no_chapters(notes: str) -> None:
    assert find_chapters(notes, HOUR) == ()


TITLES = st.text(st.characters(categories=["L", "Zs"]), min_size=1, max_size=40).map(lambda text: f"x{text.strip()}")


@given(st.lists(st.tuples(st.integers(1, 7000), TITLES), min_size=2, max_size=30, unique_by=lambda each: each[0]))
def test_a_list_of_chapters_is_read_whole(chapters: list[tuple[int, str]]) -> None:
    wanted = [(0, "Begin"), *sorted(chapters)]
    lines = (f"{at // 3600}:{at // 60 % 60:02}:{at % 60:02} {title}" for at, title in wanted)
    assert find_chapters("\n".join(lines), 7200) == tuple((at, " ".join(title.split())) for at, title in wanted)


@given(st.text(st.sampled_from("0:1 -()\n9a–"), max_size=80), st.none() | st.integers(0, 9000))
def test_any_notes_have_chapters_in_order_or_none(notes: str, seconds: int | None) -> None:
    times = [at for at, _ in find_chapters(notes, seconds)]
    assert times == sorted(set(times))
    assert not times or len(times) >= 3
