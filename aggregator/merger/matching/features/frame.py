"""The records of a run as columns, with what is kept of it for the next one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.features.token_bags import Bags, Bools, Ints
from aggregator.text.titles.titles import Title

ABSENT = -(2**40)  # in every column of whole numbers: the source did not say

OUTDATED = 0.05
"""Share of new texts, or of new pairs, from which on what is kept of all of them is written again: it is large."""


class Kept(Struct, frozen=True):
    """Results of a run for the next one, each of them encoded by its module.

    ``titles`` (``show_titles``) and ``texts`` are what was made of these, ``levels`` those of the compared pairs
    (``kept_levels``).
    """

    titles: bytes = b""
    texts: bytes = b""
    levels: bytes = b""


class Frame(Struct, frozen=True):
    """The records of a run as columns; rows are sorted by id, so that the order of the input does not matter.

    - ``records``: of their texts only the beginnings, each with the digest of the whole.
    - ``fresh``: whether the row came since the feed was learned from.
    - ``scope``: the show, -1 for an unknown one; ``likely_scope``: the show that is compared first.
    - ``group_size``: how many rows the rarity of the row's words is measured in: those of a likely scope, without
      titles that have no 3-gram in common with another.
    - ``repeats``: how often the row's core occurs in one source, at most; ``wordless``: whether it has no word.
    - ``cut``: whether the listing may have cut the title.
    - ``series_words``: the words beside the number of a title that is only a number.
    - ``title_key``: the core without the number of a title that is only a number, part and tag; ``title_number``: the
      one number of the title or the entry. The key is ``ABSENT`` if the core has no word and is not only a number.
    - ``full_title``: the core with its numbers, part and tag; ``ABSENT`` without number and part.

    Bags:

    - ``title_grams``, ``name_grams``: 3-grams of the core, and of author and show; ``tokens``: the words of both.
    - ``descriptions``, ``summaries``: the words of either text.
    - ``sentences``, ``codes``: those that occur once in their source.
    - ``unique_ids``: those that one item of their source has (``records.list_unique_ids``).
    - ``numbers``, ``digits`` of the core, and ``all_numbers``: both with the part.

    ``own`` is what the row says, as bytes, with its ids and codes that no other row of its source has; ``kept`` is for
    a later run.
    """

    records: tuple[Record, ...]
    titles: tuple[Title, ...]
    names_of: tuple[str, ...]
    fresh: Bools
    source: Ints
    scope: Ints
    likely_scope: Ints
    group_size: Ints
    kind: Ints
    first: Ints
    last: Ints
    core: Ints
    repeats: Ints
    cut: Bools
    series_words: Ints
    title_key: Ints
    title_number: Ints
    full_title: Ints
    wordless: Bools
    day: Ints
    year: Ints
    seconds: Ints
    step: Ints
    season: Ints
    part: Ints
    tag: Ints
    stage: Ints
    title_grams: Bags
    name_grams: Bags
    tokens: Bags
    descriptions: Bags
    summaries: Bags
    sentences: Bags
    unique_ids: Bags
    numbers: Bags
    digits: Bags
    all_numbers: Bags
    codes: Bags
    own: tuple[tuple[bytes, Sequence[str], Sequence[str]], ...]
    kept: Kept | None
