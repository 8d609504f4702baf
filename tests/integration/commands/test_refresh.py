from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from aggregator.store import connection
from tests.support.program import PROGRAM

AT = ("--at", "2026-01-02T03:04:05Z")
FILES = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "index.html", "report.json")


def test_a_refresh_says_what_it_did(run, shop: Path) -> None:
    answer = run("refresh", *AT)
    assert (answer.returncode, answer.stderr) == (0, "")
    said = re.sub(r"\d+ repaired, 1 near miss", "some repaired, one near", answer.stdout)
    assert said.splitlines()[:2] == [
        "crumb-talk",
        "  6 entries → 4 items (4 episodes, 0 posts): 2 duplicates merged, 4 new, 0 changed, some repaired, one near",
    ]
    assert said.splitlines()[6:8] == ["  numbered  3 entries read", "  topic     3 entries read"]
    assert "written:" not in said
    assert said.count("\n  new: ") == 4
    assert said.splitlines()[-2:] == [
        "  podcast.xml is empty: no source gives audio; subscribe to feed.xml, or add one that does: aggregator add",
        "  1 near miss to decide about: run aggregator review",
    ]
    assert all((shop / "output/crumb-talk" / name).exists() for name in FILES)


def test_pages_are_in_the_languages_and_the_zone_of_the_config(run, shop: Path) -> None:
    config = shop / "config.yaml"
    config.write_text(f"timezone: Asia/Tokyo\nlanguages: [en, de, ja]\n{config.read_text()}")
    assert run("refresh", *AT).returncode == 0
    pages = {path.name for path in (shop / "output").rglob("*.html")}
    assert pages == {f"{name}{ending}.html" for name in ("index", "changes") for ending in ("", ".de", ".ja")}
    assert "Zuletzt geändert am" in (shop / "output/crumb-talk/index.de.html").read_text()
    assert " 12:04 JST" in (shop / "output/crumb-talk/index.ja.html").read_text()
    config.write_text(config.read_text().replace("[en, de, ja]", "[en, ja]"))
    assert run("refresh", *AT).returncode == 0
    assert [path.name for path in (shop / "output").rglob("*.de.html*")] == []


def test_the_second_refresh_changes_nothing(run, shop: Path) -> None:
    run("refresh", *AT)
    before = {file: file.read_bytes() for file in (shop / "output").rglob("*") if file.is_file()}
    answer = run("refresh", *AT)
    assert "0 new, 0 changed" in answer.stdout
    assert "  topic     unchanged, 3 entries stored" in answer.stdout.splitlines()
    assert "\n  written: nothing\n" in run("refresh", "-v", *AT).stdout
    assert before == {file: file.read_bytes() for file in (shop / "output").rglob("*") if file.is_file()}


def test_a_source_that_is_not_due_says_when_it_will_be(run, shop: Path, free_port: int) -> None:
    config = shop / "config.yaml"
    place = f"url: 'http://127.0.0.1:{free_port}/', snapshot: topic.txt"
    config.write_text(config.read_text("utf-8").replace("path: topic.txt", place), encoding="utf-8")
    run("refresh", *AT)
    answer = run("refresh", *AT)
    assert "  topic     failed; using a saved copy" in answer.stdout.splitlines()
    assert re.search(r"\n  next asked 2026-01-02 \d\d:\d\d UTC \(it failed\): topic\n", answer.stdout)


@pytest.mark.usefixtures("shop")
def test_a_machine_gets_json_alone(run) -> None:
    answer = run("refresh", "--json", *AT)
    (outcome,) = json.loads(answer.stdout)
    assert (outcome["feed"], outcome["items"], outcome["new"], outcome["near_misses"]) == ("crumb-talk", 4, 4, 1)
    assert [(source["name"], source["state"], source["entries"]) for source in outcome["sources"]] == [
        ("numbered", "ok", 3),
        ("topic", "ok", 3),
    ]
    assert {"name": "crumb-talk/podcast.xml", "changed": True} in outcome["files"]


def test_quiet_says_only_what_is_wrong(run, shop: Path) -> None:
    assert run("refresh", "--quiet", *AT).stdout == ""
    (shop / "topic.txt").unlink()
    answer = run("refresh", "--quiet", *AT)
    assert answer.stdout == ""
    assert answer.stderr.startswith("aggregator: crumb-talk: topic: ")


@pytest.mark.usefixtures("shop")
def test_verbose_says_every_step(run) -> None:
    lines = run("refresh", "--verbose", *AT).stdout.splitlines()
    assert "crumb-talk: topic: read" in lines
    assert "crumb-talk: compose" in lines


def test_a_silent_source_is_a_warning_and_strict_makes_it_1(run, shop: Path) -> None:
    (shop / "topic.txt").write_bytes(b"")
    for words, code in (((), 0), (("--strict",), 1)):
        answer = run("refresh", *AT, *words)
        assert answer.returncode == code
        assert "aggregator: crumb-talk: topic: failed" in answer.stderr
        assert (shop / "output/crumb-talk/feed.json").exists()


def test_an_error_page_is_told_and_the_rest_published(run, shop: Path) -> None:
    (shop / "topic.txt").write_text("<!doctype html><html><head><title>502</title></head><body><h1>Bad Gateway</h1>")
    answer = run("refresh", *AT)
    assert answer.returncode == 0
    assert "aggregator: crumb-talk: topic: failed" in answer.stderr
    assert "3 items" in answer.stdout


