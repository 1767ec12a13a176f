"""Indexes of neighbours at every instruction set, and what their bindings refuse."""

import numpy as np
import pytest

from learnt import _core

NORMS = {
    "l1": lambda d: np.abs(d).sum(-1),
    "l2": lambda d: np.sqrt((d**2).sum(-1)),
    "max": lambda d: np.abs(d).max(-1),
    "lp": lambda d: (np.abs(d) ** 3).sum(-1) ** (1 / 3),
    "hamming": lambda d: (d != 0).mean(-1),
}


def brute(x, norm, queries, k, skip=None):
    p = x.shape[1]
    out = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
    reach = max(1e-9, float(np.abs(x).max()))
    _core.brute_nearest(x, norm, 3.0, None, np.zeros(p), np.ones(p), 1.0, reach, queries, skip, *out)
    return out


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (40, 9), (65, 33), (1030, 5)])
@pytest.mark.parametrize("norm", NORMS)
def test_the_nearest_are_those_of_all_distances(norm, shape, dtype):
    rng = np.random.default_rng(1)
    x, queries = rng.integers(0, 4, shape).astype(dtype), rng.integers(0, 4, (11, shape[1])).astype(float)
    k = min(shape[0], 40)
    wanted = NORMS[norm](queries[:, None, :] - x[None, :, :].astype(float))
    order = np.argsort(wanted, axis=1, kind="stable")[:, :k]
    found = [brute(x, norm, queries, k)]
    if norm != "hamming":
        tree = (_core.KdTree32 if dtype == np.float32 else _core.KdTree64)(x, 8)
        found.append((np.empty((11, k)), np.empty((11, k), np.int64)))
        tree.nearest(norm, 3.0, None, queries, None, *found[-1])
    balls = (_core.VpTree32 if dtype == np.float32 else _core.VpTree64)(x, norm, 3.0, None, 8)
    found += [(np.empty((11, k)), np.empty((11, k), np.int64)) for _ in range(2)]
    leaves = balls.nearest(queries, None, *found[-2])
    assert 11 <= leaves <= 11 * -(-shape[0] // 8)
    _core.given_nearest(wanted, None, *found[-1])
    for near, rows in found:
        np.testing.assert_allclose(near, np.take_along_axis(wanted, order, 1), rtol=1e-14)
        if norm != "lp":  # NumPy's roots tear ties apart
            np.testing.assert_array_equal(rows, order)


def test_wrong_shapes_are_refused():
    x, queries = np.zeros((5, 2)), np.zeros((3, 2))
    for words, *arguments in (
        ("'norm' is 'l3'", x, "l3", queries, 2),
        ("'queries' is 3 × 4", x, "l2", np.zeros((3, 4)), 2),
        ("6 neighbours of 5 rows", x, "l2", queries, 6),
        ("5 neighbours of 5 rows", x, "l2", queries, 5, np.zeros(3, np.int64)),
        ("'skip' has the length 4", x, "l2", queries, 2, np.zeros(4, np.int64)),
    ):
        with pytest.raises(ValueError, match=words):
            brute(*arguments)
    for width in (0, 7, 12, 8192):
        with pytest.raises(ValueError, match="width"):
            _core.KdTree64(x, width)
        with pytest.raises(ValueError, match="width"):
            _core.VpTree64(x, "l2", 2.0, None, width)
    with pytest.raises(ValueError, match="6 neighbours of 5 rows"):
        _core.given_nearest(np.zeros((3, 5)), None, np.empty((3, 6)), np.empty((3, 6), np.int64))
    with pytest.raises(ValueError, match="'weights' has the length 3"):
        _core.VpTree64(x, "l2", 2.0, np.ones(3), 8)
    with pytest.raises(ValueError, match="rows"):
        _core.KdTree64(x[:0], 8)
    with pytest.raises(TypeError):
        _core.KdTree32(x, 8)
    with pytest.raises(ValueError, match="boxes"):
        _core.KdTree64(x, 8).nearest("hamming", 2.0, None, queries, None, np.empty((3, 1)), np.empty((3, 1), np.int64))


def scan(codes, tables, order=(0, 1)):
    coded = np.array([0, 1], np.uint8)
    two = np.ones(2)
    return _core.MixedScan(np.zeros((len(codes), 1)), codes, coded, two, two, tables, np.array(order), 1)


def test_a_scan_refuses_codes_without_distances_and_orders_that_are_none():
    codes = np.array([[0], [2], [-1]], np.int32)
    scan(codes, [None, np.zeros((3, 3))])
    with pytest.raises(ValueError, match="code 2"):
        scan(codes, [None, np.zeros((2, 2))])
    with pytest.raises(ValueError, match="order"):
        scan(codes, [None, None], (0, 0))
    with pytest.raises(ValueError, match="order"):
        scan(codes, [None, None], (0, 2))
    few = scan(codes[:2], [None, np.zeros((3, 3))])
    with pytest.raises(ValueError, match="code 3"):
        few.within(np.zeros((1, 1)), np.array([[3]], np.int32), None, np.ones(1))


def test_a_stop_ends_every_search():
    x, codes = np.zeros((50, 1)), np.zeros((50, 1), np.int32)
    tree, mixed, balls = _core.KdTree64(x, 8), scan(codes, [None, None]), _core.VpTree64(x, "l2", 2.0, None, 8)
    whole = np.ones(50), np.zeros(50, np.int32), np.arange(51)
    cells = _core.SparseRows64(*whole, 1, None)
    out = np.empty((50, 1)), np.empty((50, 1), np.int64)
    _core.request_stop()
    try:
        for search in (
            lambda: brute(x, "l2", x, 1),
            lambda: tree.nearest("l2", 2.0, None, x, None, *out),
            lambda: mixed.nearest(x, codes, None, *out),
            lambda: _core.KdTree64(x, 8),
            lambda: balls.nearest(x, None, *out),
            lambda: _core.VpTree64(x, "l2", 2.0, None, 8),
            lambda: cells.nearest(*whole, None, *out),
            lambda: _core.given_nearest(x, None, *out),
        ):
            with pytest.raises(_core.Stopped):
                search()
    finally:
        _core.clear_stop()
