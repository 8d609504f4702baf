"""The desk in a real Chromium: without violations of axe-core, on a phone, in the dark, by keyboard, without script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from aggregator.service.desk import access
from evaluation.proposals.pages import make_pages
from tests.integration.service.desk.conftest import Visitor, opened
from tests.integration.service.desk.test_choose import open_page
from tests.support import desk_demo, desk_pictures
from tests.support.origin import Site, serving
from tests.support.paths import ROOT
from tests.support.tools import need_axe

AXE = "const done = arguments[arguments.length - 1]; axe.run().then(r => done(JSON.stringify(r.violations)))"
Look = tuple[int, int, str]
LOOKS: tuple[Look, ...] = ((1280, 900, "light"), (390, 844, "dark"))


class Open(NamedTuple):
    """A desk that stands open in a browser."""

    browser: webdriver.Chrome
    visitor: Visitor
    pages: dict[str, str]

    def go(self, path: str) -> None:
        self.browser.get(f"{self.visitor.url}/desk{path}")

    def look(self, width: int, height: int, scheme: str) -> None:
        desk_pictures.set_look(self.browser, width, height, scheme)

    def wait(self, what: Any) -> Any:
        return WebDriverWait(self.browser, 60, ignored_exceptions=[WebDriverException]).until(what)

    def has(self, text: str) -> bool:
        return text in self.browser.find_element(By.TAG_NAME, "body").text

    def press(self, *keys: str) -> None:
        webdriver.ActionChains(self.browser).send_keys(*keys).perform()

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("demo")
    desk_demo.build(folder)
    with opened(folder) as visitor:
        yield visitor


@pytest.fixture
def desk(browser: webdriver.Chrome, demo: Visitor) -> Iterator[Open]:
    items = demo.json("/feeds/sea-room.json")["items"]
    guid = next(item["guid"] for item in items if "several" in item["marks"])
    result = Open(browser, demo, desk_demo.list_pages(guid))
    result.complaints()
    yield result
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.delete_all_cookies()  # the language that was chosen


def find_faults(desk: Open, pages: dict[str, str], looks: tuple[Look, ...] = LOOKS) -> list[str]:
    """What a browser, a narrow window, the dark or axe-core finds wrong with the pages."""
    axe, found = need_axe(), []
    for look in looks:
        desk.look(*look)
        for name, path in pages.items():
            desk.go(path)
            found += [f"{name} {look}: {line}" for line in desk.complaints() if " 401 " not in line]
            if desk.browser.execute_script("return document.documentElement.scrollWidth") > look[0]:
                found.append(f"{name} {look}: wider than the window")
            desk.browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
            for each in json.loads(desk.browser.execute_async_script(AXE)):
                nodes = [node["html"][:200] for node in each["nodes"]]
                found.append(f"{name} {look}: {each['id']}: {nodes}")
            desk.complaints()
    return found


def test_every_page_is_for_everyone_and_fits(desk: Open) -> None:
    desk.visitor.get("/feeds/sea-room")
    job = desk.visitor.press("Validate").url.rpartition("/desk")[2]
    assert job.startswith("/jobs/")
    assert find_faults(desk, desk.pages | {"job": job}) == []


def test_the_page_of_the_password_is_for_everyone_and_fits(
    desk: Open, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("closed")
    (folder / "config.yaml").write_text("feeds: {a: {title: A, sources: {b: {kind: feed, path: b.xml}}}}\n", "utf-8")
    with opened(folder, password=access.hash_password("a password of ours")) as visitor:
        assert find_faults(desk._replace(visitor=visitor), {"password": "/"}) == []


@pytest.mark.parametrize("language", ["de", "ja"])
def test_every_page_fits_in_the_longest_and_the_widest_words(desk: Open, language: str) -> None:
    for chosen in (language, "en"):
        desk.go("/add")
        desk.browser.find_element(By.CSS_SELECTOR, f"button[lang={chosen}]").click()
        desk.wait(lambda _, chosen=chosen: desk.browser.find_element(By.CSS_SELECTOR, f"html[lang={chosen}]"))
        assert desk.browser.current_url.endswith("/desk/add")
        if chosen == language:
            assert find_faults(desk, desk.pages, LOOKS[1:]) == []


def test_by_keyboard_alone(desk: Open) -> None:
    desk.look(1280, 900, "light")
    desk.go("/?q=night")  # three feeds have no box for a search, but who has searched has it
    desk.press(Keys.TAB)
    assert desk.browser.switch_to.active_element.text == "Skip to the content"
    desk.press(Keys.ENTER)
    desk.press(Keys.TAB)
    assert desk.browser.switch_to.active_element.get_attribute("id") == "q"
    desk.press("sea", Keys.ENTER)
    desk.wait(lambda _: desk.has("Sea Room") and desk.has("1 feed"))
    desk.go(desk.pages["review"])
    total = desk.visitor.json(desk.pages["review"] + ".json")["total"]
    assert total > 0
    desk.wait(lambda _: not desk.has("What would it do?"))
    desk.press("d")
    desk.wait(lambda _: desk.has("two items from the next refresh on"))
    assert desk.visitor.json(desk.pages["review"] + ".json")["total"] == total - 1
    desk.press("b")
    desk.wait(lambda _: desk.has("taken back"))
    desk.press("u")
    desk.wait(lambda _: "at=" in desk.browser.current_url)
    assert desk.visitor.json(desk.pages["review"] + ".json")["total"] == total


def test_elements_of_a_page_are_clicked_with_and_without_script(desk: Open) -> None:
    page = next(each for each in make_pages() if each.shape.startswith("articles"))
    title = page.entries[3].title
    axe = need_axe()
    with serving(Site()) as site:
        site.serve("/page", page.body)
        path = open_page(desk.visitor, site.url("/page"))
        for disabled in (False, True):
            desk.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": disabled})
            desk.go(path)
            desk.browser.switch_to.frame(0)
            buttons = desk.browser.find_elements(By.TAG_NAME, "button")
            chosen = next(each for each in buttons if each.text == title)
            chosen.send_keys(Keys.ENTER)
            desk.browser.switch_to.default_content()
            desk.wait(lambda _: desk.has(f"{len(page.entries)} items"))
            assert desk.browser.find_element(By.ID, "option-items").get_attribute("value") == "article"
            assert desk.complaints() == []
        desk.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        desk.go(path + "&items=article")
        typed = desk.browser.find_element(By.ID, "option-title")
        typed.send_keys("time")
        desk.wait(lambda _: desk.browser.find_element(By.CSS_SELECTOR, "[data-rows] td").text == "then")
        copied = desk.browser.find_element(By.CSS_SELECTOR, "form[data-copy] [name=title]")
        assert copied.get_attribute("value") == "time"
        assert desk.complaints() == []
        for look in LOOKS:
            desk.look(*look)
            desk.go(path + "&items=article")
            assert desk.browser.execute_script("return document.documentElement.scrollWidth") <= look[0]
            desk.browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
            assert [each["id"] for each in json.loads(desk.browser.execute_async_script(AXE))] == []


def test_the_pictures_of_the_docs_can_be_taken_again(desk: Open, artefacts: Path) -> None:
    made = desk_pictures.take(desk.browser, desk.visitor, artefacts)
    assert {each.name: desk_pictures.read_size(each) for each in made} == {
        each.name: desk_pictures.read_size(each) for each in (ROOT / "docs").glob("desk*.png")
    }


def test_a_refresh_is_watched_with_and_without_script(desk: Open) -> None:
    desk.look(390, 844, "light")
    for disabled in (False, True):
        desk.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": disabled})
        desk.go("/feeds/crumb-talk")
        next(each for each in desk.browser.find_elements(By.TAG_NAME, "button") if each.text == "Refresh now").click()
        desk.wait(lambda _: desk.has("Done") and desk.has("6 entries → 4 items"))
        assert desk.has("Refresh of Crumb Talk")
        assert desk.complaints() == []
