"""The rows of a batch by node, while a boosted tree grows: parting, histograms and leaves against plain NumPy."""

import pickle

import numpy as np
import pytest

from learnt import Table, _core
from learnt.ensemble.boosting.batch_rows import BatchRows, NodeSums
from learnt.ensemble.boosting.bins import BinEdges, bin_edges
from learnt.ensemble.boosting.growth_in_parts import Tests as Splits
from learnt.statistics.sketch import sketch
from learnt.threads import threads

N = 9_000


def binned(n=N, seed=0):
    """Bins and codes of two columns of numbers, one of few categories and one of many, with gaps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    x[rng.random(n) < 0.1] = np.nan
    table = Table(
        {
            "x": x,
            "steps": rng.integers(0, 5, n).astype(float),
            "town": [None if u < 0.1 else "abcdef"[int(6 * u)] for u in rng.random(n)],
            "street": [f"street {int(400 * u * u)}" for u in rng.random(n)],
        }
    )
    edges = bin_edges(sketch(table), 255)
    return edges, edges.encode(table)


def one_wide_column(n=N):
    """A column of 2000 categories."""
    of = np.arange(1998)
    edges = BinEdges([2000], [1], [], [0, 0], of, [0, len(of)])
    return edges, edges.encode_cells([np.random.default_rng(3).integers(-1, 2100, n).astype(np.int32)], n)


def column_codes(edges, codes):
    """The bins of all cells, rows × columns, and the bin of a missing cell by column."""
    wide = np.asarray(edges.n_bins) > 256
    narrow_place, wide_place = np.cumsum(~wide) - 1, np.cumsum(wide) - 1
    columns = [
        codes.wide[:, wide_place[j]] if wide[j] else codes.narrow[:, narrow_place[j]] for j in range(edges.n_columns)
    ]
    return np.column_stack(columns).astype(np.int64), np.asarray(edges.n_bins) - 1


def first_cells(edges):
    """Where the cells of each column begin in a histogram: narrow ones a power of two apart, wide ones after them."""
    n_bins = np.asarray(edges.n_bins)
    narrow = n_bins <= 256
    room = max(32, 1 << int(n_bins[narrow].max(initial=2) - 1).bit_length())
    return np.where(narrow, room * (np.cumsum(narrow) - 1), room * narrow.sum() + np.cumsum(n_bins * ~narrow) - n_bins)


# node: column, bin or the bins that go left, whether missing cells do, left child
TREE = {
    0: (0, 120, True, 1),
    2: (3, [0, 3, 5, 100, 250, 300], False, 3),
    1: (2, [1, 2, 6], False, 5),
    3: (1, 1, False, 7),
}


def splits_of(n_nodes):
    """The tests of the first nodes of TREE: those whose children are below `n_nodes`."""
    left, column, bins = (np.full(n_nodes, -1, np.int32) for _ in range(3))
    missing, sets = np.zeros(n_nodes, np.uint8), [[] for _ in range(n_nodes)]
    for node, (j, where, lost_left, child) in TREE.items():
        if child + 1 < n_nodes:
            left[node], column[node], missing[node] = child, j, lost_left
            if isinstance(where, list):
                sets[node] = where
            else:
                bins[node] = where
    starts = np.cumsum([0, *map(len, sets)])
    return Splits(
        left, column, bins, missing, starts.astype(np.int64), np.array([v for some in sets for v in some], np.int32)
    )


def walked(edges, codes, n_nodes):
    """The leaf of each row, by plain steps."""
    cells, lost = column_codes(edges, codes)
    node = np.zeros(len(cells), int)
    for at in (0, 2, 1, 3):  # parents come before their children
        j, where, lost_left, child = TREE[at]
        if child + 1 >= n_nodes:
            continue
        here = node == at
        code = cells[here, j]
        goes_left = (
            np.isin(code, where) if isinstance(where, list) else np.where(code == lost[j], lost_left, code <= where)
        )
        node[here] = np.where(goes_left, child, child + 1)
    return node


def drawn(kind, seed=1):
    """Packed gradients, and the three numbers of each row that they stand for."""
    rng = np.random.default_rng(seed)
    g, h = rng.integers(-4000, 4000, N), rng.integers(0, 8000, N)
    if kind == "fine":
        fine = np.column_stack([g * 10**9, h * 10**8, rng.integers(1, 5, N)])
        return fine, fine
    return (g << 16 & 0xFFFFFFFF | h).astype(np.uint32), np.column_stack([g, h, np.ones(N, int)])


KEPT = {
    "all": np.ones(N, bool),
    "none": np.zeros(N, bool),
    "two of three": np.arange(N) % 3 > 0,
    "one": np.arange(N) == 4711,
}


def summed(edges, codes, slots, *batches, fine=None):
    """Histograms of some batches of the same rows."""
    sums = NodeSums(edges, slots, fine is not None)
    for rows in batches:
        sums.add(rows, codes, fine)
    return sums.found()


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
@pytest.mark.parametrize("kind", ["rounded", "fine"])
@pytest.mark.parametrize("looks", [[3, 5, 7, 9], [5, 9], [9], [3, 9]])
def test_rows_stand_by_node_in_their_order_however_often_they_are_parted(kept, kind, looks):
    edges, codes = binned()
    packed, numbers = drawn(kind)
    cells, _ = column_codes(edges, codes)
    rows = BatchRows.at_root(packed, kept)
    for n_nodes in looks:
        rows = pickle.loads(pickle.dumps(rows)).parted(edges, codes, splits_of(n_nodes))
        leaf = walked(edges, codes, n_nodes)
        assert rows.ranges.shape == (n_nodes, 2)
        leaves = np.flatnonzero(splits_of(n_nodes).left < 0)
        slots = np.full(n_nodes, -1, np.int32)
        slots[leaves] = np.arange(len(leaves))[::-1]
        starts = first_cells(edges)
        found = summed(edges, codes, slots, rows, fine=packed if kind == "fine" else None)
        assert found.rows == N
        for node in leaves:
            entries = rows.entries[slice(*rows.ranges[node])]
            here = np.flatnonzero(kept & (leaf == node))
            np.testing.assert_array_equal(entries & np.uint64(0xFFFFFFFF), here)
            if kind == "rounded":
                np.testing.assert_array_equal(entries >> np.uint64(32), packed[here])
            sums = found.cells[slots[node]]
            assert sums[:, 2].sum() == edges.n_columns * numbers[here, 2].sum()
            for j in range(edges.n_columns):
                expected = np.zeros((edges.n_bins[j], 3), np.int64)
                np.add.at(expected, cells[here, j], numbers[here])
                start = starts[j]
                np.testing.assert_array_equal(sums[start : start + edges.n_bins[j]], expected)
        np.testing.assert_array_equal(rows.leaves(edges, codes, splits_of(n_nodes)), leaf)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_few_rows_and_many_are_counted_alike(n_threads):
    """Nodes of few rows, of many, and of more than a counted cell holds take different ways to the same sums."""
    edges, codes = binned()
    packed, _ = drawn("rounded")
    cells, _ = column_codes(edges, codes)
    starts, tests = first_cells(edges), splits_of(3)
    for n in (1, 40, 1000, 5000, N):
        kept = np.arange(N) < n
        with threads(n_threads):
            rows = BatchRows.at_root(packed, kept).parted(edges, codes, tests)
            whole = summed(edges, codes, np.array([0, -1, -1]), rows).cells
            parts = summed(edges, codes, np.array([-1, 0, 1]), rows).cells
        np.testing.assert_array_equal(parts.sum(axis=0), whole[0])
        counts = np.bincount(cells[:n, 3], minlength=edges.n_bins[3])
        np.testing.assert_array_equal(whole[0, starts[3] : starts[3] + edges.n_bins[3], 2], counts)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("columns", ["all", "wide"])  # few columns of many bins are summed by another way
@pytest.mark.parametrize("kind", ["rounded", "fine"])
def test_batches_add_up_as_if_they_were_one(kind, columns, n_threads):
    """However many rows a node has in each: counted cells are taken in after 4095 of them, wherever a batch ends."""
    edges, codes = binned() if columns == "all" else one_wide_column()
    cells, _ = column_codes(edges, codes)
    starts, packed, numbers = first_cells(edges), *drawn(kind)
    batches = [np.arange(N) < 4095, np.arange(N) < 4096, np.arange(N) % 700 == 0, np.arange(N) > 100, KEPT["none"]]
    fine = packed if kind == "fine" else None
    with threads(n_threads):
        rows = [BatchRows.at_root(packed, kept) for kept in batches]
        found = summed(edges, codes, np.array([0]), *rows, fine=fine)
    times = np.sum(batches, axis=0)[:, None]
    for j in range(edges.n_columns):
        expected = np.zeros((edges.n_bins[j], 3), np.int64)
        np.add.at(expected, cells[:, j], numbers * times)
        np.testing.assert_array_equal(found.cells[0, starts[j] : starts[j] + edges.n_bins[j]], expected)
    assert found.rows == N * len(batches)


def test_sums_may_be_read_between_batches():
    edges, codes = binned()
    rows, sums = BatchRows.at_root(drawn("rounded")[0], KEPT["all"]), NodeSums(edges, np.array([0]), fine=False)
    none = sums.found()
    sums.add(rows, codes, None)
    once = sums.found()
    sums.add(rows, codes, None)
    assert not none.cells.any()
    np.testing.assert_array_equal(2 * once.cells, sums.found().cells)


def test_a_tree_without_tests_has_one_leaf():
    edges, codes = binned()
    rows = BatchRows.at_root(drawn("rounded")[0], KEPT["two of three"])
    np.testing.assert_array_equal(rows.leaves(edges, codes, splits_of(1)), np.zeros(N))


# ---- what kernels refuse


def kernel_arguments(n_nodes=3):
    edges, codes = binned()
    rows = BatchRows.at_root(drawn("rounded")[0], KEPT["all"])
    where = (edges.kernel, codes.narrow, codes.wide)
    ranges = np.zeros((n_nodes, 2), np.int64)
    ranges[0] = rows.ranges[0]
    return edges, codes, where, rows.entries.copy(), ranges


def test_entries_beyond_the_rows_are_refused():
    edges, _, where, entries, ranges = kernel_arguments()
    entries[17] = N
    sums = _core.BoostHistograms(edges.kernel, 1, False)
    with pytest.raises(ValueError, match=f"name row {N} of {N}"):
        _core.boost_part_rows(*where, *splits_of(3).arrays(), 1, entries, ranges)
    with pytest.raises(ValueError, match="name row"):
        _core.boost_place_rows(*where, *splits_of(3).arrays(), entries, ranges, np.empty(N, np.int32))
    with pytest.raises(ValueError, match="name row"):
        sums.add(*where[1:], entries, None, ranges, np.array([0, -1, -1], np.int32))


@pytest.mark.parametrize("wrong", [(0, N + 1), (-1, 5), (7, 6)])
def test_ranges_outside_of_the_entries_are_refused(wrong):
    edges, _, where, entries, ranges = kernel_arguments()
    ranges[0] = wrong
    sums = _core.BoostHistograms(edges.kernel, 1, False)
    with pytest.raises(ValueError, match="'ranges' of node 0"):
        _core.boost_part_rows(*where, *splits_of(3).arrays(), 1, entries, ranges)
    with pytest.raises(ValueError, match="'ranges' of node 0"):
        sums.add(*where[1:], entries, None, ranges, np.array([0, -1, -1], np.int32))


def test_codes_beyond_their_bins_and_slots_that_are_not_there_are_refused():
    edges, codes, where, entries, ranges = kernel_arguments()
    sums = _core.BoostHistograms(edges.kernel, 1, False)
    with pytest.raises(ValueError, match="a slot that is not there"):
        sums.add(*where[1:], entries, None, ranges, np.array([1, -1, -1], np.int32))
    narrow = codes.narrow.copy()
    narrow[N - 1, 1] = 255
    with pytest.raises(ValueError, match="beyond the bins"):
        sums.add(narrow, codes.wide, entries, None, ranges, np.array([0, -1, -1], np.int32))


def test_bytes_beyond_their_bins_are_seen_when_sums_are_read():
    """Where all columns are narrow and one has more than 128 bins, a byte cannot lead out of the cells."""
    table = Table({"x": np.random.default_rng(0).normal(size=N), "steps": np.arange(N) % 5.0})
    edges = bin_edges(sketch(table), 255)
    codes, sums = edges.encode(table), _core.BoostHistograms(edges.kernel, 1, False)
    out, rows = np.empty((1, edges.total_bins, 3), np.int64), BatchRows.at_root(drawn("rounded")[0], KEPT["all"])
    arguments = codes.narrow, codes.wide, rows.entries, None, rows.ranges, np.zeros(1, np.int32)
    sums.add(*arguments)
    sums.read(out)
    codes.narrow[N - 1, 1] = 255
    sums.add(*arguments)
    with pytest.raises(ValueError, match="beyond the bins"):
        sums.read(out)


def test_histograms_of_another_kind_or_shape_are_refused():
    edges, _, where, entries, ranges = kernel_arguments()
    slots, fine = np.array([0, -1, -1], np.int32), np.zeros((N, 3), np.int64)
    with pytest.raises(ValueError, match="'fine' is given where sums are fine"):
        _core.BoostHistograms(edges.kernel, 1, False).add(*where[1:], entries, fine, ranges, slots)
    with pytest.raises(ValueError, match="'fine' is given where sums are fine"):
        _core.BoostHistograms(edges.kernel, 1, True).add(*where[1:], entries, None, ranges, slots)
    with pytest.raises(ValueError, match="another shape"):
        _core.BoostHistograms(edges.kernel, 1, True).read(np.empty((2, edges.total_bins, 3), np.int64))
    with pytest.raises(ValueError, match="'n_slots' is -1"):
        _core.BoostHistograms(edges.kernel, -1, True)


def test_tests_that_are_no_tree_are_refused():
    _, _, where, entries, ranges = kernel_arguments(5)
    left, *others = splits_of(5).arrays()
    for wrong in ([1, 1, -1, -1, -1], [4, -1, -1, -1, -1], [1, -1, 2, -1, -1]):
        with pytest.raises(ValueError, match="not those of a tree"):
            _core.boost_part_rows(*where, np.array(wrong, np.int32), *others, 1, entries, ranges)
    with pytest.raises(ValueError, match="'known' is 6"):
        _core.boost_part_rows(*where, left, *others, 6, entries, ranges)


def test_as_many_entries_are_written_as_rows_are_kept():
    kept = KEPT["two of three"].view(np.uint8)
    with pytest.raises(ValueError, match="another length than rows are kept"):
        _core.boost_entries(None, kept, np.empty(N, np.uint64))
