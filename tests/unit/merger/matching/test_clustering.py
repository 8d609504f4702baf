from __future__ import annotations

from aggregator.merger.matching.clustering import Rules, cluster, find_components


def rules(*sources: int, **changes: object) -> Rules:
    rows = len(sources)
    values: dict[str, object] = {"kind": [0] * rows, "first": [1] * rows, "last": [1] * rows}
    return Rules(list(sources), **{**values, **changes})  # type: ignore[arg-type]  # by name


def test_the_best_evidence_is_taken_first() -> None:
    assert cluster(3, [(5.0, 0, 1), (9.0, 1, 2)], rules(0, 1, 0), 1.0) == ((0,), (1, 2))


def test_a_bridge_does_not_join_what_is_against_it() -> None:
    edges = [(9.0, 0, 1), (9.0, 2, 3), (2.0, 1, 2)]
    assert cluster(4, edges, rules(0, 1, 2, 3), 1.0) == ((0, 1), (2, 3))
    assert cluster(4, [*edges, (3.0, 0, 2), (3.0, 0, 3), (3.0, 1, 3)], rules(0, 1, 2, 3), 1.0) == ((0, 1, 2, 3),)


def test_below_the_threshold_nothing_joins() -> None:
    assert cluster(2, [(0.9, 0, 1)], rules(0, 1), 1.0) == ((0,), (1,))


def test_one_source_is_joined_where_its_listings_do_not_overlap() -> None:
    edge = [(9.0, 0, 1)]
    assert cluster(2, edge, rules(0, 0), 1.0) == ((0,), (1,))
    assert cluster(2, edge, rules(0, 0, first=[1, 3], last=[2, 4]), 1.0) == ((0, 1),)
    assert cluster(2, edge, rules(0, 0, first=[1, 2], last=[2, 4]), 1.0) == ((0,), (1,))


def test_groups_stay_together_and_the_parted_apart() -> None:
    assert cluster(2, [], rules(0, 0, groups=((0, 1),)), 1.0) == ((0, 1),)
    assert cluster(2, [(20.0, 0, 1)], rules(0, 1, apart=frozenset({(0, 1)})), 1.0) == ((0,), (1,))
    both = rules(0, 1, 2, groups=((0, 2),), apart=frozenset({(1, 2)}))
    assert cluster(3, [(20.0, 0, 1)], both, 1.0) == ((0, 2), (1,))


def test_two_promises_become_one_only_on_strong_evidence() -> None:
    published = rules(0, 1, guid={0: "g", 1: "h"})
    assert cluster(2, [(1.9, 0, 1)], published, 1.0) == ((0,), (1,))
    assert cluster(2, [(2.0, 0, 1)], published, 1.0) == ((0, 1),)
    assert cluster(2, [(1.9, 0, 1)], rules(0, 1, guid={0: "g", 1: "g"}), 1.0) == ((0, 1),)
    assert cluster(2, [(1.9, 0, 1)], rules(0, 1, guid={0: "g"}), 1.0) == ((0, 1),)


def test_of_two_kinds_only_known_pairs_are_counted() -> None:
    mixed = rules(0, 1, 2, kind=[0, 0, 1])
    edges = [(9.0, 0, 1), (1.5, 1, 2)]
    assert cluster(3, edges, mixed, 1.0) == ((0, 1, 2),)
    assert cluster(3, edges, rules(0, 1, 2), 1.0) == ((0, 1), (2,))


def test_the_mean_between_two_clusters_is_what_counts() -> None:
    pairs = [(9.0, 0, 1), (9.0, 2, 3), (3.0, 0, 2), (1.0, 1, 3), (-5.0, 0, 3), (-6.9, 1, 2)]
    assert cluster(4, pairs, rules(0, 1, 2, 3), 1.0) == ((0, 1, 2, 3),)  # -7.9 in all, -1.98 in the mean
    assert cluster(4, [*pairs[:-1], (-7.1, 1, 2)], rules(0, 1, 2, 3), 1.0) == ((0, 1), (2, 3))


def test_at_the_threshold_a_pair_is_joined() -> None:
    assert cluster(2, [(1.0, 0, 1)], rules(0, 1), 1.0) == ((0, 1),)


def test_a_pair_that_was_never_compared_weighs_minus_six() -> None:
    edges = [(9.0, 0, 1), (2.0, 1, 2)]
    assert cluster(3, edges, rules(0, 1, 2), 1.0) == ((0, 1, 2),)
    assert cluster(3, [(9.0, 0, 1), (1.9, 1, 2)], rules(0, 1, 2), 1.0) == ((0, 1), (2,))


def test_components_are_named_by_their_lowest_row() -> None:
    assert find_components(6, [(4, 2), (5, 4), (1, 3)]) == [0, 1, 2, 1, 2, 2]


def test_two_known_shows_never_meet_even_through_a_third_row() -> None:
    edges = [(9.0, 0, 1), (9.0, 1, 2)]
    assert cluster(3, edges, rules(0, 1, 2, scope=[4, -1, 5]), 1.0) == ((0, 1), (2,))
    assert cluster(3, [*edges, (9.0, 0, 2)], rules(0, 1, 2, scope=[4, -1, 4]), 1.0) == ((0, 1, 2),)
