"""Recount: the text engine over lines of JSON, each with the copies of one text; one answer for each line, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.blending import texts
from aggregator.merger.blending.blend import Reading
from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_model import NOTHING, Lore
from aggregator.merger.blending.texts import Text

# Characters of a line. Texts have thousands; a line of more is not one item, and must not fill the memory.
LONGEST = 1 << 24


class Account(Text, frozen=True, kw_only=True):
    """One line understood: the item's id, and its text."""

    id: str


class Fault(Struct, frozen=True):
    """One line that cannot be understood: its number, counted from 1, and why."""

    line: int
    reason: str


def accounts(lines: Iterable[str]) -> Iterator[Account | Fault]:
    """What each line says; empty lines are passed over, too long ones are faults."""
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST:
            yield Fault(number, f"longer than {LONGEST} characters")
        elif line.strip():
            try:
                yield _account(json.loads(line))
            except json.JSONDecodeError as error:
                yield Fault(number, f"no JSON: {error.msg} at character {error.pos + 1}")
            except RecursionError:
                yield Fault(number, "no JSON that can be used: too many brackets within each other")
            except ValueError as error:
                yield Fault(number, str(error))


def lines(source: TextIO) -> Iterator[str]:
    """The lines of a stream; of a too long one no more is held than shows it to be so."""
    while line := source.readline(LONGEST + 1):
        yield line
        while len(line) > LONGEST and not line.endswith("\n"):
            line = source.readline(LONGEST + 1)


def learn(found: Iterable[Account | Fault]) -> Lore:
    """What the accounts teach about sources and boilerplate; memory is bounded."""
    return texts.learn(account for account in found if isinstance(account, Account))


def answers(found: Iterable[Account | Fault], lore: Lore = NOTHING) -> Iterator[tuple[Account, Reading] | Fault]:
    """The reading of each account, in order; faults pass through."""
    for account in found:
        if isinstance(account, Fault):
            yield account
        else:
            yield account, texts.read(account, lore)


def line(account: Account, reading: Reading) -> str:
    """The answer as one line of JSON, without its line end."""
    return json.dumps(
        {
            "id": account.id,
            "field": account.field,
            "text": reading.text,
            "confidence": round(reading.confidence, 3),
            "least_confidence": round(reading.least, 3),
            "cut": reading.cut,
            "provenance": [
                {"text": run.text, "sources": list(run.sources), "confidence": round(run.confidence, 3)}
                for run in reading.provenance
            ],
        },
        ensure_ascii=False,
    ).translate(SURROGATES)


# Lone surrogates can come in by escapes and cannot go out as UTF-8.
SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def _account(said: object) -> Account:
    if not isinstance(said, Mapping):
        raise ValueError("not an object")  # noqa: TRY004 - one kind of fault for whatever a line may hold
    witnesses = said.get("witnesses")
    if not isinstance(witnesses, list):
        raise ValueError('"witnesses" is not a list')  # noqa: TRY004
    return Account(
        id=_text(said, "id"),
        field=_text(said, "field"),
        copies=_ranked([_copy(witness) for witness in witnesses]),
        language=texts.base_language(_text(said, "lang", "language")),
        show=_text(said, "show") or None,
    )


def _ranked(copies: Sequence[Copy]) -> tuple[Copy, ...]:
    """Return the copies, those of the most trust kept whole where others are trusted less."""
    top = max((copy.trust for copy in copies), default=0.0)
    ranked = any(copy.trust < top for copy in copies)
    return tuple(replace(copy, keep=ranked and copy.trust == top) for copy in copies)


def _copy(witness: object) -> Copy:
    if not isinstance(witness, Mapping) or not isinstance(witness.get("text"), str):
        raise ValueError('a witness has no "text"')  # noqa: TRY004
    trust = witness.get("trust", 1.0)
    if isinstance(trust, bool) or not isinstance(trust, int | float) or not 0 <= trust <= 1:
        raise ValueError('"trust" is not between 0 and 1')
    return Copy(_text(witness, "source"), str(witness["text"]), float(trust), cut=witness.get("cut") is True)


def _text(said: Mapping[str, object], *names: str) -> str:
    """The first of the named values that is there, as text."""
    for name in names:
        value = said.get(name)
        if isinstance(value, str | int):
            return str(value)
    return ""
