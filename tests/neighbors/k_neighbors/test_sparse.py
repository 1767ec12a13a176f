"""Sparse rows: the neighbours of their dense twins, what is refused, and files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix

import learnt
from learnt import KNeighborsClassifier, KNeighborsRegressor
from learnt.errors import InputError, ParameterError, SavedModelError


def counts(n: int, seed: int) -> np.ndarray:
    """Mostly zeros, small whole numbers, no row of zeros alone: many are equal or equally far."""
    rng = np.random.default_rng(seed)
    x = rng.poisson(0.15, size=(n, 12)).astype(float)
    x[:, 0] += x.sum(axis=1) == 0
    return x


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"metric": "cosine"},
        {"metric": "euclidean", "weights": "tricube", "ties": "first"},
        {"n_neighbors": "loo"},
        {"radius": 0.8, "weights": "distance"},
        {"n_neighbors": "all", "weights": "distance2"},
        {"feature_weights": np.arange(12.0)},
    ],
)
def test_sparse_rows_are_answered_as_their_dense_twins(settings):
    x, asked, y, w = counts(120, 0), counts(30, 1), np.arange(120) % 3, np.arange(120) % 4
    for weights in (None, w):
        ours = KNeighborsClassifier(**settings).fit(csr_matrix(x), y, weights)
        twin = KNeighborsClassifier(**settings).fit(x, y, weights)
        for form in (csr_matrix, csc_matrix, np.asarray):
            np.testing.assert_allclose(
                ours.predict_proba(form(asked)), twin.predict_proba(asked), rtol=1e-12, atol=1e-15
            )
        np.testing.assert_array_equal(ours.kneighbors(csr_matrix(asked), 4)[1], twin.kneighbors(asked, 4)[1])
        np.testing.assert_array_equal(ours.kneighbors(n_neighbors=4)[1], twin.kneighbors(n_neighbors=4)[1])
        assert ours.n_neighbors_ == twin.n_neighbors_


def test_an_explanation_tells_of_the_cells_that_are_not_zero():
    x, y = counts(80, 2), np.arange(80.0)
    ours, twin = (KNeighborsRegressor(metric="euclidean").fit(form, y) for form in (csr_matrix(x), x))
    told, whole = ours.explain(csr_matrix(x[:1]))[0], twin.explain(x[:1])[0]
    stored = {name for n in told.neighbors for name in n.cells}
    assert 0 < len(stored) < 12
    for one, other in zip(told.neighbors, whole.neighbors, strict=True):
        assert (one.row, one.vote) == (other.row, other.vote)
        assert one.cells == {name: other.cells[name] for name in stored}
    expected = {c.column: (c.here, c.typical) for c in whole.columns}
    for c in told.columns:
        assert (c.here, c.typical) == pytest.approx(expected[c.column])
    left = [expected[name][0] for name in expected if name not in stored]
    assert sum(left) == 0  # columns that are not told of add nothing to the distance


def test_what_sparse_rows_cannot_do_is_said():
    x, y = csr_matrix(counts(30, 3)), np.arange(30) % 2
    for settings, said in (
        ({"metric": "manhattan"}, "compares all cells"),
        ({"metric": lambda a, b: 0.0}, "function of two rows"),
        ({"feature_weights": "loo"}, "the rows are sparse"),
        ({"index": "kd_tree"}, "'kd_tree' needs all cells"),
    ):
        with pytest.raises(ParameterError, match=said):
            KNeighborsClassifier(**settings).fit(x, y)
    gappy = x.copy()
    gappy.data[0] = np.nan
    with pytest.raises(InputError, match=r"Row 0 has nan in column 'x\d'"):
        KNeighborsClassifier().fit(gappy, y)
    with pytest.raises(InputError, match=r"Row 0 has nan in column 'x\d'"):
        KNeighborsClassifier().fit(x, y).predict(gappy)


def test_the_users_matrix_is_copied_and_left_as_it_is():
    x = csr_matrix((np.ones(3), [1, 0, 0], [0, 1, 3]), shape=(2, 2))  # row 1 stores its first cell twice
    model = KNeighborsRegressor(n_neighbors=1, metric="euclidean").fit(x, [0.0, 1.0])
    assert x.nnz == 3
    x.data[:] = 99
    assert model.kneighbors(np.array([[2.0, 0.0]]))[0].tolist() == [[0.0]]


def test_sparse_models_survive_their_file_and_contradictions_are_found(tmp_path):
    x, y = csr_matrix(counts(40, 4)), np.arange(40) % 2
    model = KNeighborsClassifier(metric="cosine").fit(x, y, np.arange(40) % 3)
    learnt.save(model, tmp_path / "model")
    np.testing.assert_array_equal(learnt.load(tmp_path / "model").predict_proba(x), model.predict_proba(x))
    rows = model._rows
    kept = rows.sparse
    for change in (
        {"places": kept.places + np.int32(12)},
        {"places": kept.places - np.int32(1)},
        {"places": kept.places[::-1].copy()},
        {"start": kept.start[:-1]},
        {"start": kept.start[::-1].copy()},
        {"values": kept.values[:-1]},
        {"values": np.full_like(kept.values, np.nan)},
        {"values": kept.values.astype(int)},
    ):
        vars(model)["_rows"] = replace(rows, sparse=replace(kept, **change))
        with pytest.raises(SavedModelError):
            model._check_fitted_state()
