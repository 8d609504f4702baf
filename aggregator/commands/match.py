"""aggregator match: lines of records in, for each its cluster out; for episodes, songs, papers, or anything else."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TextIO

from msgspec import to_builtins

from aggregator.merger.matching.comparison import BESIDE, POSTED
from aggregator.merger.matching.explain import Resolution, explain_pairs
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import NEAR_MISS, Constraints, match_records

Line = Mapping[str, object]


def run(source: TextIO, sink: TextIO, errors: TextIO, *, explain: bool, threshold: float) -> int:
    """The exit code: 0 done, 1 where a line could not be used (told on ``errors`` by its number; the rest is answered).

    Each line of ``source`` is an object with ``id`` and ``source`` and any of ``guid title description summary
    published duration link enclosure season episode position show author language``; ``position`` is the record's
    place in its source, and the order of the lines says nothing. ``sink`` gets ``{"id", "cluster"}`` for each in
    its order; a cluster is named by the least id in it. With ``explain`` come the pairs that hold it there and the
    nearest pair that was refused, with their evidence. ``threshold`` is in natural log-odds.
    """
    lines, faults = _read(source)
    errors.writelines(f"{fault}\n" for fault in faults)
    found = match_records(parse_records(lines), Constraints(threshold=threshold))
    ids = [record.id for record in found.frame.records]
    cluster = {ids[row]: ids[group[0]] for group in found.groups for row in group}
    told = _told(found) if explain else {}
    for line in lines:
        name = str(line["id"])
        answer = {"id": line["id"], "cluster": cluster[name]} | told.get(name, {})
        sink.write(f"{json.dumps(answer)}\n")
    return 1 if faults else 0


def _read(source: TextIO) -> tuple[list[Line], list[str]]:
    """The lines that can be used, and one sentence for each that cannot."""
    lines: list[Line] = []
    faults: list[str] = []
    known: set[str] = set()
    for number, text in enumerate(source, 1):
        if not text.strip():
            continue
        line, fault = _parsed(text)
        if line is not None and str(line["id"]) in known:
            fault = f"id {line['id']!r} stands twice"
        if line is None or fault:
            faults.append(f"line {number}: {fault}")
            continue
        known.add(str(line["id"]))
        lines.append(line)
    return lines, faults


def _parsed(text: str) -> tuple[Line | None, str]:
    """The object of a line, or why it is none."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {error}"
    if not isinstance(line, dict):
        return None, "an object was expected"
    for key in ("id", "source"):
        if isinstance(line.get(key), bool) or not isinstance(line.get(key), str | int):
            return None, f"{key} is missing, or neither text nor a whole number"
    return line, ""


def _told(found: Resolution) -> dict[str, dict[str, object]]:
    """For each record the pairs that hold it in its cluster, and the nearest that was refused."""
    home = {row: number for number, group in enumerate(found.groups) for row in group}
    total = (found.weights + found.rivals).tolist()
    held: defaultdict[int, list[int]] = defaultdict(list)
    refused: dict[int, int] = {}
    sides: Sequence[tuple[int, int]] = list(
        zip(found.compared.left.tolist(), found.compared.right.tolist(), strict=True)
    )
    for at, (left, right) in enumerate(sides):
        for row in (left, right):
            if home[left] == home[right]:
                held[row].append(at)
            elif total[at] >= NEAR_MISS and found.vetoes[at] not in (BESIDE, POSTED):
                refused[row] = max(refused.get(row, at), at, key=lambda one: total[one])
    ids = [record.id for record in found.frame.records]
    told = sorted({*chain.from_iterable(held.values()), *refused.values()})
    pair = dict(zip(told, map(to_builtins, explain_pairs(found, told)), strict=True))
    return {
        name: {
            "pairs": [pair[at] for at in held[row]],
            "refused": pair[refused[row]] if row in refused else None,
        }
        for row, name in enumerate(ids)
    }
