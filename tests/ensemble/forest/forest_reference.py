"""Trees of a forest against brute force: every test of every column there is, on the rows of each node."""

from itertools import combinations

import numpy as np
import pytest

from learnt import Table
from learnt.data.table import Column
from learnt.engine.passes import Batch
from learnt.ensemble.forest.codes import Coding, TakeSample
from learnt.ensemble.forest.growth import Coded, Growth, grow

ALL_ROWS = {"bootstrap": False}


def table(n, seed, *, missing=0.15, categories=4):
    rng = np.random.default_rng(seed)
    a = np.round(rng.normal(size=n), 2)
    a[rng.random(n) < missing] = np.nan
    b = rng.integers(0, 6, n).astype(np.float32)
    town = np.where(rng.random(n) < missing, -1, rng.integers(0, categories, n)).astype(np.int32)
    size = rng.integers(0, 3, n).astype(np.int32)
    labels = tuple(f"c{i}" for i in range(categories))
    columns = [
        Column("a", "numeric", a),
        Column("b", "numeric", b),
        Column("town", "nominal", town, labels),
        Column("size", "ordinal", size, ("S", "M", "L")),
    ]
    y = np.nan_to_num(a) + 0.5 * (town % 2) + 0.3 * size * (b > 3) + 0.5 * rng.normal(size=n)
    return Table.of_columns(columns), y


def coded(table, target, weights=None):
    batch = Batch(table, 0, target, weights)
    coding = Coding.of(TakeSample(1 << 17).summarize(batch), table.schema)
    return Coded(coding, coding.codes(table), target, weights)


def one_tree(table, target, weights=None, classes=0, **options):
    criterion = options.pop("criterion", "gini" if classes else "squared_error")
    growth = Growth(criterion, table.n_columns, classes, **(ALL_ROWS | options))
    forest, _ = grow(coded(table, target, weights), growth, 1)
    return forest[0]


def impurity(target, weights, classes, criterion):
    """Weight × impurity of some rows."""
    total = weights.sum()
    if total == 0:
        return 0.0
    if not classes:
        mean = weights @ target / total
        return weights @ (target - mean) ** 2
    share = np.bincount(target, weights, classes) / total
    if criterion == "entropy":
        return -total * np.sum(share[share > 0] * np.log2(share[share > 0]))
    return total * (1 - share @ share)


def all_tests(table, rows):
    """Every division of these rows by one test, as the rows that go left."""
    for column in table.columns:
        cells, lost = column.values[rows], column.missing[rows]
        known = np.unique(cells[~lost])
        if column.kind == "nominal":
            sets = [s for k in range(1, len(known)) for s in combinations(known, k)]
            lefts = [np.isin(cells, s) & ~lost for s in sets]
        else:
            lefts = [(cells <= v) & ~lost for v in known[:-1]]
        for left in lefts:
            yield left
            if lost.any():
                yield left | lost
        if lost.any() and len(known):
            yield ~lost


def goes_left(tree, node, table):
    column = table.columns[tree.feature[node]]
    lost, cells = column.missing, column.values
    left = np.isin(cells, [])
    if tree.route_start[node] >= 0:
        routes = tree.routes_of(node, len(column.categories))
        chosen = routes[np.maximum(cells, 0)]
        left = np.where(chosen < 0, tree.missing[node] == 0, chosen == 0)
    else:
        left = cells <= tree.threshold[node]
    return np.where(lost, tree.missing[node] == 0, left).astype(bool)


def check_tree(tree, table, target, weights, classes, criterion="gini", least=1):
    """Each node's figures are those of its rows, and its test gains as much as any."""
    n_tests = 0

    def visit(node, rows):
        nonlocal n_tests
        whole = impurity(target[rows], weights[rows], classes, criterion)
        total = weights[rows].sum()
        assert tree.weight[node] == pytest.approx(total)
        assert tree.weight[node] * tree.impurity[node] == pytest.approx(whole, abs=1e-8)
        expected = (
            np.bincount(target[rows], weights[rows], classes) if classes else [weights[rows] @ target[rows] / total]
        )
        np.testing.assert_allclose(tree.value[node], expected, atol=1e-9)

        def gain(left):
            sides = [rows[left], rows[~left]]
            return whole - sum(impurity(target[s], weights[s], classes, criterion) for s in sides)

        allowed = [left for left in all_tests(table, rows) if least <= weights[rows][left].sum() <= total - least]
        best = max((gain(left) for left in allowed), default=-1.0)
        if tree.is_leaf[node]:
            assert whole < 1e-9 or not allowed
            return
        n_tests += 1
        left = goes_left(tree, node, table)[rows]
        assert least <= weights[rows][left].sum() <= total - least
        assert gain(left) == pytest.approx(best, abs=1e-7 * (1 + whole))
        children = tree.children_of(node)
        visit(children[0], rows[left])
        visit(children[1], rows[~left])

    visit(0, np.arange(table.n_rows))
    return n_tests


def check_upper_nodes(tree, x, target, weights, classes, criterion, least, split):
    """check_tree where small nodes were not split: only their figures are looked at."""
    allowed = {node for node in range(tree.node_count) if tree.weight[node] < split}
    pruned = tree.collapsed([node for node in allowed if not tree.is_leaf[node]])
    n_tests = 0
    for node in np.flatnonzero(~pruned.is_leaf):
        n_tests += 1
        rows = _rows_at(pruned, int(node), x)
        whole = impurity(target[rows], weights[rows], classes, criterion)

        def gain(left, rows=rows, whole=whole):
            sides = [rows[left], rows[~left]]
            return whole - sum(impurity(target[s], weights[s], classes, criterion) for s in sides)

        total = weights[rows].sum()
        tests = [s for s in all_tests(x, rows) if least <= weights[rows][s].sum() <= total - least]
        best = max(gain(left) for left in tests)
        left = goes_left(pruned, node, x)[rows]
        assert gain(left) == pytest.approx(best, abs=1e-7 * (1 + whole))
        assert pruned.weight[node] == pytest.approx(total)
        assert pruned.weight[node] * pruned.impurity[node] == pytest.approx(whole, abs=1e-7)
    return n_tests


def _rows_at(tree, node, x):
    parents, rows = tree.parents(), np.ones(x.n_rows, dtype=bool)
    while node > 0:
        up = int(parents[node])
        left = goes_left(tree, up, x)
        rows &= left if tree.children_of(up)[0] == node else ~left
        node = up
    return np.flatnonzero(rows)
