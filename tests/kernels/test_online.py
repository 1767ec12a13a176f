"""The bindings of learners that take rows one after the other: what they refuse, and how rows may lie in memory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from learnt import _core

N, P = 50, 6
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, P)) * (RNG.random((N, P)) < 0.5)
CODES = RNG.integers(2, size=N).astype(np.int32)
MEASURES = (1, 0.0, 1, 0.3, 0.5, 0.0)  # logistic loss; steps that shrink with the root of t
SETTINGS = (0.01, 0.0, True, 0, 0.9, 1, 0.0)
UNIT = np.zeros(1, np.int32)


def fresh(p=P):
    return (np.zeros((1, p)), np.zeros(1)), np.zeros(1)


def descend(x, course=(None, None, 0, 0, True), last=N, **changed):
    weights, loss = fresh(x.shape[1])
    arguments = {
        "shift": np.zeros(x.shape[1]),
        "spread": np.ones(x.shape[1]),
        "values": None,
        "codes": CODES,
        "measures": MEASURES,
        "settings": SETTINGS,
        "units": UNIT,
        "weights": weights,
        "sums": None,
        "memory": None,
        "loss": loss,
    } | changed
    _core.descend(x, course=course, first=0, last=last, **arguments)
    return weights[0][0]


def test_the_layout_of_rows_does_not_matter():
    expected = descend(X)
    wide = np.zeros((N, 3 * P))
    wide[:, ::3] = X
    for same in (np.asfortranarray(X), wide[:, ::3], X[::-1, ::-1].copy()[::-1, ::-1]):
        np.testing.assert_allclose(descend(same), expected, rtol=1e-12)
    single = X.astype(np.float32)
    np.testing.assert_allclose(descend(single), descend(single.astype(np.float64)), rtol=1e-12)


@pytest.mark.parametrize("offsets", [np.int32, np.int64])
@pytest.mark.parametrize("cells", [np.float32, np.float64])
def test_sparse_rows_of_all_types_make_the_steps_of_dense_ones(offsets, cells):
    x = csr_matrix(X.astype(cells))
    weights, loss = fresh()
    mean = np.full(P, 0.3)
    _core.descend_csr(
        x.data, x.indices, x.indptr.astype(offsets), P, mean, None, CODES, (None, None, 0, 0, True), 0, N, MEASURES,
        SETTINGS, UNIT, weights, None, None, loss,
    )  # fmt: skip
    expected = descend(X.astype(cells), shift=mean)
    np.testing.assert_allclose(weights[0][0], expected, rtol=1e-9)


def test_a_list_of_rows_is_the_table_of_these_rows():
    some = np.sort(RNG.permutation(N)[:20]).astype(np.int64)
    listed = descend(X, course=(some, None, 3, 1, True), last=20)
    alone = descend(np.ascontiguousarray(X[some]), course=(None, None, 3, 1, True), last=20, codes=CODES[some])
    np.testing.assert_array_equal(listed, alone)


def test_another_epoch_or_seed_is_another_order():
    seen = {tuple(descend(X, course=(None, None, seed, epoch, True))) for seed in (0, 1) for epoch in (0, 1)}
    assert len(seen) == 4
    in_order = [tuple(descend(X, course=(None, None, seed, 0, False))) for seed in (0, 1)]
    assert in_order[0] == in_order[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"codes": CODES[:-1]}, "codes"),
        ({"codes": None}, "either"),
        ({"values": np.zeros(N)}, "either"),
        ({"shift": np.zeros(P + 1)}, "shift"),
        ({"units": np.array([1], np.int32)}, "unit"),
        ({"units": np.array([-1], np.int32)}, "unit"),
        ({"measures": (99, *MEASURES[1:])}, "out of range"),
        ({"settings": (*SETTINGS[:5], 0, 0.0)}, "out of range"),
        ({"weights": (np.zeros((1, P + 1)), np.zeros(1))}, "coef"),
        ({"loss": np.zeros(2)}, "loss"),
        ({"memory": (np.zeros((1, P)), np.zeros((1, P + 1)))}, "speed"),
        ({"sums": (np.zeros((1, P)), np.zeros(2))}, "intercept_sum"),
        ({"course": (np.array([N], np.int64), None, 0, 0, True), "last": 1}, "rows"),
        ({"course": (np.array([-1], np.int64), None, 0, 0, True), "last": 1}, "rows"),
        ({"course": (None, np.ones(3), 0, 0, True)}, "weights"),
        ({"last": N + 1}, "last"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        descend(X, **changed)


def test_outputs_are_never_copies():
    with pytest.raises(TypeError):
        descend(X, weights=(np.zeros((1, P), np.float32), np.zeros(1)))
    with pytest.raises(TypeError):
        descend(X, weights=(np.zeros((1, 2 * P))[:, ::2], np.zeros(1)))
    with pytest.raises(TypeError):
        descend(X, course=(None, np.ones(N, np.float32), 0, 0, True))


def test_sparse_rows_that_point_outside_are_refused():
    sums = [np.zeros(2) for _ in range(3)]
    with pytest.raises(ValueError, match="outside"):
        _core.add_column_sums(np.ones(1), np.array([7], np.int32), np.array([0, 1]), 2, None, *sums)
    with pytest.raises(ValueError, match="outside"):
        _core.scale_columns(np.ones(1), np.array([0], np.int32), np.array([0, 5]), 2, np.ones(2), np.zeros(1))
    with pytest.raises(ValueError, match="outside"):
        _core.winnow_pass(
            np.ones(1), np.array([-1], np.int32), np.array([0, 1]), 2, np.zeros(1, np.int32), (None, None, 0, 0, False),
            1.0, 2.0, False, UNIT, np.ones((1, 2)), None, np.zeros(1, np.int64), np.zeros(1, np.int64),
        )  # fmt: skip


def test_column_sums_are_those_of_numpy():
    x, w = csr_matrix(X), RNG.random(N)
    sums = [np.zeros(P) for _ in range(3)]
    _core.add_column_sums(x.data, x.indices, x.indptr, P, w, *sums)
    for found, expected in zip(sums, (w @ X, w @ X**2, w @ (X != 0)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_gram_matrix_must_be_square():
    with pytest.raises(ValueError, match="gram"):
        _core.kernel_perceptron_pass(
            np.zeros((3, 2)), np.zeros(3, np.int32), (None, None, 0, 0, False), 0, False, UNIT, np.zeros((1, 3)),
            (np.zeros((1, 3)), np.zeros((1, 3))), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64),
        )  # fmt: skip
