"""`merger.full_text`: a page completes what was listed, and never replaces what says more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger import full_text
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry, FullText, Note
from aggregator.text import html

URL = "https://blog.example/a"
POST = "The harbour light was switched off in winter and nobody asked why until the boats came home late"
WORDS = st.lists(st.sampled_from([*POST.split(), "Accept", "cookies", "partners"]), max_size=40).map(" ".join)


def complete(listed: str | None, page: str, **fields: object) -> tuple[Entry, Entry]:
    before = repair(Entry("blog", "a", "A", link=URL, description=listed, **fields))
    return before, full_text.complete(before, FullText(URL, page))


def test_a_teaser_is_completed_and_the_note_names_the_page() -> None:
    note = Note("title", "blank", "A ", "A")
    _, after = complete("The harbour light was switched off […]", f"<p>{POST}.</p>", notes=(note,))
    assert (after.description, after.html, after.cut) == (f"{POST}.", f"<p>{POST}.</p>", False)
    assert after.notes[0] == note
    noted = after.notes[1]
    assert (noted.field, noted.cause, noted.after) == ("description", f"full text of the page {URL}", f"{POST}.")


def test_mojibake_of_the_page_is_repaired_as_that_of_a_listing() -> None:
    _, after = complete(None, "<p>Nobody asked the cafÃ© why the light was off, or the baker.</p>")
    assert after.description == "Nobody asked the café why the light was off, or the baker."
    assert "mojibake" in {note.cause for note in after.notes}


def test_a_page_about_something_else_changes_nothing() -> None:
    before, after = complete(POST, f"<p>{'We and our partners use cookies to improve this site. ' * 9}</p>")
    assert after is before


@given(listed=st.none() | WORDS, page=WORDS)
def test_no_text_gives_way_to_a_shorter_one(listed: str | None, page: str) -> None:
    before, after = complete(listed, f"<p>{page}</p>")
    if after is not before:
        assert len(html.to_text(after.html or "").split()) > len((before.description or "").split())
    assert (after.id, after.title, after.link, after.published) == (before.id, before.title, before.link, None)
