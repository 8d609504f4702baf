"""The desk speaks the language of its visitor: all of a page, chosen by the browser or by hand, and acts in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args
from urllib.parse import quote

import pytest

from aggregator.merger.matching import comparison, wording
from aggregator.merger.reconciling.overrides import FIELDS
from aggregator.model.item import WhyHeld
from aggregator.model.source import SourceStatus
from aggregator.service.desk import access
from aggregator.service.desk.frame import Frame, render
from aggregator.service.desk.words import WORDS
from aggregator.translation.locale import NAMES, Locale
from tests.integration.service.desk.conftest import Visitor, opened
from tests.integration.service.desk.test_pages import list_another, wait
from tests.support.levels import LEVELS
from tests.support.origin import Site, serving
from tests.support.program import run_program
from tests.support.rss import make_rss
from tests.support.workspace import make_item

RIGHT, WRONG = "open sesame", "sesame"
JAPANESE = {"accept-language": "ja"}
FEED = "/feeds/crumb-talk"
SOURCE = f"{FEED}/sources/topic"
OUTLINES = '<opml version="2.0"><body><outline type="rss" text="A" xmlUrl="https://a.example/1"/></body></opml>'
PAGES = (
    *("/", FEED, f"{FEED}/settings", f"{FEED}/changes", f"{FEED}/find", f"{FEED}/review", f"{FEED}/remove"),
    *(SOURCE, f"{SOURCE}/settings", f"{SOURCE}/move", "/review", "/changes", "/add", "/add?feed=crumb-talk"),
    *("/import", "/system", "/system/settings", "/jobs/99", "/feeds/none"),
)
SHOWN = ("aria-label", "alt", "title", "placeholder")
"""Attributes that people read or hear."""

DATA = frozenset({"bdi", "code", "pre", "kbd", "script", "style", "option", "text", "textarea"})
"""Elements whose texts are of feeds, of the config, or names of machines."""

MARKS = re.compile(r"[⟦⟧]|[^⟦⟧]+")
WORD = re.compile(r"[A-Za-z]{2,}")
NAMED = re.compile(
    r"aggregator [\w.]+|aggregator|crumb-talk|Crumb Talk|(?:topic|numbered|absent|closed)(?:/\S+)?|https://|(?:UTC|ms|kB|MB|GB)\b|Python"
)


class Marked:
    """A catalogue whose translations show where each message begins and ends."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, _: str, many: str, __: int) -> str:
        return f"⟦{many}⟧"

    def pgettext(self, _: str, message: str) -> str:
        return f"⟦{message}⟧"

    def npgettext(self, _: str, __: str, many: str, ___: int) -> str:
        return f"⟦{many}⟧"


class Reader(HTMLParser):
    """What a page says that is neither a message nor marked as data or as English."""

    def __init__(self) -> None:
        super().__init__()
        self.depth, self.open, self.faults = 0, [], []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.faults += [f"{tag} {name}: {given[name]}" for name in SHOWN if self.lacks(given.get(name) or "")]
        if tag not in ("meta", "link", "input", "br", "img"):
            self.open.append((tag, tag in DATA or ("lang" in given and tag != "html")))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, text: str) -> None:
        is_data = any(data for _, data in self.open)
        for part in MARKS.findall(text):
            if part in "⟦⟧":
                self.depth += 1 if part == "⟦" else -1
            elif not self.depth and not is_data and WORD.search(NAMED.sub("", part)):
                self.faults.append(part.strip())

    @staticmethod
    def lacks(text: str) -> bool:
        while "⟦" in text:
            text = re.sub(r"⟦[^⟦⟧]*⟧", "", text)
        return bool(WORD.search(NAMED.sub("", text)))


def find_untranslated(page: str) -> list[str]:
    reader = Reader()
    reader.feed(page)
    assert reader.depth == 0
    return reader.faults


def test_what_is_no_message_is_found() -> None:
    assert find_untranslated("<p>⟦a <b>word⟧</b> two <bdi>three</bdi></p><p title='four'>") == ["two", "p title: four"]


