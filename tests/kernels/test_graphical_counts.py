"""Tables of counts, scores and look-ups against lines of NumPy and SciPy."""

import numpy as np
import pytest
from scipy.special import gammaln

import learnt
from learnt import _core
from learnt.graphical.structure.counting import Groups, flat_lists

CELLS = np.array([3, 2, 5, 4], np.int32)
GROUPS = [((0, 1), (2, 3)), ((2,), ()), ((), (1,)), ((3, 0, 2), (1,)), ((1,), (0, 2, 3, 0, 2))]


def coded(n=5000, dtype=np.uint8, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([rng.integers(c, size=n) for c in CELLS]).astype(dtype)


def table_of(codes, columns, weights=None):
    out = np.zeros([CELLS[j] for j in columns])
    np.add.at(out, tuple(codes[list(columns)].astype(int)), 1.0 if weights is None else weights)
    return out.ravel()


def wanted(codes, weights=None):
    lists = [(*members, *([] if z is None else [z])) for members, some in GROUPS for z in some or (None,)]
    return np.concatenate([table_of(codes, columns, weights) for columns in lists])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2049, 5000])
def test_tables_are_those_of_a_plain_loop(dtype, weighted, n):
    codes = coded(n, dtype)
    weights = np.random.default_rng(1).integers(0, 5, n).astype(float) if weighted else None
    truth = wanted(codes, weights)
    counts = np.zeros(len(truth), np.float64 if weighted else np.int64)
    for times in (1, 2):  # updated, never cleared
        _core.count_tables(codes, CELLS, weights, *Groups(GROUPS).arrays(), counts)
        np.testing.assert_array_equal(counts, times * truth)


def test_any_number_of_threads_gives_the_same_bits():
    codes, weights = coded(20_000), np.random.default_rng(2).random(20_000)
    found = []
    for n in (1, 2, 5):
        with learnt.threads(n):
            counts = np.zeros(len(wanted(codes)))
            _core.count_tables(codes, CELLS, weights, *Groups(GROUPS).arrays(), counts)
            hashed = _core.count_hashed(codes, CELLS, weights, *flat_lists([(0, 1, 2), (3, 2)]))
            found.append([counts, *(part for pair in hashed for part in pair)])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_codes_beyond_the_last_cell_count_as_that_cell():
    codes = coded(100)
    wild = codes.copy()
    wild[0, codes[0] == 2] = 255
    counts, truth = np.zeros(len(wanted(codes)), np.int64), wanted(codes)
    _core.count_tables(wild, CELLS, None, *Groups(GROUPS).arrays(), counts)
    np.testing.assert_array_equal(counts, truth)


def test_hashed_tables_hold_the_cells_that_are_not_empty():
    codes = coded(300)
    ((keys, counts),) = _core.count_hashed(codes, CELLS, None, *flat_lists([(3, 0, 2, 1)]))
    truth = table_of(codes, (3, 0, 2, 1))
    np.testing.assert_array_equal(keys, np.flatnonzero(truth))
    np.testing.assert_array_equal(counts, truth[truth > 0])


