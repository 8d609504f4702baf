"""The parts of matching that `ablation` switches off: kinds of evidence, learners, rules, lists, and keys of blocks.

A switch replaces a function or a table of the engine by one that finds nothing, so that the engine needs no switches.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregator.merger.matching.features.show_scope import Scope
from aggregator.merger.matching.features.token_bags import weigh_bags
from aggregator.merger.matching.scoring import KINDS, weigh


class Switch(NamedTuple):
    """One part: its name, where it stands (modules with a blank between them, attribute), and what stands in for it."""

    name: str
    modules: str
    attribute: str
    instead: Any

    def turn_off(self) -> None:
        """Replace the part in this process; raise AttributeError if it is gone."""
        for name in self.modules.split():
            module = importlib.import_module(f"aggregator.{name}")
            getattr(module, self.attribute)
            setattr(module, self.attribute, self.instead)


def _give(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _give_argument(number: int) -> Callable[..., Any]:
    return lambda *given, **_: given[number]


def _find_none(kind: type) -> Callable[..., NDArray[Any]]:
    """Return a function that returns 0, or false, for each of the compared pairs that it is given."""
    return lambda *given, **_: np.zeros(len(next(each.left for each in given if hasattr(each, "left"))), dtype=kind)


def _yield_nothing(*_: Any, **__: Any) -> Iterator[Any]:
    return iter(())


def _weigh_without(column: int) -> Callable[..., Any]:
    def weigh_others(table: Any, levels: Any) -> Any:
        kept = levels.copy()
        kept[:, column] = 0
        return weigh(table, kept)

    return weigh_others


def _survey_nothing(*given: Any) -> Any:
    """Return the survey of the dates of two listings by which these neither agree nor disagree."""
    pairs, moved = given[:2]
    none = np.zeros(0, dtype=np.int64)
    return importlib.import_module(f"aggregator.{_MATCHING}listing_evidence")._Survey(pairs, moved, none, none)  # noqa: SLF001 - a part that is switched off


def _agree_on_nothing(moved: NDArray[Any], _: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    none = np.zeros(len(moved), dtype=np.bool_)
    return none, none


_NO_KEYS = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
_NEVER = re.compile("(?!)")
_MATCHING, _FEATURES, _ALIGNMENT = "merger.matching.", "merger.matching.features.", "merger.matching.alignment."
_MATCH, _TITLE, _BLOCKING = f"{_MATCHING}match", f"{_MATCHING}evidence.title", f"{_MATCHING}blocking"
_TABLE, _TEXTS = f"{_FEATURES}feature_table", f"{_FEATURES}text_features"
_MARKED = f"text.titles.titles text.titles.frames {_FEATURES}title_ends"


def _list_keys_without(*places: int) -> Callable[..., Iterator[Any]]:
    """Return a function that lists the keys of blocks without some, by their places among all."""
    list_keys = importlib.import_module(f"aggregator.{_MATCHING}blocking")._list_block_keys  # noqa: SLF001 - switched off
    return lambda frame: (keys for place, keys in enumerate(list_keys(frame)) if place not in places)


EVIDENCE = tuple(
    Switch(kind.name, f"{_MATCH} {_MATCHING}em {_MATCHING}genres", "weigh", _weigh_without(column))
    for column, kind in enumerate(KINDS)
)

LEARNERS = (
    Switch("weights fitted to the run", _MATCH, "fit", _give_argument(3)),
    Switch("shows", _TABLE, "find_scopes", lambda rows: Scope((-1,) * len(rows), (-1,) * len(rows))),
    Switch("shows of listings without names", f"{_FEATURES}show_scope", "_fill_in", _give_argument(1)),
    Switch("genre of listings without files", _MATCH, "decide_genres", lambda frame, _: frame.kind),
    Switch(
        "rarity of words in the listing",
        f"{_TABLE} {_FEATURES}texts",
        "weigh_bags",
        lambda bags, r: weigh_bags(bags, r[:1]),
    ),
    Switch("frames with a mark", "text.titles.frames", "_find_common", _give([])),
    Switch("frames without a mark", "text.titles.frames", "_find_contrasts", _give([])),
    Switch("frames that name a series", _TEXTS, "find_series_frames", _give({})),
    Switch("own counts", _TEXTS, "_find_counter", _give({})),
    Switch("teasers", _TEXTS, "strip_teaser", _give_argument(0)),
    Switch("days in titles", _TEXTS, "type_days", _give_argument(1)),
    Switch("other ends with digits", _TEXTS, "strip_shared_ends", _give_argument(0)),
    Switch("cut titles", _TABLE, "find_cut_titles", lambda rows, *_: [False] * len(rows)),
    Switch("Latin letters", _TEXTS, "write_in_latin", lambda titles, *_: tuple(titles)),
    Switch("titles of equal words and a number", _TEXTS, "_keep_only_numbers", lambda titles, *_: tuple(titles)),
    Switch("titles that are only a number", _TABLE, "find_stems", lambda titles, *_: [None] * len(titles)),
    Switch(
        "sentences that a listing repeats",
        f"{_FEATURES}texts",
        "_drop_repeated",
        lambda owners, *_: np.ones(len(owners), dtype=np.bool_),
    ),
    Switch("day and month by the order", f"{_FEATURES}listing_corrections", "_is_out_of_order", _give(False)),
    Switch("day and month by titles", f"{_FEATURES}listing_corrections", "_are_exchanged", _give(False)),
    Switch("unit of bare lengths", f"{_FEATURES}records", "_find_units", _give({})),
    Switch("dates of listings that disagree", f"{_MATCHING}listing_evidence", "_make_survey", _survey_nothing),
    Switch(
        "dates by a third listing", f"{_MATCHING}listing_evidence", "_find_other_calendar", lambda table, *_: table.day
    ),
    Switch("re-runs, by the dates of others", f"{_MATCHING}listing_evidence", "_find_agreeing", _agree_on_nothing),
    Switch("order", _MATCH, "find_order", _find_none(np.int64)),
    Switch("translations", _MATCH, "forget_translated_words", _give_argument(1)),
    Switch("archives dated anew", _MATCH, "find_redated", _find_none(np.bool_)),
    Switch("archives dated at once", f"{_MATCHING}adjustments", "_is_imported", _give(False)),
    Switch("sources that list anew", _MATCH, "credit_relisted", _find_none(np.float32)),
    Switch("alignment", f"{_ALIGNMENT}align", "find_encounters", _yield_nothing),
    Switch("alignment through a third listing", f"{_ALIGNMENT}align", "_complete", _give_argument(0)),
    Switch("alignment: other editions", f"{_ALIGNMENT}align", "_are_apart", _give(False)),
    Switch("alignment by places", f"{_ALIGNMENT}hypotheses", "_try_places", _yield_nothing),
    Switch("alignment: numbers counted otherwise", _MATCH, "_forget_numbers", _give_argument(0)),
)

RULES = (
    Switch("two of a daily title", f"{_MATCHING}same_titles", "_are_two_of_a_daily_title", _find_none(np.bool_)),
    Switch("titles that stand alone", f"{_MATCHING}same_titles", "_stand_alone", _find_none(np.bool_)),
    Switch("weak titles", _MATCH, "penalize_weak_titles", _find_none(np.float32)),
    Switch("competing candidates", _MATCH, "penalize_competitors", _find_none(np.float32)),
    Switch("short titles beside each other", _MATCH, "find_other_short_titles", _find_none(np.bool_)),
    Switch("numbers counted once", _TITLE, "_count_numbers_once", _give(None)),
    Switch("titles with other numbers or texts", _TITLE, "_doubt_numbered_titles", _give(None)),
    Switch("companions that quote", _TITLE, "_drop_quoted_texts", _give(None)),
    Switch("omitted words", _TITLE, "_forgive_omissions", _give(None)),
    Switch("replaced words", _TITLE, "find_replaced_word", _give(None)),
    Switch("other short titles", _TITLE, "are_other_short_titles", _give(False)),
    Switch("two parts of a third text", _MATCH, "forgive_parts_of_one_text", _give_argument(1)),
    Switch(
        "least rarity of words",
        f"{_TITLE} {_MATCHING}evidence.text",
        "find_least_idf",
        lambda _, rows: np.zeros(len(rows)),
    ),
    Switch("unique sentences", f"{_FEATURES}texts", "_WORDY", 10_000),
    Switch("ids that a source lists again", f"{_FEATURES}records", "_replace_each_other", _give(False)),
    Switch("totals", _TABLE, "_TOTAL", _NEVER),
    Switch("codes", _TABLE, "_CODE", _NEVER),
    Switch("items listed twice", f"{_MATCHING}constraints", "find_twins", _give([])),
)

LISTS = (
    Switch("parts", _MARKED, "find_part", lambda text: (None, text)),
    Switch("re-runs, extras, trailers", _MARKED, "find_tag", _give(None)),
    Switch("number words", "text.titles.markers", "_NUMBER_OF_FOLDED_WORD", {}),
    Switch("articles", "text.titles.replaced_words", "_ARTICLES", frozenset()),
    Switch("forms of “and”", "text.titles.replaced_words", "_JOINED", frozenset()),
)

BLOCKS = (
    Switch("rare words of titles", _BLOCKING, "_list_block_keys", _list_keys_without(0)),
    Switch("equal titles", _BLOCKING, "_list_block_keys", _list_keys_without(2)),
    Switch("ids", _BLOCKING, "_list_block_keys", _list_keys_without(3)),
    Switch("days", _BLOCKING, "_list_block_keys", _list_keys_without(5, 6)),
    Switch("numbers", _BLOCKING, "_list_block_keys", _list_keys_without(14)),
    Switch("couples of common words", _BLOCKING, "_list_couple_keys", _give(_NO_KEYS)),
    Switch("lengths with a number or year", _BLOCKING, "_list_length_keys", _yield_nothing),
    Switch("repeated titles", _BLOCKING, "_list_repeated_title_keys", _yield_nothing),
    Switch("beginnings of texts", _BLOCKING, "_list_opening_keys", _give(_NO_KEYS)),
)

GROUPS = {"evidence": EVIDENCE, "learned": LEARNERS, "rule": RULES, "list": LISTS, "block": BLOCKS}
