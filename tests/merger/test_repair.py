from __future__ import annotations

from aggregator.merger.repair import repair
from aggregator.model.sighting import Note, Sighting


def sighting(**said):
    return Sighting(**({"source": "page", "key": "1", "title": "Title"} | said))


def test_a_sound_sighting_comes_back_equal():
    sound = sighting(description="Nothing is wrong here.", summary="Short.")
    assert sound == repair(sound)


def test_markup_becomes_the_description():
    repaired = repair(sighting(html="<p>One &amp; two</p><p>three</p>"))
    assert repaired.description == "One & two\n\nthree"
    assert repaired.html == "<p>One &amp; two</p><p>three</p>"


def test_each_change_is_noted_with_its_field():
    repaired = repair(sighting(title="SNAKE\\_CASE", description="so **bold**"))
    assert (repaired.title, repaired.description) == ("SNAKE_CASE", "so bold")
    assert (Note("title", "escape", "\\", ""), Note("description", "bold", "**bold**", "bold")) == repaired.notes


def test_a_cut_title_ends_in_one_ellipsis():
    assert repair(sighting(title="Trials and more wor...Show More")).title.replace(" more", "") == "Trials and…"
    assert repair(sighting(title="Wait for it…")).title == "Wait for it…"


def test_the_ellipsis_of_a_cut_is_no_byte_of_what_stands_before():
    torn = repair(sighting(title="бабаÑ\ufffd", summary="бабаÑ\ufffd"))
    assert (torn.title, torn.summary) == ("бабаÑ", "бабаÑ")  # with "…" it would be read as "бабах"
    assert torn == repair(torn)
    assert repair(sighting(title="irmã\ufffd")).title == "irmã…"


def test_a_summary_is_mended_too():
    assert repair(sighting(summary="Itâ€™s short and...Read more")).summary == "It’s short…"
    assert None is repair(sighting()).summary


def test_a_cut_description_is_marked_and_ends_at_a_word():
    repaired = repair(sighting(description="We consistently deci...Show More"))
    assert (repaired.description.strip(), repaired.cut) == ("We consistently", True)
    assert repaired == repair(repaired)


def test_who_says_nothing_is_left_alone():
    assert (repair(sighting(cut=True)).description, repair(sighting(cut=True)).cut) == (None, True)
