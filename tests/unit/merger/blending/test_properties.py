from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aggregator.merger.blending.copies import Copy
from aggregator.merger.repair.fixers import repair_text
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry
from aggregator.text.tokens import tokenise
from tests.support.texts import blend

CALM = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LETTERS = st.text(st.characters(codec="utf-8"), max_size=60)
NASTY = st.lists(
    st.sampled_from(
        [
            "Ã©",
            "â€",
            "\u00ad",
            "&amp;",
            "<p>",
            "**",
            "\\_",
            "...",
            "Show More",
            "…",
            "•",
            "а",
            "-\n",
            "[(https://x",
            "\n",
            " ",
            "台",
            "ก็",
            "א",
            "é",
            "word",
            "The",
            "end.",
            "12",
            "min",
            "'",
            "”",
            "\ufffd",
            "\u200d",
            "Đ•",
            "- ",
            "á",
            "Ã",
            "Ñ",
            "\x80",
            "\x85",
            "\x93",
            "?",
            "&hellip;",
        ]
    ),
    max_size=25,
).map("".join)
ANY = st.one_of(LETTERS, NASTY)
WORDS = st.lists(
    st.sampled_from(("amber", "basil", "cedar", "dune", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll")),
    min_size=4,
    max_size=12,
)


def sentence(words):
    return " ".join(words).capitalize() + "."


@CALM
@given(ANY, st.booleans())
def test_mending_is_idempotent(text, cut):
    once = repair_text(text, cut=cut)
    twice = repair_text(once.text, cut=once.cut)
    assert (once.text, once.cut, ()) == (twice.text, twice.cut, twice.changes)


@CALM
@given(ANY, ANY, st.booleans())
@example(title="\u00adá\x80\ufffd", text="", cut=False)
@example(title="бабаÑ\ufffd", text="Ã\ufffd", cut=True)
def test_repair_is_idempotent(title, text, cut):
    once = repair(Entry(source="a", key="k", title=title, description=text, summary=title, cut=cut))
    assert once == repair(once)


@CALM
@given(ANY, st.integers(2, 4))
def test_equal_copies_are_that_copy_mended(text, count):
    mended = repair_text(text)
    reading = blend([Copy(f"s{number}", text) for number in range(count)])
    if mended.cut:
        assert reading.cut
        assert reading.text == "" or reading.text.endswith("…")
    else:
        assert mended.text == reading.text


@CALM
@given(
    st.lists(st.tuples(st.sampled_from("abc"), ANY), min_size=2, max_size=4),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_the_order_of_copies_does_not_matter(said, random, title):
    copies = [Copy(source, text) for source, text in said]
    shuffled = list(copies)
    random.shuffle(shuffled)
    assert blend(copies, title=title) == blend(shuffled, title=title)


@CALM
@given(st.lists(st.tuples(st.sampled_from("abc"), WORDS.map(sentence)), min_size=1, max_size=4))
def test_every_word_has_a_witness(said):
    reading = blend([Copy(source, text) for source, text in said])
    spoken = {token.key for _, text in said for token in tokenise(repair_text(text).text)}
    assert {token.key for token in tokenise(reading.text)} <= spoken


@CALM
@given(st.lists(ANY, min_size=1, max_size=4), st.booleans())
@example(texts=["🎧", "?!"], title=True)  # titles without a letter
def test_provenance_is_the_reading(texts, title):
    copies = [Copy(f"s{number}", text) for number, text in enumerate(texts)]
    reading = blend(copies, title=title)
    assert reading.text == "".join(run.text for run in reading.provenance)
    assert 0 <= reading.least <= 1
    assert 0 <= reading.confidence <= 1
    assert {source for run in reading.provenance for source in run.sources} <= {copy.source for copy in copies}


@CALM
@given(WORDS, st.integers(0, 11), st.sampled_from(["quartz", "slate", ""]))
def test_two_sound_copies_are_not_contradicted_by_one(words, at, other):
    changed = list(words)
    changed[at % len(words)] = other
    truth, wrong = sentence(words), sentence([word for word in changed if word])
    assert truth == blend([Copy("a", truth), Copy("b", truth), Copy("c", wrong)]).text


@CALM
@given(WORDS, st.integers(0, 11))
def test_a_less_trusted_copy_never_contradicts(words, at):
    changed = list(words)
    changed[at % len(words)] = "quartz"
    truth, wrong = sentence(words), sentence(changed)
    assert truth == blend([Copy("a", truth, 0.9), Copy("b", wrong, 0.6), Copy("c", wrong, 0.6)]).text


@CALM
@given(WORDS, st.integers(3, 11))
def test_a_less_trusted_copy_completes(words, at):
    truth = sentence(words)
    start = " ".join(truth.split()[: min(at, len(words) - 1)]) + " ..."
    reading = blend([Copy("a", start, 0.9, cut=True), Copy("b", truth, 0.5)])
    assert (truth, False) == (reading.text, reading.cut)


DIFFERENT = st.permutations(("amber", "basil", "cedar", "dune", "ember", "fjord", "grove", "heath", "inlet"))
TRIPLES = st.lists(st.sampled_from(("kept", "replaced", "lost")), min_size=3, max_size=3)
OTHERS = ("zzyzx", "qwqq", "vkkvk")


@CALM
@given(DIFFERENT, st.lists(TRIPLES.filter(lambda three: three.count("lost") < 2), min_size=4, max_size=4))
def test_no_word_is_lost_in_the_place_of_which_most_copies_have_something(words, events):
    """Every second word is another one in some of three copies, and lacking in one at most."""
    copies = [list(words) for _ in OTHERS]
    for at, three in zip((1, 3, 5, 7), events, strict=True):
        for copy, event, other in zip(copies, three, OTHERS, strict=True):
            copy[at] = {"kept": words[at], "replaced": other, "lost": ""}[event]
    sentences = [sentence([word for word in copy if word]) for copy in copies]
    read = [
        token.key
        for token in tokenise(blend([Copy(name, said) for name, said in zip("abc", sentences, strict=True)]).text)
    ]
    assert len(words) == len(read)
    assert words[::2] == read[::2]
