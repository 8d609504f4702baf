"""``aggregator validate`` as a person runs it: what it prints, and the exit code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.origin import Site, serving
from tests.support.paths import TESTS
from tests.support.program import run_program

DATA = TESTS / "unit" / "validator" / "data"
SOUND = DATA / "sound_rss.xml"
COVER = "https://weir.example.com/cover.webp"
AT = "2025-08-05T08:00:00Z"


def validate(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return run_program(DATA, "validate", *words, stdin=given)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.xml"
    path.write_text(
        SOUND.read_text("utf-8").replace("<ttl>60", "<ttl>soon").replace("cover.png", "cover.webp"), "utf-8"
    )
    return path


@pytest.fixture
def served() -> Iterator[str]:
    with serving(Site(files=DATA)) as site:
        yield site.url()


def test_a_sound_feed_ends_with_0() -> None:
    run = validate(str(SOUND), "--at", AT)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == f"{SOUND}: RSS, 0 failures, 0 warnings, 0 notes\n"


def test_a_broken_feed_ends_with_1_and_says_where(broken: Path) -> None:
    run = validate(str(broken), "--at", AT)
    assert (run.returncode, run.stderr) == (1, "")
    assert run.stdout.splitlines() == [
        f"{broken}: RSS, 1 failure, 1 warning, 0 notes",
        "  failure  rss-values: Numbers, days, hours, addresses (RSS 2.0, channel, image)",
        "           line 11, channel/ttl: 'soon' is not a number of minutes",
        "  warning  channel-image-kind: Artwork is JPEG or PNG by its extension (Apple; PSP-1)",
        f"           line 16, channel/itunes:image: '{COVER}' does not end in .jpg, .jpeg or .png",
    ]


def test_of_many_places_five_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "many.xml"
    path.write_text(SOUND.read_text("utf-8").replace("</channel>", "<item><title>x</title></item>" * 30 + "</channel>"))
    lines = validate(str(path), "--at", AT).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "item-guid:" in line)
    assert len([line for line in lines[at:] if line.endswith("has no guid")]) == 5
    assert lines[at + 6] == "           and in 25 more places"
    assert lines[0].startswith(f"{path}: RSS, 0 failures, 4 warnings in 210 places, ")


def test_warnings_fail_only_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "warned.xml"
    path.write_text(SOUND.read_text("utf-8").replace("cover.png", "cover.webp"), "utf-8")
    assert validate(str(path), "--at", AT).returncode == 0
    assert validate(str(path), "--at", AT, "--strict").returncode == 1


def test_json_says_the_same(broken: Path) -> None:
    run = validate(str(SOUND), str(broken), "--json", "--at", AT)
    sound, other = json.loads(run.stdout)
    assert run.returncode == 1
    assert sound == {
        "document": str(SOUND),
        "kind": "rss",
        "counts": {"failure": 0, "warning": 0, "note": 0},
        "findings": [],
    }
    assert [(one["rule"], one["severity"]) for one in other["findings"]] == [
        ("rss-values", "M"),
        ("channel-image-kind", "S"),
    ]


def test_standard_input() -> None:
    assert (
        validate("-", "--at", AT, given=SOUND.read_text("utf-8")).stdout == "-: RSS, 0 failures, 0 warnings, 0 notes\n"
    )


def test_an_address_is_asked_and_how_it_answers_is_checked(served: str) -> None:
    run = validate(f"{served}/sound_rss.xml", "--at", AT, "--json")
    (verdict,) = json.loads(run.stdout)
    assert run.returncode == 1
    assert [one["rule"] for one in verdict["findings"]] == ["served-place", "served-own-type", "served-charset"]
    assert f"but was served at {served}/sound_rss.xml" in verdict["findings"][0]["what"]


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[str]:
    """A host with a feed, whose artwork is a picture of its own."""
    with serving(Site(files=tmp_path)) as site:
        feed = SOUND.read_text("utf-8").replace("https://weir.example.com/cover.png", site.url("/cover.png"))
        (tmp_path / "feed.xml").write_text(feed, "utf-8")
        yield site.url()


def artwork(shown: str, document: str) -> list[str]:
    (verdict,) = json.loads(validate(document or f"{shown}/feed.xml", "--artwork", "--json", "--at", AT).stdout)
    return [one["what"] for one in verdict["findings"] if one["rule"] == "served-artwork"]


def test_artwork_is_fetched_and_measured_where_asked_for(shown: str, tmp_path: Path) -> None:
    def side(width: int, height: int) -> list[str]:
        header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
        (tmp_path / "cover.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + header)
        return artwork(shown, "")

    assert side(1400, 1400) == []
    assert side(600, 600) == ["has 600 by 600 pixels; Apple asks for 1,400 to 3,000 a side"]
    (tmp_path / "cover.png").unlink()
    assert artwork(shown, "") == [f"cannot be fetched: {shown}/cover.png: 404 Not Found"]
    assert validate(f"{shown}/feed.xml", "--at", AT, "--json").stdout.count("served-artwork") == 0


def test_a_file_cannot_make_us_ask_our_own_machine(shown: str, tmp_path: Path) -> None:
    (tmp_path / "cover.png").write_bytes(b"a secret")
    said = artwork(shown, str(tmp_path / "feed.xml"))
    assert "cannot be fetched" in said[-1]
    assert "bytes" not in said[-1]


def test_what_cannot_be_read_is_said_in_one_line(served: str) -> None:
    missing = validate("nowhere.xml")
    assert (missing.returncode, missing.stderr) == (2, "aggregator: nowhere.xml: No such file or directory\n")
    gone = validate(f"{served}/nowhere.xml")
    assert gone.returncode == 1
    assert "404" in gone.stderr
    assert validate().returncode == 2
    assert validate("http://[x").stderr.startswith("aggregator: (an address that cannot be read): not an address")


def test_the_rules_are_listed() -> None:
    run = validate("--rules", "--json")
    told = json.loads(run.stdout)
    assert {"rule", "severity", "text", "specification"} == set(told[0])
    assert f"{len(told)} rules: " in validate("--rules").stdout
