"""New items are told once they are published: by a message each and by a signed call, once, again until it is taken."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from aggregator import announcements
from tests.support.config import make_feed, write_config
from tests.support.origin import Request, Site, serving
from tests.support.program import PROGRAM, run_program
from tests.support.receiver import Receiver, receiving
from tests.support.rss import make_rss
from tests.support.workspace import make_item

KEY = bytes(range(24))
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"


@dataclass(kw_only=True)
class Audience(Receiver):
    """A program and a person, who keep what they took with 200."""

    calls: list[dict] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    messages: list[tuple[str, str]] = field(default_factory=list)

    def take(self, request: Request) -> None:
        body = json.loads(request.body)
        if request.path == "/hook":
            name, at = request.get("webhook-id"), request.get("webhook-timestamp")
            signed = hmac.new(KEY, f"{name}.{at}.".encode() + request.body, hashlib.sha256).digest()
            assert request.get("webhook-signature") == f"v1,{base64.b64encode(signed).decode()}"
            self.ids.append(name)
        if self.status == 200:
            if request.path == "/hook":
                self.calls.append(body)
            else:
                self.messages.append((body["title"], body["message"]))


@pytest.fixture
def receiver() -> Iterator[Audience]:
    with receiving(Audience()) as made:
        yield made


@pytest.fixture
def site(tmp_path: Path, receiver: Audience, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    address = receiver.url("")
    with serving(Site()) as opened:
        opened.serve("/feed", make_rss(*(make_item(n) for n in range(30))))
        hook = {"webhook": f"{address}/hook", "webhook_secret": "${HOOK_SECRET}"}
        message = {"new": f"json{address.removeprefix('http')}/say"}
        feed = make_feed("Talk", {"host": opened.url("/feed")}, **hook, notify=message)
        write_config(tmp_path, {"talk": feed}, base_url="https://feeds.example")
        yield opened


def refresh(folder: Path, hour: int, *words: str) -> str:
    done = run_program(folder, "refresh", "--force", "--at", f"2026-01-02T{hour:02}:00:00Z", *words)
    assert done.returncode == 0, done.stderr
    return done.stderr


def list_items(numbers: range) -> str:
    return make_rss(*(make_item(n) for n in numbers))


def titles(receiver: Audience) -> list[str]:
    return [call["data"]["item"]["title"] for call in receiver.calls if call["type"] == "item.published"]


def test_a_first_listing_is_one_message_and_each_new_item_one_more(
    tmp_path: Path, site: Site, receiver: Audience
) -> None:
    assert refresh(tmp_path, 1) == ""
    assert [call["type"] for call in receiver.calls] == ["feed.published"]
    assert receiver.calls[0]["data"]["items"] == 30
    assert receiver.messages == [("Talk", "Talk begins with 30 items\nhttps://feeds.example/talk/feed.json")]

    site.serve("/feed", list_items(range(32)))
    assert refresh(tmp_path, 2) == ""
    new = [call["data"]["item"] for call in receiver.calls[1:]]
    published = json.loads((tmp_path / "output/talk/feed.json").read_text())["items"]
    assert new == [each for each in reversed(published) if each["id"] in {one["id"] for one in new}]
    assert len(new) == 2
    assert [title for title, _ in receiver.messages[1:]] == [f"Talk: {each['title']}" for each in new]
    assert new[0]["attachments"][0]["url"] in receiver.messages[1][1]

    assert refresh(tmp_path, 3) == ""
    assert (len(receiver.calls), len(receiver.messages)) == (3, 3), "once each"
    assert len(set(receiver.ids)) == 3


def test_what_was_not_taken_is_told_again_with_the_same_id(tmp_path: Path, site: Site, receiver: Audience) -> None:
    refresh(tmp_path, 1)
    receiver.status = 503
    site.serve("/feed", list_items(range(31)))
    told = refresh(tmp_path, 2)
    assert "aggregator: talk: webhook http://127.0.0.1:" in told
    assert "it answers 503; tried again at the next refresh" in told
    assert "notify: address 1 (json://…): the message was not taken" in told
    assert len(receiver.calls) == len(receiver.messages) == 1
    receiver.status = 200
    assert refresh(tmp_path, 3) == ""
    assert len(receiver.calls) == len(receiver.messages) == 2
    assert receiver.ids[1] == receiver.ids[2]

    receiver.status = 503
    site.serve("/feed", list_items(range(32)))
    refresh(tmp_path, 4)
    done = run_program(tmp_path, "refresh", "--force", "--at", "2026-01-06T00:00:00Z")
    assert "503" in done.stderr
    count = len(receiver.ids)
    run_program(tmp_path, "refresh", "--force", "--at", "2026-01-06T01:00:00Z")
    assert len(receiver.ids) == count, "three days are enough"


def test_many_new_items_are_one_message_and_all_their_calls(tmp_path: Path, site: Site, receiver: Audience) -> None:
    refresh(tmp_path, 1)
    site.serve("/feed", list_items(range(75)))
    refresh(tmp_path, 2)
    assert [title for title, _ in receiver.messages[1:]] == ["Talk: 45 new items"]
    assert receiver.messages[1][1].endswith("and 40 more")
    assert len(titles(receiver)) == 30
    refresh(tmp_path, 3)
    assert len(titles(receiver)) == len(set(titles(receiver))) == 45
    assert len(receiver.messages) == 2


def test_a_preview_tells_nobody(tmp_path: Path, site: Site, receiver: Audience) -> None:
    refresh(tmp_path, 1)
    site.serve("/feed", list_items(range(31)))
    done = run_program(tmp_path, "diff", "--force", "--at", "2026-01-02T02:00:00Z")
    assert done.stdout.count("added") == 1
    assert len(receiver.calls) == len(receiver.messages) == 1


def test_a_killed_refresh_is_made_good_by_the_next(tmp_path: Path, site: Site, receiver: Audience) -> None:
    refresh(tmp_path, 1)
    site.serve("/feed", list_items(range(31)))
    receiver.door.clear()
    receiver.came.clear()
    words = [*PROGRAM, "refresh", "--force", "--at", "2026-01-02T02:00:00Z"]
    child = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert receiver.came.wait(180)
    child.kill()
    child.wait(180)
    receiver.status = 503
    receiver.door.set()
    receiver.status = 200
    refresh(tmp_path, 3)
    assert len(titles(receiver)) >= 1
    assert len(set(titles(receiver))) == 1


def test_a_call_is_signed_as_the_specification_s_example() -> None:
    """The example of Standard Webhooks' libraries, with the signature that they all give."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    fields = announcements.sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert fields[-1] == ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")


def test_check_names_the_secrets_that_are_missing(tmp_path: Path) -> None:
    hook = {"webhook": "https://a.example/${HOOK_PATH}", "webhook_secret": "${HOOK_KEY}"}
    pings = [{"url": "https://b.example/", "token": "${PING_KEY}"}]
    write_config(tmp_path, {"talk": make_feed("Talk", {"host": "https://c.example/"}, **hook, pings=pings)})
    done = run_program(tmp_path, "check")
    assert done.returncode == 2
    told = re.findall(r"(feeds\.talk\.\S+): the environment variable (\w+) is not set", done.stderr)
    assert told == [
        ("feeds.talk.webhook", "HOOK_PATH"),
        ("feeds.talk.webhook_secret", "HOOK_KEY"),
        ("feeds.talk.pings[0]", "PING_KEY"),
    ]
