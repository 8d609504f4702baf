"""Rates: how often a copy loses, adds, distorts or moves what it tells, as probabilities a vote can weigh."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import log

from msgspec import Struct
from msgspec.structs import fields, replace


class Rates(Struct, frozen=True):
    """Probabilities for one copy: per word or mark of the text, and for the two ends of it.

    ``lost_word`` and ``lost_mark`` that one is missing; ``added_word`` and ``added_mark`` that a place holds one too
    many; ``wrong`` that a word is distorted; ``moved`` that a run stands in a wrong place; ``stuck`` that
    something is stuck to an end; ``short`` that a copy which looks whole ends early;
    ``restyled`` that its quotes and dashes were curled or straightened.
    """

    lost_word: float = 0.010
    added_word: float = 0.003
    lost_mark: float = 0.030
    added_mark: float = 0.003
    wrong: float = 0.020
    moved: float = 0.020
    stuck: float = 0.150
    short: float = 0.030
    restyled: float = 0.150

    def moreover(self, seen: Mapping[str, tuple[float, float]], strength: float) -> Rates:
        """These rates as ``strength`` earlier observations, with what was ``seen`` as (events, chances) added."""
        return replace(
            self,
            **{
                name: min(0.6, (getattr(self, name) * strength + events) / (strength + chances))
                for name, (events, chances) in seen.items()
            },
        )


DEFAULT = Rates()
NAMES = tuple(field.name for field in fields(Rates))


@lru_cache(maxsize=1 << 10)
def evidence(likely: float, unlikely: float) -> float:
    """The weight of one observation in natural log-odds."""
    return log(likely / unlikely)
