"""Mixed tables, and metrics that are functions of two rows."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.neighbors import plainly

import learnt
from learnt.data.table import Table
from learnt.distance.text_edits import as_cells
from learnt.errors import InputError, ParameterError
from learnt.neighbors import build_index


def mixed_distances(rows, queries, ranges, weights, power=1, tables=None):
    """By the definition, cell by cell: numbers by their range, labels by equality, None is far from all."""
    out = np.zeros((len(queries), len(rows)))
    for i, q in enumerate(queries):
        for r, x in enumerate(rows):
            total = 0.0
            for j, (a, b) in enumerate(zip(x, q, strict=True)):
                if a is None or b is None:
                    d = 1.0
                elif ranges[j] is None:
                    d = tables[j][a][b] if tables and j in tables else float(a != b)
                elif ranges[j] == 0:
                    d = float(a != b)
                else:
                    d = min(abs(a - b) / ranges[j], 1.0)
                total += weights[j] * d**power
            out[i, r] = total if power == 1 else np.sqrt(total)
    return out


def rows_of(n, seed):
    rng = np.random.default_rng(seed)
    return [
        [
            None if rng.random() < 0.15 else float(rng.integers(0, 9)),
            None if rng.random() < 0.15 else "abc"[rng.integers(3)],
            float(rng.standard_normal()),
            None if rng.random() < 0.3 else bool(rng.random() < 0.5),
            7.5,
        ]
        for _ in range(n)
    ]


def table_of(rows):
    names = ["age", "town", "size", "member", "same"]
    kinds = {"age": "numeric", "town": "nominal", "size": "numeric", "member": "boolean", "same": "numeric"}
    return Table({name: [row[j] for row in rows] for j, name in enumerate(names)}, kinds=kinds)


def ranges_of(rows):
    numbers = [[row[j] for row in rows if row[j] is not None] for j in (0, 2)]
    age, size = (max(cells) - min(cells) if cells else 0.0 for cells in numbers)
    return [age, None, size, None, 0.0]


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("index", ["scan", "vp_tree", "brute"])
def test_a_mixed_table_gives_the_neighbours_of_the_definition(index, power):
    rows, queries = rows_of(230, 1), rows_of(20, 2)
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0])
    d = mixed_distances(rows, queries, ranges_of(rows), weights, power)
    found = build_index(table_of(rows), plainly.named("mixed", column_weights=weights, power=power), index=index)
    near, ids = found.query(table_of(queries), 12)
    wanted = plainly.nearest(d, 12)
    np.testing.assert_allclose(near, wanted[0], rtol=1e-14)
    np.testing.assert_array_equal(ids, wanted[1])
    r = float(np.median(d))
    start, ids, far = found.radius(table_of(queries), r)
    for i in range(20):
        np.testing.assert_array_equal(np.sort(ids[start[i] : start[i + 1]]), np.flatnonzero(d[i] <= r))
    assert np.all(np.diff(far[start[0] : start[1]]) >= 0)


def test_every_kind_of_index_gives_a_mixed_table_the_same_bits():
    rows, queries = table_of(rows_of(300, 3)), table_of(rows_of(40, 4))
    found = [build_index(rows, "mixed", index=kind).query(queries, 25) for kind in ("scan", "vp_tree", "brute")]
    with learnt.threads(1):
        found += [
            pickle.loads(pickle.dumps(build_index(rows, "mixed", index=kind))).query(queries, 25)
            for kind in ("scan", "vp_tree")
        ]
    for near, ids in found[1:]:
        np.testing.assert_array_equal(near, found[0][0])
        np.testing.assert_array_equal(ids, found[0][1])


@pytest.mark.parametrize("power", [1, 2])
def test_differences_far_finer_than_float32_are_told_apart(power):
    rng = np.random.default_rng(12)
    x = 0.7 + rng.integers(0, 500, 700) * 1e-9
    x[3] = -0.3  # so that the range is 1
    table = Table({"x": x, "c": rng.choice(list("ab"), 700)})
    d = np.abs(x[:60, None] - x[None]) / (x.max() - x.min())
    away = (table["c"].values[:60, None] != table["c"].values[None]).astype(float)
    d = d + away if power == 1 else np.sqrt(d * d + away)
    for index in ("scan", "vp_tree", "brute"):
        found = build_index(table, plainly.named("mixed", power=power), index=index)
        for mine, wanted in zip(found.query(table.rows(0, 60), 4), plainly.nearest(d, 4), strict=True):
            np.testing.assert_array_equal(mine, wanted)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 70), st.integers(0, 10_000), st.data())
def test_any_mixed_rows_give_the_neighbours_of_the_definition(n, seed, data):
    rows = rows_of(n, seed)
    queries = rows_of(3, seed + 1)
    k = data.draw(st.integers(1, n))
    d = mixed_distances(rows, queries, ranges_of(rows), np.ones(5))
    near, ids = build_index(table_of(rows), "mixed").query(table_of(queries), k)
    wanted = plainly.nearest(d, k)
    np.testing.assert_allclose(near, wanted[0], rtol=1e-14)
    np.testing.assert_array_equal(ids, wanted[1])


def test_auto_takes_a_tree_for_large_mixed_tables_of_few_columns_and_says_why():
    rng = np.random.default_rng(8)
    few = Table({"x": rng.random(40_000), "y": rng.random(40_000), "c": rng.choice(list("abc"), 40_000)})
    many = Table({f"x{j}": rng.random(40_000) for j in range(24)} | {"c": rng.choice(list("abc"), 40_000)})
    found, scan = build_index(few, "mixed"), build_index(many, "mixed")
    assert (found.kind, scan.kind) == ("vp_tree", "scan")
    assert "by a trial" in found.why
    assert build_index(few, "mixed", n_queries=10).kind == "scan"
    assert found.nbytes > build_index(few, "mixed", index="scan").nbytes
    wanted = build_index(few, "mixed", index="scan").query(few.rows(0, 50), 7)
    for mine, other in zip(found.query(few.rows(0, 50), 7), wanted, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("n", [63, 64, 65, 700])
def test_a_tree_of_mixed_rows_leaves_out_and_finds_within_what_a_scan_does(n):
    rows = table_of(rows_of(n, 9))
    scan, tree = (build_index(rows, plainly.named("mixed", power=2), index=kind) for kind in ("scan", "vp_tree"))
    found = (index.query(rows, n - 1, exclude_self=True) for index in (tree, scan))
    for mine, other in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, other)
    for r in (0.0, 1.0, 1.7):
        for mine, other in zip(tree.radius(rows, r), scan.radius(rows, r), strict=True):
            np.testing.assert_array_equal(mine, other)


def test_labels_without_the_triangle_inequality_get_no_tree():
    table = Table({"town": list("abc") * 30})
    for entries in ([[0, 0.9, 0.1], [0.9, 0, 0.1], [0.1, 0.1, 0]], [[0, 1, 1], [0.5, 0, 1], [1, 1, 0]]):
        metric = plainly.named("mixed", value_tables={"town": np.array(entries, dtype=float)})
        with pytest.raises(ParameterError, match="distances of labels do not obey"):
            build_index(table, metric, index="vp_tree")
        assert build_index(table, metric).kind == "scan"


def test_texts_are_compared_all_with_all_and_equally_near_ones_come_in_order():
    rng = np.random.default_rng(10)
    words = ["".join(rng.choice(list("ab"), rng.integers(1, 5))) for _ in range(300)]
    table = Table({"word": words})
    metric = learnt.distance.resolve("levenshtein", table)
    d = np.array([[edits([q], [x]) for x in words] for q in words[:12]], dtype=float)
    rows = as_cells(table, (0,))
    found = build_index(rows, metric)
    assert (found.kind, "texts" in found.why) == ("brute", True)
    for mine, wanted in zip(found.query(rows[:12], 20), plainly.nearest(d, 20), strict=True):
        np.testing.assert_array_equal(mine, wanted)
    start, ids, _ = found.radius(rows[:12], 1.0)
    for mine, wanted in zip((start, ids), plainly.within(d, 1.0), strict=True):
        np.testing.assert_array_equal(mine, wanted)


def test_labels_may_differ_by_a_table_of_their_own():
    rows = [["b"], ["c"], ["a"], [None], ["b"]]
    entries = np.array([[0.0, 0.25, 0.5], [0.25, 0.0, 0.75], [0.5, 0.75, 0.0]])
    table = Table({"town": [r[0] for r in rows]}, kinds={"town": "nominal"})
    order = [table["town"].categories.index(label) for label in "abc"]
    square = np.empty((3, 3))
    square[np.ix_(order, order)] = entries
    found = build_index(table, plainly.named("mixed", value_tables={"town": square}))
    near, ids = found.query(Table({"town": ["a", "c"]}, kinds={"town": "nominal"}), 5)
    np.testing.assert_array_equal(near, [[0, 0.25, 0.25, 0.5, 1], [0, 0.5, 0.75, 0.75, 1]])
    np.testing.assert_array_equal(ids, [[2, 0, 4, 1, 3], [1, 2, 0, 4, 3]])


def test_ordered_labels_are_as_far_as_their_ranks():
    table = Table({"size": ["S", "L", "M", "XL"]}, ordinal={"size": ["S", "M", "L", "XL"]})
    near, ids = build_index(table, "mixed").query(table.rows(0, 1), 4)
    np.testing.assert_allclose(near, [[0, 1 / 3, 2 / 3, 1]])
    np.testing.assert_array_equal(ids, [[0, 2, 1, 3]])


def test_numbers_far_outside_the_range_are_as_far_as_missing_ones():
    table = Table({"x": [0.0, 1.0, None], "y": [1.0, 2.0, 3.0]})
    near, ids = build_index(table, "mixed").query(Table({"x": [1e300, -5.0], "y": [1.0, 1.0]}), 3)
    np.testing.assert_array_equal(near, [[1, 1.5, 2], [1, 1.5, 2]])
    np.testing.assert_array_equal(ids, [[0, 1, 2]] * 2)


def test_the_mixed_metric_with_missing_cells_obeys_the_triangle_inequality():
    rows = rows_of(60, 5)
    rows[0][2] = 40.0  # outside the others' range: truncated, or d(a, b) > d(a, missing) + d(missing, b)
    d = mixed_distances(rows, rows, [8.0, None, 2.0, None, 0.0], np.ones(5))
    through = d[:, :, None] + d[None, :, :]
    assert np.all(d[:, None, :] <= through + 1e-12)


def edits(a, b):
    """Levenshtein's distance of two rows of one text each."""
    a, b = a[0], b[0]
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


