from __future__ import annotations

import json

from msgspec.structs import replace

from aggregator.merger.blending.copies import DEFAULT_RATES, Copy
from aggregator.merger.blending.source_learning import SourceModelLearner
from aggregator.merger.blending.source_model import from_json, to_json
from aggregator.text.titles.affixes import NO_TEMPLATE, Template
from tests.support.texts import blend

TOPICS = ["bees and honey", "slow trains", "old maps", "winter bread", "quiet rivers", "tall ships", "red clay"]


def taught():
    """The lore of items in which one source loses dashes, moves words and straightens quotes."""
    observer = SourceModelLearner()
    for number, topic in enumerate(TOPICS * 3):
        truth = f"Part {number}, on {topic}, is “here”. Our guest - who knows it - tells all."
        worn = f'is Part {number} on {topic} "here". Our guest who knows it tells al1.'
        observer.add([Copy("host", truth), Copy("page", truth), Copy("worn", worn)], "en", "show")
    return observer.make_model()


def test_a_source_is_known_by_what_it_does():
    rates = taught().rates
    assert rates["worn"].lost_mark > rates["host"].lost_mark
    assert rates["worn"].moved > rates["host"].moved
    assert rates["worn"].wrong > rates["host"].wrong
    assert rates["worn"].restyled > rates["host"].restyled


def test_what_is_known_of_a_source_decides_between_two():
    lore = taught()
    copies = [Copy("worn", "all now we sail for the coast"), Copy("host", "we sail for the coast all now")]
    assert blend(copies, language="en", model=lore).text == "we sail for the coast all now"


def test_the_style_of_the_show_decides_between_two():
    copies = [Copy("a", "It’s “fine”."), Copy("b", 'It\'s "fine".')]
    plain = SourceModelLearner()
    for topic in TOPICS:
        plain.add([Copy("a", f'It\'s "{topic}".'), Copy("b", f'It\'s "{topic}".')], "en", "show")
    assert blend(copies, show="show", model=plain.make_model()).text == 'It\'s "fine".'
    assert blend(copies).text == "It’s “fine”."


def test_lore_is_stored_and_read_again():
    lore = replace(taught(), template=Template(frozenset({"part #: "}), frozenset({" | live"})))
    assert from_json(to_json(lore)) == lore
    older = {name: said for name, said in json.loads(to_json(lore)).items() if name not in {"heads", "tails"}}
    assert from_json(json.dumps(older)) == replace(lore, template=NO_TEMPLATE)


def test_nothing_heard_is_nothing_learned():
    lore = SourceModelLearner().make_model()
    assert (frozenset(), {}, {}) == (lore.phrases, dict(lore.rates), dict(lore.styles))
    assert DEFAULT_RATES.add_counts({}, 1.0) == DEFAULT_RATES


STREETS = ["Große Straße", "Weiße Füße", "Heißer Gruß", "Süßes Maß", "Nasser Fluss", "Fleißige Gießer", "Bloßer Spaß"]


def test_sources_that_never_write_a_letter_do_not_make_it_an_error_of_the_one_that_does():
    def strip(text):
        return text.replace("ß", "ss").replace("ü", "u")

    observer = SourceModelLearner()
    for street in STREETS * 2:
        whole = f"Heute geht es um {street} und um den Weg nach Hause."
        observer.add([Copy("host", whole), *(Copy(name, strip(whole)) for name in "abc")], "de")
    lore = observer.make_model()
    assert lore.rates["host"].wrong <= DEFAULT_RATES.wrong
    told = "Der Gärtner grüßt die Nachbarn"
    copies = [Copy("host", told), *(Copy(name, "Der Gartner grusst die Nachbarn") for name in "abc")]
    assert blend(copies, language="de", model=lore).text == told


def test_a_source_that_alone_loses_letters_has_more_errors():
    observer = SourceModelLearner()
    for street in STREETS * 2:
        whole = f"Heute geht es um {street} und um den Weg nach Hause."
        observer.add([*(Copy(name, whole) for name in "abc"), Copy("worn", whole.replace("ß", "ss"))], "de")
    assert observer.make_model().rates["worn"].wrong > DEFAULT_RATES.wrong
