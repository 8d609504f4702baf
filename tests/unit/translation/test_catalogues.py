"""The catalogues are those of the program, complete, compiled, and without markup; the forms are those of CLDR."""

from __future__ import annotations

import re
from itertools import combinations
from typing import get_args

import pytest
from babel import Locale as Cldr
from babel.messages.catalog import Message

from aggregator.config.schema import PageLanguage
from aggregator.translation.formats import FORMATS, Formats
from aggregator.translation.locale import NAMES, Locale
from tests.support import messages

HOW = "run python -m tests.support.messages, and translate what it lists"
PLACEHOLDER = re.compile(r"%%|%\(\w+\)s|\{\w+\}")


def list_forms(message: Message) -> list[tuple[tuple[str, ...], str]]:
    """Each translated form with the forms of the message of which it must agree with one."""
    if not message.pluralizable:
        return [((message.id,), message.string)]
    return [(message.id, form) for form in message.string]


def find_placeholders(text: str) -> list[str]:
    return sorted(PLACEHOLDER.findall(text))


def test_a_catalogue_has_every_message_of_the_program_and_no_other() -> None:
    current = {(each.id, each.context) for each in messages.extract()}
    for catalogue in map(messages.read, messages.LANGUAGES):
        assert {(each.id, each.context) for each in catalogue} == current, (catalogue.locale, HOW)
        assert messages.list_missing(catalogue) == [], (catalogue.locale, HOW)
        assert not any(each.fuzzy for each in catalogue if each.id)


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_what_is_compiled_is_the_catalogue(language: str) -> None:
    assert (messages.CATALOGUES / f"{language}.mo").read_bytes() == messages.compile_catalogue(
        messages.read(language)
    ), HOW
    assert (messages.CATALOGUES / f"{language}.po").read_bytes() == messages.render(messages.read(language)), HOW


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_a_translation_has_the_placeholders_of_its_message_and_no_markup(language: str) -> None:
    for message in messages.read(language):
        for sources, form in list_forms(message) if message.id else ():
            assert find_placeholders(form) in map(find_placeholders, sources), sources
            assert not re.search(r"[<>&]", "".join(sources) + form), sources
            assert "%" not in PLACEHOLDER.sub("", form) or not PLACEHOLDER.search(sources[-1]), sources


def test_no_catalogue_has_the_sentences_of_another() -> None:
    catalogues = {language: messages.read(language) for language in messages.LANGUAGES}
    long = [each for each in catalogues["de"] if len(PLACEHOLDER.sub("", list_forms(each)[0][0][0])) > 30]
    alike = {
        (one, other, str(each.id))
        for one, other in combinations(catalogues, 2)
        for each in long
        if catalogues[one].get(each.id, each.context).string == catalogues[other].get(each.id, each.context).string
    }
    assert alike == set()


def test_plurals_are_those_of_each_language() -> None:
    counted = {
        language: [Locale(language).ngettext("%(count)s episode", "%(count)s episodes", count) for count in (0, 1, 2)]
        for language in NAMES
    }
    assert counted == {
        "en": ["0 episodes", "1 episode", "2 episodes"],
        "de": ["0 Folgen", "1 Folge", "2 Folgen"],
        "es": ["0 episodios", "1 episodio", "2 episodios"],
        "fr": ["0 épisode", "1 épisode", "2 épisodes"],
        "pt": ["0 episódio", "1 episódio", "2 episódios"],
        "ja": ["エピソード0件", "エピソード1件", "エピソード2件"],
    }


def test_no_translation_and_no_value_injects_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Locale("de").gettext_markup("Changes to %(title)s", title="<b>") == "Änderungen an &lt;b&gt;"
    monkeypatch.setattr("aggregator.translation.locale._read_catalogue", lambda _: _Hostile())
    assert Locale("de").gettext_markup("Changes to %(title)s", title="<b>") == "&lt;script&gt;&lt;b&gt;"


class _Hostile:
    def gettext(self, _: str) -> str:
        return "<script>%(title)s"


def test_the_languages_of_the_config_are_those_of_the_catalogues() -> None:
    assert list(get_args(PageLanguage)) == list(NAMES) == list(FORMATS)


def to_template(pattern: str) -> str:
    """A pattern of CLDR as our template."""
    signs = {"MMM": "{month}", "M": "{month}", "d": "{day}", "y": "{year}"}
    parts = re.findall(r"'[^']*'|MMM|M|d|y|.", pattern)
    return "".join(signs.get(part, part.strip("'")) for part in parts)


def make_formats(language: str) -> Formats:
    words, forms = Cldr.parse(language), Cldr.parse("en_GB" if language == "en" else language)
    names = words.months["format"]["abbreviated"]
    day = forms.datetime_skeletons["yMMMd"].pattern
    lists = forms.list_patterns["standard"]
    return Formats(
        months=" ".join(names[month] if "MMM" in day else str(month) for month in range(1, 13)),
        day=to_template(day),
        last=lists["2"].replace("{0}", "").replace("{1}", ""),
        group=forms.number_symbols["latn"]["group"],
        decimal=forms.number_symbols["latn"]["decimal"],
        year=to_template(forms.datetime_skeletons["y"].pattern),
        time=forms.datetime_formats["medium"].replace("{1}", "{day}").replace("{0}", "{time}"),
        comma=lists["middle"].replace("{0}", "").replace("{1}", ""),
    )


@pytest.mark.parametrize("language", NAMES)
def test_the_forms_are_those_of_cldr(language: str) -> None:
    assert FORMATS[language] == make_formats(language)
