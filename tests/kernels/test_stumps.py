"""The rounds of stumps find what a tree of one test finds, and their votes are those of the trees, added."""

import numpy as np
import pytest

from learnt import Table, _core
from learnt.ensemble import Forest
from learnt.ensemble.adaboost.stumps import add_stump_votes, stump_classes
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow.exact import GrowOptions, grow, n_categories
from learnt.tree.reach import leaves_of

FIELDS = ("feature", "threshold", "missing", "weight", "impurity", "value", "missing_weight", "routes", "route_codes")


def mixed_table(rng, n: int, *, coarse: bool) -> Table:
    """Numbers in two precisions, categories, a boolean, an ordinal; gaps in all; `coarse` has many equal cells."""
    x = rng.normal(size=n).round(0 if coarse else 12)
    x[rng.random(n) < 0.15] = np.nan
    cells = {
        "x": x,
        "single": rng.integers(0, 4 if coarse else 10**6, n).astype(np.float32),
        "again": x,  # ties with the first column in every round
        "town": [None if u < 0.1 else "abcdef"[int(6 * u)] for u in rng.random(n)],
        "flag": [None if u < 0.2 else bool(u < 0.6) for u in rng.random(n)],
        "size": ["SML"[int(3 * u)] for u in rng.random(n)],
        "constant": np.ones(n),
    }
    return Table(cells, ordinal={"size": ["S", "M", "L"]})


def rounds(table: Table, y, k: int, criterion: str = "gini", missing: str = "learned", leaf: float = 0.0):
    cells = [column.values for column in table.columns]
    return _core.StumpRounds(cells, n_categories(table.schema), y.astype(np.int32), k, criterion, missing, leaf)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "misclassification"])
@pytest.mark.parametrize("missing", ["learned", "majority"])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("coarse", [True, False])
def test_every_round_gives_the_tree_of_one_test_bit_for_bit(criterion, missing, k, coarse):
    rng = np.random.default_rng(k + 10 * coarse)
    n = 150
    table, y = mixed_table(rng, n, coarse=coarse), rng.integers(0, k, n)
    leaf = 7.5
    source, side = rounds(table, y, k, criterion, missing, leaf), np.empty(n, np.uint8)
    options = GrowOptions(
        criterion=criterion,
        nominal="equals",
        missing=missing,
        max_depth=1,
        min_samples_split=2 * leaf,
        min_samples_leaf=leaf,
    )
    for t in range(12):
        w = rng.integers(1, 4, n) * 1.0 if t % 2 else rng.exponential(size=n) ** 3 + 1e-9
        found, expected = TreeArrays(**source.next(w, side)), grow(table, y.astype(np.int32), w, options, n_classes=k)
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
        np.testing.assert_array_equal(side, leaves_of(expected, table) == 2)


def test_a_light_side_does_not_hide_the_best_cut():
    """Weights over many orders of size: sums of squares would lose it in rounding."""
    rng = np.random.default_rng(0)
    n = 400
    x, w = np.arange(n) * 1.0, 10.0 ** rng.uniform(-14, 0, n)
    y = rng.integers(0, 2, n)
    found = TreeArrays(**rounds(Table({"x": x}), y, 2).next(w, np.empty(n, np.uint8)))

    def mixed(rows):
        c = [w[rows & (y == 0)].sum(), w[rows & (y == 1)].sum()]
        return 2 * c[0] * c[1] / (c[0] + c[1])

    worth = [mixed(x <= t) + mixed(x > t) for t in range(n - 1)]
    assert worth[int(found.threshold[0])] == pytest.approx(min(worth), rel=1e-12)


def test_rows_of_one_class_and_single_rows_ask_nothing():
    side = np.empty(3, np.uint8)
    tree = TreeArrays(**rounds(Table({"x": [1.0, 2.0, 3.0]}), np.zeros(3), 2).next(np.ones(3), side))
    assert tree.node_count == 1
    assert side.tolist() == [0, 0, 0]
    assert TreeArrays(**rounds(Table({"x": [1.0]}), np.zeros(1), 1).next(np.ones(1), side[:1])).node_count == 1


