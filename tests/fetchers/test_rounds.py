"""Many questions at once: each goes on when what it waits for has come, and none of them holds up another."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue

import pytest
from aggregator.fetchers.rounds import Errand, Rounds, rounds
from aggregator.fetchers.waits import ALONE, Asking, R, Wait, answered

LONG = 60.0


def come(asked: Rounds, asking: Asking[R]) -> R:
    """What the question came to."""
    told: SimpleQueue[None] = SimpleQueue()
    errand = asked.send(asking, lambda: told.put(None))
    told.get(timeout=LONG)
    return errand.answer()


def heard(line: socket.socket, until: float) -> Asking[bytes]:
    """What comes over the line; nothing where nothing does until then."""
    yield Wait(until, line)
    line.setblocking(False)
    with suppress(BlockingIOError):
        return line.recv(9)
    return b""


def later(pause: float) -> Asking[float]:
    """When it went on after a pause."""
    yield Wait(time.monotonic() + pause)
    return time.monotonic()


def placed(place: Future[None]) -> Asking[str]:
    """The thread in which it goes on once it has its place."""
    yield place
    return threading.current_thread().name


def alone() -> Asking[str]:
    """The name of the thread in which it goes on."""
    yield ALONE
    return threading.current_thread().name


def test_what_waits_for_nothing_is_answered_at_once_and_begins_no_thread() -> None:
    def nothing() -> Asking[int]:
        return 7
        yield

    with rounds(1) as asked:
        before = threading.active_count()
        errand = asked.send(nothing(), lambda: None)
        assert (errand.answer(), threading.active_count()) == (7, before)


def test_each_goes_on_when_its_own_line_speaks_whoever_asked_first() -> None:
    pairs = [socket.socketpair() for _ in range(20)]
    told: SimpleQueue[int] = SimpleQueue()

    def asking(number: int) -> Asking[int]:
        yield from heard(pairs[number][0], time.monotonic() + LONG)
        told.put(number)
        return number

    with rounds(1) as asked:
        for number in range(20):
            asked.send(asking(number), lambda: None)
        for number in reversed(range(20)):
            pairs[number][1].send(b"x")
            assert told.get(timeout=LONG) == number
    for pair in pairs:
        for end in pair:
            end.close()


def test_what_has_not_come_is_not_waited_for_beyond_its_deadline() -> None:
    here, there = socket.socketpair()
    with here, there, rounds(1) as asked:
        assert come(asked, heard(here, time.monotonic() + 0.02)) == b""


def test_a_pause_is_no_shorter_than_it_is_to_be_and_takes_no_thread() -> None:
    with rounds(1) as asked:
        before, due = threading.active_count(), time.monotonic() + 0.05
        told: SimpleQueue[None] = SimpleQueue()
        errands = [asked.send(later(0.05), lambda: told.put(None)) for _ in range(50)]
        assert threading.active_count() <= before + 1
        for _ in errands:
            told.get(timeout=LONG)
        assert all(errand.answer() >= due for errand in errands)


def test_a_place_that_is_made_free_is_taken_by_the_thread_that_waits() -> None:
    places: list[Future[None]] = [Future() for _ in range(3)]
    with rounds(1) as asked:
        told: SimpleQueue[None] = SimpleQueue()
        errands = [asked.send(placed(place), lambda: told.put(None)) for place in places]
        for place in reversed(places):
            place.set_result(None)
            told.get(timeout=LONG)
        assert {errand.answer() for errand in errands} == {"rounds"}


def test_what_takes_its_time_holds_up_neither_lines_nor_pauses() -> None:
    here, there = socket.socketpair()
    free = threading.Event()

    def slow() -> Asking[bool]:
        yield ALONE
        return free.wait(LONG)

    with here, there, rounds(1) as asked:
        told: SimpleQueue[None] = SimpleQueue()
        errand = asked.send(slow(), lambda: told.put(None))
        there.send(b"new")
        assert come(asked, heard(here, time.monotonic() + LONG)) == b"new"
        assert come(asked, later(0.01)) > 0
        free.set()
        told.get(timeout=LONG)
        assert errand.answer() is True


def test_who_waits_for_a_turn_holds_no_thread_that_the_one_before_needs() -> None:
    place: Future[None] = Future()

    def second() -> Asking[str]:
        yield ALONE
        return (yield from placed(place))

    with rounds(1) as asked:
        told: SimpleQueue[None] = SimpleQueue()
        errand = asked.send(second(), lambda: told.put(None))
        assert come(asked, alone()) != "rounds"  # by the only thread there is
        place.set_result(None)
        told.get(timeout=LONG)
        assert errand.answer() == "rounds"


@pytest.mark.parametrize("steps", [(), (ALONE,), (Wait(0.0),)])
def test_a_defect_is_met_where_the_answer_is_taken(steps: tuple[Wait, ...]) -> None:
    def asking() -> Asking[None]:
        yield from steps
        raise ZeroDivisionError

    with rounds(1) as asked, pytest.raises(ZeroDivisionError):
        come(asked, asking())


def test_where_the_round_ends_early_nobody_is_asked_any_more_and_nothing_stays_open() -> None:
    ended: list[str] = []
    here, there = socket.socketpair()

    def asking(wait: Wait) -> Asking[None]:
        try:
            yield wait
            ended.append("asked")
        finally:
            ended.append("ended")

    with here, there, rounds(1) as asked:
        errands: list[Errand[None]] = [
            asked.send(asking(wait), lambda: None)
            for wait in (Wait(time.monotonic() + LONG, here), Wait(time.monotonic() + LONG))
        ]
    assert (ended, [errand.came for errand in errands]) == (["ended", "ended"], [None, None])


def test_one_question_is_waited_for_where_it_is_asked() -> None:
    place: Future[None] = Future()
    threading.Timer(0.01, place.set_result, [None]).start()
    here, there = socket.socketpair()
    there.send(b"new")
    with here, there:
        assert answered(placed(place)) == threading.current_thread().name
        assert answered(heard(here, time.monotonic() + LONG)) == b"new"
    due = time.monotonic() + 0.02
    assert answered(later(0.02)) >= due
