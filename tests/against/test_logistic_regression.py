"""Logistic regression against statsmodels (stored) and scikit-learn: estimates, errors, tests and objectives."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression as Peer

from learnt import LogisticRegression, datasets

REFERENCE = json.loads((Path(__file__).parent / "logistic_regression.json").read_text(encoding="utf-8"))
COLUMNS = ["menopause", "node-caps", "deg-malig", "breast", "irradiat", "Class"]


def test_breast_cancer_has_the_estimates_errors_and_tests_of_statsmodels() -> None:
    expected = REFERENCE["breast_cancer"]
    model = LogisticRegression(penalty=None, tol=1e-8).fit(datasets.load("breast_cancer").select(COLUMNS), "Class")
    found = model.summary()
    np.testing.assert_allclose(found.estimates, expected["coef"], rtol=1e-9)
    np.testing.assert_allclose(found.standard_errors, expected["std_error"], rtol=1e-9)
    np.testing.assert_allclose(found.p_values, expected["p_value"], rtol=1e-8)
    np.testing.assert_allclose(np.column_stack([found.low, found.high]), expected["interval"], rtol=1e-8)
    fit = found.likelihood
    figures = (fit.log_likelihood, fit.null_log_likelihood, fit.aic, fit.bic)
    np.testing.assert_allclose(
        figures, [expected[name] for name in ("log_likelihood", "null", "aic", "bic")], rtol=1e-9
    )


def test_three_classes_have_the_estimates_errors_and_tests_of_statsmodels() -> None:
    expected = REFERENCE["multinomial"]
    found = LogisticRegression(penalty=None, tol=1e-8).fit(np.array(expected["x"]), expected["y"]).summary()
    np.testing.assert_allclose(found.estimates, np.ravel(expected["coef"]), rtol=1e-9)
    np.testing.assert_allclose(found.standard_errors, np.ravel(expected["std_error"]), rtol=1e-9)
    np.testing.assert_allclose(found.p_values, np.ravel(expected["p_value"]), rtol=1e-7)
    fit = found.likelihood
    figures = (fit.log_likelihood, fit.null_log_likelihood, fit.aic, fit.bic)
    np.testing.assert_allclose(
        figures, [expected[name] for name in ("log_likelihood", "null", "aic", "bic")], rtol=1e-9
    )


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("solver", ["newton", "newton-cg"])
@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_are_scikit_learns(storage, classes, solver, intercept) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(1, 1, (400, 6)) * [1, 2, 0.5, 1, 3, 1]
    y = (x @ rng.normal(size=(6, classes)) / 3 + rng.gumbel(size=(400, classes))).argmax(axis=1)
    w = rng.integers(1, 4, 400).astype(float)
    balance = {0: 2.0, 1: 0.5}
    peer = Peer(C=0.3, tol=1e-9, max_iter=5000, fit_intercept=intercept, class_weight=balance, solver="newton-cg")
    peer.fit(x, y, w)
    model = LogisticRegression(C=0.3, tol=1e-7, fit_intercept=intercept, class_weight=balance, solver=solver).fit(
        storage(x), y, w
    )
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=2e-6)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=2e-6)
    np.testing.assert_allclose(model.predict_proba(x), peer.predict_proba(x), atol=1e-6)
    np.testing.assert_allclose(model.decision_function(x), peer.decision_function(x), atol=1e-5)


def test_balanced_class_weights_are_scikit_learns() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 3))
    y = np.where(x[:, 0] + rng.logistic(size=300) > 2, "rare", "common")
    peer = Peer(class_weight="balanced", tol=1e-10, max_iter=1000).fit(x, y)
    np.testing.assert_allclose(LogisticRegression(class_weight="balanced").fit(x, y).coef_, peer.coef_, atol=1e-5)


def test_single_precision_gives_the_optimum_of_the_rounded_numbers() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(500, 5)).astype(np.float32)
    y = (x[:, 0] + rng.logistic(size=500) > 0).astype(int)
    wide = LogisticRegression(tol=1e-8).fit(x.astype(np.float64), y)
    np.testing.assert_allclose(LogisticRegression(tol=1e-8).fit(x, y).coef_, wide.coef_, rtol=1e-10)
