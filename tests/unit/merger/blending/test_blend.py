from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from aggregator.merger.blending.copies import Copy
from tests.support.texts import blend

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "blend_cases.jsonl").read_text().splitlines()]


def copies(case):
    """The copies of a case, all trusted alike where it says nothing of trust."""
    trust = case.get("trust", [1.0] * len(case["copies"]))
    said = zip(case["copies"], trust, strict=True)
    return [Copy(f"source {number}", text, trusted) for number, (text, trusted) in enumerate(said)]


@pytest.mark.parametrize("case", CASES, ids=[case["label"] for case in CASES])
def test_each_case_reads_as_written(case):
    reading = blend(copies(case), language=case.get("language", "en"))
    assert (case["text"], case.get("cut", False)) == (reading.text, reading.cut)


def test_a_more_trusted_copy_is_not_contradicted():
    copies = [
        Copy("host", "We meet Anna Kovacz today.", 0.9),
        *(Copy(name, "We meet Anna Kovacs today.", 0.6) for name in "ab"),
    ]
    reading = blend(copies, language="en")
    assert (reading.text, reading.main_source) == ("We meet Anna Kovacz today.", "host")


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("Hoy la ministra dice que esta semana no hay barcos.", "Nadie sabe qué busca, ni por qué está en el muelle."),
        ("Il a une maison sur la place, et le port a deux quais.", "Que faire à midi, quand on monte à bord?"),
        ("Ana a plecat in port cu doi frați.", "Se vede în zori o barcă, iar în sat bat clopotele."),
        ("La nave e partita ieri sera.", "Chi è rimasto a terra, è ancora al porto."),
    ],
)
def test_a_text_takes_nothing_of_another_text(own, other):
    """A blog writes of the episode in its own words: "Il a une maison" became "Il à une maison"."""
    assert blend([Copy("host", own, 0.9), Copy("blog", other, 0.6)]).text == own


@pytest.mark.parametrize(("trust", "added"), [(0.2, False), (0.5, False), (0.8, True)])
def test_what_a_less_trusted_copy_writes_behind_a_name_is_no_rest_of_the_text(trust, added):
    own = "What was seen of the harbour from the tower, and who keeps its lamps. With Ann Tide and Jo Ferry"
    more = " ".join(f"Buy watches number {number} of the sale today." for number in range(9))
    reading = blend([Copy("host", own, 0.8), Copy("page", f"{own} {more}", trust)], language="en")
    assert reading.text == (f"{own} {more}" if added else own)


def test_a_less_trusted_copy_completes():
    copies = [
        Copy("host", "We meet Anna and talk about ...", 0.9, cut=True),
        Copy("page", "We meet Anna and talk about bees.", 0.4),
    ]
    reading = blend(copies)
    assert (reading.text, reading.cut) == ("We meet Anna and talk about bees.", False)
    assert reading.provenance[-1].sources == ("page",)


def test_confidence_falls_where_one_worn_copy_speaks():
    sure = blend([Copy("a", "One two three four."), Copy("b", "One two three four."), Copy("c", "One two three four.")])
    worn = blend(
        [Copy("a", "One two th...Show More"), Copy("b", "One two three four.", repairs=("bold", "look-alike"))]
    )
    assert sure.least == 1.0
    assert worn.least < 0.7