def test_nothing_at_all_is_exit_3(run, shop: Path) -> None:
    for name in ("topic.txt", "numbered.txt"):
        (shop / name).unlink()
    answer = run("refresh", *AT)
    assert answer.returncode == 3
    assert "aggregator: nothing could be fetched, and nothing is stored from earlier" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_held_lock_is_exit_4(run, shop: Path) -> None:
    state = shop / ".aggregator/store.db"
    state.parent.mkdir()
    with connection.refresh_lock(str(state), wait=False):
        answer = run("refresh", *AT)
    assert answer.returncode == 4
    assert answer.stderr.startswith("aggregator: ")
    assert len(answer.stderr.splitlines()) == 1


def test_output_that_cannot_be_written_is_one_line_and_nothing_lost(run, shop: Path) -> None:
    (shop / "output").write_text("in the way")
    answer = run("refresh", *AT)
    assert answer.returncode == 1
    assert "Traceback" not in answer.stderr
    (shop / "output").unlink()
    assert "4 items" in run("refresh", *AT).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--feed", "crumb"), 'aggregator: --feed: the config has no feed "crumb"; it has: crumb-talk'),
        (("--at", "yesterday"), '"yesterday" is not a time such as 2024-08-04T01:47:46Z'),
        (("--at", "2026-01-01T00:00:00"), '"2026-01-01T00:00:00" has no time zone'),
        (("--at", "0001-01-01T00:00:00+05:00"), "is not between the years 1970 and 9000"),
        (("--at", "9999-12-31T23:59:59Z"), "is not between the years 1970 and 9000"),
        (("--fore",), "No such option: --fore"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_a_wrong_command_line_is_exit_2(words: tuple[str, ...], said: str, run) -> None:
    answer = run("refresh", *words)
    assert answer.returncode == 2
    assert said in answer.stderr


def test_only_the_named_feed_is_refreshed(run, shop: Path) -> None:
    config = shop / "config.yaml"
    config.write_text(config.read_text() + "  other: {title: Other, sources: {s: {kind: listing, path: no.txt}}}\n")
    answer = run("refresh", "--feed", "crumb-talk", *AT)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert not (shop / "output/other").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_that_waits(number: signal.Signals, run, shop: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/feed"
        config = shop / "config.yaml"
        config.write_text(config.read_text() + f"      slow: {{kind: feed, url: {url}}}\n")
        child = subprocess.Popen(
            (*PROGRAM, "refresh", *AT),
            cwd=shop,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        silent.settimeout(60)
        asked, _ = silent.accept()
        child.send_signal(number)
        said, _ = child.communicate(timeout=180)
        asked.close()
    assert child.returncode == -number
    assert "Traceback" not in said
    config.write_text(config.read_text().replace("slow:", "# slow:"))
    assert "4 items" in run("refresh", *AT).stdout


def drawing(shop: Path, screen: int, *, columns: int) -> subprocess.Popen[bytes]:
    """A refresh that draws on a terminal so wide; the terminal is its own from then on."""
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40"}
    command = (*PROGRAM, "refresh", *AT)
    child = subprocess.Popen(command, cwd=shop, stdout=screen, stderr=screen, env=environment)
    os.close(screen)
    return child


def test_a_signal_ends_a_run_whose_terminal_nobody_reads(shop: Path, bounded) -> None:
    """Whoever draws the bars then waits in the middle of writing, and holds what standard output is locked by."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        slow = "".join(f"      slow{number}: {{kind: feed, url: {url}{number}}}\n" for number in range(16))
        config = shop / "config.yaml"
        config.write_text(config.read_text() + slow)
        keyboard, screen = pty.openpty()
        child = bounded(drawing(shop, screen, columns=200))
        silent.settimeout(60)
        asked, _ = silent.accept()
        before, waits = -1, 0
        while waits < 10:  # a second in which nothing more could be written
            now = int.from_bytes(fcntl.ioctl(keyboard, termios.FIONREAD, bytes(4)), sys.byteorder)
            before, waits = now, waits + 1 if now == before and now > 0 else 0
            time.sleep(0.1)
        child.send_signal(signal.SIGTERM)
        assert child.wait(180) == -signal.SIGTERM
        asked.close()
        os.close(keyboard)


def test_a_narrow_terminal_gets_a_bar_for_each_source_and_a_red_one_where_it_failed(shop: Path, bounded) -> None:
    config = shop / "config.yaml"
    gone = "a-source-with-quite-a-long-name: {kind: listing, path: gone.txt}"
    config.write_text(config.read_text() + f"      {gone}\n")
    keyboard, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    child = bounded(drawing(shop, screen, columns=60))
    shown = b""
    try:
        while chunk := os.read(keyboard, 65536):
            shown += chunk
    except OSError:  # the other end has closed
        pass
    os.close(keyboard)
    assert child.wait() == 0
    text = shown.decode()
    assert "4 items" in text
    bars = [line for line in text.split("\r\n") if "━" * 20 in line and "0:00" in line]
    assert all(any(name in line for line in bars) for name in ("topic", "numbered", "a-source"))
    assert re.search("\x1b\\[31m━{20}", text), "red"
    assert re.search("\x1b\\[32mdone", text), "green"
    plain = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", text)
    assert plain.count("no such file") == 1, "a failure is told once"


def test_one_source_alone_is_polled(run, shop: Path) -> None:
    run("refresh", *AT)
    for name in ("topic", "numbered"):
        (shop / f"{name}.txt").write_text((shop / f"{name}.txt").read_text().replace("Rye", "Wheat"))
    answer = run("refresh", "--source", "topic", "--json", *AT)
    assert answer.returncode == 0, answer.stderr
    found = {source["name"]: source["state"] for source in json.loads(answer.stdout)[0]["sources"]}
    assert found == {"numbered": "not due", "topic": "ok"}
    wrong = run("refresh", "--source", "topik", *AT)
    assert (wrong.returncode, "topic" in wrong.stderr) == (2, True)
