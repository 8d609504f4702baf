"""Decide whether a listing without files lists posts, or the episodes of the show elsewhere, such as their videos."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from aggregator.merger.matching.comparison import Compared
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bools, Ints
from aggregator.merger.matching.scoring import SHIPPED, SURE, weigh

_MIN_EPISODES = 3
_SHARE = 0.8  # of the entries from the days of the show's episodes: the others may be clips or announcements
_DAYS = 4  # a listing may be so many days late


def decide_genres(frame: Frame, compared: Compared) -> Ints:
    """Return the genre of each row: that of episodes for the assumed posts of listings that list episodes.

    A listing is all that one source lists of one show. It lists episodes if it has assumed posts only, and at least
    three of them, and four in five of those from the days on which other sources have episodes, are surely one each.
    Entries that came since the feed was learned from do not show it.
    """
    assumed = np.array([record.assumed for record in frame.records], dtype=np.bool_)
    is_episode = np.array([record.kind == "episode" for record in frame.records], dtype=np.bool_)
    if not assumed.any() or not is_episode.any():
        return frame.kind
    kind, partners = frame.kind.copy(), _find_partners(compared, assumed, is_episode)
    listings: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for row, listing in enumerate(zip(frame.source.tolist(), frame.likely_scope.tolist(), strict=True)):
        listings[listing].append(row)
    for (_, scope), rows in listings.items():
        learned = [row for row in rows if not frame.fresh[row]] or rows
        if assumed[learned].all():
            days = frame.day[is_episode & (frame.likely_scope == scope) & (frame.day != ABSENT)]
            posts = [row for row in learned if _is_within(int(frame.day[row]), days)]
            found = [partners[row] for row in posts if row in partners]
            sure = min(len(found), len(set().union(*found)))
            if sure >= max(_MIN_EPISODES, _SHARE * len(posts)):
                kind[rows] = frame.kind[np.argmax(is_episode)]
    return kind


def _find_partners(compared: Compared, assumed: Bools, is_episode: Bools) -> dict[int, set[int]]:
    """Return the episodes that each assumed post surely is, by what the two say themselves."""
    left, right = compared.left, compared.right
    mixed = (assumed[left] & is_episode[right]) | (is_episode[left] & assumed[right])
    sure = np.flatnonzero(mixed & (weigh(SHIPPED, compared.levels) >= SURE))
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in zip(left[sure].tolist(), right[sure].tolist(), strict=True):
        post, episode = (one, other) if assumed[one] else (other, one)
        partners[post].add(episode)
    return dict(partners)


def _is_within(day: int, days: Ints) -> bool:
    """Return whether an entry may belong to the days of episodes; one without a date may."""
    return day == ABSENT or not len(days) or int(days.min()) - _DAYS <= day <= int(days.max()) + _DAYS
