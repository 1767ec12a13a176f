"""Isolation trees: paths against a walk in Python, at every instruction set, and what their bindings refuse."""

import numpy as np
import pytest
from tests.kernels.layouts import layouts, same_for_any_threads

from learnt import _core

MISSING_ENDS = 2


def grown(x, categories=None, n_trees=7, size=40, depth=6, weights=None, seed=3):
    rng = np.random.default_rng(seed)
    samples = np.array([rng.choice(len(x), min(size, len(x)), replace=False) for _ in range(n_trees)], np.int32)
    room = (n_trees, max(1, 2 * samples.shape[1] - 1))
    categories = np.zeros(x.shape[1], np.int32) if categories is None else categories
    column, left = np.empty(room, np.int32), np.empty(room, np.int32)
    threshold, rest, missing = np.empty(room), np.empty(room), np.empty(room, np.uint8)
    used = np.empty(n_trees, np.int64)
    _core.grow_isolation_trees(
        x, categories, samples, weights, depth, seed, column, threshold, left, missing, rest, used
    )
    kept = np.arange(room[1]) < used[:, None]
    starts = np.concatenate([[0], np.cumsum(used)])
    nodes = starts, *(np.ascontiguousarray(a[kept]) for a in (column, threshold, left, missing, rest))
    return (*nodes, categories, seed), samples


def walked(x, starts, column, threshold, left, missing, rest, *_):
    """The paths of rows of numbers."""
    paths = np.zeros(len(x))
    for start in starts[:-1]:
        for i, row in enumerate(x):
            v, depth = 0, 0
            while column[start + v] >= 0:
                cell, depth = row[column[start + v]], depth + 1
                if np.isnan(cell) and missing[start + v] == MISSING_ENDS:
                    v = None
                    break
                right = missing[start + v] == 1 if np.isnan(cell) else cell > threshold[start + v]
                v = left[start + v] + right
            paths[i] += depth + (0 if v is None else rest[start + v])
    return paths


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (64, 1), (65, 2), (200, 7), (1100, 20)])
@pytest.mark.parametrize("fine", [False, True])
def test_paths_are_those_of_a_walk_in_python(shape, fine):
    """`fine`: values so near to each other that single precision does not tell them apart."""
    x = np.random.default_rng(1).normal(size=shape) * (1e-9 if fine else 1) + (1 if fine else 0)
    forest, _ = grown(x)
    wanted = walked(x, *forest)
    for name in ("row-major", "column-major", "rows reversed", "every other cell"):
        paths = np.zeros(len(x))
        _core.add_isolation_paths(layouts(x)[name], *forest, paths)
        np.testing.assert_allclose(paths, wanted, rtol=1e-12)


@pytest.mark.parametrize("gaps_when_fitted", [False, True])
def test_missing_cells_end_paths_where_no_sample_has_one(gaps_when_fitted):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(120, 4))
    gappy = np.where(rng.random(x.shape) < 0.3, np.nan, x)
    forest, _ = grown(gappy if gaps_when_fitted else x)
    assert bool((forest[4][forest[1] >= 0] == MISSING_ENDS).all()) != gaps_when_fitted
    paths = np.zeros(len(x))
    _core.add_isolation_paths(gappy, *forest, paths)
    np.testing.assert_allclose(paths, walked(gappy, *forest), rtol=1e-12)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("fine", [False, True])
def test_credits_add_up_to_how_much_shorter_paths_are(share, fine):
    """Credits are found step by step, paths of many rows at once; with few and with many categories, and gaps."""
    rng = np.random.default_rng(4)
    x = np.column_stack(
        [rng.normal(size=700), rng.integers(0, 5, 700), rng.integers(0, 200, 700), rng.normal(size=700)]
    )
    x[:, 3] = 1 + x[:, 3] * (1e-9 if fine else 1)
    x[rng.random(x.shape) < share] = np.nan
    forest, _ = grown(x, np.array([0, 5, 200, 0], np.int32), size=60, depth=8)
    starts, rest = forest[0], forest[5]
    paths, credits = np.zeros(700), np.zeros((700, 4))
    _core.add_isolation_paths(x, *forest, paths)
    _core.add_isolation_credits(x, *forest, credits)
    np.testing.assert_allclose(credits.sum(axis=1), rest[starts[:-1]].sum() - paths, rtol=1e-9, atol=1e-9)


