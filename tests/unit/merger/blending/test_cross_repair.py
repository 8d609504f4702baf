"""What a copy shows when it stands beside another: lost case, what a page added."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.cross_repair import remove_page_additions, remove_tracking, restore_case
from tests.support.texts import blend

WHOLE = "Die Fähre nach Norden, und was der alte Kapitän dort sah."


@pytest.mark.parametrize(
    ("copies", "first"),
    [
        (["DIE FÄHRE NACH NORDEN", "Die Fähre nach Norden"], "Die Fähre nach Norden"),
        (["die fähre nach norden", "Die Fähre nach Norden"], "Die Fähre nach Norden"),
        (["La Nave Verso Il Grande Nord", "La nave verso il grande Nord"], "La nave verso il grande Nord"),
        (["ПАРОХОД НА СЕВЕР", "Пароход на Север"], "Пароход на Север"),
        # One slip at the beginning of a word is no habit, and a name of one word may be in capitals.
        (["The Ship And The North Sea", "the Ship And The North Sea"], "The Ship And The North Sea"),
        (["NASA", "Nasa"], "NASA"),
        # A word that is misspelt in the other copy gets one case, too; what stands in its place does not.
        (["NOTES ON NASA AND MARS", "Notes on radar and Msra"], "Notes on NASA and MARS"),
        (["WAS DER FISCHER SAH", "Was der Fihscer sah"], "Was der Fischer sah"),
        (["DOS BARCOS Y MARTINA", "Dos braocs y Matrina"], "Dos barcos y Martina"),
        (["ЛОДКИ И ПРИСТАНИ", "Лодки и притсани"], "Лодки и пристани"),
        (["QUITE ANOTHER THING", "Die Fähre nach Norden"], "QUITE ANOTHER THING"),
    ],
)
def test_case_comes_back_from_a_copy_that_has_it(copies, first):
    assert restore_case(copies, [1.0] * len(copies))[0] == first


@given(st.lists(st.sampled_from(WHOLE.split()), min_size=2, max_size=6), st.integers(0, 40), st.integers(0, 40))
def test_no_word_gets_a_case_that_no_copy_has(words, one, other):
    text = " ".join(words)
    letters = list(text)
    letters[one % len(text)], letters[other % len(text)] = letters[other % len(text)], letters[one % len(text)]
    copies = [text.upper(), "".join(letters)]
    mixed = {word for word in restore_case(copies, [1.0, 1.0])[0].split() if re.search(r"[a-zäöü][A-ZÄÖÜ]", word)}
    assert mixed <= set(copies[1].split())


def test_a_less_trusted_copy_does_not_change_case():
    assert restore_case(["WE ARE HERE", "We are here"], [0.9, 0.5])[0] == "WE ARE HERE"


CODE = "k0s77ZFHuxzgv5J6JfLjW3fbDKmSVH8R2G5DY60MW9vAGq5jIS"


@pytest.mark.parametrize(
    ("copies", "first"),
    [
        ([f"{WHOLE} {CODE}", WHOLE], WHOLE),
        ([f"{WHOLE} {CODE}", f"{WHOLE} {CODE}"], f"{WHOLE} {CODE}"),
        (["One.[3] Two.[4] Three.", "One. Two. Three."], "One. Two. Three."),
        (["One.[3] Two.[4]", "One. Two.[4]"], "One.[3] Two.[4]"),
        (["[00:01] One. [00:09] Two.", "One. Two."], "One. Two."),
        (["00:00 Intro\n02:10 Fog\n12:30 Salt", WHOLE], "00:00 Intro\n02:10 Fog\n12:30 Salt"),
        (["(0:00) Intro\n(2:10) Fog\n(1:12:30) Salt", WHOLE], "(0:00) Intro\n(2:10) Fog\n(1:12:30) Salt"),
        (["[00:01] One. [00:05] Two.\n[00:09] Three.\n[00:12] Four.", "One."], "One. Two.\nThree.\nFour."),
        (["00:09 One\n00:01 Two\n00:05 Three", "One"], "One\nTwo\nThree"),
        (["At 15:11:45 and 16:12:46 again", "At and again"], "At 15:11:45 and 16:12:46 again"),
        (["Die Fähre nach Norden, und wa… (daha çok)", WHOLE], "Die Fähre nach Norden, und wa…"),
        (["Die Fähre nach Norden, und was …全文表示", WHOLE], "Die Fähre nach Norden, und was …"),
        (["Wait for it… and go", "Wait for it"], "Wait for it… and go"),
        (
            ["Die Fähre nach Norden… und zu", "Die Fähre nach Norden… und zurück, und weiter"],
            "Die Fähre nach Norden… und zu",
        ),
    ],
)
def test_what_one_copy_alone_has_of_a_page_goes(copies, first):
    assert remove_page_additions(copies)[0] == first


def test_a_lone_copy_keeps_all():
    for text in (f"{WHOLE} {CODE}", "One.[3] Two.[4]", "Und was… (mehr dazu)", "WE ARE HERE"):
        assert blend([Copy("a", text)]).text == text


def test_blending_reads_what_the_copies_say_together():
    copies = [Copy("a", WHOLE.upper()), Copy("b", WHOLE[:30] + "…(weiter geht’s)"), Copy("c", f"{WHOLE} {CODE}")]
    assert blend(copies, language="de").text == WHOLE


@pytest.mark.parametrize("query", ["?utm_source=rss", "?utm_source=rss&utm_medium=feed"])
def test_a_query_that_a_feed_sticks_to_its_links_goes_where_another_copy_lacks_it(query):
    stuck = f"Noten: https://a.example/1{query} und https://b.example{query}."
    whole = stuck.replace(query, "")
    assert remove_tracking([stuck, "Noten: https://a.example/1 und"], [1, 1])[0] == whole
    assert remove_tracking([stuck, "Noten: https://a.example/1 und"], [1, 0.5])[0] == stuck, "of less trust"
    assert remove_tracking([stuck, stuck], [1, 1]) == [stuck, stuck], "all have it"
    assert remove_tracking([stuck, "Ohne Link"], [1, 1])[0] == stuck
    named = "https://shop.example/?utm_source=show&id=7"
    assert remove_tracking([named, "https://shop.example/"], [1, 1])[0] == named, "more than a campaign's"


def test_case_is_taken_from_all_copies_that_have_it() -> None:
    """One is cut, one has lost letters, and only the one in capitals is whole."""
    sound = "Der Weg führt über Brücken und durch die Schlucht bis nach Oberndorf am Fluss"
    cut, lost = sound[:20], "".join(letter if letter.isascii() else "\ufffd" for letter in sound)
    assert restore_case([sound.upper(), cut, lost], [1, 1, 1])[0] == sound
    assert blend([Copy("a", sound.upper()), Copy("b", f"{cut}…"), Copy("c", lost)], language="de").text == sound