def test_the_same_stumps_for_any_number_of_threads():
    rng = np.random.default_rng(5)
    table, y, w = Table(rng.normal(size=(3000, 7))), rng.integers(0, 2, 3000), rng.exponential(size=3000)
    found, before = [], _core.get_threads()
    try:
        for n in (1, 2, 5):
            _core.set_threads(n)
            found.append(rounds(table, y, 2).next(w, np.empty(3000, np.uint8)))
    finally:
        _core.set_threads(before)
    for other in found[1:]:
        for name in found[0]:
            np.testing.assert_array_equal(found[0][name], other[name])


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("n", [1, 255, 256, 257, 1000])
def test_votes_are_those_of_the_trees_added(k, n):
    rng = np.random.default_rng(n)
    table, y = mixed_table(rng, 300, coarse=True), rng.integers(0, k, 300)
    source, side = rounds(table, y, k), np.empty(300, np.uint8)
    trees = [TreeArrays(**source.next(rng.exponential(size=300), side)) for _ in range(9)]
    trees.append(TreeArrays(**rounds(table, np.zeros(300), k).next(np.ones(300), side)))  # one without a test
    forest, alpha = Forest.of(trees), rng.random((10, 2))
    rows = mixed_table(rng, max(n, 300), coarse=True).matched(table.schema).rows(0, n)
    answer, out = stump_classes(forest), np.zeros((n, k))
    add_stump_votes(forest, rows, answer, alpha, out)
    expected = np.zeros((n, k))
    for t, tree in enumerate(trees):
        leaf = leaves_of(tree, rows)
        side = np.maximum(leaf - 1, 0)
        np.testing.assert_array_equal(answer[t][side], tree.value[leaf].argmax(axis=1))
        expected[np.arange(n), answer[t][side]] += alpha[t, side]
    np.testing.assert_allclose(out, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_votes_of_a_matrix_in_any_layout(dtype, order):
    rng = np.random.default_rng(2)
    x = np.array(rng.normal(size=(700, 4)), dtype=dtype, order=order)
    x[::9, 1] = np.nan
    table, y = Table.of_matrix(x), (x[:, 0] > 0).astype(int)
    source, side = rounds(table, y, 2), np.empty(700, np.uint8)
    forest = Forest.of([TreeArrays(**source.next(rng.exponential(size=700), side)) for _ in range(5)])
    out = np.zeros((700, 1))
    add_stump_votes(forest, table, np.zeros((5, 2), int), np.tile([-1.0, 1.0], (5, 1)), out)
    expected = sum(2.0 * (leaves_of(tree, table) == 2) - 1 for tree in forest)
    np.testing.assert_array_equal(out[:, 0], expected)


def test_what_does_not_fit_is_refused():
    table, side = Table({"x": [1.0, 2.0], "c": ["a", "b"]}), np.empty(2, np.uint8)
    y = np.array([0, 1], dtype=np.int32)
    source = rounds(table, y, 2)
    for weights in (np.array([1.0, 0.0]), np.array([1.0, np.nan]), np.array([1.0, np.inf])):
        with pytest.raises(ValueError, match="Expected more than 0"):
            source.next(weights, side)
    with pytest.raises(ValueError, match="'weights' has the length 3"):
        source.next(np.ones(3), side)
    with pytest.raises(ValueError, match="'missing' is 'fractional'"):
        rounds(table, y, 2, missing="fractional")
    with pytest.raises(ValueError, match="'labels' is 1 in row 1"):
        rounds(table, y, 1)
    tests = {
        "feature": np.array([0], np.int32),
        "threshold": np.array([1.5]),
        "missing": np.array([0], np.int32),
        "start": np.array([-1]),
        "n_routes": np.array([0], np.int32),
        "routes": np.empty(0, np.uint8),
        "answer": np.zeros((1, 2), np.int32),
        "amount": np.ones((1, 2)),
        "x": np.ones((3, 1)),
        "out": np.zeros((3, 1)),
    }
    _core.add_stump_votes(**tests)
    for wrong in (
        {"feature": np.array([1], np.int32)},
        {"feature": np.array([-1], np.int32)},
        {"missing": np.array([2], np.int32)},
        {"missing": np.array([-1], np.int32)},
        {"start": np.array([0]), "n_routes": np.array([1], np.int32)},
        {"start": np.array([0]), "n_routes": np.array([-1], np.int32)},
        {"routes": np.array([2], np.uint8)},
        {"answer": np.ones((1, 2), np.int32)},
        {"out": np.zeros((2, 1))},
    ):
        with pytest.raises(ValueError, match=r"Expected|points outside"):
            _core.add_stump_votes(**(tests | wrong))


def test_a_schema_of_another_kind_is_refused():
    table = Table({"x": [1.0, 2.0, 3.0, 4.0]})
    tree = TreeArrays(**rounds(table, np.array([0, 0, 1, 1]), 2).next(np.ones(4), np.empty(4, np.uint8)))
    nominal = Table({"x": ["a", "b"]})
    with pytest.raises(ValueError, match="another kind"):
        add_stump_votes(Forest.of([tree]), nominal, np.zeros((1, 2), int), np.ones((1, 2)), np.zeros((2, 1)))
