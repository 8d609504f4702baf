"""What the desk refuses it refuses in the language of its visitor: bad values in every form, and a wrong config."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import yaml

from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.service.desk.app import ACTS
from aggregator.service.desk.frame import Act
from aggregator.translation.locale import Locale
from aggregator.translation.sentences import translate_sentence
from tests.integration.service.desk.conftest import CONFIG, Visitor
from tests.integration.service.desk.test_choose import ENTRY, make_page
from tests.support.origin import Site, serving
from tests.support.paths import TESTS

BAD = ("", 'x"y; z: (')
FEED = "/feeds/crumb-talk"
STARTS = re.compile("refresh|poll|find|compare|validate|backup|/remove|settings/preview|settings/chosen")
"""Acts that start a command whatever their form has, or have no field."""

REFUSED = re.compile(r'<(p|div|section) class="(?:problem|bad|late)".*?</\1>', re.DOTALL)
ENGLISH = re.compile(
    r"(?<![\w./:-])(the|is|not|of|and|must|be|are|with|for|by|it|cannot|such|known|did|you|found|expected|to)(?![\w.:(])"
)
WRONG = yaml.safe_load((TESTS / "unit/config/data/wrong.yaml").read_text())
PATTERNS = (
    *(")", "[", "*", "a**", "a{3,1}", "[b-a]", "\\", r"\x1", "(?P<a", "(?P<1a>b)", "(?P=b)", "(?P<>x)", "(?z)", "(?"),
    *(r"\1", "(?<=a*)b", "a(?i)b", "(?#x", r"\q", "(?i", "(?-)", "(?i-z)", r"\N{x}"),
)
YAMLS = (
    *("a: b: c", "a: [1", "a: {b: c", "- a\nb: c", "a: *x", "a: &x 1\nb: &x 2", "a: 'x", 'a: "\\q"', "%a\n", "a\nb: c"),
    *(
        "a: @x",
        "a:\n\t- b",
        "a: !x!y z",
        "a: !foo z",
        "--- a\n--- b",
        "key: - a",
        "a: |\n  b\n c",
        "x: ]",
        "\0",
        "a: &",
    ),
    *('a: "x\ny"z', "- - a\n  b", "a: 1\na: 2", f"a: {'[' * 2000}"),
)


def find_english(page: str) -> list[str]:
    """What a page of the desk refuses in English, though it is asked for in German."""
    main = page.partition("<main")[2].partition("</main>")[0]
    refused = [unescape(re.sub("<[^>]*>", " ", found[0])) for found in REFUSED.finditer(main)]
    return [*re.findall('<bdi lang="en">.*?</bdi>', main), *filter(ENGLISH.search, refused)]


def list_forms(visitor: Visitor, act: Act, guid: str) -> Iterator[dict[str, str]]:
    """Forms of an act with a bad value in every field, and those of which only some are bad."""
    names, good = {*act.needs, *act.takes} - {"*"}, {"url": "ftp://a.example/"}
    if act.path.endswith("/settings/save"):
        settings = visitor.json(f"{make_path(act).removesuffix('/save')}.json")
        names, good = {each["field"] for group in settings["groups"] for each in group["settings"]}, {}
        good["seen"] = settings["seen"]
    for bad in BAD:
        yield {**dict.fromkeys(names, bad), **good}
        yield {**dict.fromkeys(names, bad), "guid": guid, "field": "duration", "seen": "another"}


def make_path(act: Act) -> str:
    return act.path.format(feed="crumb-talk", source="topic")


def test_bad_values_in_every_form_are_refused_in_german(visitor: Visitor, home: Path) -> None:
    visitor.session.headers["accept-language"] = "de"
    guid = visitor.json(f"{FEED}.json")["items"][0]["guid"]
    visitor.get()
    token, refused = visitor.forms()[0]["token"], set()
    for act in (each for each in ACTS if not STARTS.search(each.path)):
        for form in list_forms(visitor, act, guid):
            page = visitor.post(f"/desk{make_path(act)}", token=token, **form).text
            assert find_english(page) == [], (act.path, form)
            refused |= {act.path} if 'class="problem"' in page else set()
            (home / "config.yaml").write_text(CONFIG)
    assert len(refused) > 20, refused


def test_a_change_that_cannot_be_previewed_and_a_wrong_selector_are_explained_in_german(visitor: Visitor) -> None:
    visitor.session.headers["accept-language"] = "de"
    for place in (f"{FEED}/sources/topic", FEED, "/system"):
        visitor.get(f"{place}/settings")
        fields = {**visitor.forms()[0], "base_url": "x", "title": "", "trust": "2", "exclude.since": "May"}
        page = visitor.post(fields.pop("action"), **fields).text
        assert page.count('class="bad"') > 0
        assert find_english(page) == []
    with serving(Site()) as site:
        site.serve("/page", make_page(ENTRY))
        visitor.get("/add")
        found = visitor.press("Nachsehen", url=site.url("/page")).url.partition("/desk")[2]
        for name in ("", "Two Words!", "talk.xml", "desk", "x" * 65):
            page = visitor.press("Hinzufügen", name=name, feed="").text
            assert 'class="problem"' in page, name
            assert find_english(page) == []
            visitor.get(found)
        visitor.press("Nachsehen", url=site.url("/page"))
        visitor.press("Auf der Seite auswählen")
        path = visitor.page.url.removeprefix(f"{visitor.url}/desk")
        for selector in ("li[", "p:not(", "a >", "!", ".", "(//", "./a[1", "x:y(", "'a"):
            page = visitor.get(f"{path}&items={selector}").text
            assert 'class="problem"' in page, selector
            assert find_english(page) == []


@pytest.mark.parametrize("config", ["a: [1\n", CONFIG.replace("topic.txt}", "topic.txt, trust: 7, knd: feed}")])
def test_mistakes_in_the_config_are_said_in_german_on_every_page(visitor: Visitor, home: Path, config: str) -> None:
    visitor.session.headers["accept-language"] = "de"
    (home / "config.yaml").write_text(config)
    for path in ("/", "/system", f"{FEED}/settings"):
        page = visitor.get(path).text
        assert 'class="problem"' in page
        assert find_english(page) == []


def list_configs() -> Iterator[str]:
    yield from (case["config"] for case in WRONG)
    yield from YAMLS
    for pattern in PATTERNS:
        yield f"feeds: {{a: {{title: A, sources: {{s: {{kind: listing, path: a, only: {{title: '{pattern}'}}}}}}}}}}"


def test_every_mistake_in_the_config_is_recognised_with_what_libraries_say_of_it(tmp_path: Path) -> None:
    lines = []
    path = tmp_path / "my feeds.yaml"
    for config in list_configs():
        path.write_text(config)
        with pytest.raises(ConfigError) as caught:
            load(path)
        lines += str(caught.value).splitlines()
    for locale in (Locale("de"), Locale("ja")):
        translated = {line: translate_sentence(line, locale) for line in lines}
        assert [line for line, found in translated.items() if found is None or ENGLISH.search(found)] == []
