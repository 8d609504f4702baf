"""Decide whether a listing without files lists posts, or the episodes of the show elsewhere, such as their videos.

That many entries are like one episode each, by title and day, is evidence that none of them gives alone: cut or
decorated titles say little, but those of a blog beside its podcast, of clips and of other shows on the same days are
further away. Measured on recorded shows of 5 to 60 items with listings of 18 kinds (``docs/matching.md``).

In a listing of files, an entry without one may be an episode whose file is to come. It is one if it has title and day
of an episode elsewhere, and no other entry of its listing has that title.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from aggregator.merger.matching.evidence.date import NEAR_DATES, DateLevel
from aggregator.merger.matching.evidence.part import PartLevel, TagLevel
from aggregator.merger.matching.evidence.title import TitleLevel
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.habits import is_habit
from aggregator.merger.matching.features.token_bags import Bools, Ints
from aggregator.merger.matching.scoring import SHIPPED, Compared, weigh

_LIKE = -1.0  # natural log-odds of two that may be one: an alike title (.5) on one day or the next
_DAYS = 4  # a listing may be so many days late


def decide_genres(frame: Frame, compared: Compared) -> Ints:
    """Return the genre of each row: that of episodes for the assumed posts of listings that list episodes.

    A listing is all that one source lists of one show. It lists episodes if it has assumed posts only, and at least
    three of them, and four in five of those from the days on which other sources have episodes, are like one each.
    Of the first of these days a host may list only the last ones, so others of that day do not count. Entries that came
    since the feed was learned from do not show it.
    """
    assumed = np.array([record.assumed for record in frame.records], dtype=np.bool_)
    is_episode = np.array([record.kind == "episode" for record in frame.records], dtype=np.bool_)
    if not assumed.any() or not is_episode.any():
        return frame.kind
    kind, alike = frame.kind.copy(), _find_alike(compared, assumed, is_episode)
    announced = _find_announced(compared, assumed, is_episode)
    for scope, rows in _list_rows(frame):
        learned = [row for row in rows if not frame.fresh[row]] or rows
        if assumed[learned].all():
            days = frame.day[is_episode & (frame.likely_scope == scope) & (frame.day != ABSENT)]
            # One without a date may be an episode.
            first, last = days.min(initial=-ABSENT), days.max(initial=ABSENT) + _DAYS
            within = (frame.day == ABSENT) | (not len(days)) | ((first < frame.day) & (frame.day <= last))
            within[[row for row in rows if row in alike and first - 1 <= frame.day[row] <= first]] = True
            posts = [row for row in learned if within[row]]
            if is_habit(len(alike.intersection(posts)), len(posts)):
                kind[rows] = frame.kind[np.argmax(is_episode)]
        elif is_habit(int(is_episode[learned].sum()), len(learned)):
            kind[[row for row in rows if row in announced]] = frame.kind[np.argmax(is_episode)]
    return kind


def _list_rows(frame: Frame) -> list[tuple[int, list[int]]]:
    """Return the rows of each listing, all that one source lists of one show, with that show."""
    listings: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for row, listing in enumerate(zip(frame.source.tolist(), frame.likely_scope.tolist(), strict=True)):
        listings[listing].append(row)
    return [(scope, rows) for (_, scope), rows in listings.items()]


def find_fileless(frame: Frame) -> frozenset[str]:
    """Return the sources of assumed posts alone that were decided to be episodes."""
    records = frame.records
    episodes = frame.kind[[record.kind == "episode" for record in records]]
    return frozenset(
        records[rows[0]].source
        for _, rows in _list_rows(frame)
        if all(records[row].assumed for row in rows) and np.isin(frame.kind[rows], episodes).any()
    )


def _find_alike(compared: Compared, assumed: Bools, is_episode: Bools) -> set[int]:
    """Return the assumed posts that are like an episode each, by what the two say themselves.

    A trailer, a re-run or another part is no such post, as like as its title is.
    """
    left, right, weights = compared.left, compared.right, weigh(SHIPPED, compared.levels)
    mixed = (assumed[left] & is_episode[right]) | (is_episode[left] & assumed[right])
    other = (compared.of(TagLevel) == TagLevel.DIFFERENT) | (compared.of(PartLevel) == PartLevel.CONFLICT)
    like = np.flatnonzero(mixed & ~other & (weights >= _LIKE))
    like = like[np.argsort(-weights[like], kind="stable")]  # the best first
    turned = is_episode[left[like]]
    posts, episodes = np.where(turned, right[like], left[like]), np.where(turned, left[like], right[like])
    found: set[int] = set()
    for post, episode in zip(posts.tolist(), episodes.tolist(), strict=True):
        if found.isdisjoint((post, episode)):
            found |= {post, episode}
    return {row for row in found if assumed[row]}


def _find_announced(compared: Compared, assumed: Bools, is_episode: Bools) -> set[int]:
    """Return the assumed posts with title and day of an episode, which no other entry of either listing has."""
    left, right = compared.left, compared.right
    same = (compared.of(TitleLevel) == TitleLevel.ONCE) & np.isin(compared.of(DateLevel), NEAR_DATES)
    same &= compared.of(TagLevel) != TagLevel.DIFFERENT
    return {
        int(post)
        for posts, episodes in ((left, right), (right, left))
        for post in posts[same & assumed[posts] & is_episode[episodes]]
    }
