"""The system: version, store, disk, backups, and the config with its mistakes at their lines."""

from __future__ import annotations

import platform
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from aggregator.config.masking import mask_config
from aggregator.config.settings import Config
from aggregator.errors import ConfigError, StoreError
from aggregator.service.desk.errors import MissingError, RefusedError
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest, now
from aggregator.store import connection, facts, leases, schema
from aggregator.store.leases import Working
from aggregator.translation.marks import N_
from aggregator.version import VERSION

_PLACE: Final = re.compile(r"(?P<file>.*?):(?P<line>\d+): (?P<text>.*)")
_AROUND: Final = 2
_BACKUP_SECONDS: Final = 600
_COPY: Final = re.compile(r"\.backup-[0-9T-]+")


class _Backup(Struct, frozen=True):
    """A copy of the store: its name, its size, and when it was made."""

    name: str
    size: int
    at: datetime


class _ConfigLine(Struct, frozen=True):
    """A line of the config near a mistake."""

    number: int
    text: str
    is_wrong: bool


class _Mistake(Struct, frozen=True):
    """A mistake of the config, with the lines around it."""

    text: str
    lines: tuple[_ConfigLine, ...]


class _SystemPage(Struct, frozen=True):
    """The system.

    ``problem`` is why the store cannot be read, empty if it can, and ``restore`` the command that then puts the newest
    backup in its place, empty without one.
    """

    version: str
    python: str
    tables: int
    store: str
    size: int
    free: int
    ticked: datetime | None
    waiting: int
    workers: tuple[Working, ...]
    feeds: int
    sources: int
    config: str
    mistakes: tuple[_Mistake, ...]
    backups: tuple[_Backup, ...]
    can_back_up: bool
    problem: str = ""
    restore: str = ""


def _show_system(desk: Desk, _request: PageRequest) -> _SystemPage:
    """Gather the state of the installation."""
    config = desk.config
    path = _find_store_file(config)
    ticked, waiting, problem = None, 0, ""
    workers: tuple[Working, ...] = ()
    try:
        if connection.has_content(config.state):
            with desk.open_store() as store:
                ticked = facts.read_fact(store, "", "ticked")
                clock = leases.read_clock(store)
                waiting, workers = leases.count(store, now(), clock).waiting, leases.read_working(store, clock)
    except StoreError as error:
        problem = str(error)
    backups = tuple(_list_backups(path)) if path else ()
    restore = ""
    if problem and path and backups:
        restore = shlex.join(("aggregator", "restore", str(path.with_name(backups[0].name)), "-c", str(config.path)))
    return _SystemPage(
        version=VERSION,
        python=platform.python_version(),
        tables=schema.VERSION,
        store=connection.printable_name(connection.parse_address(config.state)),
        size=sum(each.stat().st_size for each in _list_files(path)) if path else 0,
        free=shutil.disk_usage(config.path.parent).free,
        ticked=datetime.fromisoformat(ticked.decode()) if ticked else None,
        waiting=waiting,
        workers=workers,
        feeds=len(config.plans),
        sources=sum(len(plan.sources) for plan in config.plans),
        config=str(config.path),
        mistakes=tuple(_list_mistakes(config.path, desk)),
        backups=backups,
        can_back_up=path is not None and not problem,
        problem=problem,
        restore=restore,
    )


def _find_store_file(config: Config) -> Path | None:
    """Return the file of the store, ``None`` if it is on a server."""
    return connection.sqlite_file(connection.parse_address(config.state))


def _list_files(path: Path) -> list[Path]:
    return [each for each in (path, path.with_name(f"{path.name}-wal")) if each.exists()]


def _list_backups(path: Path) -> list[_Backup]:
    """Return the copies beside the store, the newest first."""
    found = []
    for each in sorted(path.parent.glob(f"{path.name}.backup-*"), reverse=True):
        if _COPY.fullmatch(each.name.removeprefix(path.name)):
            state = each.stat()
            found.append(_Backup(each.name, state.st_size, datetime.fromtimestamp(int(state.st_mtime), UTC)))
    return found


def find_backup(config: Config, name: str) -> Path:
    """Return the file of a copy that the page lists; raise MissingError."""
    path = _find_store_file(config)
    if path is None or name not in {each.name for each in _list_backups(path)}:
        raise MissingError(N_("there is no such backup"))
    return path.with_name(name)


def _list_mistakes(path: Path, desk: Desk) -> Iterator[_Mistake]:
    text = desk.mistakes
    lines = mask_config(path.read_text("utf-8-sig", "replace")).split("\n") if text and path.exists() else []
    for message in text.splitlines():
        found = _PLACE.fullmatch(message)
        at = int(found["line"]) if found else 0
        around = range(max(1, at - _AROUND), min(len(lines), at + _AROUND) + 1) if at else ()
        shown = (_ConfigLine(number, desk.hide(lines[number - 1]), number == at) for number in around)
        yield _Mistake(found["text"] if found else message, tuple(shown))


def _back_up(desk: Desk, request: PageRequest) -> ActResult:
    """Copy the store beside itself, as ``aggregator backup`` does; a process of its own reads the file."""
    path = _find_store_file(desk.config)
    if path is None:
        raise RefusedError(N_("the store is on a server: back it up there, or with aggregator backup FILE"))
    name = f"{path.name}.backup-{now():%Y-%m-%dT%H%M%S}"
    lines = desk.jobs.call(("backup", str(path.with_name(name))), seconds=_BACKUP_SECONDS)
    if not path.with_name(name).exists():
        if not lines:
            raise RefusedError(N_("the backup could not be made"))
        raise ConfigError("; ".join(lines))
    return ActResult("/system", request.locale.gettext("Backed up: %(file)s", file=name))


PAGES = (Page("/system", "system.html.j2", _show_system),)
ACTS = (Act("/system/backup", _back_up, is_slow=True),)