@pytest.mark.parametrize("index", ["vp_tree", "brute", "auto"])
def test_a_function_of_two_rows_is_a_metric(index):
    rng = np.random.default_rng(6)
    words = np.array([["".join(rng.choice(list("abc"), rng.integers(1, 7)))] for _ in range(250)], dtype=object)
    d = np.array([[edits(q, x) for x in words] for q in words[:15]], dtype=float)
    found = build_index(words, edits, index=index)
    assert found.kind == ("vp_tree" if index == "vp_tree" else "brute")
    for mine, wanted in zip(found.query(words[:15], 9), plainly.nearest(d, 9), strict=True):
        np.testing.assert_array_equal(mine, wanted)
    start, ids, far = found.radius(words[:15], 2.0, exclude_self=np.arange(15))
    for i in range(15):
        near = [r for r in np.flatnonzero(d[i] <= 2) if r != i]
        assert sorted(ids[start[i] : start[i + 1]]) == near
    assert np.all(far <= 2)


@pytest.mark.parametrize("index", ["vp_tree", "brute"])
def test_a_function_whose_bounds_are_tight_loses_no_row(index):
    rng = np.random.default_rng(11)
    x = rng.permutation(np.r_[np.zeros(60), np.repeat(np.arange(1, 100) * 0.1, 2)])[:, None]
    q = np.unique(x)[:40, None]
    letters = rng.integers(0, 2, (250, 10)).astype(float)  # 3/10 − 1/10 is not quite 2/10
    for rows, asked, metric, d in (
        (x, q, lambda a, b: abs(a[0] - b[0]), np.abs(q - x.T)),
        (letters, letters[:40], lambda a, b: np.sum(a != b) / 10, (letters[:40, None] != letters[None]).sum(2) / 10),
    ):
        found = build_index(rows, metric, index=index)
        for mine, wanted in zip(found.query(asked, 9), plainly.nearest(d, 9), strict=True):
            np.testing.assert_array_equal(mine, wanted)
        for r in (0.0, 0.2):
            start, near, _ = found.radius(asked, r)
            for mine, wanted in zip((start, near), plainly.within(d, r), strict=True):
                np.testing.assert_array_equal(mine, wanted)


