"""Many damaged documents for each reader: a sound listing or a ReadError, never anything else."""

from __future__ import annotations

import os
import random
import time

import pytest

from aggregator.fetchers import registry
from tests.robustness.documents.test_fuzz import SEEDS, told

TIMES, FIRST = int(os.environ.get("TIMES", "100_000")), int(os.environ.get("FIRST", "0"))
"""How many documents of each reader the heavy test makes, and the number of the first, from which each is made."""

SECONDS = float(os.environ.get("SECONDS", "inf"))
"""After so many seconds of processor time a reader is given no more."""

PIECES = (
    *(
        b"",
        b"<",
        b">",
        b"&",
        b"]]>",
        b"<![CDATA[",
        b"&#0;",
        b"&#xD800;",
        b"&amp;amp;",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
    ),
    *(b"null", b"{", b"}", b"[", b"]", b"\\", b'"', b"'", b"\n\n", b"\r", b")", b"i=1", b"](", b"-1", b"1e999", b"NaN"),
    *(
        b"<item>",
        b"</item>",
        b"<entry>",
        b"<title/>",
        b"Feb 30, 2024",
        b"99:99:99",
        b"http://",
        b"\xe2\x80\xae",
        b"<!--",
    ),
)


def damaged(dice: random.Random, body: bytes) -> bytes:
    """The document with a few cuts, repetitions, flips and insertions; long ones are cut to some of their parts."""
    for _ in range(dice.randint(1, 5)):
        start = dice.randint(0, len(body))
        end = min(len(body), start + dice.choice((1, 1, 3, 20, 200)))
        how = dice.randrange(6)
        if how == 0:
            body = body[:start] + dice.choice(PIECES) + body[end:]
        elif how == 1:
            body = body[:start] + dice.choice(PIECES) + body[start:]
        elif how == 2:
            body = body[: end + 1]
        elif how == 3:
            body = body[:end] + body[start:]
        elif how == 4 and body:
            place = min(start, len(body) - 1)
            body = body[:place] + bytes([body[place] ^ 1 << dice.randrange(8)]) + body[place + 1 :]
        else:
            other = dice.randint(0, len(body))
            body = body[:start] + body[other : other + 60] + body[end:]
    return body


def fuzz(kind: str, times: int, first: int = 0) -> None:
    """So many damaged documents of the kind, told apart by the number of the first that fails."""
    seeds = sorted({body for of, body in SEEDS if of == kind}, key=len)[:12]
    begun, done = time.process_time(), 0
    for number in range(first, first + times):
        dice = random.Random(f"{kind} {number}")
        body = damaged(dice, dice.choice(seeds))
        try:
            told(kind, body, dice.choice((None, None, "utf-8", "latin-1", "utf-16", "x")))
        except BaseException:
            print(f"\n{kind}, number {number}: {body[:3000]!r}")  # noqa: T201 - what to make a case of
            raise
        done += 1
        if time.process_time() - begun > SECONDS:
            break
    print(f"{kind}: {done} from {first} in {time.process_time() - begun:.0f} s of processor time")  # noqa: T201


@pytest.mark.heavy
@pytest.mark.parametrize("kind", sorted(registry.KINDS))
def test_many_damaged_documents(kind: str) -> None:
    fuzz(kind, TIMES, FIRST)


@pytest.mark.parametrize("kind", sorted(registry.KINDS))
def test_some_damaged_documents(kind: str) -> None:
    fuzz(kind, 150)
