"""The pages in a real Chromium: links, player, 500 episodes, a phone, a keyboard, and no word to another host."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

import pytest
from msgspec.structs import replace
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from aggregator import publish
from aggregator.generator import feed_files
from aggregator.generator.content.prepared import prepare
from aggregator.generator.pages import pages
from tests.support import sample_feed
from tests.support.tools import need_axe

AXE = (
    "const done = arguments[arguments.length - 1], rules = {'label-content-name-mismatch': {enabled: true}};"
    "axe.run({rules}).then(r => done(JSON.stringify(r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))))"
)
PHONE = {"width": 360, "height": 780, "deviceScaleFactor": 2, "mobile": True}
NAMED = "const e = document.activeElement; return e.tagName + ' ' + (e.id || e.textContent.trim().slice(0, 20))"


class Served(Protocol):
    folder: Path


class Opened(Protocol):
    """A page that stands open; the selenium objects in it have no types of their own."""

    browser: Any
    url: str
    media: str

    def all(self, selector: str) -> list[Any]: ...
    def one(self, selector: str) -> Any: ...
    def run(self, script: str) -> Any: ...
    def wait(self, script: str) -> None: ...
    def requests(self) -> list[str]: ...
    def complaints(self) -> list[str]: ...
    def picture(self, path: Path, width: int, height: int) -> None: ...


def test_no_console_error_and_no_request_to_another_host(show: Callable[..., Opened]) -> None:
    for path in ("/quiet-machines/", "/"):
        opened = show(path=path)
        opened.run("scrollTo(0, document.body.scrollHeight)")
        time.sleep(0.5)
        assert {urlsplit(url).netloc for url in opened.requests()} == {urlsplit(opened.url).netloc}
        assert opened.complaints() == []


@pytest.mark.parametrize("path", ["/quiet-machines/", "/"])
def test_nothing_keeps_people_out_of_a_page(show: Callable[..., Opened], path: str) -> None:
    opened = show(path=path)
    opened.run("for (const e of document.querySelectorAll('details:not(.artwork)')) e.open = true")
    opened.browser.execute_cdp_cmd("Runtime.evaluate", {"expression": need_axe()})
    assert json.loads(opened.browser.execute_async_script(AXE)) == []


@pytest.mark.parametrize("language", ["de", "ja"])
def test_a_page_in_another_language_fits_a_phone_and_is_chosen_without_script(
    show: Callable[..., Opened], served: Served, language: str
) -> None:
    opened = show()
    feed = sample_feed.feed(9, 2, f"{opened.url}/quiet-machines")
    feed = replace(feed, channel=replace(feed.channel, languages=(language,)))
    for name, body in publish.render(feed):
        (served.folder / "quiet-machines" / name).write_bytes(body)
    opened.browser.get(f"{opened.url}/quiet-machines/index.html")
    opened.run(f"document.querySelector('footer a[hreflang={language}]').click()")  # what moves is missed by a mouse
    opened.wait(f"return location.href === '{opened.url}/quiet-machines/index.{language}.html'")
    opened.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**PHONE, "width": 390})
    opened.run("for (const e of document.querySelectorAll('details:not(.artwork)')) e.open = true")
    assert opened.run("return document.documentElement.scrollWidth <= innerWidth")
    opened.browser.execute_cdp_cmd("Runtime.evaluate", {"expression": need_axe()})
    assert json.loads(opened.browser.execute_async_script(AXE)) == []
    opened.one("#episodes-q").send_keys("Naming twi")
    shown = {"de": "1 von 9 angezeigt.", "ja": "9件中1件を表示。"}
    opened.wait(f"return document.getElementById('said').textContent === '{shown[language]}'")


def test_each_button_opens_its_app_with_this_feed(show: Callable[..., Opened]) -> None:
    opened = show()
    address = f"{opened.url}/quiet-machines/podcast.xml"
    hrefs = {each.text.split("\n")[0]: each.get_attribute("href") for each in opened.all(".apps a")}
    assert hrefs["AntennaPod"] == f"https://antennapod.org/deeplink/subscribe?url={quote(address, safe='')}"
    assert hrefs["gPodder"] == address.replace("http://", "gpodder://")
    assert "Apple Podcasts" not in hrefs
    assert opened.one("#url").get_attribute("value") == address
    opened.one("button[data-copy]").click()
    opened.wait("return document.getElementById('said').textContent.includes('Address')")


def test_the_qr_code_is_square_and_large_enough_to_scan(show: Callable[..., Opened]) -> None:
    opened = show(base_url="https://feeds.example.org/quiet-machines")
    size = opened.one("svg.qr").size
    assert size["width"] == size["height"] >= 120


def test_an_episode_plays_only_when_asked_and_alone(show: Callable[..., Opened]) -> None:
    opened = show()
    first, second = opened.all("audio")[:2]
    assert not [url for url in opened.requests() if url.startswith(opened.media)]
    opened.browser.execute_script("arguments[0].play()", first)
    opened.wait("return document.querySelector('audio').currentTime > 0.1")
    assert f"{opened.media}/qm/0000.mp3" in opened.requests()
    opened.browser.execute_script("arguments[0].play()", second)
    opened.wait(
        "return document.querySelectorAll('audio')[0].paused && document.querySelectorAll('audio')[1].currentTime > 0"
    )
    assert opened.complaints() == []


def test_artwork_is_loaded_when_it_is_opened(show: Callable[..., Opened]) -> None:
    opened = show()
    assert not [url for url in opened.requests() if "art.example" in url]
    opened.one(".artwork summary").click()
    WebDriverWait(opened.browser, 60).until(lambda _: [url for url in opened.requests() if "art.example" in url])
    opened.complaints()


def test_five_hundred_episodes_open_and_are_searched(show: Callable[..., Opened]) -> None:
    opened = show(500, 40)
    assert len(opened.all("#episodes > li")) == 500
    opened.one("#episodes-q").send_keys("Naming twi")
    opened.wait("return document.getElementById('said').textContent === '1 of 500 shown.'")
    assert [each.text for each in opened.all("#episodes > li:not([hidden]) h3")] == ["Naming a thing twice"]


def test_a_phone_that_is_turned_is_not_too_narrow(show: Callable[..., Opened]) -> None:
    """Entries out of sight remember how wide they were when they were seen."""
    opened = show(40, 0)
    for width in (500, 360):
        opened.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {**PHONE, "width": width, "height": 800, "mobile": False}
        )
        for place in ("document.body.scrollHeight", "0"):
            opened.browser.execute_async_script(
                f"scrollTo(0, {place}); requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
            )
    assert opened.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("path", ["/quiet-machines/", "/"])
@pytest.mark.parametrize("width", [320, 360, 768])
def test_nothing_is_wider_than_the_phone(show: Callable[..., Opened], path: str, width: int) -> None:
    opened = show(path=path)
    opened.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**PHONE, "width": width})
    for details in opened.all("details.more"):
        opened.browser.execute_script("arguments[0].open = true", details)
    assert opened.run("return document.documentElement.scrollWidth") == width
    wide = opened.run(
        "return [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .skip, svg, template'))"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []


def test_the_keyboard_reaches_everything_in_order(show: Callable[..., Opened]) -> None:
    opened = show(3, 1)
    opened.one("body").send_keys(Keys.TAB)
    focused = opened.browser.switch_to.active_element
    assert focused.text == "Skip to the content"
    assert focused.rect["x"] >= 0
    focused.send_keys(Keys.ENTER)
    assert opened.run("return document.activeElement.id") == "main"
    seen: list[str] = []
    for _ in range(60):
        opened.browser.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(str(opened.run(NAMED)))
    for wanted in ("INPUT url", "BUTTON Copy", "SUMMARY All notes", "SUMMARY Where this"):
        assert [each for each in seen if each.startswith(wanted)], wanted
    assert sum(each.startswith("AUDIO") for each in seen) >= 3
    opened.run("document.querySelector('details.more > summary').focus({focusVisible: true})")
    assert opened.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    opened.browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert opened.run("return document.querySelector('details.more').open")


def test_everything_that_takes_focus_has_a_name_and_the_landmarks_are_there(show: Callable[..., Opened]) -> None:
    opened = show(base_url="https://feeds.example.org/quiet-machines")  # with a code for phones
    opened.run("document.querySelector('details.sources').open = true")
    tree = opened.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    nodes = [node for node in tree if not node.get("ignored")]
    roles = {node["role"]["value"] for node in nodes}
    assert {"main", "banner", "navigation", "contentinfo", "region", "list", "table"} <= roles
    for node in nodes:
        focusable = [each for each in node.get("properties", ()) if each["name"] == "focusable"]
        if focusable and focusable[0]["value"].get("value") and node["role"]["value"] not in ("RootWebArea", "main"):
            assert node.get("name", {}).get("value"), node["role"]
    images = [node for node in nodes if node["role"]["value"] in ("image", "img")]
    assert images
    assert all(node["name"]["value"] for node in images)


def test_without_scripts_the_page_is_whole(show: Callable[..., Opened]) -> None:
    opened = show()
    opened.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened.browser.refresh()
        assert len(opened.all("audio")) == 8
        assert not opened.one("button[data-copy]").is_displayed()
        assert opened.one("#url").is_displayed()
    finally:
        opened.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_the_xml_of_a_feed_is_readable_by_its_stylesheet(
    show: Callable[..., Opened], served: Served, made: ModuleType, artefacts: Path
) -> None:
    opened = show()
    (served.folder / "feed.css").write_bytes(pages.FEED_STYLESHEET)
    feeds = {"feed.xml": made.feed(4, 1), "podcast.xml": made.feed(0, 1)}
    for name, feed in feeds.items():
        made_files = dict(feed_files.render_files(prepare(feed)))
        (served.folder / "quiet-machines" / name).write_bytes(made_files[name])
    place = served.folder / "quiet-machines" / "feed.xml"
    # By file:, because a browser applies a stylesheet to application/xml only ...
    opened.browser.get(place.as_uri())
    assert opened.run("return getComputedStyle(document.getElementsByTagName('title')[0]).display") == "block"
    assert opened.run("return getComputedStyle(document.getElementsByTagName('guid')[0]).display") == "none"
    opened.picture(artefacts / "feed-xml.png", 800, 900)
    opened.browser.get(place.with_name("podcast.xml").as_uri())
    said = "return getComputedStyle(document.getElementsByTagName('channel')[0], '::after').content"
    assert "Nothing is listed here yet" in str(opened.run(said))
    # ... and shows application/rss+xml, the type that readers need, as its source.
    opened.browser.get(f"{opened.url}/quiet-machines/feed.xml")
    assert opened.run("return document.contentType") == "text/plain"
    assert opened.complaints() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_are_kept_for_a_person_to_look_at(show: Callable[..., Opened], artefacts: Path, theme: str) -> None:
    opened = show()
    features = [{"name": "prefers-color-scheme", "value": theme}]
    opened.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    papers = {"light": "rgb(246, 245, 241)", "dark": "rgb(21, 22, 20)"}
    assert opened.run("return getComputedStyle(document.body).backgroundColor") == papers[theme]
    for details in opened.all("#episodes > li:nth-child(2) details"):
        opened.browser.execute_script("arguments[0].open = true", details)
    names = {"page": (1100, 2600), "page-phone": (360, 2600)}
    for name, (width, height) in names.items():
        opened.picture(artefacts / f"{name}-{theme}.png", width, height)
    opened.browser.get(opened.url + "/")
    opened.picture(artefacts / f"index-phone-{theme}.png", 360, 780)
    assert all((artefacts / f"{name}-{theme}.png").stat().st_size > 10_000 for name in names)
