"""`notify`: trouble is told once when it begins and once when it is over, to a server on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator import notify
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.model.feed import SourceResult
from aggregator.model.results import Outcome, Publication
from aggregator.model.source import Source, SourceStatus
from aggregator.store import database
from aggregator.store.database import Store
from tests.support.config import make_feed, write_config
from tests.support.program import run_program

VALUE = "hush/and silence"


class Hook:
    """A server that takes messages, or refuses them with another status."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.tokens: list[str | None] = []
        self.status = 200
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if hook.status == 200:
                    hook.messages.append(body["message"])
                hook.tokens.append(self.headers["X-Token"])
                self.send_response(hook.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"json://127.0.0.1:{self.server.server_port}/?+X-Token=${{HOOK_TOKEN}}"

    def take(self) -> list[str]:
        taken, self.messages = "\n".join(self.messages).splitlines(), []
        return taken


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    monkeypatch.setenv("HOOK_TOKEN", VALUE)
    made = Hook()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def config(tmp_path: Path, hook: Hook) -> Config:
    feed = make_feed("Sea", {"host": "https://host.example/"})
    return load(write_config(tmp_path, {"sea": feed}, notify=[hook.address], notify_after=2))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with database.open_store(str(tmp_path / "store.db")) as opened:
        yield opened


def outcome(status: SourceStatus = "ok", **more: int) -> Outcome:
    source_result = SourceResult(Source("host", "feed"), status, "timed out")
    return Outcome("sea", (source_result,), Publication("", **{"items": 20, **more}))


FAILED = "sea: source host: failed; using earlier entries (timed out)"
AGAIN = "sea: well again: source host: failed; using earlier entries (timed out)"


def test_a_source_that_fails_is_told_once_and_once_when_it_is_well(config: Config, store: Store, hook: Hook) -> None:
    states: list[SourceStatus] = ["ok", "cached", "not due", "cached", "cached", "not due", "unchanged", "ok", "cached"]
    told = []
    for state in states:
        assert notify.send_news(config, store, [outcome(state)]) == ()
        told.append(hook.take())
    assert told == [[], [], [], [FAILED], [], [], [AGAIN], [], []]
    assert set(hook.tokens) == {VALUE}


def test_every_other_trouble_is_told_at_once(config: Config, store: Store, hook: Hook) -> None:
    notify.send_news(config, store, [outcome()])
    notify.send_news(config, store, [outcome("held back", near_misses=2, items=17)])
    held = "source host: newest listing held back; using earlier entries (timed out)"
    near = "near misses that wait for a decision: 2; run aggregator review"
    less = "the feed shrank from 20 items to 17"
    assert hook.take() == [f"sea: {line}" for line in (held, near, less)]
    notify.send_news(config, store, [outcome("held back", near_misses=3, items=18)])
    assert hook.take() == [f"sea: well again: {less}"]
    notify.send_news(config, store, [outcome()])
    assert hook.take() == [f"sea: well again: {line}" for line in (held, near)]


def test_a_message_that_nobody_takes_is_sent_again_and_tells_no_secret(
    config: Config, store: Store, hook: Hook, caplog: pytest.LogCaptureFixture
) -> None:
    hook.status = 500
    (fault,) = notify.send_news(config, store, [outcome(near_misses=1)])
    assert fault == "notify: address 1 (json://…): the message was not taken; tried again at the next refresh"
    assert caplog.text == ""
    hook.status = 200
    assert notify.send_news(config, store, [outcome(near_misses=1)]) == ()
    hook.status = 500
    assert notify.send_news(config, store, [outcome()]) == (fault,)
    hook.status = 200
    notify.send_news(config, store, [outcome()])
    assert [line.split(": ")[1] for line in hook.take()] == [
        "near misses that wait for a decision",
        "well again",
    ]
    two = replace(config, notify=("json://127.0.0.1:1/", *config.notify))
    assert len(notify.send_news(two, store, [outcome(near_misses=1)])) == 1
    assert notify.send_news(two, store, [outcome(near_misses=1)]) == (), "one has taken it"


def test_the_program_tells_and_check_finds_addresses_that_cannot_be_used(tmp_path: Path, hook: Hook) -> None:
    shop = Path(__file__).parents[1] / "commands/data"
    sources = "".join(f"\n      {name}: {{kind: listing, path: '{shop / name}.txt'}}" for name in ("topic", "numbered"))
    rest = f"feeds:\n  sea:\n    title: Sea\n    sources:{sources}\n"
    config = tmp_path / "config.yaml"
    config.write_text(f"notify: ['{hook.address}']\n{rest}")
    hook.status = 500
    done = run_program(tmp_path, "refresh", "--at", "2026-01-02T03:04:05Z")
    assert done.returncode == 0
    assert "aggregator: sea: notify: address 1 (json://…): the message was not taken" in done.stderr
    hook.status = 200
    assert run_program(tmp_path, "diff").returncode == 0
    assert hook.take() == [], "a dry run tells nobody"
    done = run_program(tmp_path, "refresh", "--at", "2026-01-02T03:04:05Z")
    assert (done.returncode, done.stderr) == (0, "")
    assert hook.take() == ["sea: near misses that wait for a decision: 1; run aggregator review"]
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"hush" in body for body in [*written, done.stdout.encode()])
    config.write_text(f"notify: ['nonsense://secret', '{hook.address}', 'json://${{NO_SUCH}}@x']\n{rest}")
    done = run_program(tmp_path, "check")
    assert done.returncode == 2
    unknown, missing = (line.partition("(")[2] for line in done.stderr.splitlines())
    assert unknown == "nonsense://…): Apprise knows no such service, or the address lacks something"
    assert missing.startswith("json://…): the environment variable NO_SUCH is not set; set it, or set NO_SUCH_FILE")
