"""Take the pictures of the desk that the docs show: ``python -m tests.support.desk_pictures docs``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from selenium import webdriver

from evaluation.proposals.pages import make_pages
from tests.clients.chromium.conftest import FLAGS
from tests.integration.service.desk.conftest import Visitor, opened
from tests.integration.service.desk.test_choose import find_piece, open_page
from tests.support import desk_demo
from tests.support.origin import Site, serving

WIDTH, HEIGHT = 1280, 900


def set_look(browser: webdriver.Chrome, width: int, height: int, scheme: str) -> None:
    """Give the window a size, and the person a liking for light or dark."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def take(browser: webdriver.Chrome, visitor: Visitor, folder: Path) -> list[Path]:
    """Write the pictures into a folder, and return their paths."""
    set_look(browser, WIDTH, HEIGHT, "light")
    page = next(each for each in make_pages() if each.shape.startswith("articles"))
    with serving(Site()) as site:
        site.serve("/show", page.body)
        path = open_page(visitor, site.url("/show"))
        number = find_piece(visitor, path, page.entries[1].title)
        query = urlencode({"field": "items", "pick": number})
        made = []
        for name, place in (("desk.png", "/"), ("desk-choose.png", f"{path}&{query}")):
            browser.get(f"{visitor.url}/desk{place}")
            browser.get_screenshot_as_file(str(folder / name))
            made.append(folder / name)
    return made


def read_size(picture: Path) -> tuple[int, int]:
    """Return width and height of a PNG file (RFC 2083, section 4.1.1)."""
    head = picture.read_bytes()[16:24]
    return int.from_bytes(head[:4]), int.from_bytes(head[4:])


def main() -> None:
    """Write the pictures into the folder that the command line names."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        home.mkdir()
        desk_demo.build(home)
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*FLAGS, f"--user-data-dir={name}/chromium"):
            options.add_argument(flag)
        driver = webdriver.ChromeService(shutil.which("chromedriver"))
        browser = webdriver.Chrome(options=options, service=driver)
        try:
            with opened(home) as visitor:
                take(browser, visitor, Path(sys.argv[1]))
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
