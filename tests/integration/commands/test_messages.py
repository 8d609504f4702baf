"""A message that repeats what somebody wrote breaks no line of a log and moves no cursor."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from aggregator.commands.summary import MOST_ALARMS, list_warnings
from aggregator.errors import escape_line, escape_lines
from aggregator.result import Outcome


@given(st.text(max_size=20))
def test_a_message_is_shown_on_as_many_lines_as_it_has(text: str) -> None:
    shown = escape_lines(text)
    assert len(shown) == text.count("\n") + 1
    assert all([line] == line.splitlines() for line in shown if line)
    assert all(unicodedata.category(each) not in {"Cc", "Cs"} for line in shown for each in line)


def test_what_letters_are_written_with_is_shown_as_it_is() -> None:
    written = ("می\u200cخواهم", "👩\u200d💻", "C’est\u00a0ça", "a  b")
    assert written == tuple(map(escape_line, written))


def test_the_program_says_no_raw_sign(run) -> None:
    answer = run("refresh", "-c", "\x1b[31m\u2028x.yaml")
    assert answer.returncode == 2
    assert answer.stderr.startswith("aggregator: <U+001B>[31m<U+2028>x.yaml: cannot be read: ")
    assert len(answer.stderr.splitlines()) == 1


def test_a_refresh_tells_a_few_alarms_and_counts_the_rest() -> None:
    told = list_warnings(Outcome("sea", alarms=tuple(f"alarm {number}" for number in range(MOST_ALARMS + 3))))
    assert told[:-1] == tuple(f"sea: alarm {number}" for number in range(MOST_ALARMS))
    assert told[-1] == "sea: 3 more warnings; see aggregator events and report.json"
    assert len(list_warnings(Outcome("sea", alarms=("one",) * MOST_ALARMS))) == MOST_ALARMS
