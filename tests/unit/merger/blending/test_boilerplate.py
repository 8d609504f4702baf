from __future__ import annotations

import pytest

from aggregator.merger.blending import boilerplate
from aggregator.merger.blending.copies import Copy, prepare_copies, tokenise_copies
from aggregator.merger.blending.source_learning import SourceModelLearner
from tests.support.texts import blend

TOPICS = ["bees and honey", "slow trains", "old maps of the coast", "winter bread", "quiet rivers", "tall ships"]
TAIL = "Brought to you by the Harbour Tea Room. Sit down with us"


def items(tail, *, shared=False):
    for number, topic in enumerate(TOPICS):
        plain = f"In part {number} we talk about {topic} with a guest."
        other = f"{plain} {tail}"
        yield [Copy("feed", other if shared else plain), Copy("page", other)]


def lore(tail, **how):
    observer = SourceModelLearner()
    for copies in items(tail, **how):
        observer.add(copies, "en", "show")
    return observer.make_model()


def test_a_tail_that_only_one_source_has_is_learned():
    learned = lore(TAIL)
    start = "In part 9 we talk about lighthouses with"
    reading = blend([Copy("page", f"{start} a guest. {TAIL}"), Copy("feed", f"{start} ...Show More")], model=learned)
    assert f"{start} a guest." == reading.text


def test_a_lone_copy_keeps_its_tail():
    text = f"A single copy. {TAIL}"
    assert text == blend([Copy("page", text)], model=lore(TAIL)).text


def test_what_all_copies_share_is_the_authors():
    assert frozenset() == lore(TAIL, shared=True).phrases


def test_numbers_in_a_tail_do_not_hide_it():
    observer = SourceModelLearner()
    for number, topic in enumerate(TOPICS):
        plain = f"We talk about {topic} with a guest."
        observer.add([Copy("feed", plain), Copy("page", f"{plain} {number + 20} min left to hear")], "en")
    assert any("#" in phrase for phrase in observer.make_model().phrases)


def test_a_head_is_learned_too():
    observer = SourceModelLearner()
    for topic in TOPICS:
        observer.add(
            [Copy("feed", f"We talk about {topic}."), Copy("page", f"Hear this now: We talk about {topic}.")], "en"
        )
    phrases = observer.make_model().phrases
    witnesses = tokenise_copies(
        prepare_copies(
            [Copy("page", "Hear this now: A new story begins."), Copy("feed", "A new story begi...Show More")]
        )
    )
    boilerplate.strip_boilerplate(witnesses, phrases)
    assert all(witness.tokens[0].word == "A" for witness in witnesses)


def lettered(number):
    return "word" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


@pytest.mark.parametrize("times", [1, 3])
def test_memory_is_bounded(monkeypatch, times):
    monkeypatch.setattr(boilerplate, "_MOST_PHRASES", 50)
    learner = boilerplate.BoilerplateLearner()
    for number in range(120):
        word = lettered(number // times)
        learner.add(
            tokenise_copies(
                prepare_copies([Copy("a", f"{word} and more."), Copy("b", f"{word} and more. tail {word} x y")])
            )
        )
    assert len(learner.alone) + len(learner.shared) + len(learner.runs) <= 50


def test_what_is_seen_most_is_remembered_longest(monkeypatch):
    monkeypatch.setattr(boilerplate, "_MOST_PHRASES", 50)
    learner = boilerplate.BoilerplateLearner()
    for number in range(120):
        said = f"{lettered(number)} and more."
        learner.add(tokenise_copies(prepare_copies([Copy("a", said), Copy("b", f"{said} {TAIL}")])))
    assert any("harbour tea" in phrase for phrase in learner.find_phrases())


def heard(pairs):
    observer = SourceModelLearner()
    for copies in pairs:
        observer.add([Copy(source, text) for source, text in copies.items()], None)
    return observer.make_model()


SUBJECTS = {
    "de": ["Moor und Torf", "Alte Mühlen", "Der Fährmann", "Salz im Norden", "Wetterhäuser", "Langsame Züge"],
    "es": ["La sal del mar", "Faros viejos", "El pan de invierno", "Ríos quietos", "Mapas rotos", "Trenes lentos"],
    "ru": ["Старые карты", "Тихие реки", "Зимний хлеб", "Медленные поезда", "Красная глина", "Высокие мачты"],
}


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=list(SUBJECTS))
def test_a_single_word_at_the_end_of_one_sources_titles_is_learned(subjects):
    learned = heard({"host": title, "page": f"{title} – Podgarten"} for title in subjects[:-1])
    assert (
        blend([Copy("page", f"{subjects[-1]} – Podgarten"), Copy("host", subjects[-1])], model=learned).text
        == (subjects[-1])
    )


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=list(SUBJECTS))
def test_minutes_before_the_words_of_a_site_go_with_them(subjects):
    ends = ["Hallo bei Kaffee Nord", "Un saludo de Casa Sol", "Hallo bei Kaffee Nord"]
    texts = [f"{number} {subject}, {subject}, {subject}." for number, subject in enumerate(subjects * 3)]
    learned = heard(
        {"host": text, "page": f"{text} {20 + number} min {ends[number % 3]}"} for number, text in enumerate(texts)
    )
    copies = [Copy("host", f"{texts[0]} "), Copy("page", f"{texts[0]} 33 min {ends[0]}")]
    assert blend(copies, model=learned).text == texts[0]


