"""What was published in a folder of before, of another name or token, is published no more, and it is said.

Public files stay for a week, in which a slip in the config can be undone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.config import make_feed, write_config
from tests.support.program import run_program
from tests.support.rss import Episode, make_rss
from tests.support.workspace import NOON, NOUNS, Workspace, format_time, open_workspace

TOKEN, OTHER_TOKEN = "mussel-T0ken-abcdefgh", "mussel-T0ken-ijklmnop"


@pytest.fixture
def tide(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(tmp_path) as opened:
        serve(opened, 5)
        yield opened


def serve(tide: Workspace, count: int, path: str = "/tide") -> None:
    tide.serve(
        path,
        make_rss(
            *(
                Episode(
                    guid=f"{path}-{number}",
                    title=f"{NOUNS[number]} at low tide",
                    at=NOON - timedelta(days=20 - number),
                    text=f"What the {NOUNS[number].lower()} of the mudflats tells about the moon.",
                    audio=f"https://cdn.example/{number}.mp3",
                    seconds=900 + number,
                )
                for number in range(count)
            )
        ),
    )


def write(tide: Workspace, *, output: str = "output", source: str = "/tide", **feeds: str) -> None:
    """Write a config of feeds of one source, each with its token or none; ``third`` has another language."""
    feed = make_feed("Low Tide", {"host": tide.url(source)})
    shown = {name: {**feed, **({"token": token} if token else {})} for name, token in feeds.items()}
    if "third" in shown:
        shown["third"]["language"] = "de"
    write_config(tide.folder, shown, output=output)


def refresh(tide: Workspace, day: int, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = tide.run("refresh", "--force", "--at", format_time(NOON + timedelta(days=day)), *words)
    assert done.returncode == code, done.stderr
    return done


def list_folders(tide: Workspace, output: str = "output") -> list[str]:
    return sorted(path.name for path in (tide.folder / output).iterdir() if path.is_dir())


def read_guids(tide: Workspace, folder: str) -> tuple[str, list[str]]:
    """Return the podcast:guid and the items' guids."""
    text = (tide.output / folder / "podcast.xml").read_text("utf-8")
    (own,) = re.findall("<podcast:guid>([^<]+)", text)
    return own, re.findall("<guid[^>]*>([^<]+)", text)


@pytest.mark.parametrize(
    ("before", "after", "folder"),
    [
        (TOKEN, OTHER_TOKEN, f"show-{OTHER_TOKEN}"),
        ("", TOKEN, f"show-{TOKEN}"),
        (TOKEN, "none", "show"),
    ],
    ids=["another token", "a first token", "public by a word"],
)
def test_the_folder_of_before_goes_though_there_is_news(tide: Workspace, before: str, after: str, folder: str) -> None:
    write(tide, show=before)
    refresh(tide, 1)
    write(tide, show=after)
    serve(tide, 6)
    done = refresh(tide, 2)
    assert list_folders(tide) == [folder]
    assert "show: its former folder is published no more: 8 files were removed" in done.stderr
    assert not re.search("T0ken", done.stdout + done.stderr)
    assert "former folder" not in refresh(tide, 3).stderr


def test_a_feed_that_the_config_names_no_more_is_removed_and_comes_back(tide: Workspace) -> None:
    write(tide, show="", plus=TOKEN, third="")
    refresh(tide, 1)
    before, private = read_guids(tide, "third"), read_guids(tide, f"plus-{TOKEN}")
    write(tide, show="")
    done = refresh(tide, 2)
    assert list_folders(tide) == ["show", "third"]  # a private feed goes at once
    assert "third" not in (tide.output / "feeds.opml").read_text("utf-8")
    assert "plus is not in the config any more: its 8 published files were removed" in done.stderr
    assert "third is not in the config any more: its 8 published files stay until 2024-05-10 12:00 UTC" in done.stderr
    assert TOKEN not in done.stdout + done.stderr
    assert "any more" not in refresh(tide, 8).stderr
    assert list_folders(tide) == ["show", "third"]
    assert "third is not in the config any more: its 8 published files were removed" in refresh(tide, 9).stderr
    assert list_folders(tide) == ["show"]
    assert "any more" not in refresh(tide, 10).stderr
    write(tide, show="", plus=TOKEN, third="")
    refresh(tide, 11)
    assert list_folders(tide) == [f"plus-{TOKEN}", "show", "third"]
    assert (read_guids(tide, "third"), read_guids(tide, f"plus-{TOKEN}")) == (before, private)


