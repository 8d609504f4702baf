"""Random attacks: what a less trusted source, or one that is trusted alike, takes from the items of others."""

from pathlib import Path

import pytest

from tests.support.attacks import MOVES, SETTINGS, campaign

FAST, HEAVY = 4, 125
"""Worlds, of which each is attacked in every setting: 16 histories, each with another kind of move, and 500."""


def lost(place: Path, worlds: range) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for first in worlds:
        for kind, histories in campaign(place, first).lost.items():
            found.setdefault(kind, []).extend(histories)
    return {kind: histories for kind, histories in found.items() if kind not in TOLERATED}


TOLERATED = {"parted"}
"""Two listings may be joined later or earlier."""


@pytest.mark.parametrize("world", range(FAST))
def test_no_attack_takes_anything(tmp_path: Path, world: int) -> None:
    assert lost(tmp_path, range(world, world + 1)) == {}


@pytest.mark.heavy
def test_no_attack_of_500_takes_anything(tmp_path: Path) -> None:
    assert lost(tmp_path, range(HEAVY)) == {}


def test_there_are_moves_and_settings_enough() -> None:
    assert len(MOVES) >= 12
    assert len(SETTINGS) == 4
    assert sum(setting.ranked for setting in SETTINGS) == 2
