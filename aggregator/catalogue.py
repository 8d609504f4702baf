"""Match a catalogue that is larger than memory: DuckDB reads it and sorts it by show, processes match show by show.

Records of two known shows are never one item (``merger.matching``), so a show can be matched without the others. The
weights are learned once, from the first shows, and used for all.
"""

from __future__ import annotations

import atexit
import gc
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from aggregator.errors import ConfigError
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import Constraints, match_records
from aggregator.merger.matching.scoring import Table
from aggregator.text.fold import fold

try:
    import duckdb
except ModuleNotFoundError as error:
    raise ConfigError(f"--by-show: {error.name} is not installed: pip install 'aggregator[catalogue]'") from error

atexit.register(gc.unfreeze)  # what `cli.main` freezes before it ends, DuckDB's binding would report as leaked

Line = Mapping[str, object]
Answers = list[tuple[object, str]]
"""Pairs of the id of a record, as it was given, and the name of its cluster."""

_SORT_MEMORY: Final = "1GB"
"""What DuckDB may hold of a catalogue while it sorts; the rest is in temporary files."""

_SAMPLE: Final = 20_000
"""Records of the first shows that the weights are learned from: ten times what the fit asks for."""

_BATCH: Final = 2_000
"""Records that one task of a process has at least: shows are small, and a task costs a message each way."""

_ROWS: Final = 10_000
"""Lines that are fetched at once."""

_LOAD_LINES: Final = (
    "CREATE TABLE lines AS "
    "SELECT json FROM read_json_objects($file, format = 'newline_delimited', ignore_errors = true)"
)
_LOAD_PARQUET: Final = "CREATE TABLE lines AS SELECT to_json(each) AS json FROM read_parquet($file) AS each"
_NAMES: Final = "SELECT DISTINCT coalesce(json ->> '$.show', '') FROM lines"
_SORTED: Final = (
    "SELECT shows.key, lines.json::VARCHAR FROM lines JOIN shows ON shows.name = coalesce(lines.json ->> '$.show', '') "
    "ORDER BY shows.key, lines.rowid"
)


class Faults(Struct):
    """Lines that could not be used: no JSON objects with id and source, or an id that the show has already."""

    lines: int = 0


def match_catalogue(file: Path, threshold: float, processes: int, faults: Faults) -> Iterator[Answers]:
    """Yield the answers for the records of each batch of shows, the shows in the order of their folded names.

    ``file`` is JSON Lines, or Parquet with the same fields as columns if it is named so. ``faults`` counts what was
    left out. Records without a show are matched with each other alone. Raises ConfigError if the file cannot be read.
    """
    constraints = Constraints(threshold=threshold)
    batches = _batch_shows(_read_shows(file, faults))
    sample: list[list[Line]] = []
    while sum(map(len, sample)) < _SAMPLE and (batch := next(batches, None)) is not None:
        sample.extend(batch)
    if not sample:
        return
    table = match_records(parse_records([line for show in sample for line in show]), constraints).table
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        running: list[Future[Answers]] = [pool.submit(match_shows, sample, constraints, table)]
        for batch in batches:
            if len(running) > 2 * processes:
                yield running.pop(0).result()
            running.append(pool.submit(match_shows, batch, constraints, table))
        for each in running:
            yield each.result()


def match_shows(shows: Sequence[Sequence[Line]], constraints: Constraints, table: Table) -> Answers:
    """Return the answers for the records of some shows, each matched by itself."""
    answers: Answers = []
    for lines in shows:
        found = match_records(parse_records(lines), constraints, table)
        given = {str(line["id"]): line["id"] for line in lines}
        ids = [record.id for record in found.frame.records]
        answers.extend((given[ids[row]], ids[group[0]]) for group in found.groups for row in group)
    return answers


def _batch_shows(shows: Iterator[list[Line]]) -> Iterator[list[list[Line]]]:
    """Yield so many shows that each batch has enough records."""
    batch: list[list[Line]] = []
    records = 0
    for show in shows:
        batch.append(show)
        records += len(show)
        if records >= _BATCH:
            yield batch
            batch, records = [], 0
    if batch:
        yield batch


def _read_shows(file: Path, faults: Faults) -> Iterator[list[Line]]:
    """Yield the records of each show, sorted by show; the lines of a show keep their order."""
    with tempfile.TemporaryDirectory(prefix="aggregator-catalogue-") as folder:
        settings: dict[str, Any] = {"memory_limit": _SORT_MEMORY, "temp_directory": folder}
        with duckdb.connect(f"{folder}/catalogue.db", config=settings) as database:
            try:
                _load(database, file)
                for _, some in groupby(_fetch(database.execute(_SORTED)), key=itemgetter(0)):
                    lines: dict[str, Line] = {}
                    for _, text in some:
                        line = _parse(text)
                        if line is None or str(line["id"]) in lines:
                            faults.lines += 1
                        else:
                            lines[str(line["id"])] = line
                    if lines:
                        yield list(lines.values())
            except duckdb.Error as error:
                raise ConfigError(f"{file}: cannot be read: {str(error).splitlines()[0]}") from error


def _load(database: Any, file: Path) -> None:
    """Read the file into two tables: its lines as JSON, and the shows that they name, with their folded names."""
    statement = _LOAD_PARQUET if file.suffix == ".parquet" else _LOAD_LINES
    database.execute(statement, {"file": str(file)})
    names = [name for (name,) in database.execute(_NAMES).fetchall()]
    database.execute("CREATE TABLE shows (name VARCHAR, key VARCHAR)")
    database.begin()
    database.executemany("INSERT INTO shows VALUES (?, ?)", [(name, fold(name)) for name in names])
    database.commit()


def _fetch(rows: Any) -> Iterator[tuple[str, str]]:
    while some := rows.fetchmany(_ROWS):
        yield from some


def _parse(text: str | None) -> Line | None:
    """Return the record of a line; ``None`` if it is none."""
    line = json.loads(text) if text else None
    if isinstance(line, dict):
        line = {key: value for key, value in line.items() if value is not None}
        if all(isinstance(line.get(key), str | int) and not isinstance(line[key], bool) for key in ("id", "source")):
            return line
    return None
