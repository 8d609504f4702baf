"""Dispatcher and workers on PostgreSQL and Redis: the files of one process, manners together, nothing lost."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.fleet import Fleet, kill, round_time, running_fleet
from tests.support.program import run_program
from tests.support.servers import PostgreSQL, Redis, running_postgresql, running_redis
from tests.support.waiting import wait_for


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    with running_postgresql("-F", "-c", "max_connections=60") as server:
        yield server


@pytest.fixture(scope="module")
def redis() -> Iterator[Redis]:
    with running_redis() as server:
        yield server


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with running_fleet(tmp_path / "fleet") as opened:
        yield opened


def test_workers_publish_what_one_process_publishes(fleet: Fleet, postgresql: PostgreSQL, redis: Redis) -> None:
    shared = fleet.config("shared", postgresql.make_database("same"), feeds=4, queue=redis.address)
    alone = fleet.config("alone", "alone.db", feeds=4)
    workers = fleet.workers(shared, 2)
    for now in range(2):
        fleet.dispatch(shared, now)
        fleet.refresh(alone, now)
    assert fleet.output("shared") == fleet.output("alone")
    assert "feeds.opml" in fleet.output("shared")
    for worker in workers:
        worker.terminate()
    assert [worker.wait(180) for worker in workers] == [0, 0]
    assert "Traceback" not in fleet.logs()


def test_a_machine_with_an_older_config_removes_no_feed_of_another(
    fleet: Fleet, postgresql: PostgreSQL, redis: Redis
) -> None:
    state, queue = postgresql.make_database("configs"), redis.address
    keys = {"queue": queue, "output": "output"}
    newer, older = (fleet.config(name, state, feeds=count, **keys) for name, count in (("newer", 2), ("older", 1)))
    title = '"title": "Show 1"'
    newer.write_text(newer.read_text().replace(title, f'{title}, "token": "limpet-T0ken-abcdefgh"'))
    folder = fleet.folder / "output" / "show-1-limpet-T0ken-abcdefgh"
    fleet.refresh(newer, 0)
    again = run_program(fleet.folder, "refresh", "-q", "-c", older.name, "--at", "2024-05-02T12:00:00Z")
    assert "show-1 is not in the config any more: its 8 published files stay while the schedule" in again.stderr
    assert (folder / "podcast.xml").exists()

    [worker] = fleet.workers(older, 1)  # the schedule has the older config now: the feed was removed everywhere
    fleet.dispatch(older, 1)
    wait_for(lambda: not folder.exists())
    worker.terminate()
    assert worker.wait(180) == 0
    assert "show-1 is not in the config any more: its 8 published files were removed" in fleet.logs()


def read_card(fleet: Fleet, postgresql: PostgreSQL, redis: Redis, processes: int, threads: int) -> dict[str, object]:
    """The card of the origin after two rounds of six feeds on two hosts, one of which wants silence after the first."""
    state = postgresql.make_database(f"manners_{processes}_{threads}")
    config = fleet.config("shared", state, feeds=6, hosts=2, queue=redis.address, obey_robots=True)
    workers = fleet.workers(config, processes, threads)
    fleet.ask("pause/0.03")
    fleet.dispatch(config, 0)
    fleet.ask("silence/127.0.1.1")
    fleet.dispatch(config, 1)
    for worker in workers:
        kill(worker)
    card = fleet.ask("card")
    asked = card["requests"]
    refused = [key for key, counts in asked.items() if "429" in counts]
    assert 1 <= len(refused) <= 2, "two may be under way when the first answer comes"
    for key in list(asked):
        if key.startswith("127.0.1.1/show"):
            del asked[key]
    assert all(busiest <= 2 for busiest in card["busiest"].values())
    assert {counts["200"] for key, counts in asked.items() if key.endswith("robots.txt")} == {1}
    return asked


@pytest.mark.parametrize(
    ("few", "many"),
    [((1, 1), (1, 4)), pytest.param((1, 2), (4, 2), marks=pytest.mark.heavy)],
    ids=["threads", "processes"],
)
def test_the_origin_is_asked_the_same_by_one_worker_and_by_four(
    tmp_path: Path, postgresql: PostgreSQL, redis: Redis, few: tuple[int, int], many: tuple[int, int]
) -> None:
    with running_fleet(tmp_path / "few") as fleet:
        first = read_card(fleet, postgresql, redis, *few)
    with running_fleet(tmp_path / "many") as fleet:
        second = read_card(fleet, postgresql, redis, *many)
    assert first == second


def refresh_first(fleet: Fleet, config: Path) -> None:
    """Refresh all feeds by a worker that ends then."""
    (worker,) = fleet.workers(config, 1)
    fleet.dispatch(config, 0)
    kill(worker)


def lose(fleet: Fleet, redis: Redis, lost: Path, config: Path, *, seconds: float) -> bool:
    """Kill a worker at work and its dispatcher, and wipe the queue; return whether a pair of ``config`` refreshes all.

    Both configs are of one store.
    """
    fleet.ask("round/1")
    fleet.ask("pause/0.5")
    before = fleet.ask("card")["requests"]
    fleet.workers(lost, 1)
    fleet.start("dispatch", "-c", lost.name, "--once", "--at", round_time(1))
    wait_for(lambda: fleet.ask("card")["requests"] != before)
    for child in fleet.started:
        kill(child)
    redis.kill()
    redis.start()
    fleet.ask("pause/0")
    fleet.workers(config, 1)
    try:
        fleet.dispatch(config, 1, seconds=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def test_what_a_killed_worker_and_a_wiped_queue_had_is_refreshed_again(fleet: Fleet, postgresql: PostgreSQL) -> None:
    with running_redis() as redis:
        state, queue = postgresql.make_database("lost"), redis.address
        shared, alone = fleet.config("shared", state, feeds=4, queue=queue), fleet.config("alone", "alone.db", feeds=4)
        lost = fleet.config("lost", state, feeds=4, queue=queue, lease_seconds=6, output="output-shared")
        refresh_first(fleet, shared)
        assert lose(fleet, redis, lost, shared, seconds=300)
    for now in range(2):
        fleet.refresh(alone, now)
    assert fleet.output("shared") == fleet.output("alone")


@pytest.mark.heavy
def test_without_an_end_of_leases_what_was_lost_stays_lost(fleet: Fleet, postgresql: PostgreSQL) -> None:
    """The control of the test above: it fails where nothing is sent again."""
    with running_redis() as redis:
        shared = fleet.config("shared", postgresql.make_database("control"), feeds=6, queue=redis.address)
        refresh_first(fleet, shared)
        assert not lose(fleet, redis, shared, shared, seconds=60)


@pytest.mark.heavy
def test_600_feeds_lose_nothing_whatever_is_killed(fleet: Fleet) -> None:  # noqa: C901 - faults in turn
    """Rounds of 600 feeds with each fault in turn end with the files that SQLite has without any."""
    dice, feeds = random.Random(19), int(os.environ.get("FLEET_FEEDS", "600"))
    with running_postgresql("-c", "max_connections=60") as postgresql, running_redis() as redis:
        state = postgresql.make_database("lost")
        shared = fleet.config("shared", state, feeds=feeds, queue=redis.address, lease_seconds=20)
        alone = fleet.config("alone", "alone.db", feeds=feeds)
        workers = fleet.workers(shared, 2)

        def kill_worker() -> None:
            kill(workers.pop(0))
            workers.extend(fleet.workers(shared, 1))

        def wipe_queue() -> None:
            redis.kill()
            time.sleep(dice.uniform(0, 2))
            redis.start()

        def restart_store() -> None:
            postgresql.kill()
            time.sleep(dice.uniform(0, 2))
            postgresql.start()

        def fill_pool() -> None:
            held = []
            try:
                while True:
                    held.append(psycopg.connect(f"host={postgresql.folder} user=tester dbname=postgres"))
            except psycopg.OperationalError:
                time.sleep(3)
            for each in held:
                each.close()

        faults = (kill_worker, wipe_queue, restart_store, fill_pool)
        for now in range(len(faults) + 1):
            fleet.ask(f"round/{now}")
            words = ("dispatch", "-c", shared.name, "--once", "--at", f"2024-05-01T{12 + now}:10:00Z")
            dispatcher, end = fleet.start(*words), time.monotonic() + 600
            for fault in faults[now : now + 1] if now < len(faults) else faults:
                time.sleep(dice.uniform(2, 6))
                if now == len(faults):
                    kill(dispatcher)
                fault()
                workers[:] = [each for each in workers if each.poll() is None]
                workers += fleet.workers(shared, 2 - len(workers))
                if dispatcher.poll() not in (0, None):
                    dispatcher = fleet.start(*words)
            while (code := dispatcher.poll()) != 0:
                assert time.monotonic() < end, "not all were refreshed"
                if code is not None:
                    dispatcher = fleet.start(*words)
                time.sleep(0.5)
            fleet.refresh(alone, now)
            assert fleet.output("shared") == fleet.output("alone"), f"round {now}"


def test_what_is_missing_is_told_in_one_line(fleet: Fleet, postgresql: PostgreSQL, redis: Redis) -> None:
    bare = fleet.config("bare", "bare.db", feeds=1)
    done = run_program(fleet.folder, "dispatch", "-c", bare.name)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "dispatch needs queue: redis://… and state: postgresql://…" in done.stderr
    sqlite = fleet.config("sqlite", "bare.db", feeds=1, queue=redis.address)
    done = run_program(fleet.folder, "worker", "-c", sqlite.name)
    assert done.returncode == 2
    assert "queue needs a store that several machines share" in done.stderr
    state = postgresql.make_database("away")
    away = fleet.config("away", state, feeds=1, queue="redis://:secret@127.0.0.1:1/0")
    for command in ("dispatch", "worker"):
        done = run_program(fleet.folder, command, "-c", away.name)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert "queue: Redis at 127.0.0.1:1/0 cannot be reached" in done.stderr
        assert "secret" not in done.stderr


def test_a_dispatcher_shows_what_there_is_to_do(fleet: Fleet, postgresql: PostgreSQL) -> None:
    with running_redis() as redis:
        config = fleet.config("shared", postgresql.make_database("seen"), feeds=3, queue=redis.address)
        fleet.start("dispatch", "-c", config.name, "--metrics-port", "0", "--log", "json")
        port = wait_for(lambda: re.search(r"metrics at port (\d+)", fleet.logs()))[1]
        found = wait_for(lambda: match if (match := read_metrics(port))["aggregator_queue_messages"] == 4 else None)
        assert found['aggregator_queue_feeds{state="queued"}'] == 4
        assert found['aggregator_queue_feeds{state="working"}'] == 0
        assert found["aggregator_queue_claims_total"] == 4
        assert found['aggregator_queue_lag_seconds{quantile="0.99"}'] >= 0
        redis.kill()
        assert wait_for(lambda: read_metrics(port)["aggregator_queue_up"] == 0)
    assert all(json.loads(line)["event"] for line in fleet.logs().splitlines())


def read_metrics(port: str) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}
