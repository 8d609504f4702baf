"""Manners in whole runs: what an origin said holds over restarts, for its host, against cron and against a person."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from aggregator import refresh
from aggregator.config.load import load
from aggregator.service import workers
from aggregator.store import database
from tests.support.config import make_source
from tests.support.due_times import read_due_times
from tests.support.rss import Episode, make_rss
from tests.support.tools import need_strace
from tests.support.workspace import (
    NOON,
    Workspace,
    check_no_leftovers,
    check_published,
    format_time,
    make_item,
    read_guids,
)

SY = "xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'"


def refreshed(workspace: Workspace, *words: str, code: int = 0, **later: float) -> list[str]:
    """What a refresh says on stderr, so much later than noon."""
    done = workspace.run("refresh", "--quiet", "--at", format_time(NOON + timedelta(**later)), *words)
    assert done.returncode == code, done.stderr
    return done.stderr.splitlines()


def released(at: datetime) -> str:
    return Episode(
        f"{at:%j-%H}", f"Told on {at:%A, %d %B at %H}", at, audio=f"https://media.example/{at:%j-%H}.mp3"
    ).to_xml()


def test_without_a_schedule_the_next_poll_is_when_the_show_publishes(workspace: Workspace) -> None:
    weekly = [NOON - timedelta(weeks=weeks, hours=4) for weeks in range(8)]  # Wednesdays, 08:00
    workspace.serve("/host", make_rss(*map(released, weekly)))
    path = workspace.config("host")
    asked = []
    for hour in (0, 1, 23, 24, 48, 72, 96, 120, 144, 163, 164, 165, 166, 188, 189):
        refresh.refresh(load(path), at=NOON + timedelta(hours=hour))
        asked += [hour] * len(workspace.asked)
        workspace.asked.clear()
    assert asked == [0, 24, 48, 72, 96, 120, 144, 164, 165, 189]
    now = format_time(NOON + timedelta(hours=189))
    following = "next asked 2024-05-10 08:59 UTC (outside of the hours in which the show publishes)"
    assert f"show: host: {following}" in workspace.run("check", "--at", now).stdout
    assert f"  {following}: host\n" in workspace.run("refresh", "--at", now).stdout
    workspace.config("host", refresh="*/15 * * * *")
    refreshed(workspace, hours=190)
    assert workspace.asked == ["/host"], "the config's word counts at once"


def test_a_service_follows_a_schedule_that_is_edited(workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(make_item(1)))
    path = workspace.config("host")
    workers.refresh_due(load(path), NOON, everything=True)
    assert workers.refresh_due(load(path), NOON + timedelta(hours=2)) == ()
    workspace.config("host", refresh="*/15 * * * *")
    workers.refresh_due(load(path), NOON + timedelta(hours=2), everything=True)
    assert workspace.asked == ["/host", "/host"]
    with database.open_store(load(path).state) as store:
        (due,) = read_due_times(store).values()
    assert due - NOON < timedelta(hours=3.25)


def test_refreshes_around_each_half_hour_ask_no_origin_sooner_than_it_said(workspace: Workspace) -> None:
    first = make_rss(make_item(1))
    workspace.serve("/tagged", first)
    workspace.serve("/fresh", first)
    workspace.serve("/ttl", first.replace("<description>", "<ttl>120</ttl><description>", 1))
    daily = "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>8</sy:updateFrequency>"
    workspace.serve("/sy", first.replace("<rss ", f"<rss {SY} ").replace("<description>", f"{daily}<description>", 1))
    workspace.serve("/silent", first)
    workspace.fields = {
        "/tagged": {"ETag": '"1"'},
        "/fresh": {"ETag": '"1"', "Cache-Control": "public, max-age=5400"},
        "/ttl": {"ETag": '"1"'},
        "/sy": {"ETag": '"1"'},
    }
    path = workspace.config("tagged", "fresh", "ttl", "sy", "silent", refresh="* * * * *")
    asked: dict[str, list[int]] = {}
    for minute in (each for each in range(310) if each % 30 in {0, 1, 2, 3, 4, 5, 29}):
        refresh.refresh(load(path), at=NOON + timedelta(minutes=minute))
        for each in workspace.asked:
            asked.setdefault(each, []).append(minute)
        workspace.asked.clear()
    assert all(minutes[0] == 0 for minutes in asked.values())
    for name, least in {"/silent": 60, "/tagged": 60, "/fresh": 90, "/ttl": 120, "/sy": 180}.items():
        rests = [later - before for before, later in pairwise(asked[name])]
        assert len(rests) >= 1
        assert all(least <= rest <= least + 1 for rest in rests), name  # a minute more where an answer took seconds


def test_what_an_origin_gave_goes_back_byte_for_byte_after_a_restart(workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(make_item(1)))
    workspace.fields["/host"] = {"ETag": 'W/"a, b"-gzip', "Last-Modified": "Yesterday, about noon"}
    workspace.config("host", refresh="@hourly")
    for hour in (0, 1, 2):
        refreshed(workspace, hours=hour)
    sent = [(head.get("If-None-Match"), head.get("If-Modified-Since")) for head in workspace.heads]
    assert sent == [(None, None), *[('W/"a, b"-gzip', "Yesterday, about noon")] * 2]


@pytest.mark.parametrize("status", [429, 503])
def test_a_silence_asked_of_one_source_is_its_hosts_over_restarts_and_against_force(
    workspace: Workspace, status: int
) -> None:
    workspace.serve("/busy", "later", status=status)
    workspace.fields["/busy"] = {"Retry-After": "3600"}
    workspace.serve("/other", make_rss(make_item(1)))
    workspace.config("busy")
    (*_, line) = refreshed(workspace, code=3)
    assert "not asked before 2024-05-01 13:00" in line
    workspace.config("busy", "other")
    refreshed(workspace, "--force", code=3, minutes=59)
    assert workspace.asked == ["/busy"]
    workspace.serve("/busy", make_rss(make_item(1)))
    workspace.fields.clear()
    assert refreshed(workspace, "--force", minutes=61) == []
    assert sorted(workspace.asked) == ["/busy", "/busy", "/other"]


def test_a_source_that_is_gone_is_told_is_asked_no_more_and_keeps_its_items(workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    workspace.config("host")
    assert refreshed(workspace) == []
    held = read_guids(workspace)
    workspace.serve("/host", "", status=410)
    (line,) = refreshed(workspace, days=2)
    assert "410 Gone: gone for good; it is not asked any more, and its items stay" in line
    for day in (3, 40, 400):
        refreshed(workspace, days=day)
    assert len(workspace.asked) == 2
    report = json.loads((workspace.output / "show" / "report.json").read_bytes())
    assert [(each["state"], "gone for good" in each["message"]) for each in report["sources"]] == [("cached", True)]
    assert read_guids(workspace) == held
    workspace.serve("/host", make_rss(make_item(1), make_item(2), make_item(3)))
    assert refreshed(workspace, "--force", days=401) == []
    assert len(read_guids(workspace)) == 3


def test_a_permanent_move_is_remembered_over_restarts_and_the_config_stays_as_it_is(workspace: Workspace) -> None:
    workspace.serve("/host", "", status=301)
    workspace.fields["/host"] = {"Location": "/new"}
    workspace.serve("/new", make_rss(make_item(1)))
    workspace.fields["/new"] = {"ETag": '"1"'}
    path = workspace.config("host", refresh="@hourly")
    before = path.read_bytes()
    for hour in range(7):
        refreshed(workspace, hours=hour)
    assert workspace.asked == [*["/host", "/new"] * 5, "/new", "/new"]
    assert path.read_bytes() == before


def test_a_run_can_be_replayed(workspace: Workspace) -> None:
    """Two stores, the same answers at the same times: not one byte of what is published differs."""
    stages = [replace(workspace, folder=workspace.folder / name, started=workspace.started) for name in ("one", "two")]
    for stage in stages:
        stage.folder.mkdir()
        stage.config("host", "other")
    for day in (0, 2):
        workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 5 + day))))
        workspace.serve("/other", make_rss(*(make_item(number, source="other") for number in range(2, 4 + day))))
        for stage in stages:
            assert refreshed(stage, days=day) == []
    one, two = (
        {path.relative_to(stage.output): path.read_bytes() for path in stage.output.rglob("*") if path.is_file()}
        for stage in stages
    )
    assert one == two


def test_no_private_address_is_asked_and_no_login_told_unless_the_config_says_so(workspace: Workspace) -> None:
    workspace.serve("/host", "", status=404)
    private = workspace.url("/host?token=hush").replace("//", "//me:secret@")
    source = {"host": make_source(private)}
    workspace.config(more=source, whole={"allow_networks": []})
    said = refreshed(workspace, code=3)
    assert "refused: 127.0.0.1 is not a public address" in said[-1]
    assert workspace.asked == []
    workspace.config(more=source)
    said += refreshed(workspace, "--force", code=3, hours=1)
    assert "404 Not Found" in said[-1]
    assert workspace.heads[0]["Authorization"].startswith("Basic ")
    shown = "\n".join(said) + "".join(path.read_text() for path in workspace.folder.rglob("*.json"))
    assert not re.search("secret|hush|bWU6", shown)


def test_an_address_that_the_config_refused_is_asked_at_once_when_the_config_permits_it(workspace: Workspace) -> None:
    workspace.serve("/host", make_rss(make_item(1)))
    workspace.config("host", whole={"allow_networks": []})
    for minute in range(3):
        assert "allow_networks" in refreshed(workspace, code=3, minutes=minute)[-1]
    workspace.config("host")
    assert refreshed(workspace, minutes=3) == []
    assert workspace.asked == ["/host"]


CALL = re.compile(r"(openat|fsync|rename)\((.*)\)\s+= (\S+)")


def test_each_file_is_on_the_disk_before_it_gets_its_name_and_its_folder_afterwards(workspace: Workspace) -> None:
    need_strace()
    workspace.serve("/host", make_rss(make_item(1), make_item(2)))
    workspace.config("host")
    trace = workspace.folder / "trace"
    words = ("strace", "-f", "-y", "-o", str(trace), "-e", "trace=fsync,rename")
    done = workspace.run("refresh", "--quiet", "--at", format_time(NOON), before=words)
    assert (done.returncode, done.stderr) == (0, "")
    synced: set[str] = set()
    renamed: dict[str, str] = {}
    for name, given, _ in CALL.findall(trace.read_text()):
        places = re.findall(r'<([^>]*)>|"([^"]*)"', given)
        paths = [left or right for left, right in places]
        if name == "fsync":
            synced.add(paths[0])
            renamed = {each: folder for each, folder in renamed.items() if folder != paths[0]}
        elif ".part" in paths[0]:
            assert paths[0] in synced, "a name for what may not be on the disk"
            renamed[paths[1]] = paths[1].rpartition("/")[0]
    assert any(".part" in path for path in synced)
    assert renamed == {}, "the folder was not flushed after these"
    check_published(workspace)
    check_no_leftovers(workspace)
