"""Catalogues of invented shows: `EPISODES` each, in three directories, in a mixed order."""

from __future__ import annotations

import random

EPISODES = 12
WORDS = [
    first + last
    for first in ("bar", "del", "fon", "gu", "hat", "lim", "mor", "sel")
    for last in ("ba", "dor", "kin", "mo")
]


def make_catalogue(shows: int) -> list[dict[str, object]]:
    """Episodes of many shows as three directories list them: titles framed and misspelt, lengths rounded."""
    chance = random.Random(7)
    lines: list[dict[str, object]] = []
    for show in range(shows):
        name = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {show}"
        for number in range(EPISODES):
            title = " ".join(chance.sample(WORDS, 5))
            day, seconds = f"2024-{number % 12 + 1:02}-{show % 28 + 1:02}", chance.randrange(900, 4000)
            lines += [
                {"source": "host", "title": title, "published": day, "duration": seconds, "show": name},
                {"source": "app", "title": f"{number}. {title}", "published": day, "show": name.upper()},
                {"source": "site", "title": f"{name}: {title}", "duration": seconds // 60 * 60, "show": name},
            ]
    chance.shuffle(lines)
    return [{"id": f"r{place}", **line} for place, line in enumerate(lines)]
