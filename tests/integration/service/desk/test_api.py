"""The API for programs: who may enter, every operation of its description, and acts with what undoes them."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import requests

from aggregator.config.load import check, load
from aggregator.config.masking import mask_config
from aggregator.errors import ConfigError
from aggregator.service import web
from aggregator.service.desk import api, app
from aggregator.service.desk.access import hash_password
from aggregator.service.desk.frame import Desk
from tests.integration.service.conftest import started
from tests.integration.service.desk.conftest import CONFIG, Visitor, opened
from tests.support.paths import ROOT
from tests.support.tools import need

TOKEN = "t0kent0ken-t0kent0ken"  # noqa: S105 - a made-up one
RIGHT = "open sesame"
FEED = "/api/feeds/crumb-talk"


class Program:
    """A program with a token: it sends JSON, and validates every answer against the description."""

    def __init__(self, visitor: Visitor) -> None:
        self.url, self.desk = visitor.url, visitor.desk
        self.seen: list[str] = []
        self.description = self.ask("GET", "/api/openapi.json").json()

    def ask(self, method: str, path: str, fields: object = None, token: str = TOKEN, **headers: str) -> Any:
        given = {"authorization": f"Bearer {token}", **{k.replace("_", "-"): v for k, v in headers.items()}}
        answer = requests.request(method, self.url + path, json=fields, headers=given, timeout=120)
        self.seen.append(answer.text)
        assert "set-cookie" not in answer.headers
        return answer

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def do(self, path: str, **fields: str) -> Any:
        answer = self.ask("POST", path, fields)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    def undo(self, done: dict[str, Any]) -> Any:
        return self.do(done["undo"]["path"], **done["undo"]["fields"])

    def wait(self, done: dict[str, Any]) -> Any:
        end = time.monotonic() + 120
        while (job := self.get(done["page"]))["code"] is None:
            assert time.monotonic() < end
            time.sleep(0.1)
        return job

    def list_operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Paths, methods and operations of the description; what removes the feed is last."""
        paths = sorted(self.description["paths"].items(), key=lambda each: each[0].endswith("/remove"))
        return [(path, method.upper(), each) for path, given in paths for method, each in sorted(given.items())]

    def fill_settings(self, page: str) -> dict[str, str]:
        """The fields of a page of settings as they are."""
        shown = self.get(page)
        settings = {each["field"]: each["value"] for group in shown["groups"] for each in group["settings"]}
        return {**settings, "seen": shown["seen"]}

    def validate(self, operation: dict[str, Any], answer: requests.Response) -> None:
        """Check that the description has this answer."""
        response = operation["responses"][str(answer.status_code)]
        if "$ref" in response:
            response = self.description["components"]["responses"][response["$ref"].rpartition("/")[2]]
        content = response["content"][answer.headers["content-type"]]
        jsonschema.validate(answer.json(), {**content["schema"], "components": self.description["components"]})


def allow(folder: Path, token: str = TOKEN) -> None:
    (folder / "config.yaml").write_text(f"api: {{token: '{token}'}}\n{CONFIG}")


@contextmanager
def programmed(folder: Path) -> Iterator[Program]:
    allow(folder)
    with opened(folder) as visitor:
        yield Program(visitor)


@pytest.fixture
def program(home: Path) -> Iterator[Program]:
    with programmed(home) as each:
        yield each


def test_only_the_token_opens_the_api(program: Program) -> None:
    for headers in ({}, {"authorization": f"Basic {TOKEN}"}, {"cookie": f"aggregator_desk={TOKEN}"}):
        for path in ("/api/overview", f"/api/overview?token={TOKEN}&access_token={TOKEN}", "/api/nothing"):
            answer = requests.get(program.url + path, headers=headers, timeout=30)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["detail"] == "Send the header field Authorization: Bearer TOKEN."
    assert program.ask("GET", f"/api/overview?token={TOKEN}").status_code == 422
    for headers in ({"origin": "https://evil.example"}, {"sec_fetch_site": "cross-site"}):
        assert program.ask("POST", f"{FEED}/refresh", **headers).status_code == 403
    answer = program.ask("OPTIONS", "/api/overview")
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert program.ask("GET", "/api/overview", origin=program.url).status_code == 200
    assert program.desk.jobs.running() == ()


