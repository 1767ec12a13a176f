"""Splitting several leaves at once and cutting back gives the tree of best-first growth."""

import heapq

import numpy as np
import pytest

from learnt.ensemble.boosting.best_first import BestFirst


def gains(path: int) -> float:
    """What a node of a made-up tree gains; nothing for some, and often the same for two."""
    value = np.random.default_rng(path).random()
    return 0.0 if value < 0.15 else round(float(value) * 10 / path.bit_length(), 1)


def one_by_one(max_leaves: int, by_level: bool) -> set[int]:
    """The paths split by growth that looks at children before it chooses again."""
    waiting, age, taken = [], 0, set()

    def enter(path):
        nonlocal age
        age += 1
        if gains(path) > 0 and path.bit_length() < 12:
            heapq.heappush(waiting, (path.bit_length() if by_level else 0, -gains(path), age, path))

    enter(1)
    while waiting and len(taken) + 1 < max_leaves:
        path = heapq.heappop(waiting)[-1]
        taken.add(path)
        enter(2 * path), enter(2 * path + 1)
    return taken


@pytest.mark.parametrize("by_level", [False, True])
@pytest.mark.parametrize("max_leaves", [2, 3, 7, 31, 200])
def test_the_leaves_are_those_of_growth_one_by_one(max_leaves, by_level):
    tree, path, looks = BestFirst(max_leaves, by_level, {0: gains(1)}), {0: 1}, 0
    while (walk := tree.walk()).unknown:
        looks += 1
        for node in walk.unknown:
            left, right = len(path), len(path) + 1
            path[left], path[right] = 2 * path[node], 2 * path[node] + 1
            tree.split(node, left, right)
            for kid in (left, right):
                tree.gain[kid] = gains(path[kid]) if path[kid].bit_length() < 12 else 0.0
    expected = one_by_one(max_leaves, by_level)
    assert {path[node] for node in walk.taken} == expected
    deepest = max(p.bit_length() for p in expected)
    assert looks <= deepest + 8  # about the levels, not the leaves
    leaf = {2 * p + side for p in expected for side in (0, 1)} - expected
    for node, above in enumerate(tree.leaf_above(walk.taken)):
        if path[node] in expected:
            assert above == node
        else:
            assert path[above] in leaf
            assert path[node] >> (path[node].bit_length() - path[above].bit_length()) == path[above]


def test_a_root_that_gains_nothing_is_never_split():
    assert BestFirst(31, False, {0: 0.0}).walk().taken == []