WRONG = [json.loads(line) for line in (Path(__file__).parent / "data" / "blend_wrong.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", WRONG, ids=[case["label"] for case in WRONG])
def test_what_goes_wrong_is_known_and_has_its_reason(case):
    """A case that comes right, or wrong in another way, fails here: then its line moves, or says so."""
    assert case["why"]
    assert blend(copies(case), language="en").text == case["said"] != case["right"]


def test_what_was_left_out_makes_the_reading_less_sure():
    kept = "we meet the keeper of the light again today"
    longer = kept.replace("keeper", "old and gentle keeper")
    sure = blend([Copy("a", kept, 0.9), Copy("b", kept, 0.85), Copy("c", kept, 0.5)])
    unsure = blend([Copy("a", kept, 0.9), Copy("b", longer, 0.85), Copy("c", kept, 0.5)])
    assert (sure.text, unsure.text) == (kept, kept)
    assert unsure.least < 0.95 * sure.least


DOUBLED = {
    "at the end": (
        "Who keeps the light at night night.",
        ["Who kepes the light at night.", "Who keeps the light night."],
    ),
    "inside": ("Who keeps the the light at night.", ["Who keeps light at night.", "Whos keeps the light at night."]),
    "two words": (
        "Who keeps the light the light at night.",
        ["Who keeps a light at night.", "Keeps the light at night."],
    ),
}


@pytest.mark.parametrize(("doubled", "others"), DOUBLED.values(), ids=list(DOUBLED))
def test_words_that_one_copy_has_twice_in_a_row_are_had_once(doubled: str, others: list[str]) -> None:
    """Whichever of the two places the other copies are aligned with."""
    for order in ((0, 1, 2), (1, 0, 2), (2, 1, 0)):
        texts = [doubled, *others]
        reading = blend([Copy("abc"[number], texts[number]) for number in order], language="en")
        words = reading.text.lower().split()
        assert all(one != other for one, other in pairwise(words)), reading.text
        assert words.count("light") == 1


def test_words_that_two_copies_have_twice_stay() -> None:
    text = "Bora Bora and the very very long day"
    assert blend([Copy("a", text), Copy("b", text), Copy("c", "Bora and the very long day")]).text == text


def test_a_lost_last_letter_is_no_cut_where_others_are_lost_too() -> None:
    """A copy with U+FFFD inside has lost letters everywhere, so its end is an end, and a tail of one copy is none."""
    lost = "Ein M\ufffddchen h\ufffdrt Ger\ufffdusche in der H\ufffdhl\ufffd"
    sound = "Ein Mädchen hört Geräusche in der Höhlé"
    reading = blend([Copy("a", lost), Copy("b", sound), Copy("c", f"{sound} Folgt uns auf Instagram.")], language="de")
    assert reading.text == sound
    assert blend([Copy("a", "Ein Mädchen hört Ger\ufffd"), Copy("b", sound)], language="de").text == sound


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("th", "12. กีฬาและดนตรีในเมืองเก่าริมแม่น้ำ กับเพื่อนที่โรงเรียน"),
        ("lo", "12. ກິລາແລະດົນຕີໃນເມືອງເກົ່າແຄມແມ່ນ້ຳ ກັບໝູ່ທີ່ໂຮງຮຽນ"),
        ("hi", "12. नदी किनारे की पुरानी हवेली और उसकी कहानी सुनिए"),
        ("bn", "12. নদীর ধারে পুরোনো বাড়ি আর তার দীর্ঘ কাহিনি শুনুন"),
        ("ta", "12. ஆற்றங்கரையில் உள்ள பழைய வீட்டின் கதையை கேளுங்கள்"),
    ],
    ids=["th", "lo", "hi", "bn", "ta"],
)
@pytest.mark.parametrize("mark", ["…", "..."])
def test_copies_that_are_cut_behind_a_letter_take_no_vowel_sign_from_a_whole_one(language, text, mark):
    """Lengths count characters: a cut falls between a letter and the vowel sign that belongs to it."""
    for title in (True, False):
        for end in range(12, len(text) - 4):
            cut = text[:end].rstrip() + mark
            reading = blend([Copy("a", text), Copy("b", cut), Copy("c", cut)], language=language, title=title)
            assert reading.text == text, cut


@pytest.mark.parametrize("title", [True, False])
@pytest.mark.parametrize(
    "other",
    [
        "Night Shift: And then there was one…",
        "And then there was one… | Night Shift",
        "NEW – And then there was one...",
        "And then their was one…",
        "And then there was one",
        "And then there was",
    ],
)
def test_dots_that_another_copy_has_at_the_same_place_are_no_cut(other, title):
    """The last word was taken for one that may be incomplete, though the other copy has it whole."""
    reading = blend([Copy("host", "And then there was one…", 0.8), Copy("page", other, 0.6)], title=title)
    assert (reading.text, reading.cut) == ("And then there was one…", False)


def test_dots_at_which_another_copy_goes_on_are_a_cut():
    whole = "And then there was one lamp left on the pier, and nobody to light it."
    for cut in ("And then there was one…", "And then there was one lamp le…", "And then there was one lamp…"):
        assert blend([Copy("host", cut, 0.8), Copy("page", whole, 0.6)]).text == whole