def test_five_wrong_tokens_lock_out_an_address(program: Program) -> None:
    wrong = ("", "x", TOKEN[:-1], f"{TOKEN}x", "tøken")
    assert [
        program.ask("GET", "/api/overview", token=each.encode().decode("latin-1")).status_code for each in wrong
    ] == [401] * 5
    answer = program.ask("GET", "/api/overview")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "600")


def test_the_right_token_forgives_wrong_ones(program: Program) -> None:
    for _ in range(3):
        for _ in range(4):
            assert program.ask("GET", "/api/overview", token=TOKEN[1:]).status_code == 401
        assert program.ask("GET", "/api/overview").status_code == 200


def test_the_desk_and_the_api_do_not_open_each_other(home: Path) -> None:
    allow(home)
    with opened(home, password=hash_password(RIGHT)) as visitor:
        visitor.get("/")
        visitor.press("Enter", password=RIGHT)
        assert visitor.get("/overview.json").status_code == 200
        assert visitor.session.get(f"{visitor.url}/api/overview", timeout=30).status_code == 401
        token = {"authorization": f"Bearer {TOKEN}"}
        assert requests.get(f"{visitor.url}/desk/overview.json", headers=token, timeout=30).status_code == 401
        assert requests.get(f"{visitor.url}/api/overview", headers=token, timeout=30).status_code == 200


def test_without_a_token_it_says_how_it_is_opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(load(home / "config.yaml"))
    with started(web.app(home / "output", routes=api.mount(desk, app.PAGES, app.ACTS))) as port:

        def ask() -> requests.Response:
            headers = {"authorization": f"Bearer {TOKEN}"}
            return requests.get(f"http://127.0.0.1:{port}/api/overview", headers=headers, timeout=30)

        assert (ask().status_code, ask().json()["detail"]) == (
            403,
            "The API is closed. To open it, give the config an api: with a token (docs/api.md).",
        )
        allow(home, "${API_TOKEN}")
        assert "API_TOKEN" in ask().json()["detail"]
        monkeypatch.setitem(os.environ, "API_TOKEN", "short")
        assert "short" not in ask().text
        assert ask().status_code == 403
        monkeypatch.setitem(os.environ, "API_TOKEN", TOKEN)
        assert ask().status_code == 200


def test_a_token_is_long_and_never_shown() -> None:
    for wrong in ("short", "none", "a token with spaces", "$API_TOKEN"):
        with pytest.raises(ConfigError, match=r"^config.yaml:1: api.token: ") as caught:
            check(f"api: {{token: '{wrong}'}}", "config.yaml")
        assert wrong not in str(caught.value).replace("or is ${NAME}", "") or wrong == "none"
    assert check("api: {token: '${API_TOKEN}'}", "config.yaml").api.token == "${API_TOKEN}"  # noqa: S105
    assert mask_config(f"api: {{token: {TOKEN}}}") == "api: {token: …}"
    with pytest.raises(ConfigError, match="path of serve itself"):
        check("feeds: {api: {title: A, sources: {}}}", "config.yaml")


