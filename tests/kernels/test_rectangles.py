"""Rectangles that grow: the kernel against the algorithm written out plainly, and what it refuses."""

import numpy as np
import pytest

from learnt import _core

EQUAL = 1 + 1e-12


def plainly(rows, labels, ranges, sizes, asked):
    """The rectangles of Salzberg's algorithm; each holds for every column the set of the cells it took in."""
    found = []

    def away(h, x):
        total = 0.0
        for j, inside in enumerate(h["cells"]):
            if np.isnan(x[j]) or not inside:
                total += 1
            elif sizes[j]:
                total += x[j] not in inside
            else:
                outside = max(min(inside) - x[j], x[j] - max(inside), 0)
                total += min(outside / ranges[j], 1) ** 2 if ranges[j] else float(outside > 0)
        return np.sqrt(total) * h["tried"] / h["right"]

    def size(h):
        sides = 0.0
        for j, inside in enumerate(h["cells"]):
            if sizes[j]:
                sides += max(len(inside) - 1, 0) / max(sizes[j] - 1, 1)
            elif inside and ranges[j]:
                sides += (max(inside) - min(inside)) / ranges[j]
        return sides

    for x, truth in zip(rows, labels, strict=True):
        left = {i: away(h, x) for i, h in enumerate(found)}
        for _ in range(min(asked, len(found))):
            near = [i for i in left if left[i] <= min(left.values()) * EQUAL]
            small = min(size(found[i]) for i in near)
            first = min(
                (i for i in near if size(found[i]) <= small * EQUAL),
                key=lambda i: (found[i]["tried"] / found[i]["right"], i),
            )
            del left[first]
            found[first]["tried"] += 1
            if found[first]["label"] == truth:
                found[first]["right"] += 1
                for inside, cell in zip(found[first]["cells"], x, strict=True):
                    inside |= {cell} - {np.nan} if not np.isnan(cell) else set()
                break
        else:
            cells = [set() if np.isnan(cell) else {cell} for cell in x]
            found.append({"cells": cells, "label": truth, "tried": 1, "right": 1})
    return found


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    cells = np.column_stack(
        [rng.normal(size=n), rng.integers(5, size=n), rng.integers(3, size=n), rng.integers(2, size=n)]
    )
    cells[rng.random(cells.shape) < 0.05] = np.nan
    return cells, rng.integers(3, size=n).astype(np.int32)


def read(kept, p, labels):
    n = len(kept)
    parts = np.empty((n, p)), np.empty((n, p)), np.empty((n, labels), np.uint8)
    record = np.empty(n, np.int32), np.empty(n), np.empty(n)
    kept.read(*parts, *record)
    return (*parts, *record)


@pytest.mark.parametrize("asked", [1, 2])
@pytest.mark.parametrize("seed", [0, 1])
def test_rectangles_grow_as_written_out_plainly(seed, asked):
    cells, labels = mixed(250, seed)
    ranges, sizes = np.array([np.nanmax(cells[:, 0]) - np.nanmin(cells[:, 0]), 4.0, 0, 0]), np.array([0, 0, 3, 2])
    kept = _core.RectangleRows(sizes, ranges, np.ones(4), False)
    for rows in (np.arange(100), np.arange(100, 250)):  # in two instalments
        kept.grow(cells, labels, rows, asked, False)
    low, high, sets, label, tried, right = read(kept, 4, 5)
    expected = plainly(cells, labels.tolist(), ranges, sizes, asked)
    assert label.tolist() == [h["label"] for h in expected]
    assert tried.tolist() == [h["tried"] for h in expected]
    assert right.tolist() == [h["right"] for h in expected]
    for j in range(4):
        assert low[:, j].tolist() == [min(h["cells"][j], default=np.inf) for h in expected]
        assert high[:, j].tolist() == [max(h["cells"][j], default=-np.inf) for h in expected]
    for l, (j, code) in enumerate([(2, 0), (2, 1), (2, 2), (3, 0), (3, 1)]):
        assert sets[:, l].tolist() == [code in h["cells"][j] for h in expected]


def test_a_copy_answers_as_the_original():
    cells, labels = mixed(200, 3)
    one, two = (
        _core.RectangleRows(np.array([0, 0, 3, 2]), np.array([3.0, 4, 0, 0]), np.ones(4), False) for _ in range(2)
    )
    one.grow(cells, labels, np.arange(200), 1, False)
    two.write(*read(one, 4, 5))
    answers = []
    for kept in (one, two):
        far, who = np.empty((200, 3)), np.empty(200, np.int64)
        kept.ask(cells, far, who)
        answers.append((far, who))
    np.testing.assert_array_equal(answers[0][0], answers[1][0])
    np.testing.assert_array_equal(answers[0][1], answers[1][1])
    assert (answers[0][0].min(axis=1) == answers[0][0][np.arange(200), read(one, 4, 5)[3][who]]).all()


def test_a_column_of_range_or_weight_zero():
    kept = _core.RectangleRows(np.zeros(2, np.int64), np.array([0.0, 1.0]), np.array([1.0, 0.0]), False)
    kept.grow(np.array([[5.0, 0.0]]), np.zeros(1, np.int32), np.zeros(1, np.int64), 1, False)
    far, who = np.empty((3, 1)), np.empty(3, np.int64)
    kept.ask(np.array([[5.0, 9.0], [5.5, 0.0], [np.nan, 0.0]]), far, who)
    assert far.ravel().tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("cells", "labels", "shown", "said"),
    [
        (np.zeros((2, 3)), [0, 0], [0], "'cells' is 2 × 3"),
        (np.array([[0.0, 3.0]]), [0], [0], "'cells' names a label"),
        (np.array([[0.0, -1.0]]), [0], [0], "'cells' names a label"),
        (np.zeros((2, 2)), [0], [0], "'labels' has the length 1"),
        (np.zeros((2, 2)), [0, 0], [2], "'shown' names a row"),
        (np.zeros((2, 2)), [0, 0], [-1], "'shown' names a row"),
    ],
)
def test_what_would_read_beyond_its_arrays_is_refused(cells, labels, shown, said):
    kept = _core.RectangleRows(np.array([0, 3]), np.ones(2), np.ones(2), False)
    with pytest.raises(ValueError, match=said):
        kept.grow(cells, np.array(labels, np.int32), np.array(shown), 1, False)
    assert len(kept) == 0


def test_classes_that_are_not_there_are_refused():
    kept = _core.RectangleRows(np.zeros(1, np.int64), np.ones(1), np.ones(1), False)
    kept.grow(np.zeros((1, 1)), np.array([2], np.int32), np.zeros(1, np.int64), 1, False)
    with pytest.raises(ValueError, match="a class that is not there"):
        kept.ask(np.zeros((1, 1)), np.empty((1, 2)), np.empty(1, np.int64))
    with pytest.raises(ValueError, match="below 0"):
        _core.RectangleRows(np.array([-1]), np.ones(1), np.ones(1), False)
