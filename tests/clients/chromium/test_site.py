"""The documentation site, opened from disk: links lead somewhere, the search finds, nothing comes from a network."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.support.paths import ROOT
from tests.support.tools import miss, need_axe

AXE = (
    "const done = arguments[arguments.length - 1];"
    "axe.run({preload: false}).then(r => done(JSON.stringify(r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))))"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a link from page to page that leads nowhere ends the build."""
    program = Path(sys.executable).with_name("zensical")
    if not program.exists():
        miss("zensical is not installed (pip install -e '.[test]')")
    folder = tmp_path_factory.mktemp("project")
    for name in ("zensical.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    done = subprocess.run([program, "build", "--strict"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "site"


def read_pages(site: Path) -> dict[Path, Any]:
    """Return the pages by their paths; HTML that a page names as a file is none."""
    pages = {path: html.parse(str(path)).getroot() for path in site.rglob("*.html") if path.name != "404.html"}
    return {path: page for path, page in pages.items() if page.xpath("//meta[@name='generator']")}


def test_every_link_and_anchor_leads_somewhere_and_all_files_are_of_the_site(site: Path) -> None:
    pages = read_pages(site)
    anchors = {path: set(page.xpath("//@id | //@name")) for path, page in pages.items()}
    wrong = []
    for path, page in pages.items():
        for element, _, link, _ in page.iterlinks():
            parts = urlsplit(link)
            if parts.scheme in {"http", "https"} and element.tag == "a":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = anchors.get(target, {unquote(parts.fragment)})
            if parts.netloc or not target.is_file() or (parts.fragment and unquote(parts.fragment) not in known):
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert len(pages) > 20
    assert wrong == []


def test_every_page_is_in_the_navigation(site: Path) -> None:
    pages = read_pages(site)
    linked = {link.removeprefix("./") for link in pages[site / "index.html"].xpath("//nav//@href")}
    assert {str(path.relative_to(site)) for path in pages} - linked == set()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out_of_the_site(browser: webdriver.Chrome, site: Path, scheme: str, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    found, schemes = {}, set()
    for page in ("index.html", "commands.html", "matching.html", "text.html"):
        browser.get((site / page).as_uri())
        script = "return [document.body.dataset.mdColorScheme, document.documentElement.scrollWidth]"
        shown, wide = browser.execute_script(script)  # type: ignore[no-untyped-call]  # selenium gives no type
        schemes.add(shown)
        browser.execute_cdp_cmd("Runtime.evaluate", {"expression": need_axe()})
        problems = json.loads(browser.execute_async_script(AXE))  # type: ignore[no-untyped-call]
        if problems or wide > width:
            found[page] = (wide, problems)
    assert found == {}
    assert schemes == {"default" if scheme == "light" else "slate"}


def test_the_search_works_from_disk_without_a_network(browser: webdriver.Chrome, site: Path) -> None:
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get((site / "index.html").as_uri())
    browser.find_element(By.CSS_SELECTOR, ".md-search__button").click()
    browser.switch_to.active_element.send_keys("mojibake")
    shadow = (
        "return [...document.querySelectorAll('*')].map(e => e.shadowRoot).filter(Boolean)"
        ".flatMap(r => [...r.querySelectorAll('a')]).map(a => a.href).filter(h => h.includes('text.html'))"
    )
    WebDriverWait(browser, 60).until(lambda _: browser.execute_script(shadow))  # type: ignore[no-untyped-call]
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    assert {urlsplit(url).scheme for url in urls} <= {"file", "data", "blob", "about"}
    assert browser.get_log("browser") == []
