"""Power loss at each fsync of a refresh: no published guid is unknown to the store, and the next refresh goes on."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from aggregator.store import guids
from aggregator.store.database import open_store
from tests.support.power_loss import State, replay, trace_command
from tests.support.workspace import NOON, Workspace, check_published, format_time, read_guids

AGAIN = ("refresh", "--quiet", "--force", "--at", format_time(NOON + timedelta(days=2)))


def read_files(folder: Path) -> State:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith("-shm")
    }


def record(once: Workspace) -> list[tuple[str, State]]:
    """The different states of the workspace at each fsync of a refresh with news, the last first."""
    home = once.folder
    before, trace = read_files(home), home.parent / "trace"
    done = once.run(*AGAIN, before=trace_command(trace))
    assert done.returncode == 0, done.stderr
    states: dict[int, tuple[str, State]] = {}
    last: State = {}
    for what, state in replay(trace, home, before):
        last = state
        states.setdefault(hash(tuple(sorted(state.items()))), (what, state))
    assert {name for name in last if name.startswith("output/")} == {
        name for name in read_files(home) if name.startswith("output/")
    }
    assert all(last[name] == content for name, content in read_files(home).items() if name.startswith("output/"))
    return list(states.values())[::-1]


def restore(workspace: Workspace, state: State, name: str) -> Workspace:
    folder = workspace.folder.parent / name
    for path, content in state.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return replace(workspace, folder=folder)


def read_stored(workspace: Workspace) -> set[str]:
    with open_store(str(workspace.folder / "store.db")) as store:
        return {each.guid for each in guids.read_guids(store, "show")}


def check(workspace: Workspace, state: State, name: str, *, goes_on: bool) -> None:
    lost = restore(workspace, state, name)
    check_published(lost)
    published = read_guids(lost)
    assert len(published) >= 5
    assert set(published.values()) <= read_stored(lost)
    if goes_on:
        done = lost.refresh(NOON + timedelta(days=3))
        assert (done.returncode, done.stderr) == (0, "")
        check_published(lost)
        after = read_guids(lost)
        assert len(after) == 8
        assert published.items() <= after.items()


def test_a_power_loss_at_any_fsync_loses_no_guid(once: Workspace) -> None:
    states = record(once)
    assert len(states) > 10
    for number, (what, state) in enumerate(states):
        try:
            check(once, state, f"state-{number}", goes_on=number in (0, len(states) // 2))
        except Exception as error:
            raise AssertionError(what) from error


@pytest.mark.heavy
def test_after_a_power_loss_at_any_fsync_the_next_refresh_goes_on(once: Workspace) -> None:
    states = record(once)
    for number, (what, state) in enumerate(states):
        try:
            check(once, state, f"state-{number}", goes_on=True)
        except Exception as error:
            raise AssertionError(what) from error
