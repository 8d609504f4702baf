"""Catalogues are matched show by show: the same clusters as in memory, from JSON Lines and from Parquet."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path

import duckdb
import pytest

from tests.support.catalogue import EPISODES, make_catalogue
from tests.support.program import run_program

SHOWS = 40


def match(folder: Path, *words: str) -> tuple[set[frozenset[str]], subprocess.CompletedProcess[str]]:
    done = run_program(folder, "match", *words)
    groups: dict[str, set[str]] = defaultdict(set)
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        groups[answer["cluster"]].add(answer["id"])
    return set(map(frozenset, groups.values())), done


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    lines = [json.dumps(line) for line in make_catalogue(SHOWS)]
    (tmp_path / "all.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_the_clusters_are_those_of_the_whole_file_in_memory(catalogue: Path) -> None:
    in_memory, _ = match(catalogue, "all.jsonl")
    by_show, done = match(catalogue, "all.jsonl", "--by-show")
    assert (done.returncode, done.stderr) == (0, "")
    assert by_show == in_memory
    assert len(by_show) == SHOWS * EPISODES
    duckdb.read_json(f"{catalogue}/all.jsonl").write_parquet(f"{catalogue}/all.parquet")
    of_parquet, done = match(catalogue, "all.parquet", "--by-show")
    assert (done.returncode, of_parquet) == (0, by_show)


def test_lines_that_cannot_be_used_are_counted_and_the_rest_is_answered(catalogue: Path) -> None:
    with (catalogue / "all.jsonl").open("a", encoding="utf-8") as file:
        file.write('not json\n[1]\n{"id": "x"}\n{"id": 3, "source": "host", "title": "Alone"}\n')
        file.write(f'{{"id": 4, "source": "host", "part": {"[" * 100_000}{"]" * 100_000}}}\n')
        file.write(f'{{"id": 5, "source": "host", "season": {"9" * 5000}}}\n')
    clusters, done = match(catalogue, "all.jsonl", "--by-show")
    assert (done.returncode, len(clusters)) == (1, SHOWS * EPISODES + 1)
    assert done.stderr == "5 lines cannot be used: an object with id and source is needed\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("none.jsonl",), "none.jsonl: cannot be read"),
        (("bad.parquet",), "bad.parquet: cannot be read"),
        (("-",), "--by-show: needs a file"),
        (("all.jsonl", "--explain"), "--by-show: gives no evidence: leave out --explain"),
    ],
)
def test_what_cannot_be_read_is_one_line(catalogue: Path, words: tuple[str, ...], line: str) -> None:
    (catalogue / "bad.parquet").write_bytes(b"PAR1 and no more")
    _, done = match(catalogue, *words, "--by-show")
    assert done.returncode == 2
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