def test_the_description_is_valid_and_complete(program: Program) -> None:
    described = program.description
    assert described["openapi"] == "3.1.0"
    names = [each["operationId"] for path in described["paths"].values() for each in path.values()]
    assert len(names) == len(set(names))
    for schema in described["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    references = re.findall(r'"\$ref": "#/components/(\w+)/([^"]+)"', program.seen[0])
    assert [name for kind, name in references if name not in described["components"][kind]] == []
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"].endswith("."), path
            given = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
            assert given == set(re.findall(r"{(\w+)}", path))
            assert ("requestBody" in operation) == (method == "post")
    offered = {path.removeprefix("/api") for path in described["paths"]}
    tables = [*app.PAGES, *app.ACTS]
    assert offered == {each.path for each in tables if each.in_api} | {"/feeds/{feed}/decisions"}
    assert "/add/outline" not in offered


# Without what an earlier request found, previewed or did, these have nothing to do.
NEED_MORE = {"post_add_write", "post_import_write", "post_moves_undo", "post_feeds_feed_sources_source_move"}

VALUES = {
    "field": "title",
    "value": "Ciabatta",
    "reason": "twice",
    "wanted": "publish",
    "verdict": "different",
    "entries": "topic/new",
    "url": "http://127.0.0.1:1/feed.xml",
    "text": "<opml version='2.0'><body/></opml>",
    "address": "https://a.example/list.opml",
    "found": "x",
    "draft": "x",
    "number": "x",
}


def test_every_operation_answers_as_it_is_described(program: Program) -> None:
    """Each is sent twice: with what it needs, and for a feed that is not there with a name that means nothing."""
    pair, guid = program.get(f"{FEED}/decisions")["open"][0], program.get(f"{FEED}?mark=several")["items"][0]["guid"]
    entries = [each["id"] for each in program.get(f"{FEED}/item?guid={requests.utils.quote(guid, safe='')}")["entries"]]
    own = {"guid": guid, "left": pair[0], "right": pair[1], "entry": entries[0], "others": "\n".join(entries[1:])}
    given = {**VALUES, **own}
    program.wait(program.do(f"{FEED}/refresh"))
    names = {"feed": "crumb-talk", "source": "topic", "number": "1"}
    statuses = {}
    for path, method, operation in program.list_operations():
        where = [path.format(**names), path.format(**{**names, "feed": "nothing", "number": "9"})]
        if method == "GET":
            needed = [each["name"] for each in operation["parameters"] if each["in"] == "query" and each["required"]]
            query = "&".join(f"{name}={requests.utils.quote(given[name], safe='')}" for name in needed)
            answers = [program.ask("GET", f"{where[0]}?{query}"), program.ask("GET", f"{where[1]}?nope=1")]
        else:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            fields = {name: given[name] for name in schema["required"]}
            if path.endswith(("/settings/preview", "/settings/save")):
                fields = program.fill_settings(where[0].rpartition("/")[0])
            answers = [program.ask("POST", where[0], fields), program.ask("POST", where[1], {"nope": "1"})]
            if answers[0].status_code == 202:
                program.wait(answers[0].json())
        for answer in answers:
            program.validate(operation, answer)
        statuses[operation["operationId"]] = answers[0].status_code
    assert {name for name, status in statuses.items() if status not in (200, 202)} == NEED_MORE, statuses
    assert not any(TOKEN in text for text in program.seen)


def test_an_act_and_what_undoes_it(program: Program) -> None:
    item = program.get(FEED)["items"][0]
    page = f"{FEED}/item?guid={requests.utils.quote(item['guid'], safe='')}"
    done = program.do(
        f"{FEED}/item/set", guid=item["guid"], field="title", value="Ciabatta", seen=program.get(page)["seen"]
    )
    assert done == {
        "message": "title is set from the next refresh on.",
        "page": page,
        "undo": {"path": f"{FEED}/item/unset", "fields": {"guid": item["guid"], "field": "title"}},
    }
    assert program.get(f"{FEED}/decisions")["fields"] == [{"guid": item["guid"], "field": "title", "value": "Ciabatta"}]
    refused = program.ask(
        "POST", f"{FEED}/item/set", {"guid": item["guid"], "field": "title", "value": "X", "seen": "0"}
    )
    assert (refused.status_code, refused.json()["title"]) == (409, "Conflict")
    started_ = program.ask("POST", f"{FEED}/refresh")
    assert started_.status_code == 202
    assert program.wait(started_.json())["code"] == 0
    assert "Ciabatta" in {each["title"] for each in program.get(FEED)["items"]}
    back = program.undo(done)
    assert program.get(f"{FEED}/decisions")["fields"] == []
    program.undo(back)
    assert program.get(f"{FEED}/decisions")["fields"][0]["value"] == "Ciabatta"
    out = program.do(f"{FEED}/item/out", guid=item["guid"], reason="twice")
    assert program.get(f"{FEED}/decisions")["removed"] == {item["guid"]: "twice"}
    program.undo(out)
    assert program.get(f"{FEED}/decisions")["removed"] == {}


def test_a_pair_is_decided_as_at_the_desk(program: Program) -> None:
    (pair,) = program.get(f"{FEED}/decisions")["open"]
    assert program.get(f"{FEED}/review")["left"]["id"] in pair
    both = {"left": pair[0], "right": pair[1]}
    assert program.ask("POST", f"{FEED}/review/decide", {**both, "verdict": "smae"}).status_code == 422
    held = {"entries": pair[0], "wanted": "publsh"}
    assert (
        program.ask("POST", f"{FEED}/review/held", held).json()["detail"]
        == 'wanted may be publish, never, wait, not "publsh"'
    )
    asked = program.do(f"{FEED}/review/decide", **both, verdict="same")
    assert asked["message"] == "Nothing is changed yet: the page says what was found."
    assert program.get(asked["page"])["lines"]
    done = program.do(f"{FEED}/review/decide", **both, verdict="same", shown="1")
    found = program.get(f"{FEED}/decisions")
    assert found["open"] == []
    assert [each["verdict"] for each in found["pairs"]] == ["same"]
    program.undo(done)
    assert program.get(f"{FEED}/decisions")["pairs"] == []


def test_a_feed_is_removed_and_comes_back(program: Program, home: Path) -> None:
    before = (home / "config.yaml").read_bytes()
    done = program.do(f"{FEED}/remove")
    assert program.get(done["page"])["feeds"] == []
    assert program.ask("GET", FEED).status_code == 404
    program.undo(done)
    assert (home / "config.yaml").read_bytes() == before


def test_bodies_are_json_objects_of_texts_within_the_limits_of_the_desk(program: Program) -> None:
    token, url = {"authorization": f"Bearer {TOKEN}"}, f"{program.url}{FEED}/item/set"
    json = {**token, "content-type": "application/json"}
    for body, headers, status in (
        ("guid=1", token, 415),
        ("guid=1", {**token, "content-type": "application/x-www-form-urlencoded"}, 415),
        ("{", json, 400),
        ("[]", json, 400),
        ('{"guid": 1}', json, 400),
        ("[" * 10_000, json, 400),
        (iter([b"{}"]), token, 415),
        ("{}", json, 422),
        ("", json, 422),
        ('{"guid": "%s"}' % ("x" * 1_000_000), json, 413),
    ):
        answer = requests.post(url, data=body, headers=headers, timeout=30)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
        assert answer.json()["status"] == status
    assert "guid, field, value" in requests.post(url, headers=token, timeout=30).json()["detail"]
    assert program.ask("PUT", f"{FEED}/item/set").status_code == 405
    assert program.ask("GET", "/api/").status_code == 404
    assert requests.get(f"{program.url}/api", headers=token, timeout=30).url == f"{program.url}/api/openapi.json"


def test_the_recipe_of_the_documentation_works(program: Program) -> None:
    for command in ("curl", "jq"):
        need(command)
    recipe = (ROOT / "docs/api.md").read_text().partition("```sh\n")[2].partition("```")[0]
    assert "API=http://localhost:8000/api" in recipe
    script = recipe.replace("http://localhost:8000", program.url).replace("my-show", "crumb-talk")
    env = {"PATH": os.environ["PATH"], "API_TOKEN": TOKEN}
    done = subprocess.run(["sh", "-euc", script], env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "The decision is taken back." in done.stdout
    assert [each["verdict"] for each in program.get(f"{FEED}/decisions")["pairs"]] == []
