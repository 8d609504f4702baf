"""What must not happen: each of these was broken on purpose, and no other test saw it."""

from __future__ import annotations

from aggregator.merger.blending import boilerplate
from aggregator.merger.blending.copies import Copy, prepare_copies, tokenise_copies
from aggregator.merger.blending.source_learning import SourceModelLearner
from aggregator.merger.repair.fixers import repair_text
from aggregator.text.tokens import tokenise
from tests.support.texts import blend

TAIL = "Sit down with us at the harbour."
PHRASES = frozenset({"sit down with us at the harbour \x03"})


def left(*texts):
    """The last words of copies once boilerplate is taken off."""
    witnesses = tokenise_copies(prepare_copies([Copy(f"s{number}", text) for number, text in enumerate(texts)]))
    boilerplate.strip_boilerplate(witnesses, PHRASES)
    return {witness.tokens[-1].word for witness in witnesses}


def test_boilerplate_goes_only_where_another_copy_lacks_it():
    assert left(f"A tale of bees. {TAIL}", "A tale of bees.") == {"bees"}
    assert left(f"A tale of bees. {TAIL}", f"A tale of bees, and. {TAIL}") == {"harbour"}
    assert left(f"A tale of bees. {TAIL}") == {"harbour"}


def test_one_item_teaches_no_boilerplate():
    observer = SourceModelLearner()
    observer.add([Copy("a", f"A tale of bees. {TAIL}"), Copy("b", "A tale of bees.")], "en")
    assert observer.make_model().phrases == frozenset()


def test_a_letter_keeps_its_marks():
    assert [token.surface for token in tokenise("ที่นี่")] == ["ที่", "นี่"]


def test_bidi_marks_stay_where_they_are_needed_and_lone_cyrillic_words_too():
    assert repair_text("\u200fשלום\u200e ABC").text == "\u200fשלום\u200e ABC"
    assert repair_text("plain\u200e words").text == "plain words"
    assert repair_text("Go с Rust: пишем быстро").text == "Go с Rust: пишем быстро"


def test_a_text_that_all_have_cut_is_less_sure():
    whole, cut = (blend([Copy(name, "One two three", cut=cut) for name in "abc"]) for cut in (False, True))
    assert (whole.confidence, whole.cut, round(cut.confidence, 2), cut.cut) == (1.0, False, 0.6, True)


def test_words_that_most_copies_begin_with_stay():
    title, lacking = "Folge 7: An der Mühle", ["7: An der Mühle", "7 An der Mühle"]
    having = [title, "Folge 7: An der Muhle", f"{title} | Radio Hafen"]
    assert blend([Copy(f"s{number}", text) for number, text in enumerate(lacking + having)]).text == title
    trusted = [Copy(f"host{number}", text) for number, text in enumerate(lacking)]
    others = [Copy(f"s{number}", text, trust=0.8) for number, text in enumerate(having)]
    assert blend(trusted + others).text == lacking[0]