def by_definition(counts, name, sample_size, weight):
    """Of configurations × states."""
    q, r = counts.shape
    n_j = counts.sum(axis=1)
    if name in ("bdeu", "k2"):
        a = 1.0 if name == "k2" else sample_size / (q * r)
        return float((gammaln(a * r) - gammaln(a * r + n_j)).sum() + (gammaln(a + counts) - gammaln(a)).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        loglik = np.nansum(counts * np.log(counts / n_j[:, None]))
    return loglik - {"loglik": 0, "bic": np.log(weight) / 2, "aic": 1}[name] * q * (r - 1)


@pytest.mark.parametrize("name", ["loglik", "bic", "aic", "bdeu", "k2"])
def test_scores_are_those_of_their_definitions(name):
    codes = coded(777)
    groups = Groups([((0, 1), (2,)), ((2,), ())])
    counts = np.zeros(30 + 5, np.int64)
    _core.count_tables(codes, CELLS, None, *groups.arrays(), counts)
    scores, turned = np.empty(2), np.empty(2)
    shares = np.concatenate([np.full(c, 1 / c) for c in CELLS])
    _core.score_tables(counts, CELLS, CELLS, shares, *groups.arrays(), name, 7.0, 777.0, scores, turned)
    table = counts[:30].reshape(3, 2, 5)
    truth = by_definition(table.transpose(0, 2, 1).reshape(15, 2).astype(float), name, 7.0, 777.0)
    assert scores[0] == pytest.approx(truth, rel=1e-12)
    assert turned[0] == pytest.approx(by_definition(table.reshape(6, 5).astype(float), name, 7.0, 777.0), rel=1e-12)
    assert scores[1] == pytest.approx(by_definition(counts[30:][None].astype(float), name, 7.0, 777.0), rel=1e-12)
    ((keys, sparse),) = _core.count_hashed(codes, CELLS, None, *flat_lists([(0, 2, 1)]))
    assert _core.score_hashed(keys, sparse, 2, 15.0, 2.0, name, 7.0, 777.0) == pytest.approx(truth, rel=1e-12)


def test_missing_cells_are_dealt_out_by_shares():
    """Two columns of two states, the third code of each is missing."""
    cells, states = np.array([3, 3], np.int32), np.array([2, 2], np.int32)
    counts = np.array([[4.0, 1, 2], [0, 3, 1], [2, 2, 5]])
    p, q = np.array([0.25, 0.75]), np.array([0.4, 0.6])
    full = counts[:2, :2] + np.outer(p, counts[2, :2]) + np.outer(counts[:2, 2], q) + np.outer(p, q) * counts[2, 2]
    scores = np.empty(1)
    groups = Groups([((0,), (1,))]).arrays()
    _core.score_tables(counts.ravel(), cells, states, np.concatenate([p, q]), *groups, "bic", 1.0, 20.0, scores, None)
    assert scores[0] == pytest.approx(by_definition(full.T, "bic", 1.0, 20.0), rel=1e-12)


def test_look_ups_add_the_tables_of_rows_and_skip_missing_cells():
    rng = np.random.default_rng(3)
    codes = rng.integers(-1, CELLS[:, None], size=(4, 3000)).astype(np.int32)
    families = [(0, 1), (), (2,)]
    tables = [rng.normal(size=[*(CELLS[j] for j in f), 3]) for f in families]
    out = np.ones((3, 3000))
    _core.add_log_joint(codes, CELLS, *flat_lists(families), np.concatenate([t.ravel() for t in tables]), out)
    truth = np.ones((3, 3000)) + tables[1][:, None]
    for f, table in ((families[0], tables[0]), (families[2], tables[2])):
        there = (codes[list(f)] >= 0).all(axis=0)
        truth[:, there] += table[tuple(codes[j, there] for j in f)].T
    np.testing.assert_allclose(out, truth, rtol=1e-14)


def test_wrong_arguments_are_refused():
    codes, counts = coded(10), np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="length 3"):
        _core.count_tables(codes, CELLS, None, *Groups([((0, 1), ())]).arrays(), counts)
    with pytest.raises(ValueError, match="Expected 0 to 3"):
        _core.count_tables(codes, CELLS, None, *Groups([((4,), ())]).arrays(), counts)
    with pytest.raises(ValueError, match="at least 1"):
        _core.count_tables(codes, np.array([3, 0, 5, 4], np.int32), None, *Groups([((0,), ())]).arrays(), counts)
    many, huge = np.full(4, 100_000, np.int32), np.full(4, 2**31 - 1, np.int32)
    with pytest.raises(ValueError, match="2\\^31"):
        _core.count_tables(codes, many, None, *Groups([((0, 1, 2), ())]).arrays(), counts)
    with pytest.raises(ValueError, match="too many to number"):
        _core.count_hashed(codes, huge, None, *flat_lists([(0, 1, 2)]))
