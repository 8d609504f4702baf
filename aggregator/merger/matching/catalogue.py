"""Match a catalogue that is larger than memory: DuckDB reads it and sorts it by show, batches of shows are matched.

Records of two known shows are never one item (``merger.matching``), so a show can be matched without the others. The
weights are learned once, from the first shows, and used for all.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, groupby
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from msgspec import Struct

from aggregator.errors import AggregatorError, ConfigError
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import Table
from aggregator.text.fold import fold
from aggregator.version import name_install

Line = Mapping[str, object]
Answers = list[tuple[object, str]]
"""Pairs of the id of a record, as it was given, and the name of its cluster."""

_SORT_MEMORY: Final = "1GB"
"""What DuckDB may hold of a catalogue while it sorts; the rest is in temporary files."""

_SAMPLE: Final = 20_000
"""Records of the first shows that the weights are learned from: ten times what the fit asks for."""

_BATCH: Final = 2_000
"""Records that a batch has at least: shows are small, and a batch costs a message each way."""

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


class Batch(Struct, frozen=True):
    """Some shows, each with its records; they are matched with the threshold (natural log-odds) and the weights."""

    shows: list[list[Line]]
    threshold: float
    table: Table


MatchBatches = Callable[[Iterable[Batch]], Iterator[Answers]]
"""Matches batches side by side, somewhere, and yields the answers in the order of the batches."""


def match_catalogue(file: Path, threshold: float, faults: Faults, match_batches: MatchBatches) -> Iterator[Answers]:
    """Yield the answers for the records of each batch of shows, the shows in the order of their folded names.

    ``file`` is JSON Lines, or Parquet with the same fields as columns if it is named so. ``faults`` counts what was
    left out. Records without a show are matched with each other alone. Raises ConfigError if the file cannot be read.
    """
    batches = _batch_shows(_read_shows(file, faults))
    first: list[list[list[Line]]] = []
    sample: list[Line] = []
    while len(sample) < _SAMPLE and (shows := next(batches, None)) is not None:
        first.append(shows)
        sample.extend(chain.from_iterable(shows))
    if sample:
        table = match_records(parse_records(sample), threshold=threshold).table
        yield from match_batches(Batch(shows, threshold, table) for shows in chain(first, batches))


def match_in_processes(batches: Iterable[Batch]) -> Iterator[Answers]:
    """Match batches on all processors of this machine; raise AggregatorError if a process is killed."""
    processes = os.cpu_count() or 1
    os.environ["PYTHONSAFEPATH"] = "1"  # as -P: a process that starts imports nothing from the current folder
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        running: list[Future[Answers]] = []
        try:
            for batch in batches:
                if len(running) > 2 * processes:
                    yield running.pop(0).result()
                running.append(pool.submit(match_batch, batch))
            for each in running:
                yield each.result()
        except BrokenProcessPool as error:
            raise AggregatorError("a process that matches records was killed; the machine may lack memory") from error


def match_batch(batch: Batch) -> Answers:
    """Return the answers for the records of some shows, each matched by itself."""
    answers: Answers = []
    for lines in batch.shows:
        found = match_records(parse_records(lines), batch.table, threshold=batch.threshold)
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
    duckdb = _import_duckdb()
    with tempfile.TemporaryDirectory(prefix="aggregator-catalogue-") as folder:
        settings: dict[str, Any] = {"memory_limit": _SORT_MEMORY, "temp_directory": folder}
        with duckdb.connect(f"{folder}/catalogue.db", config=settings) as database:
            try:
                _load(database, file)
                rows = database.execute(_SORTED)
                parts = iter(lambda: rows.fetchmany(_ROWS), [])
                for _, some in groupby(chain.from_iterable(parts), key=itemgetter(0)):
                    lines: dict[str, Line] = {}
                    for _, text in some:
                        line, _ = parse_line(text or "")  # nothing if DuckDB could not read it
                        if line is None or str(line["id"]) in lines:
                            faults.lines += 1
                        else:
                            lines[str(line["id"])] = line
                    if lines:
                        yield list(lines.values())
            except duckdb.Error as error:
                raise ConfigError(f"{file}: cannot be read: {str(error).splitlines()[0]}") from error


def _import_duckdb() -> ModuleType:
    """Return DuckDB, which workers that only match do not need; raise ConfigError if it is not installed."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ModuleNotFoundError as error:
        raise ConfigError(f"--by-show: {error.name} is not installed: {name_install('catalogue')}") from error
    atexit.register(gc.unfreeze)  # what `cli.main` freezes before it ends, DuckDB's binding would report as leaked
    return duckdb


def _load(database: Any, file: Path) -> None:
    """Read the file into two tables: its lines as JSON, and the shows that they name, with their folded names."""
    statement = _LOAD_PARQUET if file.suffix == ".parquet" else _LOAD_LINES
    database.execute(statement, {"file": str(file)})
    names = [name for (name,) in database.execute(_NAMES).fetchall()]
    database.execute("CREATE TABLE shows (name VARCHAR, key VARCHAR)")
    database.begin()
    database.executemany("INSERT INTO shows VALUES (?, ?)", [(name, fold(name)) for name in names])
    database.commit()


def parse_line(text: str) -> tuple[Line | None, str]:
    """Return the record of a line of JSON; if it is none, ``None`` and the reason."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {error}"
    if not isinstance(line, dict):
        return None, "not an object"
    for key in ("id", "source"):
        if isinstance(line.get(key), bool) or not isinstance(line.get(key), str | int):
            return None, f"{key} is missing or is neither a string nor an integer"
    return line, ""
