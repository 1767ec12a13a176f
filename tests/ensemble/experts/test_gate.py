"""The gate, against logistic regression where shares are classes, and by its derivatives."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from learnt.data.design import Design
from learnt.data.table import Table
from learnt.engine.survey import survey
from learnt.ensemble.experts.gate import GateRows, standardised

RNG = np.random.default_rng(1)
X = RNG.normal(size=(90, 3)) * [1, 5, 0.1]
TABLE = Table.of_matrix(np.ascontiguousarray(X), ["a", "b", "c"])


def gate_rows(w, penalty=0.7):
    design = Design.of(survey(TABLE), drop_reference=True)
    return GateRows.of(design, TABLE, w, penalty)


@pytest.mark.parametrize("k", [2, 3])
def test_shares_that_are_classes_give_a_penalised_softmax_regression(k):
    y = RNG.integers(0, k, 90)
    rows = gate_rows(np.ones(90))
    v = rows.fitted(np.zeros((k, 4)), np.eye(k)[y])
    # Of two classes scikit-learn penalises the difference of coefficients, v₁ − v₀ = 2·v₁: twice the square sum.
    peer = LogisticRegression(C=1 / 0.7 if k > 2 else 2 / 0.7, tol=1e-10, max_iter=5000).fit(rows.x[:, :-1], y)
    np.testing.assert_allclose(np.exp(rows.log_shares(v)), peer.predict_proba(rows.x[:, :-1]), atol=1e-5)
    learner = rows.as_learner(v, TABLE.schema)
    np.testing.assert_allclose(learner.predict_proba(TABLE), np.exp(rows.log_shares(v)), rtol=1e-9)


def test_the_gradient_is_that_of_the_objective():
    rows, h = gate_rows(RNG.random(90)), RNG.dirichlet(np.ones(3), 90)

    def value(point):
        return rows.objective(point.reshape(3, 4), h)

    def gradient(point):
        return rows.gradient(point.reshape(3, 4), h).ravel()

    assert max(check_grad(value, gradient, v) for v in (np.zeros(12), RNG.normal(size=12))) < 1e-4
    best = rows.fitted(np.zeros((3, 4)), h)
    assert np.abs(rows.gradient(best, h)).max() < 1e-7


def test_columns_are_standardised_by_weight_and_sparse_ones_stay_sparse():
    w = RNG.integers(1, 4, 90).astype(float)
    scaled, mean, spread = standardised(X, w)
    copies = np.repeat(X, w.astype(int), axis=0)
    np.testing.assert_allclose(mean, copies.mean(axis=0))
    np.testing.assert_allclose(spread, copies.std(axis=0))
    np.testing.assert_allclose(scaled[:, :-1], (X - mean) / spread)
    constant, _, _ = standardised(np.full((4, 1), 3.0), np.ones(4))
    assert not constant[:, 0].any()
    wide, none, _ = standardised(csr_array(RNG.poisson(0.1, (20, 400)).astype(float)), np.ones(20))
    assert not isinstance(wide, np.ndarray)
    assert not none.any()
