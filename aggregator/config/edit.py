"""Edit the config file: add sources and change them, one process at a time.

The file is locked by ``flock`` on a file beside it (flock(2)), because the desk and the commands are processes of their
own. Its new content is written to a temporary file, which takes its name when it is on the disk, unless another
program, such as an editor, has changed the file meanwhile.
"""

from __future__ import annotations

import fcntl
import glob
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from aggregator.config.change import Addition, Keys, Place, add_sources, change_keys, make_digest, read_keys
from aggregator.config.load import check_values, decode, make_config
from aggregator.config.parse import ParsedYaml, parse
from aggregator.config.schema import ConfigKeys
from aggregator.config.settings import Config
from aggregator.errors import ChangedError, ConfigError

_LOCK_SECONDS: Final = 30
"""How long to wait for another process: an edit takes a second with thousands of feeds."""

_POLL_SECONDS: Final = 0.02


_NEW: Final = """\
# The feeds and their sources; docs/config.md describes every key.
# base_url: https://feeds.example.org # where the output folder is served; the feeds contain it
# contact: mailto:you@example.org # sent to every host, so that its operator can reach you
feeds: {}
"""


Rewrite = Callable[[ParsedYaml], ParsedYaml]
"""Return another config for one, or raise ConfigError."""


def add(path: Path, plan: Callable[[Config | None], Sequence[Addition]]) -> Sequence[Addition]:
    """Add the sources that ``plan`` returns for the config as it is, ``None`` if there is no file; return them.

    The file is created if it does not exist, and not written if there is nothing to add. Raises ConfigError if it is or
    would be wrong or cannot be written, ChangedError if another program changed it meanwhile; it is then left as it is.
    """
    path = path.resolve()
    with _locked(path):
        content = _read(path)
        before, keys = _parse(path, content)
        additions = plan(None if content is None else make_config(path, keys))
        if additions:
            _replace(path, content, add_sources(before, additions))
        return additions


def make(path: Path) -> None:
    """Make a config without feeds, if there is no file; raise ConfigError if it cannot be written."""
    path = path.resolve()
    with _locked(path):
        content = _read(path)
        if content is None:
            _replace(path, content, parse(_NEW, str(path)))


def change(path: Path, place: Place, keys: Keys, *, seen: str) -> None:
    """Change keys of a place in a config file.

    Raises ConfigError if the result is wrong or cannot be written, ChangedError if the digest of the place's keys is
    not the one that was ``seen``, or another program changed the file meanwhile; it is then left as it is.
    """

    def change_seen(before: ParsedYaml) -> ParsedYaml:
        if make_digest(read_keys(before, place)) != seen:
            name = ".".join(place) or path.name
            raise ChangedError(f"{name} was changed meanwhile. Nothing was written; look again.")
        return change_keys(before, place, keys)

    rewrite(path, change_seen)


def rewrite(path: Path, make: Rewrite) -> tuple[str, str]:
    """Give a config file the content that ``make`` returns for it; return the text before and after.

    Raises ConfigError as ``make`` does, or if the result would be wrong or cannot be written, ChangedError if another
    program changed the file meanwhile; it is then left as it is.
    """
    path = path.resolve()
    with _locked(path):
        content = _read(path)
        before, _ = _parse(path, content)
        after = make(before)
        _replace(path, content, after)
    return before.text, after.text


def restore(path: Path, before: str, after: str) -> None:
    """Give a config file the text that it had ``before``; raise ChangedError if it is not as it was ``after``."""

    def undo(now: ParsedYaml) -> ParsedYaml:
        if now.text != after:
            raise ChangedError(f"{path.name} was changed meanwhile. Nothing was written; look again.")
        return parse(before, str(path))

    rewrite(path, undo)


def write_draft(path: Path, make: Rewrite, ending: str) -> Path:
    """Write what ``make`` returns for a config file beside it, and return the path; raise ConfigError."""
    path = path.resolve()
    before, _ = _parse(path, _read(path))
    after = make(before)
    check_values(after, str(path))
    return _write_beside(path, after.text, ending)


def remove_drafts(path: Path) -> None:
    """Remove the drafts of a config file that a process left when it was killed; raise ConfigError."""
    path = path.resolve()
    with _explaining(path):
        for left in path.parent.glob(f".{glob.escape(path.name)}.draft-*"):
            left.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Be the only process that edits the file while the body runs; raise ConfigError if that takes too long."""
    lock = path.with_name(f".{path.name}.lock")
    with _explaining(path):
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with _explaining(path):
            _wait_for_lock(path, handle)
        for left in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):  # of a process that was killed
            left.unlink(missing_ok=True)
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)  # a fork of this process may have the handle, too
        os.close(handle)


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Raise an error of the system as one of the config."""
    try:
        yield
    except OSError as error:
        file = Path(error.filename or path).name
        raise ConfigError(f"{path}: cannot be written ({file}): {error.strerror}") from error


def _wait_for_lock(path: Path, handle: int) -> None:
    end = time.monotonic() + _LOCK_SECONDS
    while True:  # flock(2) itself has no time limit
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > end:
                raise ConfigError(
                    f"{path}: another process has been editing it for {_LOCK_SECONDS} s; try again"
                ) from error
            time.sleep(_POLL_SECONDS)
        else:
            return


def _parse(path: Path, content: bytes | None) -> tuple[ParsedYaml, ConfigKeys]:
    """Return a config, one without feeds if there is no file, and its keys; raise ConfigError if it is wrong."""
    parsed = parse(_NEW if content is None else decode(path, content), str(path))
    return parsed, check_values(parsed, str(path))


def _read(path: Path) -> bytes | None:
    """Return the content of the file, ``None`` if there is none; raise ConfigError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error


def _replace(path: Path, content: bytes | None, after: ParsedYaml) -> None:
    """Give the file its new content, if it still has the one that was read; raise ConfigError, ChangedError."""
    check_values(after, str(path))
    written = _write_beside(path, after.text, f"{secrets.token_hex(4)}.partial")
    try:
        if _read(path) != content:
            raise ChangedError(f"{path}: was changed by another program meanwhile. Nothing was written; try again.")
        with _explaining(path):
            written.replace(path)
            _sync_folder(path.parent)
    finally:
        with suppress(OSError):
            written.unlink()


def _write_beside(path: Path, text: str, ending: str) -> Path:
    """Write a text to a new file beside the config, with the config's owner and mode; raise ConfigError."""
    written = path.with_name(f".{path.name}.{ending}")
    with _explaining(path):
        known = path.stat() if path.exists() else None
        handle = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if known else 0o666)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file, ExitStack() as undo:
            undo.callback(written.unlink)
            if known:
                with suppress(PermissionError):
                    os.fchown(handle, known.st_uid, known.st_gid)
                os.fchmod(handle, stat.S_IMODE(known.st_mode))
            file.write(text)
            file.flush()
            os.fsync(handle)
            undo.pop_all()
    return written


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
