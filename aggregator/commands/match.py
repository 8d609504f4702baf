"""``aggregator match``: find the records of a JSON Lines file that are the same item."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, TextIO

import typer
from msgspec import to_builtins

from aggregator.commands.options import CONFIG, ConfigOption, LinesArgument, OutputOption, open_streams
from aggregator.commands.output import format_count
from aggregator.commands.summary import warn
from aggregator.config.load import load
from aggregator.errors import AggregatorError, ConfigError
from aggregator.merger.matching import catalogue
from aggregator.merger.matching.comparison import BESIDE, POSTED
from aggregator.merger.matching.explain import Resolution, explain_pairs
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import NEAR_MISS, THRESHOLD, match_records
from aggregator.sandbox.limits import CostError, limited, make_limits


def run(  # noqa: PLR0913 - each is an option of the command line
    file: LinesArgument,
    output: OutputOption = "-",
    *,
    explain: Annotated[bool, typer.Option("--explain", help="Add the evidence to each answer.")] = False,
    threshold: Annotated[
        float,
        typer.Option("--threshold", help="Sum of evidence, in natural log-odds, from which two records are the same."),
    ] = THRESHOLD,
    by_show: Annotated[
        bool,
        typer.Option("--by-show", help="Match each show by itself, on all processors: for files larger than memory."),
    ] = False,
    on_queue: Annotated[
        bool, typer.Option("--queue", help="As --by-show, on the workers of the config's queue.")
    ] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Find records of a JSON Lines file that are the same item, of any kind: episodes, songs, papers.

    Each line is an object with "id" and "source" and any of guid, title, description, summary, published, duration,
    link, enclosure, season, episode, position, show, author, language; position is the record's place in its source.
    The answers {"id", "cluster"} come in the same order. Lines that cannot be used are reported on stderr by their
    number, and the exit code is then 1.

    With --by-show or --queue the file may also be Parquet, with the same columns, and the answers are in the order of
    the shows.
    """
    if by_show or on_queue:
        if explain or file == "-":
            option = "--queue" if on_queue else "--by-show"
            raise ConfigError(f"{option}: {'gives no evidence: leave out --explain' if explain else 'needs a file'}")
        matching = _choose_workers(config) if on_queue else catalogue.match_in_processes
        _match_catalogue(file, output, threshold, matching)
        return
    with open_streams(file, output) as (source, sink, errors):
        code = _match_lines(source, sink, errors, explain=explain, threshold=threshold)
    if code:
        raise typer.Exit(code)


def _match_lines(source: TextIO, sink: TextIO, errors: TextIO, *, explain: bool, threshold: float) -> int:
    """Write ``{"id", "cluster"}`` to ``sink`` for each record of ``source``; return the exit code.

    The code is 1 if a line could not be used; its number and the reason go to ``errors``. A cluster is named by its
    least id. With ``explain``, each answer has the pairs that join the record to its cluster and the nearest pair that
    was refused.
    """
    lines, faults = _read_lines(source)
    errors.writelines(f"{fault}\n" for fault in faults)
    try:
        with limited(make_limits(len(lines))):
            found = match_records(parse_records(lines), threshold=threshold)
            pairs = _collect_pairs(found) if explain else {}
    except CostError as error:
        raise AggregatorError(f"{format_count(len(lines), 'line')} cannot be matched: {error}") from None
    ids = [record.id for record in found.frame.records]
    cluster = {ids[row]: ids[group[0]] for group in found.groups for row in group}
    for line in lines:
        name = str(line["id"])
        answer = {"id": line["id"], "cluster": cluster[name]} | pairs.get(name, {})
        sink.write(f"{json.dumps(answer)}\n")
    return 1 if faults else 0


def _match_catalogue(file: str, output: str, threshold: float, match_batches: catalogue.MatchBatches) -> None:
    faults = catalogue.Faults()
    with open_streams(file, output) as (_, sink, errors):
        for answers in catalogue.match_catalogue(Path(file), threshold, faults, match_batches):
            sink.writelines(f"{json.dumps({'id': name, 'cluster': cluster})}\n" for name, cluster in answers)
        if faults.lines:
            errors.write(
                f"{format_count(faults.lines, 'line')} cannot be used: an object with id and source is needed\n"
            )
            raise typer.Exit(1)


def _choose_workers(config: Path) -> catalogue.MatchBatches:
    """Return the matching by the workers of the config's queue; raise ConfigError or QueueError if there is none."""
    loaded = load(config)
    if loaded.queue is None:
        raise ConfigError(f"{config}: match --queue needs queue: redis://… and its workers")
    from aggregator.service import match_queue, queue  # noqa: PLC0415 - an extra

    broker = queue.open_queue(loaded.queue)
    return partial(match_queue.match_on_workers, broker, loaded.queue, loaded.lease, warn)


def _read_lines(source: TextIO) -> tuple[list[catalogue.Line], list[str]]:
    lines: list[catalogue.Line] = []
    faults: list[str] = []
    known: set[str] = set()
    for number, text in enumerate(source, 1):
        if not text.strip():
            continue
        line, fault = catalogue.parse_line(text)
        if line is not None and str(line["id"]) in known:
            fault = f"duplicate id {line['id']!r}"
        if line is None or fault:
            faults.append(f"line {number}: {fault}")
            continue
        known.add(str(line["id"]))
        lines.append(line)
    return lines, faults


def _collect_pairs(found: Resolution) -> dict[str, dict[str, object]]:
    """Return for each record the pairs that join it to its cluster, and the nearest refused pair."""
    home = {row: number for number, group in enumerate(found.groups) for row in group}
    total = (found.weights + found.competition).tolist()
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
    shown = sorted({*chain.from_iterable(held.values()), *refused.values()})
    pair = dict(zip(shown, map(to_builtins, explain_pairs(found, shown)), strict=True))
    return {
        name: {
            "pairs": [pair[at] for at in held[row]],
            "refused": pair[refused[row]] if row in refused else None,
        }
        for row, name in enumerate(ids)
    }
