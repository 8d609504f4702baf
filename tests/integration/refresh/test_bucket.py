"""Feeds that are published to a bucket: the same files as in a folder, written in order, and only what changed."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.config import make_feed, write_config
from tests.support.program import run_program
from tests.support.rss import make_rss
from tests.support.s3_gate import running_gate
from tests.support.servers import S3, running_s3
from tests.support.workspace import Workspace, format_time, make_item, open_workspace

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DOCUMENTS = ["feed.atom", "feed.json", "feed.xml", "podcast.xml"]


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    with running_s3(tmp_path_factory.mktemp("s3") / "objects") as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(tmp_path) as opened:
        yield opened


def configured(workspace: Workspace, output: str, name: str = "config", **keys: object) -> str:
    feed = make_feed(sources={"host": workspace.url("/host")}, **{"window": 0, **keys})
    return write_config(workspace.folder, {"show": feed}, name=f"{name}.yaml", state=f"{name}.db", output=output).name


def run(workspace: Workspace, s3: S3, *words: str) -> subprocess.CompletedProcess[str]:
    return run_program(workspace.folder, *words, environment=s3.environment)


def refreshed(workspace: Workspace, s3: S3, config: str, turn: int, items: int) -> subprocess.CompletedProcess[str]:
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, items + 1))))
    return run(workspace, s3, "refresh", "-c", config, "--force", "-q", "--at", format_time(START + turn * HOUR))


def written(log: str) -> list[str]:
    return re.findall(r'Stored object "my/([^"]+)"', log)


def test_a_bucket_gets_the_files_of_a_folder_and_then_what_changed(workspace: Workspace, s3: S3) -> None:
    bucket = configured(workspace, "s3://feeds/my", window=3, name="bucket")
    folder = configured(workspace, "output", window=3, name="folder")
    for turn, items in enumerate((8, 9)):
        assert refreshed(workspace, s3, folder, turn, items).stderr == ""
        before = s3.log()
        assert refreshed(workspace, s3, bucket, turn, items).stderr == ""
        put = written(s3.log()[len(before) :])
        plain = (path for path in workspace.output.rglob("*") if path.is_file() and path.suffix != ".gz")
        assert s3.read("my/") == {f"my/{path.relative_to(workspace.output)}": path.read_bytes() for path in plain}
        of_show = [name.removeprefix("show/") for name in put if name.startswith("show/")]
        assert sorted(of_show[-4:]) == DOCUMENTS
        assert of_show == sorted(of_show, key=lambda name: (name in DOCUMENTS, "archive" not in name))
    assert "feed-archive-1.xml" not in of_show, "its items are the same"
    assert "feed.css" not in put
    before = s3.log()
    assert refreshed(workspace, s3, bucket, 2, 9).returncode == 0
    assert s3.log() == before, "what is published is noted, and not looked at again"
    refreshed(workspace, s3, configured(workspace, "s3://feeds/my", name="bucket"), 3, 9)
    assert not any("archive" in key for key in s3.read("my/"))
    metadata = json.loads(s3.place("my/show/feed.json").with_suffix("._S3rver_metadata.json").read_text())
    assert metadata["content-type"] == "application/feed+json; charset=utf-8"
    assert metadata["cache-control"] == "public, max-age=300"
    assert "content-language" not in metadata
    page = json.loads(s3.place("my/show/index.html").with_suffix("._S3rver_metadata.json").read_text())
    assert page["content-language"] == "en"


def test_shared_caches_keep_no_object_of_a_private_feed(workspace: Workspace, s3: S3) -> None:
    config = configured(workspace, "s3://feeds/plus", token=TOKEN)
    assert refreshed(workspace, s3, config, 0, 3).stderr == ""
    for key in s3.read("plus/"):
        metadata = json.loads(s3.place(key).with_suffix("._S3rver_metadata.json").read_text())
        control = "private" if "limpet" in key else "public"
        assert (key, metadata["cache-control"]) == (key, f"{control}, max-age=300")


def test_what_could_not_be_written_is_written_by_the_next_refresh(workspace: Workspace, s3: S3) -> None:
    """The server dies at an object that cannot be written."""
    config = configured(workspace, "s3://feeds/torn")
    refreshed(workspace, s3, config, 0, 3)
    place = s3.place("torn/show/feed.xml")
    former = place.read_bytes()
    place.unlink()
    place.mkdir()
    failed = refreshed(workspace, s3, config, 1, 4)
    assert failed.returncode == 1
    assert failed.stderr.startswith("aggregator: s3://feeds/torn")
    assert "the next refresh writes the rest" in failed.stderr
    assert "Traceback" not in failed.stderr
    s3.stop()
    place.rmdir()
    place.write_bytes(former)
    s3.start()
    assert refreshed(workspace, s3, config, 2, 4).stderr == ""
    assert [s3.read()[f"torn/show/{name}"].count(b"<item>") for name in ("feed.xml", "podcast.xml")] == [4, 4]


def test_lost_answers_are_asked_for_again_and_the_next_refresh_writes_the_rest(workspace: Workspace, s3: S3) -> None:
    """The server has done what was asked, and nobody learns it: the first answer of each object, then every write."""
    config = configured(workspace, "s3://feeds/unheard")
    key = "unheard/show/feed.xml"
    with running_gate(s3.environment["AWS_ENDPOINT_URL"]) as (gate, address):
        environment = {**s3.environment, "AWS_ENDPOINT_URL": address}

        def refresh(turn: int) -> subprocess.CompletedProcess[str]:
            workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, turn + 2))))
            words = ("refresh", "-c", config, "--force", "-q", "--at", format_time(START + turn * HOUR))
            return run_program(workspace.folder, *words, environment=environment)

        gate.loses = lambda *asked: asked[-1] == 1
        assert refresh(0).stderr == ""
        assert s3.read()[key].count(b"<item>") == 1
        gate.loses = lambda asked, *_: asked == "PUT"
        failed = refresh(1)
        assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)
        assert failed.stderr == (
            "aggregator: s3://feeds/unheard/show: no answer to PUT, asked 5 times: HTTP error: error sending request; "
            "the next refresh writes the rest\n"
        )
        gate.loses = lambda *_: False
        assert refresh(2).stderr == ""
    assert s3.read()[key].count(b"<item>") == 3


def test_diff_and_a_lost_store_look_at_the_bucket(workspace: Workspace, s3: S3) -> None:
    config = configured(workspace, "s3://feeds/lost", window=3)
    refreshed(workspace, s3, config, 0, 8)
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 10))))
    before = s3.read()
    found = run(workspace, s3, "diff", "-c", config, "--force", "--json", "--at", format_time(START + HOUR))
    assert s3.read() == before
    assert len(json.loads(found.stdout)["show"]["added"]) == 1
    (workspace.folder / "config.db").unlink()
    done = refreshed(workspace, s3, config, 1, 8)
    assert done.returncode == 1
    assert "has nothing of show, which is published in s3://feeds/lost/show" in done.stderr


def test_what_is_wrong_with_an_address_is_told_in_one_line(workspace: Workspace, s3: S3) -> None:
    done = refreshed(workspace, s3, configured(workspace, "s3://nobody/my"), 0, 1)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "The specified bucket does not exist" in done.stderr
    done = refreshed(workspace, s3, configured(workspace, "gs://feeds/my"), 0, 1)
    assert done.returncode == 2
    assert '"gs://feeds/my" is not a folder and not s3://bucket/prefix' in done.stderr


TOKEN, OTHER_TOKEN = "limpet-T0ken-abcdefgh", "limpet-T0ken-ijklmnop"


def configure_two(workspace: Workspace, output: str, token: str | None) -> None:
    """Write a config of a public feed, and of a private one if there is a token."""
    feed = make_feed(sources={"host": workspace.url("/host")})
    plus = {"plus": {**feed, "token": token}} if token else {}
    write_config(workspace.folder, {"show": feed, **plus}, state="two.db", output=output)


def list_local(workspace: Workspace, output: str) -> list[str]:
    return sorted(path.name for path in (workspace.folder / output).iterdir() if path.is_dir())


def list_stored(s3: S3, prefix: str) -> list[str]:
    return sorted({key.split("/")[1] for key in s3.read(f"{prefix}/") if key.count("/") == 2})


def test_an_output_that_moves_to_a_bucket_and_back_keeps_nothing_that_was_revoked(workspace: Workspace, s3: S3) -> None:
    """What is public stays where it was; what is private goes with its token, wherever it is."""
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    said, guids = "", set()
    for turn, (output, token) in enumerate(
        [("first", TOKEN), ("s3://feeds/moved", TOKEN), ("s3://feeds/moved", OTHER_TOKEN), ("last", TOKEN)]
    ):
        configure_two(workspace, output, token)
        done = run(workspace, s3, "refresh", "--force", "-q", "--at", format_time(START + turn * HOUR))
        assert done.returncode == 0, done.stderr
        said += done.stderr
        if "://" in output:
            guids.add(s3.read()["moved/show/podcast.xml"].partition(b"<podcast:guid>")[2][:36])
        else:
            guids.add(
                (workspace.folder / output / "show/podcast.xml").read_bytes().partition(b"<podcast:guid>")[2][:36]
            )
        if turn == 1:
            assert list_local(workspace, "first") == list_stored(s3, "moved") == [f"plus-{TOKEN}", "show"]
        if turn == 2:
            assert list_local(workspace, "first") == ["show"]
            assert list_stored(s3, "moved") == [f"plus-{OTHER_TOKEN}", "show"]
    assert list_stored(s3, "moved") == ["show"]
    assert list_local(workspace, "last") == [f"plus-{TOKEN}", "show"]
    assert (len(guids), said.count("from now on"), "T0ken" in said) == (1, 2, False)


def test_what_is_revoked_in_a_bucket_is_removed_by_the_next_refresh_that_is_answered(
    workspace: Workspace, s3: S3
) -> None:
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    with running_gate(s3.environment["AWS_ENDPOINT_URL"]) as (gate, address):

        def refresh(output: str, token: str | None, turn: int) -> subprocess.CompletedProcess[str]:
            configure_two(workspace, output, token)
            words = ("refresh", "--force", "-q", "--at", format_time(START + turn * HOUR))
            done = run_program(workspace.folder, *words, environment={**s3.environment, "AWS_ENDPOINT_URL": address})
            assert "T0ken" not in done.stdout + done.stderr
            return done

        assert refresh("s3://feeds/deaf", TOKEN, 0).returncode == 0
        gate.refuses = lambda method: method == "POST"
        failed = refresh("local", OTHER_TOKEN, 1)
        assert (failed.returncode, failed.stderr.count("could not be removed, and can still be read")) == (1, 1)
        assert list_stored(s3, "deaf") == [f"plus-{TOKEN}", "show"]
        assert list_local(workspace, "local") == [f"plus-{OTHER_TOKEN}", "show"]
        gate.refuses = lambda _: False
        gate.loses = lambda method, *_: method == "POST"
        assert refresh("local", None, 2).returncode == 1
        gate.loses = lambda *_: False
        assert refresh("local", None, 3).returncode == 0
    assert list_stored(s3, "deaf") == list_local(workspace, "local") == ["show"]
