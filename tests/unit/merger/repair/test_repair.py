from __future__ import annotations

from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry, Note


def entry(**said):
    return Entry(**({"source": "page", "key": "1", "title": "Title"} | said))


def test_a_sound_entry_comes_back_equal():
    sound = entry(description="Nothing is wrong here.", summary="Short.")
    assert sound == repair(sound)


def test_markup_becomes_the_description():
    repaired = repair(entry(html="<p>One &amp; two</p><p>three</p>"))
    assert repaired.description == "One & two\n\nthree"
    assert repaired.html == "<p>One &amp; two</p><p>three</p>"


def test_each_change_is_noted_with_its_field():
    repaired = repair(entry(title="SNAKE\\_CASE", description="so **bold**"))
    assert (repaired.title, repaired.description) == ("SNAKE_CASE", "so bold")
    assert (Note("title", "escape", "\\", ""), Note("description", "bold", "**bold**", "bold")) == repaired.notes


def test_a_cut_title_ends_in_one_ellipsis():
    assert repair(entry(title="Trials and more wor...Show More")).title.replace(" more", "") == "Trials and…"
    assert repair(entry(title="Wait for it…")).title == "Wait for it…"


def test_the_ellipsis_of_a_cut_is_no_byte_of_what_stands_before():
    torn = repair(entry(title="бабаÑ\ufffd", summary="бабаÑ\ufffd"))
    assert (torn.title, torn.summary) == ("бабаÑ", "бабаÑ")  # with "…" it would be read as "бабах"
    assert torn == repair(torn)
    assert repair(entry(title="irmã\ufffd")).title == "irmã…"


def test_a_summary_is_mended_too():
    assert repair(entry(summary="Itâ€™s short and...Read more")).summary == "It’s short…"
    assert None is repair(entry()).summary


def test_a_cut_description_is_marked_and_ends_at_a_word():
    repaired = repair(entry(description="We consistently deci...Show More"))
    assert (repaired.description.strip(), repaired.cut) == ("We consistently", True)
    assert repaired == repair(repaired)


def test_who_says_nothing_is_left_alone():
    assert (repair(entry(cut=True)).description, repair(entry(cut=True)).cut) == (None, True)
