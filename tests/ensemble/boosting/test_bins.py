"""Bins of cells: edges that do not depend on how rows were cut, and codes that agree with thresholds."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from learnt import _core
from learnt.data.table import Column, Table
from learnt.engine.passes import Batch
from learnt.ensemble.boosting.bins import BinEdges, bin_edges
from learnt.errors import InputError
from learnt.statistics import sketch as module
from learnt.statistics.sketch import TakeSketch, sketch
from learnt.threads import threads


def random_table(n, seed=0):
    rng = np.random.default_rng(seed)
    skewed = np.exp(3 * rng.standard_normal(n))
    skewed[rng.random(n) < 0.1] = np.nan
    spiked = np.where(rng.random(n) < 0.6, 0.0, rng.standard_normal(n)).astype(np.float32)
    whole = rng.integers(-3, 4, n).astype(float)
    town = rng.integers(-1, 12, n).astype(np.int32)
    grade = rng.integers(-1, 5, n).astype(np.int32)
    return Table.of_columns(
        [
            Column("skewed", "numeric", skewed),
            Column("spiked", "numeric", spiked),
            Column("whole", "numeric", whole),
            Column("town", "nominal", town, tuple(f"t{i}" for i in range(14))),
            Column("grade", "ordinal", grade, tuple("abcde")),
        ]
    )


def code(codes, j):
    return codes.narrow[:, j].astype(int)


def test_codes_are_the_number_of_edges_below_a_cell_and_missing_cells_are_last():
    table = random_table(5000)
    edges = bin_edges(sketch(table), 64)
    codes = edges.encode(table)
    for j in (0, 1, 2, 4):
        cells = table.columns[j].values.astype(float)
        expected = np.searchsorted(edges.edges_of(j), cells)
        expected[table.columns[j].missing] = edges.n_bins[j] - 1
        np.testing.assert_array_equal(code(codes, j), expected)
    np.testing.assert_array_equal(edges.edges_of(2), [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    np.testing.assert_array_equal(edges.edges_of(4), [0.5, 1.5, 2.5, 3.5])
    town = table.columns[3].values
    np.testing.assert_array_equal(code(codes, 3), np.where(town < 0, edges.n_bins[3] - 1, town))
    assert edges.n_bins[3] == 12 + 2  # two of the declared categories never occur


def test_bins_hold_equally_many_rows_but_for_values_too_heavy_to_share_one():
    table = random_table(20_000)
    edges = bin_edges(sketch(table), 50)
    codes = edges.encode(table)
    known = code(codes, 0)[~np.isnan(table.columns[0].values)]
    share = np.bincount(known) / len(known)
    assert len(share) == 50
    assert share.max() < 0.03
    rest = np.bincount(code(codes, 1), minlength=51)[:50] / 20_000
    assert np.count_nonzero(rest > 0) >= 48
    assert np.sort(rest)[-1] == pytest.approx(0.6, abs=0.02)
    assert np.sort(rest)[-2] < 0.03


def test_a_float_and_its_threshold_compare_alike_in_bins_and_in_trees():
    """Edges are doubles between two floats; a float lies below one exactly when its code says so."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 2)).astype(np.float32)
    x[:, 1] = np.nextafter(np.float32(1), np.float32(2)) + np.float32(2**-23) * rng.integers(0, 300, 3000)
    table = Table.of_matrix(x)
    edges = bin_edges(sketch(table), 40)
    codes = edges.encode(table)
    for j in (0, 1):
        expected = np.searchsorted(edges.edges_of(j), x[:, j].astype(float))
        np.testing.assert_array_equal(code(codes, j), expected)


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
@pytest.mark.parametrize("layout", ["rows", "columns", "strided"])
def test_codes_do_not_depend_on_layout_threads_or_instructions(level, layout):
    x = np.random.default_rng(0).standard_normal((4097, 3))
    x[::7, 1] = np.nan
    edges = bin_edges(sketch(Table.of_matrix(x)), 255)
    expected = edges.encode(Table.of_matrix(x)).narrow
    same = {"rows": x, "columns": np.asfortranarray(x), "strided": np.repeat(x, 2, axis=0)[::2]}[layout]
    before = _core.simd_level()
    try:
        _core.set_simd_level(level)
    except ValueError:
        pytest.skip(f"this processor has no {level}")
    try:
        for n in (1, 3):
            with threads(n):
                np.testing.assert_array_equal(edges.encode(Table.of_matrix(same)).narrow, expected)
    finally:
        _core.set_simd_level(before)