def test_a_less_trusted_copy_with_dashes_of_both_styles_does_not_change_those_of_the_host():
    """Of copies trusted alike, one with both styles is the author's; a page may restyle the short dashes alone."""
    host, page = (
        "Night shift – the harbour – and what it costs — twice",
        "Night shift - the harbour - and what it costs — twice",
    )
    assert blend([Copy("host", host, 0.8), Copy("page", page, 0.5)], title=True).text == host
    assert blend([Copy("host", host, 0.8), Copy("page", page, 0.8)], title=True).text == page


@pytest.mark.parametrize("host", ["Lamps – lit 🎸 (again)", "#7 — The unlit lamps", "Pier & quay — at 5:30"])
def test_question_marks_of_two_less_trusted_copies_are_no_marks_that_the_host_lost(host):
    """An encoding without dashes and pictures leaves a question mark of each, in every source that uses it."""
    plain = host.encode("ascii", "replace").decode()
    assert blend([Copy("host", host, 0.8), Copy("a", plain, 0.6), Copy("b", plain, 0.5)], title=True).text == host


def test_a_word_stays_where_the_one_beside_it_is_misread():
    """ "c" stands for "e", also where the copy that has "e" lacks the word before it."""
    copies = [
        Copy("page", "Farois, mares c pracas 🎧 | Radio Costa 5"),
        Copy("mirror", "Faróis, e praças 🎧"),
        Copy("host", "Faróis, mares e praças 🎧".encode().decode("cp1252")),
        Copy("store", "Faróis mares e praças 🎧"),
        Copy("guide", "Faróis rnares e praças 🎧".encode().decode("cp1252")),
    ]
    assert blend(copies, language="pt", title=True).text == "Faróis, mares e praças 🎧"


ENDS = ["سامان آیا ہے۔", "सामान आया है।", "গাড়ি এল॥", "هل وصل القطار؟", "Նա եկավ։", "መጣ።", "သွားပြီ။", "គាត់មក។", "བྱུང་།"]


@pytest.mark.parametrize("host", ENDS)
def test_nothing_is_added_behind_a_sentence_of_any_script(host):
    """A text that seemed unfinished was continued with what a less trusted source adds, many times over."""
    for added in (" Buy now at evil example.", " Buy now." * 300):
        assert blend([Copy("host", host, 0.9), Copy("page", host + added, 0.6)]).text == host


@pytest.mark.parametrize("host", ["Lamps on the pier", "Lamps on the pier.", "Lamps, and the pier!", "埠頭の灯り"])
@pytest.mark.parametrize("form", ['"{}"', "“{}”", "«{}»", "'{}'", "{}.", "{}!", "({})", "„{}“"])
def test_marks_that_two_less_trusted_copies_add_around_a_text_are_no_marks_that_the_host_lost(host, form):
    copies = [Copy("host", host, 0.9), Copy("a", form.format(host), 0.7), Copy("b", form.format(host), 0.6)]
    for title in (True, False):
        assert blend(copies, title=title).text == host


def test_a_mark_inside_the_text_is_lost_more_often_than_added():
    full = "Lamps, piers, and what they cost. We count them."
    copies = [Copy("host", full.replace("cost.", "cost"), 0.9), Copy("a", full, 0.7), Copy("b", full, 0.6)]
    assert blend(copies).text == full


@pytest.mark.parametrize(
    ("language", "whole", "seen"),
    [
        ("en", "It may be late when we leave. Then the wind turns, and maybe we stay. The rest is weather.", 32),
        ("en", "There is a way out. They went away at noon, as on every day before. Nobody saw them.", 25),
        ("mk", "Не се како почна. Потоа секако дојде ветрот, и никој не го виде.", 20),
    ],
)
def test_words_that_a_copy_has_as_one_and_as_two_stay_where_another_ends_before_the_second(language, whole, seen):
    for end in range(seen, len(whole)):
        cut = whole[:end].rsplit(" ", 1)[0]
        for mark in ("…", "..."):
            assert blend([Copy("host", whole, 0.9), Copy("page", cut + mark, 0.5)], language=language).text == whole


def test_one_word_that_a_whole_copy_has_as_two_each_time_is_told_by_the_word_list():
    split, whole = "We went a way at noon. There is a way out.", "We went away at noon. There is a way out."
    assert blend([Copy("host", whole, 0.9), Copy("page", split, 0.9)], language="en").text == whole
