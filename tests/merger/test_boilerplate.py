from __future__ import annotations

import pytest

from aggregator.merger import boilerplate
from aggregator.merger.blend import Copy, blend
from aggregator.merger.lore import Observer
from aggregator.merger.witnesses import call, in_tokens

TOPICS = ["bees and honey", "slow trains", "old maps of the coast", "winter bread", "quiet rivers", "tall ships"]
TAIL = "Brought to you by the Harbour Tea Room. Sit down with us"


def items(tail, *, shared=False):
    for number, topic in enumerate(TOPICS):
        plain = f"In part {number} we talk about {topic} with a guest."
        other = f"{plain} {tail}"
        yield [Copy("feed", other if shared else plain), Copy("page", other)]


def lore(tail, **how):
    observer = Observer()
    for copies in items(tail, **how):
        observer.hear(copies, "en", "show")
    return observer.lore()


def test_a_tail_that_only_one_source_has_is_learned():
    learned = lore(TAIL)
    start = "In part 9 we talk about lighthouses with"
    reading = blend([Copy("page", f"{start} a guest. {TAIL}"), Copy("feed", f"{start} ...Show More")], lore=learned)
    assert f"{start} a guest." == reading.text


def test_a_lone_copy_keeps_its_tail():
    text = f"A single copy. {TAIL}"
    assert text == blend([Copy("page", text)], lore=lore(TAIL)).text


def test_what_all_copies_share_is_the_authors():
    assert frozenset() == lore(TAIL, shared=True).phrases


def test_numbers_in_a_tail_do_not_hide_it():
    observer = Observer()
    for number, topic in enumerate(TOPICS):
        plain = f"We talk about {topic} with a guest."
        observer.hear([Copy("feed", plain), Copy("page", f"{plain} {number + 20} min left to hear")], "en")
    assert any("#" in phrase for phrase in observer.lore().phrases)


@pytest.mark.parametrize(("one", "other", "kept"), [("1515", "226", ""), ("1515", "1515", " 1515")])
def test_a_number_before_a_tail_goes_with_it_where_it_is_another_in_each_copy(one, other, kept):
    observer = Observer()
    for at, topic in enumerate(TOPICS):
        plain = f"We talk about {topic} with a guest."
        observer.hear([Copy("a", f"{plain} {at} by the harbour"), Copy("b", f"{plain} {at + 9} of a tea room")], "en")
    start = "We talk about lighthouses and ships in"
    copies = [Copy("a", f"{start} {one} by the harbour"), Copy("b", f"{start} {other} of a tea room")]
    assert f"{start}{kept}" == blend(copies, lore=observer.lore()).text


def test_a_head_is_learned_too():
    observer = Observer()
    for topic in TOPICS:
        observer.hear(
            [Copy("feed", f"We talk about {topic}."), Copy("page", f"Hear this now: We talk about {topic}.")], "en"
        )
    phrases = observer.lore().phrases
    witnesses = in_tokens(
        call([Copy("page", "Hear this now: A new story begins."), Copy("feed", "A new story begi...Show More")])
    )
    boilerplate.strip(witnesses, phrases)
    assert all(witness.tokens[0].word == "A" for witness in witnesses)


def lettered(number):
    return "word" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


@pytest.mark.parametrize("times", [1, 3])
def test_memory_is_bounded(monkeypatch, times):
    monkeypatch.setattr(boilerplate, "MOST_REMEMBERED", 50)
    learner = boilerplate.Learner()
    for number in range(120):
        word = lettered(number // times)
        learner.hear(in_tokens(call([Copy("a", f"{word} and more."), Copy("b", f"{word} and more. tail {word} x y")])))
    assert len(learner.alone) + len(learner.shared) + len(learner.runs) <= 50


def test_what_is_seen_most_is_remembered_longest(monkeypatch):
    monkeypatch.setattr(boilerplate, "MOST_REMEMBERED", 50)
    learner = boilerplate.Learner()
    for number in range(120):
        said = f"{lettered(number)} and more."
        learner.hear(in_tokens(call([Copy("a", said), Copy("b", f"{said} {TAIL}")])))
    assert any("harbour tea" in phrase for phrase in learner.learned())
