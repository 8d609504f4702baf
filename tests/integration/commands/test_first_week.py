"""Messages about what is often written wrong in a first week."""

from __future__ import annotations

import signal
import socket
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aggregator.fetchers import opml
from tests.support.program import PROGRAM
from tests.support.rss import Episode, make_rss

SOURCES = """\
    title: Talk
    sources:
      a: {kind: feed, url: "https://talk.example/feed"}
"""


def write(folder: Path, text: str) -> None:
    (folder / "config.yaml").write_text(text, encoding="utf-8")


def test_a_tab_is_named(run, tmp_path: Path) -> None:
    write(tmp_path, f"feeds:\n  talk:\n{SOURCES.replace('    title', chr(9) + 'title')}")
    assert run("check").stderr == (
        "aggregator: config.yaml:3: not YAML: the line is indented with a tab where spaces must be\n"
    )


def test_capital_letters_in_a_feeds_name_come_with_the_name_to_write(run, tmp_path: Path) -> None:
    write(tmp_path, f"feeds:\n  Talk:\n{SOURCES}")
    answer = run("check")
    assert answer.returncode == 2
    assert answer.stderr == (
        'aggregator: config.yaml:2: feeds.Talk: "Talk" has capital letters, and the name is part of a URL; '
        'write "talk"\n'
    )


def test_the_same_address_twice_is_told(run, tmp_path: Path) -> None:
    again = '      b: {kind: feed, url: "http://TALK.example/feed/"}\n'
    part = '      c: {kind: feed, url: "https://talk.example/feed", only: {title: x}}\n'
    write(tmp_path, f"feeds:\n  talk:\n{SOURCES}{again}{part}")
    answer = run("check")
    assert answer.returncode == 0
    assert answer.stdout.splitlines()[0] == "config.yaml: feeds.talk: a and b have the same address; remove one"
    assert "and c have the same address" not in answer.stdout


def test_export_opml_writes_a_folder_for_each_feed_that_import_reads(run, tmp_path: Path) -> None:
    write(tmp_path, f"feeds:\n  talk:\n{SOURCES}  other:\n{SOURCES.replace('Talk', 'A & B')}")
    exported = run("export-opml").stdout
    assert '<outline text="A &amp; B" title="A &amp; B">\n      <outline type="rss" text="A &amp; B (a)"' in exported
    assert [each.title for each in opml.read(exported.encode())] == ["A & B (a)"]


def test_a_command_in_an_empty_folder_names_init(run) -> None:
    for command in ("refresh", "check", "diff"):
        answer = run(command)
        assert answer.returncode == 2
        assert "config.yaml: cannot be read: " in answer.stderr
        assert "run aggregator init URL" in answer.stderr


def test_a_config_without_feeds_is_one(run, tmp_path: Path) -> None:
    for text in ("", "feeds:\n", "feeds: {}\n", "output: here\n"):
        (tmp_path / "config.yaml").write_text(text)
        assert run("check").stdout == "config.yaml: 0 feeds from 0 sources, nothing wrong\n"
        for command in ("refresh", "diff"):
            answer = run(command)
            assert (answer.returncode, answer.stdout) == (2, "")
            assert answer.stderr.endswith("config.yaml: there is no feed yet; run aggregator add URL\n")
    assert not (tmp_path / "output").exists()


def test_a_new_config_says_what_is_worth_setting(run, tmp_path: Path, origin) -> None:
    address, folder = origin
    item = Episode(
        guid="one", title="About ropes", at=datetime(2024, 5, 7, tzinfo=UTC), audio="https://cdn.example/1.mp3"
    )
    (folder / "one.xml").write_text(make_rss(item, title="Sea Room"))
    answer = run("add", f"{address}/one.xml", "--feed", "sea", "--kind", "feed")
    assert answer.returncode == 0
    text = (tmp_path / "config.yaml").read_text()
    assert [line.split(":")[0] for line in text.splitlines() if line[:1] == "#"][1:] == ["# base_url", "# contact"]
    assert "feeds: {}" not in text
    assert run("check").returncode == 0


def test_init_makes_a_config_refreshes_and_names_the_next_step(run, tmp_path: Path, origin) -> None:
    address, folder = origin
    at = datetime(2024, 5, 7, tzinfo=UTC)
    for name, title in (("one", "Sea Room"), ("two", "Other Show")):
        item = Episode(guid=name, title=f"About {name}", at=at, audio=f"https://cdn.example/{name}.mp3", seconds=600)
        (folder / f"{name}.xml").write_text(make_rss(item, title=title))
    write(tmp_path, "allow_networks: [127.0.0.0/8]\n")
    answer = run("init", f"{address}/one.xml", f"{address}/two.xml", "--at", "2024-06-01T12:00:00Z")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.splitlines()[-1].startswith("next: run aggregator serve, or open ")
    assert (tmp_path / "output" / "sea-room" / "podcast.xml").exists()
    assert (tmp_path / "output" / "other-show" / "podcast.xml").exists()
    again = run("init", f"{address}/one.xml")
    assert again.returncode == 2
    assert "aggregator add URL" in again.stderr