def test_a_word_that_all_copies_begin_with_is_kept():
    learned = heard({"host": topic, "page": f"01/0{number + 1}/2019 {topic}"} for number, topic in enumerate(TOPICS))
    dated = "03/05/2021 the harbour at night"
    assert blend([Copy("host", dated), Copy("page", f"{dated} again")], model=learned).text.startswith("03/05/2021")
    undated = [Copy("host", "the harbour at night"), Copy("page", dated)]
    assert blend(undated, model=learned).text == "the harbour at night"


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("The ferryman of Loch N …", "The ferryman of Loch Ness"),
        ("Die Fähre nach Pell...Show More", "Die Fähre nach Pellworm"),
        ("Паром на Валаам | Ла...Show More", "Паром на Валаам"),
        ("Le passeur d [...]", "Le passeur du lac"),
    ],
)
def test_what_a_cut_left_of_a_word_has_no_vote(cut, whole):
    assert blend([Copy("page", cut), Copy("host", whole)]).text == whole


@pytest.mark.parametrize(
    ("mixed", "straight"),
    [
        ("L’île du passeur, c'est ici : l’eau", "L'île du passeur, c'est ici : l'eau"),
        ("Don’t ask about “Alma”, it's gone", "Don't ask about \"Alma\", it's gone"),
    ],
)
def test_a_text_of_both_styles_was_not_restyled(mixed, straight):
    assert blend([Copy("a", straight), Copy("b", mixed)]).text == mixed
    assert blend([Copy("b", straight), Copy("a", mixed)]).text == mixed


def test_the_beginning_of_a_tail_that_a_cut_left_goes():
    learned = lore(TAIL)
    whole = "In part 9 we talk about lighthouses with a guest."
    begun = Copy("page", f"{whole} Brought to you by the...Show More")
    short = Copy("feed", "In part 9 we talk about ...Show More")
    assert blend([begun, short], model=learned).text == whole


def shared_tails(tail, subjects, *, lacking):
    """Items whose title two sources end in a tail; a third one has it, too, or not."""
    return (
        {"page": f"{title}{tail}", "mirror": f"{title}{tail}", "host": title if lacking else f"{title}{tail}"}
        for title in subjects
    )


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=list(SUBJECTS))
@pytest.mark.parametrize(("tail", "lacking", "kept"), [
    (" | Radio Strandgut", True, False),
    (" | Radio Strandgut", False, True),
    (" | Heft 12", True, True),
])  # fmt: skip
def test_a_tail_that_two_sources_share_is_learned_from_a_third_one_without_it(subjects, tail, lacking, kept):
    learned = heard(shared_tails(tail, subjects[:-1], lacking=lacking))
    last = subjects[-1]
    copies = [Copy("page", f"{last}{tail}"), Copy("mirror", f"{last}{tail}"), Copy("host", last)]
    assert blend(copies, model=learned, title=True).text == (f"{last}{tail}" if kept else last)


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=list(SUBJECTS))
@pytest.mark.parametrize(("lacking", "kept"), [(True, False), (False, True)])
def test_a_head_that_two_sources_share_is_learned_from_a_third_one_without_it(subjects, lacking, kept):
    head = "Strandgut Radio presents "
    titles = (
        {"page": f"{head}{title}", "mirror": f"{head}{title}", "host": title if lacking else f"{head}{title}"}
        for title in subjects[:-1]
    )
    last = subjects[-1]
    copies = [Copy("page", f"{head}{last}"), Copy("mirror", f"{head}{last}"), Copy("host", last)]
    assert blend(copies, model=heard(titles), title=True).text == (f"{head}{last}" if kept else last)


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=list(SUBJECTS))
def test_words_that_stand_twice_in_a_text_are_no_tail_of_it(subjects):
    again = "of the old mill by the old mill"
    titles = (dict.fromkeys(("page", "mirror", "host"), f"{title} {again}") for title in subjects)
    assert heard(titles).phrases == frozenset()


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=list(SUBJECTS))
def test_words_that_stand_inside_of_another_copy_are_no_tail(subjects):
    titles = (
        {"host": f"{title} at sea", "page": f"{title} lost at sea | Radio", "mirror": f"{title} lost at sea | Heft"}
        for title in subjects
    )
    assert "at sea \x03" not in heard(titles).phrases


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=list(SUBJECTS))
def test_words_that_are_damaged_in_another_copy_are_no_tail(subjects):
    titles = (
        {"host": f"{title} and the quiet harbour", "page": f"{title} and the q\ufffdiet h\ufffdrbour"}
        for title in subjects
    )
    assert not any("harbour" in phrase for phrase in heard(titles).phrases)