@pytest.mark.parametrize("cuts", [[], [1], [400, 400, 1500], [10, 20, 30, 2999]])
@pytest.mark.parametrize("sample", [1 << 17, 500])
def test_bins_do_not_depend_on_how_the_rows_were_cut(monkeypatch, cuts, sample):
    monkeypatch.setattr(module, "SAMPLE", sample)
    table = random_table(3000)
    weights = np.random.default_rng(1).random(3000)
    for w in (None, weights):
        whole = bin_edges(sketch(table, w), 32)
        parts = [
            TakeSketch().summarize(Batch(table.rows(a, b), a, None, None if w is None else w[a:b]))
            for a, b in itertools.pairwise([0, *cuts, 3000])
        ]
        merged = sum(parts[1:], parts[0])
        assert merged.rows == 3000
        for name in ("n_bins", "edges", "edge_start", "category_bins"):
            np.testing.assert_allclose(getattr(bin_edges(merged, 32), name), getattr(whole, name), rtol=1e-12)


def test_few_distinct_values_have_a_bin_each_however_rare(monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 100)
    x = np.zeros(100_000)
    x[[17, 70_000]] = [5.0, 9.0]
    edges = bin_edges(sketch(Table({"x": x})), 255)
    np.testing.assert_array_equal(edges.edges_of(0), [2.5, 7.0])


def test_a_row_twice_is_a_row_of_weight_two():
    table = random_table(700, seed=3)
    times = np.random.default_rng(0).integers(0, 4, 700)
    weighted = bin_edges(sketch(table, times.astype(float)), 20)
    copied = bin_edges(sketch(table.take(np.repeat(np.arange(700), times))), 20)
    np.testing.assert_allclose(weighted.edges, copied.edges)


def test_rare_and_unseen_of_many_categories_share_a_bin():
    counts = np.r_[np.full(300, 20), np.full(200, 3), np.zeros(5, int)]
    codes = np.repeat(np.arange(505), counts).astype(np.int32)
    table = Table.of_columns([Column("id", "nominal", codes, tuple(range(505)))])
    edges = bin_edges(sketch(table), 255)
    assert edges.n_bins[0] == 302
    np.testing.assert_array_equal(edges.category_bins[:300], np.arange(300))
    assert set(edges.category_bins[300:]) == {300}
    coded = edges.encode(table)
    assert coded.narrow.shape == (len(codes), 0)
    np.testing.assert_array_equal(coded.wide[:, 0], np.minimum(codes, 300))


@pytest.mark.parametrize(
    "columns",
    [
        {"x": np.full(5, np.nan)},
        {"x": np.ones(4)},
        {"x": np.array([1e308, -1e308, 0.0])},
        {"x": np.array([0.0, 5e-324, np.nan])},
    ],
)
def test_columns_with_little_in_them_have_bins(columns):
    table = Table(columns)
    edges = bin_edges(sketch(table), 255)
    assert np.isfinite(edges.edges).all()
    codes = code(edges.encode(table), 0)
    x = columns["x"]
    assert len(set(codes)) == len(np.unique(x))  # NaN is one of them
    order = np.argsort(x)
    assert (np.diff(codes[order]) >= 0).all()


def test_a_table_without_rows_has_bins_and_codes():
    table = random_table(0)
    edges = bin_edges(sketch(table), 255)
    assert edges.encode(table).n_rows == 0
    assert edges.n_columns == 5


def test_bins_survive_pickling_and_refuse_what_does_not_fit():
    edges = bin_edges(sketch(random_table(500)), 30)
    again = pickle.loads(pickle.dumps(edges))
    np.testing.assert_array_equal(again.edges, edges.edges)
    fields = {name: getattr(edges, name) for name in BinEdges.__dataclass_fields__}
    for name, wrong in {
        "edges": edges.edges[::-1],
        "n_bins": edges.n_bins + 1,
        "edge_start": edges.edge_start - 1,
        "category_bins": edges.category_bins + 100,
        "nominal": 1 - edges.nominal,
        "category_start": edges.category_start[:-1],
    }.items():
        with pytest.raises(InputError):
            BinEdges(**{**fields, name: wrong})
    with pytest.raises(InputError, match="max_bins is 256"):
        bin_edges(sketch(random_table(10)), 256)