def test_every_text_of_every_page_is_a_message_or_marked_as_data(
    looker: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aggregator.translation.locale._read_catalogue", lambda _: Marked())
    item = looker.json(f"{FEED}.json")["items"][0]
    paths = (*PAGES, f"{FEED}/item?guid={quote(item['guid'], safe='')}")
    pages = {path: looker.get(path, **JAPANESE).text.replace(f"<title>{item['title']}", "<title>") for path in paths}
    faults = {path: find_untranslated(page) for path, page in pages.items()}
    assert {path: found for path, found in faults.items() if found} == {}


def test_every_text_after_an_act_is_a_message_too(
    visitor: Visitor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aggregator.translation.locale._read_catalogue", lambda _: Marked())
    visitor.session.headers.update(JAPANESE)
    item = quote(visitor.json(f"{FEED}.json")["items"][0]["guid"], safe="")
    list_another(home)
    checked = {}
    for path, button, typed in (
        (SOURCE, "⟦Look at the document⟧", {}),
        (f"{FEED}/review", "⟦Different⟧", {}),
        (f"{FEED}/item?guid={item}", "⟦Set⟧", {"field": "title", "value": "Rye"}),
        (f"{FEED}/item?guid={item}", "⟦Take out⟧", {"reason": "Rye"}),
        ("/add", "⟦Look⟧", {"url": "ftp://a.example/"}),
        ("/import", "⟦Read⟧", {"text": OUTLINES}),
        (FEED, "⟦Validate⟧", {}),
        (f"{FEED}/changes", "⟦Compare⟧", {}),
        (f"{SOURCE}/move", "⟦Preview the removal⟧", {"alone": "leaves"}),
        (f"{SOURCE}/settings", "⟦Preview⟧", {"trust": "0.4"}),
        (FEED, "⟦Refresh now⟧", {}),
        ("/system", "⟦Back up now⟧", {}),
        ("/", "", {}),
    ):
        visitor.get(path)
        page = visitor.press(button, **typed) if button else visitor.page
        checked[button] = page.text
        if "/jobs/" in page.url:
            job = page.url.partition("/desk")[2]
            wait(visitor, f"{job}.json")
            checked[f"{button}, ended"] = visitor.get(job).text
            checked[f"{button}, outcome"] = visitor.get(visitor.json(f"{job}.json")["then"] or "/").text
    titles = re.compile(r"<title>[^⟦]*? ·")
    faults = {name: find_untranslated(titles.sub("<title>", page)) for name, page in checked.items()}
    assert {name: found for name, found in faults.items() if found} == {}


def test_an_act_is_done_and_undone_in_japanese_without_script(visitor: Visitor) -> None:
    visitor.session.headers.update(JAPANESE)
    visitor.get("/review")
    assert "この2つは同じ項目ですか？" in visitor.page.text
    assert "統合すると、項目「" in visitor.press("同じ").text
    assert "lang=" not in visitor.page.text.partition("<main")[2].partition("</main>")[0]
    visitor.get("/review")
    assert "次回の更新から2つの項目になります。" in visitor.press("異なる").text
    assert "判断を取り消しました。" in visitor.press("戻る").text
    assert visitor.json("/review.json")["total"] == 1


def test_words_of_records_are_messages() -> None:
    assert {*get_args(SourceStatus), *get_args(WhyHeld), *FIELDS} <= WORDS
    vetoes = [veto for veto in comparison.VETOES if veto]
    assert not [veto for veto in vetoes if Locale("ja").gettext(veto) == veto]
    levels = [(kind, level) for kind, found in LEVELS.items() for level in found]
    described = {wording.describe_level(kind, level, Locale("ja")) for kind, level in levels}
    assert not [words for words in described if WORD.search(words)]


@pytest.mark.parametrize("language", NAMES)
def test_the_browser_chooses_the_language_and_its_forms(looker: Visitor, language: str) -> None:
    page = looker.get("/", **{"accept-language": f"xx, {language};q=0.8, en;q=0.5"}).text
    assert f'<html lang="{language}">' in page
    assert page.count('aria-current="true"') == 1
    assert f'lang="{language}" aria-current="true">{NAMES[language]}</button>' in page
    newest = {"en": "newest 14 May 2024", "de": "14. Mai 2024", "ja": "2024年5月14日"}
    assert newest.get(language, "2024") in page


def test_without_a_wish_and_for_programs_it_is_english(looker: Visitor) -> None:
    assert '<html lang="en">' in looker.get("/").text
    english = looker.json("/overview.json")
    looker.session.headers["accept-language"] = "de"
    assert looker.json("/overview.json") == english
    del looker.session.headers["accept-language"]


def test_a_language_that_was_chosen_is_kept_and_leads_back(visitor: Visitor) -> None:
    visitor.get("/?q=crumb", **JAPANESE)
    assert visitor.press("English", language="de").url.endswith("/desk/?q=crumb")
    assert "Passwort" not in visitor.page.text
    assert '<html lang="de">' in visitor.get("/", **JAPANESE).text
    assert visitor.press("English", language="xx").status_code == 200
    assert '<html lang="de">' in visitor.get("/", **JAPANESE).text
    assert visitor.press("English", language="en", then="https://evil.example/").url == f"{visitor.url}/desk/"
    assert '<html lang="en">' in visitor.get("/", **JAPANESE).text


def test_the_password_is_asked_in_the_language_that_a_stranger_chooses(refreshed: Path) -> None:
    with opened(refreshed, password=access.hash_password(RIGHT)) as visitor:
        visitor.get("/feeds/crumb-talk", **{"accept-language": "fr"})
        assert "Mot de passe" in visitor.page.text
        visitor.press("English", language="ja")
        assert visitor.page.status_code == 401
        assert visitor.page.url.endswith("/desk/feeds/crumb-talk")
        assert "パスワード" in visitor.page.text
        assert "パスワードが違います" in visitor.press("ログイン", password=WRONG).text
        assert visitor.press("ログイン", password=RIGHT).status_code == 200


def test_the_desk_refuses_in_the_language_of_its_visitor(looker: Visitor) -> None:
    page = looker.get("/feeds/none", **{"accept-language": "es"}).text
    assert "No encontrado" in page
    assert "La configuración no tiene ningún feed none." in page
    assert "the config has no feed none" in looker.get("/feeds/none").text


def test_what_another_version_said_is_marked_as_english() -> None:
    page = {"title": "Rye", "sentences": ["words of another version"]}
    for language, marks in (("es", '<bdi lang="en">words'), ("en", "<bdi>words")):
        assert marks in render("problem.html.j2", page, Frame("/desk", "", None, locale=Locale(language)))


def test_what_went_wrong_is_said_in_the_language_of_the_visitor(
    visitor: Visitor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "numbered.txt").write_text("no listing")
    list_another(home)
    with serving(Site()) as site:
        config = (home / "config.yaml").read_text().replace("path: topic.txt", "path: topic.txt, adds: never")
        config += f"      absent: {{kind: feed, url: '{site.url('/absent')}'}}\n"
        (home / "config.yaml").write_text(f"{config}      closed: {{kind: feed, url: 'http://127.0.0.1:9/'}}\n")
        done = run_program(home, "refresh", "--force", "--at", "2026-01-03T03:04:05Z")
        site.serve("/absent", make_rss(make_item(1), "<item>&nbsp;</item>"))
        visitor.session.headers["accept-language"] = "de"
        visitor.get(f"{FEED}/sources/absent")
        looked = visitor.press("Dokument ansehen").text
    assert done.returncode == 0, done.stderr
    assert re.findall("<li><bdi>([^<:]*): ", looked) == ["nicht wohlgeformt", "Einträge ohne Inhalt, ausgelassen"]
    assert "the connection was refused" in str(visitor.json(f"{FEED}.json"))
    pages = ["/", FEED, *(f"{FEED}/sources/{name}" for name in ("numbered", "absent", "closed"))]
    german = [visitor.get(path).text for path in pages]
    assert all("die Verbindung wurde abgelehnt" in page for page in (german[0], german[1], german[-1]))
    assert "topic: 1 neuer Eintrag wartet, da die Quelle keine hinzufügt (adds: never): " in german[0]
    assert [line for page in german for line in re.findall('<bdi lang="en">.*?</bdi>', page)] == []
    monkeypatch.setattr("aggregator.translation.locale._read_catalogue", lambda _: Marked())
    assert [fault for path in pages for fault in find_untranslated(visitor.get(path, **JAPANESE).text)] == []
