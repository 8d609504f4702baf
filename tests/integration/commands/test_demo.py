"""``aggregator demo`` shows in one command what the program does: damaged listings in, one clean feed out."""

from __future__ import annotations

import json
import signal
import wave
from pathlib import Path

from tests.integration.commands.test_serve import fetched, started
from tests.support.program import run_program


def read_feed(folder: Path) -> list[dict[str, object]]:
    return json.loads((folder / "output/keepers-of-the-light/feed.json").read_text("utf-8"))["items"]


def test_a_demo_merges_its_listings_into_one_clean_feed(tmp_path: Path) -> None:
    done = run_program(tmp_path, "demo", "--once", "--port", "8123")
    assert (done.returncode, done.stderr) == (0, "")
    assert "39 entries → 12 items (10 episodes, 2 posts): 27 duplicates merged, 12 new" in done.stdout
    folder = tmp_path / "aggregator-demo"
    items = read_feed(folder)
    titles = [str(each["title"]) for each in items]
    assert len(titles) == len(set(titles))
    assert "Fog, part 2: horns & sirens" in titles
    for each in items:
        text = f"{each['title']} {each['content_html']}"
        assert not any(broken in text for broken in ("â€", "Ã", "…", "�")), text
    played = [each["attachments"][0] for each in items if "attachments" in each]  # type: ignore[index]
    assert len(played) == 10
    for number in range(1, 11):
        path = folder / f"sources/{number}.wav"
        assert path.stat().st_size == played[0]["size_in_bytes"]
        with wave.open(str(path)) as sound:
            assert sound.getnframes() / sound.getframerate() == 3
    assert "http://localhost:8123/keepers-of-the-light/" in (folder / "output/feeds.opml").read_text("utf-8")
    assert run_program(folder, "validate", "output/keepers-of-the-light/podcast.xml").returncode == 0


def test_a_demo_replaces_an_earlier_one_and_nothing_else(tmp_path: Path) -> None:
    assert run_program(tmp_path, "demo", "mine", "--once").returncode == 0
    assert run_program(tmp_path, "demo", "mine", "--once").returncode == 0
    assert len(read_feed(tmp_path / "mine")) == 12
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    refused = run_program(tmp_path, "demo", "other")
    assert refused.returncode == 2
    assert f"{other}: is not empty and no demo; name another folder: aggregator demo FOLDER" in refused.stderr
    assert [each.name for each in other.iterdir()] == ["thesis.txt"]


def test_a_demo_serves_the_feed_and_its_audio_until_it_is_ended(tmp_path: Path, free_port: int) -> None:
    with started(tmp_path, "demo", "--no-browser", "--port", str(free_port)) as child:
        page = fetched(f"http://127.0.0.1:{free_port}/keepers-of-the-light/")
        assert "The lamp that burned colza oil" in page.decode()
        audio = read_feed(tmp_path / "aggregator-demo")[-1]["attachments"][0]["url"]  # type: ignore[index]
        assert fetched(str(audio))[:4] == b"RIFF"
        again = ["refresh", "--force", "--wait", "--config", "aggregator-demo/config.yaml"]
        assert "0 new, 0 changed" in run_program(tmp_path, *again).stdout
        child.send_signal(signal.SIGINT)
        child.wait(timeout=180)
    assert child.returncode == 0
