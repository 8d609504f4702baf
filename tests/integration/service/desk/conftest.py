"""A desk on loopback over a feed that was refreshed once, and visitors who look at it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from unittest import mock

import pytest
import requests

from aggregator.config.load import load
from aggregator.service import web
from aggregator.service.desk import api, app, jobs
from aggregator.service.desk.frame import Desk
from tests.integration.service.conftest import started
from tests.support.paths import TESTS
from tests.support.program import list_forked_words, run_program

CONFIG = """\
# words of a person
allow_networks: [127.0.0.0/8]
feeds:
  crumb-talk:
    title: Crumb Talk
    sources:
      topic: {kind: listing, path: topic.txt} # kept
      numbered: {kind: listing, path: numbered.txt}
"""


class Visitor:
    """A browser without script: it keeps cookies and sends the forms of the page that it looks at."""

    def __init__(self, url: str, desk: Desk) -> None:
        self.url, self.desk = url, desk
        self.session = requests.Session()
        self.page: requests.Response

    def get(self, path: str = "/", **headers: str) -> requests.Response:
        self.page = self.session.get(f"{self.url}/desk{path}", headers=headers, timeout=120, allow_redirects=True)
        return self.page

    def json(self, path: str) -> dict:
        answer = self.session.get(f"{self.url}/desk{path}", timeout=120)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def forms(self) -> list[dict[str, str]]:
        """The POST forms of the page: their hidden fields, with the address and the words of the button."""
        found = []
        for form in re.findall(r'<form method="post".*?</form>', self.page.text, re.DOTALL):
            hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
            action, label = re.search(r'action="([^"]*)"', form), re.search(r"<button[^>]*>(.*?)</button>", form)
            assert action
            assert label
            fields = {name: unescape(value) for name, value in hidden}
            found.append({**fields, "action": unescape(action[1]), "label": re.sub("<.*?>", "", unescape(label[1]))})
        return found

    def press(self, label: str, **typed: str) -> requests.Response:
        """Send the form whose button begins so."""
        form = next(each for each in self.forms() if each["label"].strip().startswith(label))
        return self.post(form.pop("action"), **{**form, **typed})

    def post(self, action: str, headers: dict[str, str] | None = None, **fields: str) -> requests.Response:
        self.page = self.session.post(f"{self.url}{action}", data=fields, headers=headers, timeout=120)
        return self.page


Open = Callable[..., Visitor]


@pytest.fixture(scope="session")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a config and two listings of one show, refreshed once: two items agree, the newest nearly do."""
    folder = tmp_path_factory.mktemp("refreshed")
    for name in ("topic.txt", "numbered.txt"):
        shutil.copy(TESTS / "integration/commands/data" / name, folder)
    (folder / "config.yaml").write_text(CONFIG)
    done = run_program(folder, "refresh", "--at", "2026-01-02T03:04:05Z")
    assert done.returncode == 0, done.stderr
    return folder


@contextmanager
def opened(folder: Path, **options: str) -> Iterator[Visitor]:
    """A visitor of a desk whose commands are forked."""
    config = load(folder / "config.yaml")
    desk = Desk(config, **options)
    with (
        mock.patch.object(jobs, "_PROGRAM", list_forked_words()),
        started(web.app(config.output.path, routes=(*app.mount(desk), *api.mount(desk, app.PAGES, app.ACTS)))) as port,
    ):
        yield Visitor(f"http://127.0.0.1:{port}", desk)


@pytest.fixture(scope="module")
def looker(refreshed: Path) -> Iterator[Visitor]:
    """One who only looks at the desk."""
    with opened(refreshed) as visitor:
        yield visitor


@pytest.fixture
def home(refreshed: Path, tmp_path: Path) -> Path:
    """A folder of one's own, refreshed."""
    return Path(shutil.copytree(refreshed, tmp_path / "home"))


@pytest.fixture
def visitor(home: Path) -> Iterator[Visitor]:
    """One who acts, in a folder of its own."""
    with opened(home) as each:
        yield each