def test_a_public_feed_that_is_named_again_within_a_week_never_goes(tide: Workspace) -> None:
    for day, has_third in ((1, True), (2, False), (3, True), (11, False), (12, False)):  # a week is counted anew
        write(tide, show="", **({"third": ""} if has_third else {}))
        refresh(tide, day)
        assert list_folders(tide) == ["show", "third"]


def test_files_of_others_in_a_folder_stay(tide: Workspace) -> None:
    write(tide, show="", third="")
    refresh(tide, 1)
    (tide.output / "third" / "mine.txt").write_text("kept")
    write(tide, show="")
    refresh(tide, 2)
    refresh(tide, 9)
    assert [path.name for path in (tide.output / "third").iterdir()] == ["mine.txt"]


def test_a_renamed_feed_keeps_its_guids(tide: Workspace) -> None:
    write(tide, show="")
    refresh(tide, 1)
    before = read_guids(tide, "show")
    write(tide, mudflat="")
    serve(tide, 6)
    done = refresh(tide, 2)
    assert list_folders(tide) == ["mudflat", "show"]
    guid, guids = read_guids(tide, "mudflat")
    assert guid == before[0]
    assert set(before[1]) < set(guids)
    assert "mudflat is show under another name, with the same sources" in done.stderr
    assert tide.run("check", "--store").returncode == 0
    assert "former folder" not in refresh(tide, 8).stderr
    last = tide.run("refresh", "--at", format_time(NOON + timedelta(days=9)))  # not forced: the week ends by itself
    assert "mudflat: its former folder is published no more: 8 files were removed" in last.stderr
    assert list_folders(tide) == ["mudflat"]
    assert "renamed" in tide.run("events").stdout


def test_a_slip_in_a_name_takes_no_feed_from_its_subscribers(tide: Workspace) -> None:
    write(tide, show="")
    refresh(tide, 1)
    before = read_guids(tide, "show")
    write(tide, shwo="")
    refresh(tide, 2)
    assert "show" in list_folders(tide)
    write(tide, show="")
    refresh(tide, 3)
    assert read_guids(tide, "show") == before
    refresh(tide, 10)
    assert list_folders(tide) == ["show"]


def test_files_of_a_renamed_feed_that_becomes_private_go_at_once(tide: Workspace) -> None:
    write(tide, show="")
    refresh(tide, 1)
    write(tide, mudflat="")
    refresh(tide, 2)
    write(tide, mudflat=TOKEN)
    refresh(tide, 3)
    assert list_folders(tide) == [f"mudflat-{TOKEN}"]


def read_other(tide: Workspace) -> None:
    """Have the last feed of the config read the other show."""
    config = tide.folder / "config.yaml"
    start, found, end = config.read_text("utf-8").rpartition("/tide")
    config.write_text(f"{start}{found.replace('tide', 'other')}{end}")


def test_another_feed_can_have_the_former_name(tide: Workspace) -> None:
    write(tide, show="")
    refresh(tide, 1)
    write(tide, mudflat="")
    refresh(tide, 2)
    serve(tide, 3, "/other")
    write(tide, mudflat="", show="")
    read_other(tide)
    refresh(tide, 3)
    refresh(tide, 10)
    assert len(read_guids(tide, "show")[1]) == 3
    assert len(read_guids(tide, "mudflat")[1]) == 5


def test_a_feed_of_a_file_is_known_by_the_file(tmp_path: Path) -> None:
    for name in ("one.xml", "two.xml"):
        episode = Episode(guid=name, title="Tides", at=NOON, text="", audio="https://cdn.example/1.mp3", seconds=9)
        (tmp_path / name).write_text(make_rss(episode))
    guids = []
    for name, file in (("old", "one.xml"), ("new", "one.xml"), ("other", "two.xml")):
        write_config(tmp_path, {name: make_feed("T", {"host": file})})
        assert run_program(tmp_path, "refresh", "--at", format_time(NOON)).returncode == 0
        text = (tmp_path / "output" / name / "podcast.xml").read_text("utf-8")
        guids += re.findall("<podcast:guid>([^<]+)", text)
    assert guids[0] == guids[1] != guids[2]


def test_two_feeds_of_the_same_sources_are_renamed_by_whether_they_are_private(tide: Workspace) -> None:
    write(tide, show="", plus=TOKEN)
    refresh(tide, 1)
    show, plus = read_guids(tide, "show"), read_guids(tide, f"plus-{TOKEN}")
    write(tide, alone="", gold=OTHER_TOKEN)
    refresh(tide, 2)
    assert list_folders(tide) == ["alone", f"gold-{OTHER_TOKEN}", "show"]
    assert (read_guids(tide, "alone"), read_guids(tide, f"gold-{OTHER_TOKEN}")) == (show, plus)


