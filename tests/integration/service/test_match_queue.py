"""A catalogue that workers match has the answers of one machine, whatever is lost on the way."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from redis import Redis as Client

from aggregator.service import queue
from tests.support.catalogue import make_catalogue
from tests.support.fleet import Fleet, kill, running_fleet
from tests.support.program import PROGRAM, run_program
from tests.support.servers import PostgreSQL, Redis, running_postgresql, running_redis
from tests.support.waiting import wait_for

SHOWS = 80  # 2,880 records: two batches


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    with running_postgresql("-F") as server:
        yield server


@pytest.fixture
def redis() -> Iterator[Redis]:
    with running_redis() as server:
        yield server


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with running_fleet(tmp_path / "fleet") as opened:
        lines = [json.dumps(line) for line in make_catalogue(SHOWS)]
        (opened.folder / "all.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield opened


def configure(fleet: Fleet, postgresql: PostgreSQL, redis: Redis, name: str, lease: int) -> Path:
    state = postgresql.make_database(name)
    return fleet.config(name, state, feeds=1, queue=redis.address, lease_seconds=lease)


def test_workers_give_the_answers_of_one_machine_although_one_dies_and_the_queue_is_emptied(
    fleet: Fleet, postgresql: PostgreSQL, redis: Redis
) -> None:
    config = configure(fleet, postgresql, redis, "lost", 15)
    patient = configure(fleet, postgresql, redis, "patient", 300)  # a batch may take nine tenths of it
    matching = fleet.start("match", "all.jsonl", "--queue", "-c", config.name, "-o", "there.jsonl")
    with Client.from_url(redis.address) as client:
        wait_for(lambda: client.llen("aggregator:matches") == 2, 120)
    redis.kill()
    redis.start()
    (worker,) = fleet.workers(patient, 1, threads=1, program=PROGRAM)  # it is stopped
    with Client.from_url(redis.address) as client:
        wait_for(lambda: client.keys("aggregator:__acks__.*.matches"), 120)  # the worker has taken a batch
    worker.send_signal(signal.SIGSTOP)
    fleet.workers(patient, 2)
    wait_for(lambda: fleet.logs().count("2 jobs at once") == 2)
    kill(worker)
    assert matching.wait(180) == 0, fleet.logs()
    assert run_program(fleet.folder, "match", "all.jsonl", "--by-show", "-o", "here.jsonl").returncode == 0
    there, here = ((fleet.folder / name).read_text() for name in ("there.jsonl", "here.jsonl"))
    assert there.count("\n") == SHOWS * 36
    assert there == here
    with Client.from_url(redis.address) as client:
        late = client.keys("aggregator:matched:*")  # answers to a batch that was sent again
        assert all(client.ttl(key) > 0 for key in late)
    assert "Traceback" not in fleet.logs()


def test_what_takes_too_long_is_told_in_one_line(redis: Redis) -> None:
    told: list[str] = []
    lease, broker = timedelta(seconds=1), queue.open_queue(redis.address)

    def never_end(number: int) -> None:
        while number:
            time.sleep(0.01)

    queue.add_actor(broker, "late", "late", lease, never_end, lambda number: told.append(f"{number} is late"))
    with queue.working(broker, print, print, threads=1, lease=lease, tell=told.append):
        queue.send_message(broker, redis.address, "late", "late", {"number": 7})
        wait_for(lambda: told)
    assert told == ["7 is late"]


def test_without_a_worker_it_ends_with_one_line(fleet: Fleet, postgresql: PostgreSQL, redis: Redis) -> None:
    config = configure(fleet, postgresql, redis, "idle", 5)
    done = run_program(fleet.folder, "match", "all.jsonl", "--queue", "-c", config.name, seconds=120)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "no worker answered 3 messages; is `aggregator worker` running?" in done.stderr


def test_without_a_queue_it_says_what_is_needed(fleet: Fleet) -> None:
    config = fleet.config("bare", "bare.db", feeds=1)
    done = run_program(fleet.folder, "match", "all.jsonl", "--queue", "-c", config.name)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "match --queue needs queue: redis://" in done.stderr