def test_a_tree_asks_a_metric_less_often_than_comparing_all():
    class Counted:
        name, is_metric, asked = "counted", True, 0

        def distances(self, a, b):
            self.asked += len(a) * len(b)
            return np.abs(a[:, None, 0] - b[None, :, 0])

    metric = Counted()
    x = np.random.default_rng(7).random((2000, 1))
    found = build_index(x, metric)
    assert found.kind == "vp_tree"
    assert "triangle inequality" in found.why
    metric.asked = 0
    near, _ = found.query(x[:100], 3)
    np.testing.assert_array_equal(near, plainly.nearest(np.abs(x[:100, None, 0] - x[None, :, 0]), 3)[0])
    assert metric.asked < 100 * 2000 / 4


def test_a_metric_that_is_none_is_refused():
    x = np.eye(3)
    odd = SimpleNamespace(name="odd", is_metric=False, distances=lambda a, b: np.zeros((len(a), len(b))))
    with pytest.raises(ParameterError, match="triangle inequality"):
        build_index(x, odd, index="vp_tree")
    with pytest.raises(ParameterError, match="none negative or NaN"):
        build_index(x, lambda a, b: -1.0).query(x, 1)
    with pytest.raises(ParameterError, match="function of two rows"):
        build_index(x, 3)
    with pytest.raises(ParameterError, match="knows nothing of"):
        build_index(x, lambda a, b: 0.0, index="kd_tree")
    with pytest.raises(ParameterError, match="for metric='mixed'"):
        build_index(x, index="scan")
    with pytest.raises(InputError, match="Row 1 is infinite in column 'x'"):
        build_index(Table({"x": [1.0, np.inf]}), "mixed")
    with pytest.raises(ParameterError, match=r"shape \(2, 2\)"):
        build_index(Table({"x": ["a", "b", "c"]}), plainly.named("mixed", value_tables={"x": np.zeros((2, 2))}))
    with pytest.raises(ParameterError, match="column weights"):
        build_index(Table({"x": [1.0, 2.0]}), plainly.named("mixed", column_weights=[-1.0]))


def test_a_table_of_labels_needs_the_mixed_metric():
    with pytest.raises(InputError, match="metric='mixed'"):
        build_index(Table({"town": ["a", "b"]}))


def test_cells_far_from_zero_keep_the_digits_in_which_they_differ():
    """Ranges of a thousandth at a billion: quotients by the range have no digit left of the difference."""
    rng = np.random.default_rng(4)
    numbers = np.sort(1e9 + rng.random(60) * 1e-3)
    towns = rng.choice(["a", "b", "c"], 60).tolist()
    table = Table({"time": numbers, "town": towns})
    index = build_index(table, plainly.named("mixed", power=2), index="scan")
    span = float(numbers.max() - numbers.min())
    exact = mixed_distances(
        list(zip(numbers, towns, strict=True)), list(zip(numbers, towns, strict=True)), [span, None], [1, 1], 2
    )
    for i in range(0, 60, 7):
        for r in np.sort(exact[i])[[3, 20, 40]]:
            start, rows, _ = index.radius(table.rows(i, i + 1), r * (1 + 1e-9))
            assert set(rows[start[0] : start[1]].tolist()) == set(np.flatnonzero(exact[i] <= r * (1 + 1e-9)).tolist())