def test_a_feed_with_another_source_is_another_feed(tide: Workspace) -> None:
    write(tide, show="")
    refresh(tide, 1)
    before = read_guids(tide, "show")
    serve(tide, 3, "/other")
    write(tide, source="/other", mudflat="")
    done = refresh(tide, 2)
    assert read_guids(tide, "mudflat")[0] != before[0]
    assert "another name" not in done.stderr


@pytest.mark.parametrize("name", ["plus", "renamed"])
def test_a_private_feed_becomes_public_by_a_persons_word_alone(tide: Workspace, name: str) -> None:
    write(tide, plus=TOKEN, show="")
    refresh(tide, 1)
    write(tide, **{name: "", "show": ""})
    serve(tide, 6)
    done = refresh(tide, 2, code=1)
    assert f"feeds.{name}: the feed is private, and its token is missing" in done.stderr
    assert "Write its token again, or token: none to make it public" in done.stderr
    assert list_folders(tide) == [f"plus-{TOKEN}", "show"]
    assert name not in (tide.output / "feeds.opml").read_text("utf-8")
    assert len(tide.items("show")) == 6
    check = tide.run("check")
    assert check.returncode == 2
    assert f"config.yaml: feeds.{name}: the feed is private, and its token is missing" in check.stderr

    write(tide, **{name: TOKEN, "show": ""})
    refresh(tide, 3)
    assert list_folders(tide) == [f"{name}-{TOKEN}", "show"]
    write(tide, **{name: "none", "show": ""})
    refresh(tide, 4)
    assert list_folders(tide) == [name, "show"]
    assert name in (tide.output / "feeds.opml").read_text("utf-8")
    write(tide, **{name: "", "show": ""})
    refresh(tide, 5)
    assert list_folders(tide) == [name, "show"]


@pytest.mark.parametrize("before", [TOKEN, ""], ids=["private", "public"])
def test_an_address_is_revoked_though_the_new_folder_cannot_be_written(tide: Workspace, before: str) -> None:
    write(tide, show=before)
    refresh(tide, 1)
    (tide.output / f"show-{OTHER_TOKEN}").write_text("in the way")
    write(tide, show=OTHER_TOKEN)
    done = refresh(tide, 2, code=1)
    assert "show: its former folder is published no more: 8 files were removed" in done.stderr
    assert list_folders(tide) == []
    (tide.output / f"show-{OTHER_TOKEN}").unlink()
    refresh(tide, 3)
    assert list_folders(tide) == [f"show-{OTHER_TOKEN}"]


def test_a_public_feed_stays_until_it_is_published_in_place_of_the_private_one(tide: Workspace) -> None:
    write(tide, show=TOKEN)
    refresh(tide, 1)
    (tide.output / "show").write_text("in the way")
    write(tide, show="none")
    refresh(tide, 2, code=1)
    assert list_folders(tide) == [f"show-{TOKEN}"]


def test_a_removed_private_feed_goes_though_nothing_else_can_be_published(tide: Workspace) -> None:
    write(tide, plus=TOKEN)
    refresh(tide, 1)
    write(tide, source="/missing", other="none")
    done = refresh(tide, 2, code=3)
    assert "plus is not in the config any more: its 8 published files were removed" in done.stderr
    assert list_folders(tide) == []


def test_a_folder_that_was_given_up_before_it_was_complete_goes(tide: Workspace) -> None:
    write(tide, show=TOKEN)
    refresh(tide, 1)
    (tide.output / f"show-{OTHER_TOKEN}" / "podcast.xml").mkdir(parents=True)
    write(tide, show=OTHER_TOKEN)
    refresh(tide, 2, code=1)
    (tide.output / f"show-{OTHER_TOKEN}" / "podcast.xml").rmdir()
    assert list_folders(tide) == [f"show-{OTHER_TOKEN}"]
    write(tide, show=TOKEN)
    refresh(tide, 3)
    assert list_folders(tide) == [f"show-{TOKEN}"]


def test_what_a_killed_run_left_in_a_private_folder_goes_with_it(tide: Workspace) -> None:
    write(tide, show=TOKEN)
    refresh(tide, 1)
    (tide.output / f"show-{TOKEN}" / ".feed.xml.0123456789abcdef.part").write_text("half of a feed")
    write(tide, show=OTHER_TOKEN)
    refresh(tide, 2)
    assert list_folders(tide) == [f"show-{OTHER_TOKEN}"]