def test_init_without_an_address_and_without_a_terminal_says_what_to_give(run, tmp_path: Path) -> None:
    answer = run("init")
    assert (answer.returncode, answer.stderr) == (2, "aggregator: no address was given: run aggregator init URL\n")
    assert list(tmp_path.iterdir()) == []


def _serve(folder: Path, *words: str) -> tuple[str, str]:
    """The first line and the warnings of a server that is ended as soon as it has said where it serves."""
    command = [*PROGRAM, "serve", "--no-refresh", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        return line, server.communicate(timeout=180)[1]


def test_serve_names_the_address_that_others_reach_and_warns_without_base_url(tmp_path: Path, free_port: int) -> None:
    write(tmp_path, f"feeds:\n  talk:\n{SOURCES}")
    here = f"http://{socket.gethostname()}:{free_port}"
    line, warnings = _serve(tmp_path, "--host", "0.0.0.0", "--port", str(free_port))  # noqa: S104
    assert line == f"serving {tmp_path / 'output'} at {here}/\n"
    assert f"base_url is not set, so published feeds lead to http://localhost:8000; set base_url: {here}" in warnings
    write(tmp_path, f"base_url: {here}\nfeeds:\n  talk:\n{SOURCES}")
    assert "base_url" not in _serve(tmp_path, "--host", "0.0.0.0", "--port", str(free_port))[1]  # noqa: S104


def _write_show(
    folder: Path, name: str, title: str, *, damaged: bool = False, first: int = 0, seconds: int | None = 1500
) -> None:
    """Write a listing of eight episodes of a show; a damaged one numbers titles, cuts texts and has other ids."""
    nouns = ("Anchor", "Ballast", "Cleat", "Davit", "Eyebolt", "Fender", "Gunwale", "Halyard")
    nouns += ("Jib", "Keel", "Leech", "Mast step", "Nameboard", "Oakum", "Painter")
    items = []
    for number in range(first, first + 8):
        noun, at = nouns[number], datetime(2024, 5, 1, 6, tzinfo=UTC) + timedelta(days=7 * number)
        text = f"What a {noun.lower()} is for, who made the first one, and how ours came loose in the night of a storm."
        items.append(
            Episode(
                guid=f"{name}-{number}",
                title=f"{number + 1}. {noun} and line" if damaged else f"{noun} and line",
                at=at + timedelta(hours=9 if damaged else 0),
                text=text[:60] + "…" if damaged else text,
                audio=None if damaged else f"https://cdn.example/{name}/{number}.mp3",
                seconds=seconds and seconds + 60 * number,
            )
        )
    (folder / f"{name}.xml").write_text(make_rss(*items, title=title))


def test_a_directory_of_a_show_goes_into_its_feed_whatever_its_title(run, tmp_path: Path, origin) -> None:
    address, folder = origin
    _write_show(folder, "host", "Splice")
    _write_show(folder, "directory", "Splice – Pod Shelf (all episodes)", damaged=True)
    write(tmp_path, "allow_networks: [127.0.0.0/8]\n")
    answer = run("init", f"{address}/host.xml", f"{address}/directory.xml", "--at", "2024-09-01T12:00:00Z")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "8 of 8 entries are items of splice: added there\n" in answer.stdout
    assert "→ 8 items (8 episodes, 0 posts): 8 duplicates merged" in answer.stdout
    assert [each.name for each in (tmp_path / "output").iterdir() if each.is_dir()] == ["splice"]
    _write_show(folder, "later", "SPLICE podcast by Mareike", damaged=True, first=3)
    later = run("add", f"{address}/later.xml", "--at", "2024-09-02T12:00:00Z")  # compared with the store
    assert "5 of 8 entries are items of splice: added there\n" in later.stdout


def test_a_listing_of_a_show_without_audio_and_lengths_is_no_blog(run, tmp_path: Path, origin) -> None:
    address, folder = origin
    _write_show(folder, "host", "Splice")
    _write_show(folder, "words", "Splice in words", damaged=True, seconds=None)
    write(tmp_path, "allow_networks: [127.0.0.0/8]\n")
    answer = run("init", f"{address}/host.xml", f"{address}/words.xml", "--at", "2024-09-01T12:00:00Z")
    assert "8 of 8 entries are items of splice: added there, as kind feed\n" in answer.stdout
    assert "→ 8 items (8 episodes, 0 posts): 8 duplicates merged" in answer.stdout


def test_another_show_gets_a_feed_of_its_own(run, tmp_path: Path, origin) -> None:
    address, folder = origin
    _write_show(folder, "host", "Splice")
    _write_show(folder, "other", "Mast", first=7)  # one title of its eight is that of the other show, on the same day
    write(tmp_path, "allow_networks: [127.0.0.0/8]\n")
    assert run("init", f"{address}/host.xml", "--at", "2024-09-01T12:00:00Z").returncode == 0
    answer = run("add", f"{address}/other.xml", "--at", "2024-09-01T12:00:00Z")
    assert "feeds.mast.sources." in answer.stdout
    assert (
        "1 of 8 entries is an item of splice; if it is the same show, add it with --feed splice instead"
        in answer.stdout
    )
