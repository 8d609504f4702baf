"""A real Chromium, and the pages of a feed opened in it."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from aggregator.publish import make_cover
from tests.support import sample_feed
from tests.support.ports import find_port
from tests.support.web import Media, Served

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
    "--autoplay-policy=no-user-gesture-required",
    "--window-size=1100,900",
)


class Opened(NamedTuple):
    """A page that stands open in a browser, and where it is served."""

    browser: webdriver.Chrome
    url: str
    media: str

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def run(self, script: str) -> object:
        return self.browser.execute_script(script)  # type: ignore[no-untyped-call]  # selenium gives no type

    def wait(self, script: str) -> None:
        WebDriverWait(self.browser, 60).until(lambda _: self.run(script))

    def requests(self) -> list[str]:
        """The address of every request since the last call, those of the browser's own parts aside."""
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("data:", "chrome:", "chrome-extension:"))]

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def picture(self, path: Path, width: int, height: int) -> None:
        """A screenshot of a window of that size; what lies outside a window is not drawn."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        time.sleep(0.3)
        taken = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        path.write_bytes(base64.b64decode(taken["data"]))


@pytest.fixture(scope="module")
def browser(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    driver, chromium = program("chromedriver"), program("chromium")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    running = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver, port=find_port()))
    running.set_page_load_timeout(100)  # and a command, of whatever kind, has 120
    running.set_script_timeout(100)
    yield running
    running.quit()


@pytest.fixture
def show(browser: webdriver.Chrome, served: Served, media: Media, made: ModuleType) -> Iterator[Callable[..., Opened]]:
    """Publishes a feed's page and opens it."""

    def opened(
        episodes: int = 8, posts: int = 2, path: str = "/quiet-machines/", base_url: str | None = None
    ) -> Opened:
        feed = made.feed(episodes, posts, base_url or f"{served.url}/quiet-machines", f"{media.url}/qm")
        folder = served.folder / "quiet-machines"
        folder.mkdir(exist_ok=True)
        (folder / "index.html").write_bytes(sample_feed.page(feed))
        (served.folder / "index.html").write_bytes(sample_feed.render_index([make_cover(feed)]))
        result = Opened(browser, served.url, media.url)
        result.requests()
        result.complaints()
        browser.get(served.url + path)
        return result

    yield opened
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