def test_an_output_of_before_is_told_and_loses_what_is_revoked(tide: Workspace) -> None:
    write(tide, show="", plus=TOKEN, gold=TOKEN)
    refresh(tide, 1)
    write(tide, output="other", show="", plus=TOKEN, gold=OTHER_TOKEN)
    done = refresh(tide, 2)
    told = f"{tide.output}: the feeds are published to {tide.folder / 'other'} from now on, and what is left there is"
    assert told in done.stderr
    assert "gold: its former folder is published no more: 8 files were removed" in done.stderr
    assert list_folders(tide) == [f"plus-{TOKEN}", "show"]
    write(tide, output="other", show="", gold=OTHER_TOKEN)
    done = refresh(tide, 3)
    assert "plus is not in the config any more: its 16 published files were removed" in done.stderr
    assert told not in done.stderr
    assert (list_folders(tide), list_folders(tide, "other")) == (["show"], [f"gold-{OTHER_TOKEN}", "show"])
    write(tide, show="", gold=TOKEN)  # back again
    refresh(tide, 4)
    assert (list_folders(tide), list_folders(tide, "other")) == ([f"gold-{TOKEN}", "show"], ["show"])


def test_a_copy_of_everything_leaves_the_original_alone(tide: Workspace) -> None:
    write(tide, show="", plus=TOKEN)
    refresh(tide, 1)
    write(tide, output="other", show="", plus=TOKEN)
    refresh(tide, 2)
    (tide.folder / "copy").mkdir()
    copy = replace(tide, folder=tide.folder / "copy")
    for name in ("output", "other"):
        shutil.copytree(tide.folder / name, copy.folder / name)
    shutil.copy(tide.folder / "store.db", copy.folder)
    write(copy, output="third", show="", plus=OTHER_TOKEN)
    assert str(tide.output) not in refresh(copy, 3).stderr
    assert list_folders(tide) == list_folders(tide, "other") == [f"plus-{TOKEN}", "show"]
    assert list_folders(copy, "third") == [f"plus-{OTHER_TOKEN}", "show"]


def test_an_output_that_was_moved_or_has_two_names_is_no_other(tide: Workspace) -> None:
    write(tide, show="", plus=TOKEN)
    refresh(tide, 1)
    tide.output.rename(tide.folder / "moved")
    (tide.folder / "linked").symlink_to("moved")
    for day, output in ((2, "moved"), (3, "linked")):
        write(tide, output=output, show="", plus=TOKEN)
        done = refresh(tide, day)
        assert "from now on" not in done.stderr
        assert list_folders(tide, output) == [f"plus-{TOKEN}", "show"]
    write(tide, output="linked", show="", plus=OTHER_TOKEN)
    refresh(tide, 4)
    assert list_folders(tide, "moved") == [f"plus-{OTHER_TOKEN}", "show"]


@pytest.mark.parametrize("word", ["none", OTHER_TOKEN], ids=["public", "private"])
def test_a_feed_that_comes_without_a_token_when_a_private_one_goes_waits_for_a_word(tide: Workspace, word: str) -> None:
    """It may be that one, with another name, another source and its token lost in one edit."""
    write(tide, plus=TOKEN)
    refresh(tide, 1)
    serve(tide, 3, "/other")
    write(tide, source="/other", gold="")
    told = "feeds.gold: it came without a token when the private feed plus went, and is not published."
    for day in (2, 3):
        assert told in refresh(tide, day, code=1).stderr
        assert list_folders(tide) == []
    assert told in tide.run("check").stderr
    write(tide, source="/other", gold=word)
    refresh(tide, 4)
    assert list_folders(tide) == ["gold" if "none" in word else f"gold-{OTHER_TOKEN}"]


def test_a_feed_that_comes_after_a_private_one_went_is_published(tide: Workspace) -> None:
    write(tide, show="", plus=TOKEN)
    refresh(tide, 1)
    write(tide, show="")
    refresh(tide, 2)
    serve(tide, 3, "/other")
    write(tide, show="", third="")
    read_other(tide)
    refresh(tide, 3)
    assert list_folders(tide) == ["show", "third"]


def test_no_line_about_a_former_folder_that_stays_has_its_token(tide: Workspace) -> None:
    write(tide, show=TOKEN, plus=TOKEN)
    refresh(tide, 1)
    for name in ("show", "plus"):
        (tide.output / f"{name}-{TOKEN}" / "feed.css").mkdir()
        feed = tide.output / f"{name}-{TOKEN}" / "feed.xml"
        feed.unlink()
        feed.mkdir()
    write(tide, show=OTHER_TOKEN)
    done = refresh(tide, 2, code=1)
    assert done.stderr.count("files of a former folder could not be removed, and can still be read") == 2
    assert "T0ken" not in done.stdout + done.stderr
