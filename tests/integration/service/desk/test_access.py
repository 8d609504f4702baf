"""Who may enter, and which forms are believed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from aggregator.config.load import check
from aggregator.config.settings import DeskAccess
from aggregator.errors import ConfigError
from aggregator.service import web
from aggregator.service.desk import access
from aggregator.service.desk.access import AccessRequest, judge
from aggregator.service.desk.app import ACTS, _Turn, mount_closed
from tests.integration.service.conftest import started
from tests.integration.service.desk.conftest import Visitor, opened

RIGHT, WRONG = "open sesame", "sesame"
REFRESH = "/desk/feeds/crumb-talk/refresh"


def asks(peer: str = "127.0.0.1", version: str = "1.1", **headers: str) -> AccessRequest:
    return AccessRequest(
        peer, version, {"host": "localhost:8000", **{k.replace("_", "-"): v for k, v in headers.items()}}
    )


@pytest.mark.parametrize(
    ("request_", "enters"),
    [
        (asks(), True),
        (asks("::1", host="[::1]:8000"), True),
        (asks("192.0.2.1"), False),
        (asks(host="rebound.example:8000"), False),
        (asks(x_forwarded_for="127.0.0.1"), False),
        (asks(version="1.0"), False),
        (asks("192.0.2.1", x_forwarded_for="127.0.0.1"), False),
    ],
)
def test_without_a_password_only_a_person_at_this_machine_enters(request_: AccessRequest, *, enters: bool) -> None:
    assert judge(DeskAccess(), request_, in_session=False).enters is enters


def test_a_header_counts_from_the_networks_of_the_proxy_alone() -> None:
    trusted = DeskAccess(trusted_header="Remote-User", trusted_networks=("172.18.0.0/16",))
    assert judge(trusted, asks("172.18.0.2", remote_user="ann"), in_session=False).enters
    for stranger in (
        asks("172.19.0.2", remote_user="ann"),
        asks("172.18.0.2"),
        asks(remote_user="ann"),
        asks("172.19.0.2", remote_user="ann", x_forwarded_for="172.18.0.2"),
    ):
        assert not judge(trusted, stranger, in_session=False).enters


def test_elsewhere_than_on_loopback_the_desk_needs_a_password_or_a_proxy() -> None:
    hashed = access.hash_password("x")
    for host in ("0.0.0.0", "192.0.2.1", "example.org", ""):  # noqa: S104
        assert not access.may_open(DeskAccess(), host)
        assert access.may_open(DeskAccess(password=hashed), host)
    assert access.may_open(DeskAccess(), "::1")
    with pytest.raises(ConfigError, match="need each other"):
        check("desk: {trusted_header: Remote-User}\nfeeds: {}", "config.yaml")
    assert check(f"desk: {{password: '{hashed}'}}", "config.yaml").desk.password == hashed


def test_pages_are_protected_and_acts_are_not_done_by_get(looker: Visitor) -> None:
    answer = looker.get("/")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert answer.headers["cache-control"] == "no-store"
    cookie = looker.session.get(f"{looker.url}/desk/", cookies={"aggregator_desk": ""}, timeout=30)
    assert "HttpOnly" in cookie.headers["set-cookie"]
    assert "SameSite=lax" in cookie.headers["set-cookie"]
    for act in ACTS:
        path = act.path.format(feed="crumb-talk", source="topic", number=1)
        assert looker.get(path).status_code in (200, 404, 405), path
    assert looker.desk.jobs.running() == ()
    missing = looker.get("/nothing")
    assert missing.status_code == 404
    assert "the desk has no such page" in missing.text
    assert '<a href="/desk/review">' in missing.text
    assert looker.session.get(f"{looker.url}/desk/nothing.json", timeout=30).json()["title"] == "Not found"
    assert looker.get("").url == f"{looker.url}/desk/"


def test_a_closed_desk_says_how_it_is_opened(refreshed: Path) -> None:
    with started(web.app(refreshed / "output", routes=mount_closed())) as port:
        for path in ("/desk", "/desk/", "/desk/feeds/crumb-talk"):
            answer = requests.get(f"http://127.0.0.1:{port}{path}", timeout=30)
            assert answer.status_code == 403
            assert "To open the desk at this address, start the server with --desk-password" in answer.text
        german = requests.get(f"http://127.0.0.1:{port}/desk/", headers={"accept-language": "de"}, timeout=30)
        assert german.text.startswith(
            "Die Verwaltung ist geschlossen. Um die Verwaltung unter dieser Adresse zu öffnen"
        )
        assert german.headers["content-language"] == "de"
        assert requests.post(f"http://127.0.0.1:{port}/desk/login", timeout=30).status_code == 403


def test_a_form_without_its_token_or_from_elsewhere_does_nothing(looker: Visitor) -> None:
    looker.get("/")
    token = looker.forms()[0]["token"]
    assert looker.post(REFRESH).status_code == 403
    assert looker.post(REFRESH, token="0" * 64).status_code == 403
    assert looker.post(REFRESH, {"origin": "https://evil.example"}, token=token).status_code == 403
    assert looker.post(REFRESH, {"sec-fetch-site": "cross-site"}, token=token).status_code == 403
    other = Visitor(looker.url, looker.desk)
    other.get("/")
    assert other.post(REFRESH, token=token).status_code == 403
    assert looker.desk.jobs.newest("refresh", "crumb-talk") is None


def test_with_a_password_nothing_is_seen_before_it_and_few_are_tried(refreshed: Path) -> None:
    with opened(refreshed, password=access.hash_password(RIGHT)) as visitor:
        for path in ("/overview.json", "/feeds/crumb-talk", "/jobs/1/events", "/"):
            answer = visitor.get(path)
            assert answer.status_code == 401
            assert "Crumb" not in answer.text
            assert "<nav" not in answer.text
        assert visitor.press("Enter", password=WRONG).status_code == 401
        before = visitor.session.cookies["aggregator_desk"]
        assert visitor.press("Enter", password=RIGHT).status_code == 200
        assert "Crumb Talk" in visitor.get("/").text
        assert visitor.session.cookies["aggregator_desk"] != before
        visitor.press("Log out")
        assert visitor.get("/").status_code == 401
        for _ in range(5):
            visitor.press("Enter", password=WRONG)
        assert visitor.press("Enter", password=RIGHT).status_code == 429


def test_strangers_lock_out_neither_strangers_of_other_addresses_nor_a_known_browser(refreshed: Path) -> None:
    with opened(refreshed, password=access.hash_password(RIGHT)) as visitor:
        sessions = visitor.desk.sessions
        sessions.wrong = {f"192.0.2.{number}": [time.monotonic()] * 5 for number in range(10)}
        visitor.get("/")
        began = time.monotonic()
        assert visitor.press("Enter", password=RIGHT).status_code == 200
        assert time.monotonic() - began > 1  # fifty wrong ones of others: a second
        visitor.press("Log out")
        sessions.wrong["127.0.0.1"] = [time.monotonic()] * 5  # its own address, as behind a proxy
        assert visitor.press("Enter", password=RIGHT).status_code == 200
        visitor.press("Log out")
        stranger = Visitor(visitor.url, visitor.desk)
        stranger.get("/")
        stranger.session.cookies.set(access.KNOWN, access.make_known("another password"))
        assert stranger.press("Enter", password=RIGHT).status_code == 429


def test_a_new_client_gets_in_before_those_who_gave_wrong_passwords(
    refreshed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "MOST_WAITING", 0)
    with opened(refreshed, password=access.hash_password(RIGHT)) as visitor:
        visitor.get("/")
        assert visitor.press("Enter", password=RIGHT).status_code == 503
        assert visitor.desk.sessions.wrong["127.0.0.1"] == []  # what was not tested does not count
    monkeypatch.setattr(access, "MOST_WAITING", 1)

    async def wait_together() -> list[bool]:
        turn = _Turn()
        return await asyncio.gather(turn.wait(3, 0.05), turn.wait(0, 0.05), turn.wait(0, 0.05), turn.wait(4, 0.05))

    assert asyncio.run(wait_together()) == [False, True, False, False]


def test_wrong_passwords_are_counted_by_network_or_known_browser() -> None:
    known = access.make_known("hash")
    names = {
        access.name_client("hash", cookie, peer)
        for cookie, peer in ((known, "::1"), (known, "192.0.2.1"), (known, "192.0.2.2"))
    }
    assert len(names) == 1
    assert access.is_known(names.pop())
    for cookie in ("", ".", "known", f"x{known}", known[:-1], f"{known}é", "é.é", known.replace(".", "..")):
        assert access.name_client("hash", cookie, "::ffff:192.0.2.1") == "192.0.2.1"
    assert access.name_client("other", known, "2001:db8::5%eth0") == "2001:db8::/64"
    assert access.name_client("hash", "", "2001:db8::1:0:0:0:1") == access.name_client(
        "hash", "", "2001:db8::1:0:0:0:2"
    )
    sessions = access.Sessions()
    waits = [sessions.begin_try(f"192.0.2.{number % 250}") for number in range(1250)]
    assert waits[0] == (0, 0)
    assert waits[50] == (0, 1)
    assert waits[1249] == (4, 20)  # at most
    assert sessions.begin_try("known browser") == (0, 0)
    assert [sessions.begin_try("192.0.2.251") is None for _ in range(6)] == [False] * 5 + [True]


def test_a_refresh_is_a_process_of_its_own_and_its_lines_are_seen(visitor: Visitor) -> None:
    visitor.get("/")
    assert "Refresh of Crumb Talk" in visitor.press("Refresh now").text
    end = time.monotonic() + 120
    with visitor.session.get(f"{visitor.page.url}/events", stream=True, timeout=120) as events:
        lines = [line for line in events.iter_lines(decode_unicode=True) if line]
    assert time.monotonic() < end
    assert "data: crumb-talk: topic: fetch" in lines or any("topic" in line for line in lines)
    assert lines[-2:] == ["event: ended", "data: 0"]
    job = visitor.json("/jobs/1.json")
    assert (job["code"], job["kind"]) == (0, "refresh")
    assert visitor.get("/jobs/9").status_code == 404


def test_passwords_that_are_sent_at_once_count_one_after_another(refreshed: Path) -> None:
    with opened(refreshed, password=access.hash_password(RIGHT)) as visitor:
        visitor.get("/")
        form = visitor.forms()[0]
        cookies = visitor.session.cookies.get_dict()

        def send(number: int) -> int:
            fields = {"token": form["token"], "password": f"{WRONG} {number}"}
            return requests.post(visitor.url + form["action"], data=fields, cookies=cookies, timeout=60).status_code

        with ThreadPoolExecutor(20) as pool:
            assert Counter(pool.map(send, range(20))) == {401: 5, 429: 15}


def test_a_refusal_leads_back_to_the_page_of_its_form(looker: Visitor) -> None:
    looker.get("/feeds/crumb-talk/settings?draft=1&notice=2")
    token, here = looker.forms()[0]["token"], "/desk/feeds/crumb-talk/settings?draft=1"
    for referer, back in (
        (looker.page.url, here),
        ('https://evil.example/desk/"x', "/desk/&#34;x"),
        ("https://evil.example/", "/desk/"),
        ("http://[", "/desk/"),
        ("", "/desk/"),
    ):
        page = looker.post("/desk/import/write", {"referer": referer}, token=token).text
        assert f'<a href="{back}">Back to the page of the form</a>' in page, referer