def test_both_sides_of_every_test_hold_rows_of_the_sample():
    rng = np.random.default_rng(5)
    x = np.column_stack([rng.integers(0, 3, 90), rng.integers(0, 60, 90), rng.integers(0, 2, 90)]).astype(float)
    x[:30, 0] = np.nan
    forest, samples = grown(x, np.array([3, 60, 0], np.int32), depth=30)
    starts, column, rest = forest[0], forest[1], forest[5]
    for t, rows in enumerate(samples):
        of_tree = slice(starts[t], starts[t + 1])
        leaves = column[of_tree] < 0
        # A leaf of n rows has c(n): unless rows are copies, each has its own.
        distinct = len(np.unique(np.nan_to_num(x[rows], nan=-1), axis=0))
        assert leaves.sum() == distinct
        assert len(leaves) == 2 * distinct - 1
        assert (rest[of_tree][leaves] >= 0).all()


def test_the_average_path_is_that_of_scikit_learn():
    from sklearn.ensemble._iforest import _average_path_length

    n = np.arange(0, 5000)
    np.testing.assert_allclose([_core.average_path(float(k)) for k in n], _average_path_length(n), rtol=1e-13)
    between = [_core.average_path(k) for k in np.linspace(1, 4, 301)]
    assert np.all(np.diff(between) >= 0)


def test_threads_and_the_order_of_a_sample_change_nothing():
    x = np.random.default_rng(6).normal(size=(3000, 5))

    def run():
        forest, _ = grown(x, n_trees=20)
        paths = np.zeros(len(x))
        _core.add_isolation_paths(x, *forest, paths)
        return paths

    same_for_any_threads(run)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_copies_of_a_row_have_one_key(dtype):
    x = np.array([[1.0, np.nan], [-0.0, 2.0], [1.0, -np.nan], [0.0, 2.0], [2.0, 0.0]], dtype)
    keys = np.zeros(5, np.uint64)
    _core.mix_row_keys(x, keys)
    assert keys[0] == keys[2]
    assert keys[1] == keys[3]
    assert len(set(keys.tolist())) == 3


def test_what_is_no_tree_is_refused():
    x = np.random.default_rng(7).normal(size=(30, 2))
    forest, _ = grown(x, n_trees=2)
    paths = np.zeros(30)
    for place, change, words in [
        (0, lambda a: a[1:], "starts"),
        (1, lambda a: np.where(a >= 0, 9, a).astype(np.int32), "column"),
        (3, lambda a: np.zeros_like(a), "children"),
        (3, lambda a: np.full_like(a, 10_000), "children"),
        (3, lambda a: np.full_like(a, 2**31 - 1), "children"),
        (4, lambda a: np.full_like(a, 7), "missing"),
        (6, lambda a: a - 1, "categories"),
    ]:
        broken = list(forest)
        broken[place] = np.ascontiguousarray(change(broken[place]))
        with pytest.raises(ValueError, match=words):
            _core.add_isolation_paths(x, *broken, paths)
    with pytest.raises(ValueError, match="not a row"):
        _core.grow_isolation_trees(
            x,
            forest[6],
            np.full((1, 2), 99, np.int32),
            None,
            3,
            0,
            *(np.empty((1, 3), t) for t in (np.int32, np.float64, np.int32, np.uint8, np.float64)),
            np.empty(1, np.int64),
        )


@pytest.mark.parametrize("cell", [4.0, -1.0, 0.5, np.inf, 1e300])
def test_a_cell_that_is_no_category_of_its_column_is_refused(cell):
    """It was on neither side of any test: a node was cut for ever, beyond the room for nodes."""
    x = np.array([[0.0, 1.0], [cell, 2.0], [3.0, 3.0], [np.nan, 4.0]])
    with pytest.raises(ValueError, match="none of its categories"):
        grown(x, np.array([4, 0], np.int32))
    grown(x, np.zeros(2, np.int32))
