"""Calls of functions in forks: the arguments go there, and a result comes back or why there is none.

All of it is MessagePack of the types that the function declares. Nothing is unpickled: what a fork writes may be the
work of a hostile document.
"""

from __future__ import annotations

import inspect
import logging
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Generic, Self, TypeVar

import msgspec
from msgspec import Raw, Struct

from aggregator.errors import AggregatorError, DamagedError
from aggregator.model.record import encode_msgpack, make_msgpack_decoder
from aggregator.sandbox.forks import ForkError, Forks
from aggregator.sandbox.limits import Limits

R = TypeVar("R")
P = TypeVar("P")

_LENGTH = 8
"""Bytes of the length before each message."""

_MOST_MESSAGES = 100_000
"""Messages that are looked at: a hostile fork could write millions of empty ones."""

_LONGEST_TRACEBACK = 20_000
"""Characters: a recursion has a thousand frames."""

_log = logging.getLogger(__name__)


class BugError(Exception):
    """A function failed in a fork, and not by an error for a person; the message says by which, and where."""


class _Reply(Struct, frozen=True):
    """The last message of a fork: its result, or the class and message of an error; of a bug ``traceback`` alone.

    ``store`` is the damaged store.
    """

    result: Raw = Raw(b"\xc0")
    error: str = ""
    message: str = ""
    store: str = ""
    traceback: str = ""


_replies = make_msgpack_decoder(_Reply)


class Returned(Generic[R]):
    """The ``result`` of a function, and the file with the parts that it wrote before."""

    def __init__(self, file: IO[bytes], kind: type[R], errors: tuple[type[AggregatorError], ...]) -> None:
        """Read the last message, and close the file if there is no result; raises as `call`."""
        self._file = file
        try:
            *self._parts, last = _find_messages(file)
            reply = _replies.decode(self._read(*last))
            _raise_error(reply, errors)
            self.result: R = make_msgpack_decoder(kind).decode(reply.result)
        except (ValueError, RecursionError) as error:
            file.close()
            raise ForkError(f"what its process wrote cannot be read ({error})") from error
        except (AggregatorError, BugError):
            file.close()
            raise

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def read_parts(self, decoder: msgspec.msgpack.Decoder[P]) -> Iterator[P]:
        """Yield each part; ForkError if it cannot be read."""
        try:
            for each in self._parts:
                yield decoder.decode(self._read(*each))
        except (ValueError, RecursionError) as error:
            raise ForkError(f"what its process wrote cannot be read ({error})") from error

    def _read(self, place: int, length: int) -> bytes:
        self._file.seek(place)
        return self._file.read(length)


def call(forks: Forks, function: str, *arguments: Any, kind: type[R], limits: Limits) -> R:
    """Call a function of the module of the forks, and return its result, which is of this kind.

    Raises those of its errors that the forks name, BugError for any other, ForkError if it costs too much.
    """
    with call_for_parts(forks, function, *arguments, kind=kind, limits=limits) as returned:
        return returned.result


def call_for_parts(forks: Forks, function: str, *arguments: Any, kind: type[R], limits: Limits) -> Returned[R]:
    """Call a function that writes parts before its result; raises as `call`."""
    return Returned(forks.run(encode(function, *arguments), limits), kind, forks.errors)


def encode(function: str, *arguments: Any) -> bytes:
    """Return the task of calling a function."""
    return encode_msgpack((function, Raw(encode_msgpack(arguments))))


def answer(functions: Mapping[str, Callable[..., Any]], task: bytes, out: IO[bytes]) -> None:
    """Call the function that the task names, in a fork, and write its result or why there is none."""
    name, encoded = msgspec.msgpack.decode(task, type=tuple[str, Raw])
    function = functions[name]
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    kinds = tuple(each.annotation for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD)
    try:
        arguments = msgspec.msgpack.decode(encoded, type=tuple.__class_getitem__(kinds))
        reply = _Reply(Raw(encode_msgpack(function(*arguments))))
    except MemoryError:
        raise
    except AggregatorError as error:
        reply = _Reply(error=type(error).__name__, message=str(error), store=getattr(error, "store", ""))
    except BaseException as error:  # noqa: BLE001  # a bug costs this task only
        text = "".join(traceback.format_exception(error))  # without lines of code where no file can be read
        frame = traceback.extract_tb(error.__traceback__)[-1]
        reply = _Reply(
            message=f"{type(error).__name__}: {error} at {Path(frame.filename).name}:{frame.lineno}"[:2_000],
            traceback=text[-_LONGEST_TRACEBACK:],
        )
    write_part(out, encode_msgpack(reply))


def write_part(out: IO[bytes], part: bytes) -> None:
    """Write a part of what a function gives, which the parent reads before its result."""
    out.write(len(part).to_bytes(_LENGTH))
    out.write(part)


def _raise_error(reply: _Reply, errors: tuple[type[AggregatorError], ...]) -> None:
    """Raise the error of a reply, if there is one."""
    for each in errors:
        if reply.error == each.__name__:
            raise DamagedError(reply.message, reply.store) if each is DamagedError else each(reply.message)
    if reply.error or reply.message:
        _log.debug("%s", reply.traceback)  # `refresh -v` prints it
        raise BugError(reply.message)


def _find_messages(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Yield the place and length of each message; ValueError if there is none, or the last is not whole."""
    end = os.fstat(file.fileno()).st_size
    if file.tell() == end:
        raise ValueError("it wrote nothing")
    for _ in range(_MOST_MESSAGES):
        head = file.read(_LENGTH)
        if not head:
            return
        place, length = file.tell(), int.from_bytes(head)
        if len(head) < _LENGTH or place + length > end:
            raise ValueError("it ends in the middle of a message")
        yield place, length
        file.seek(place + length)
    raise ValueError("too many messages")
