"""Evidence of ids: a guid, file, link or id of a directory that one item of its source has alone."""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.evidence.levels import Kind, Level
from aggregator.merger.matching.features.token_bags import sum_shared
from aggregator.translation.marks import N_


class IdLevel(Level):
    """Two entries have an id in common."""

    NONE = N_("none"), 0.0
    EQUAL = N_("equal"), 20.0  # more than all other evidence except a veto


# Equal ids show which pairs the other weights are fitted to.
ID = Kind(
    "id",
    N_("guid, audio or link"),
    IdLevel,
    lambda frame, row: " ".join(frame.records[row].ids),
    lambda frame, *rows: (sum_shared((frame.unique_ids,), frame.unique_ids, *rows) > 0).astype(np.int64),
    is_fitted=False,
    witnesses=(IdLevel.EQUAL,),
)
