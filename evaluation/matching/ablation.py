"""Switch off one part of matching at a time, and measure what is worse without it.

The sets are a selection that takes half a minute; a switch is not measured on further ones after the first that shows
its part. What no set shows is looked for in the cases of `tests/unit/merger/matching`: a part that neither needs should
go. Each switch has a process of its own.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from aggregator.merger.matching.features.records import make_record, parse_records
from aggregator.merger.matching.match import match_records
from evaluation.matching import directories, one_title, scenes, sets, unseen
from evaluation.matching.scoring import Score, group_ids, pooled, score
from evaluation.matching.switches import GROUPS, Switch

_EARNED = 0.001
"""Fall of F1 on one set from which a part has earned its place."""

_DOCS = Path(__file__).parents[2] / "docs" / "matching.md"
_BEGIN, _END = "<!-- ablation: written by python -m evaluation.matching ablation -->\n", "<!-- end of ablation -->\n"
_TESTS = "tests/unit/merger/matching"
_SLOW = ("test_promises.py", "test_own_entries.py", "test_moved_hosts.py", "test_catalogue.py")


def _measure_set(name: str, share: int = 1) -> Score:
    """Return the score of every so many entities of a development set."""
    rows, truth = sets.load(name)
    kept = set(sorted(set(truth.values()))[::share])
    records = parse_records([row for row in rows if truth[str(row["id"])] in kept])
    return score(group_ids(match_records(records)), truth)


def _measure_unseen() -> Score:
    feeds = unseen.shows()[::5]
    return pooled(unseen.matched(0, half, path, wrong=False) for half in unseen.HALVES for path in feeds)


def _measure_one_title() -> Score:
    told = [*(entries for *_, entries in one_title.cases()), *one_title.drawn(0)]
    right, wrong, missed = (sum(column) for column in zip(*map(one_title.count, told), strict=True))
    return Score(right + wrong, right, right + missed, wrong)


def _measure_scenes() -> Score:
    feeds = scenes.podcasts()[::6]
    scores = []
    for name in (*directories.SCENES, "two shows in one"):
        for at, path in enumerate(feeds):
            told = directories.scene(0, name, path, feeds[at - 1], host=True)
            groups = group_ids(match_records([make_record(said) for said, _ in told]))
            scores.append(score(groups, {said.id: item for said, item in told}))
    return pooled(scores)


_MEASURES: Mapping[str, Callable[[], Score]] = {
    "kaigai-dev": lambda: _measure_set("kaigai-dev"),
    "critrole-dev": lambda: _measure_set("critrole-dev"),
    "directories-dev": lambda: _measure_set("directories-dev"),
    "a quarter of musicbrainz20k": lambda: _measure_set("musicbrainz20k", 4),
    "dblp-acm": lambda: _measure_set("dblp-acm"),
    "one title": _measure_one_title,
    "unseen": _measure_unseen,
    "scenes": _measure_scenes,
}


def _measure_all(answer: Connection) -> None:
    answer.send({name: measure() for name, measure in _MEASURES.items()})


def _measure_without(switch: Switch, base: Mapping[str, Score], answer: Connection) -> None:
    """Send what changes on which set up to the first that shows the part, else also the number of failing cases."""
    switch.turn_off()
    changes = []
    for name, measure in _MEASURES.items():
        found = measure()
        fall, mixed = base[name].f1 - found.f1, found.mixed - base[name].mixed
        if round(fall, 4) or mixed:
            changes.append(f"{name} {-fall:+.4f}" + (f" ({mixed:+d} mixed)" if mixed else ""))
        if fall >= _EARNED:
            answer.send((", ".join(changes), ""))
            return
    answer.send((", ".join(changes) or "0", _count_failing()))


def _count_failing() -> str:
    """Return how many tests of matching fail."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        left_out = (f"--ignore={_TESTS}/{name}" for name in _SLOW)
        pytest.main(["-q", "-n0", "-p", "no:cacheprovider", "--tb=no", *left_out, _TESTS])
    return str(sum(line.startswith(("FAILED", "ERROR")) for line in told.getvalue().splitlines()))


def _fork(function: Callable[..., None], *given: object) -> Any:
    """Return what a function sends from a process of its own."""
    here, there = get_context("fork").Pipe(duplex=False)
    process = get_context("fork").Process(target=function, args=(*given, there))
    process.start()
    answer = here.recv()
    process.join()
    return answer


def measure(names: Sequence[str]) -> None:
    """Print what changes without each part, or without some, and write it to the table of the docs."""
    os.nice(10)
    base = _fork(_measure_all)
    figures = ", ".join(f"{name} {base[name].f1:.4f}" for name in base)
    rows = {"nothing": f"| nothing | {figures} | 0 |"}
    print(rows["nothing"], flush=True)
    for group, switches in GROUPS.items():
        for switch in switches:
            if not names or switch.name in names:
                part = f"{group}: {switch.name}"
                rows[part] = f"| {part} | {' | '.join(_fork(_measure_without, switch, base))} |"
                print(rows[part], flush=True)
    _write_rows(rows)


def _write_rows(rows: Mapping[str, str]) -> None:
    """Write rows of the table, by the name of the part; others stay, except those of parts that are gone."""
    before, _, rest = _DOCS.read_text(encoding="utf-8").partition(_BEGIN)
    table, _, after = rest.partition(_END)
    known = {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines()} | rows
    parts = ["nothing", *(f"{group}: {switch.name}" for group, switches in GROUPS.items() for switch in switches)]
    lines = ["| without | F1 | failing cases |", "|---|---|---|", *(known[part] for part in parts if part in known)]
    text = "".join(f"{line}\n" for line in lines)
    _DOCS.write_text(f"{before}{_BEGIN}\n{text}\n{_END}{after}", "utf-8")
