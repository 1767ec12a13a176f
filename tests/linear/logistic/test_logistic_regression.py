"""Logistic regression: optima by their conditions, scans, and inference."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, hstack
from scipy.sparse import random as random_sparse
from tests.linear.logistic.logistic_cases import PENALTIES, fitted, problem, violation

import learnt
from learnt import LogisticRegression


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_gradient_vanishes_at_the_optimum_of_few_columns(storage, classes, penalty, intercept) -> None:
    x, y, w = problem(classes=classes, spread=30)
    model = fitted(storage(x), y, w, penalty, C=0.1, fit_intercept=intercept, tol=1e-7)
    assert model.converged_
    assert violation(model, x, y, w, penalty, 0.1) < 1e-7


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_gradient_vanishes_at_the_optimum_of_many_columns(classes, penalty, intercept) -> None:
    x, y, w = problem(n=150, p=600, classes=classes, spread=3)
    model = fitted(x, y, w, penalty, C=0.05, fit_intercept=intercept, tol=1e-6)
    assert model.converged_
    assert violation(model, x, y, w, penalty, 0.05) < 1e-5


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_the_gradient_vanishes_at_the_optimum_of_sparse_columns(classes, penalty) -> None:
    rng = np.random.default_rng(1)
    x = random_sparse(2000, 900, 0.02, random_state=2, format="csr") * 3
    y = (x @ (rng.normal(size=(900, classes)) * 2) + rng.gumbel(size=(2000, classes))).argmax(axis=1)
    w = rng.integers(1, 3, 2000).astype(float)
    model = fitted(x, y, w, penalty, C=0.3, tol=1e-6)
    assert model.converged_
    assert violation(model, x, y, w, penalty, 0.3) < 1e-6


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("penalty", "shape", "solver"),
    [
        ("l2", (300, 6), "newton"),
        ("l2", (300, 6), "newton-cg"),
        ("elasticnet", (300, 6), "newton"),
        ("l1", (150, 600), "auto"),
        ("elasticnet", (150, 600), "auto"),
        ("elasticnet", (300, 40), "coordinate"),
    ],
)
def test_standardize_is_the_penalty_of_columns_divided_by_their_deviations(classes, penalty, shape, solver) -> None:
    """By every solver: the same model as of the divided columns, whose coefficients are in other units."""
    x, y, w = problem(*shape, classes=classes, spread=30)
    deviation = np.sqrt(np.average((x - np.average(x, axis=0, weights=w)) ** 2, axis=0, weights=w))
    settings = {"C": 0.05, "tol": 1e-7, "solver": solver}
    model = fitted(x, y, w, penalty, standardize=True, **settings)
    plain = fitted(x / deviation, y, w, penalty, **settings)
    assert model.converged_
    np.testing.assert_allclose(model.coef_ * deviation, plain.coef_, atol=1e-5)
    assert violation(plain, x / deviation, y, w, penalty, 0.05) < 1e-5  # what it is compared with is the optimum


def test_standardize_leaves_sparse_zeros_and_descends_their_columns() -> None:
    rng = np.random.default_rng(1)
    x = random_sparse(1000, 700, 0.02, random_state=2, format="csr")
    units = rng.uniform(0.1, 10, 700)
    y = (x @ rng.normal(size=(700, 2)) * 4 + rng.gumbel(size=(1000, 2))).argmax(axis=1)
    dense = x.toarray()
    deviation = dense.std(axis=0)
    deviation[deviation == 0] = 1
    w = np.ones(1000)
    model = fitted(csr_matrix(x.multiply(units)), y, w, "l1", C=0.5, tol=1e-7, standardize=True)
    plain = fitted(csr_matrix(x.multiply(1 / deviation)), y, w, "l1", C=0.5, tol=1e-7)
    np.testing.assert_allclose(model.coef_ * deviation * units, plain.coef_, atol=1e-4)


def test_standardize_frees_numbers_of_their_units_and_leaves_indicators_as_they_are() -> None:
    rng = np.random.default_rng(3)
    grams, town = rng.normal(size=200), rng.choice(["Bern", "Genf", "Chur"], 200, p=[0.5, 0.45, 0.05])
    y = np.where(grams + (town == "Chur") + rng.logistic(size=200) > 0, "yes", "no")

    def coefficients(factor, **settings):
        table = {"weight": grams * factor, "town": town.tolist()}
        model = LogisticRegression(C=0.1, tol=1e-7, **settings).fit(table, y)
        return model.coef_[0] * np.array([factor, 1, 1])

    np.testing.assert_allclose(coefficients(1e-3, standardize=True), coefficients(1, standardize=True), rtol=1e-6)
    by_hand = coefficients(1 / grams.std())  # indicators enter as 0 and 1
    np.testing.assert_allclose(coefficients(1, standardize=True), by_hand, rtol=1e-6)
    assert abs(coefficients(1e-3)[0]) < 0.01 * abs(by_hand[0])


def test_descent_by_instalments_penalises_standardised_columns_too() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(400, 3))
    y = (x @ [2.0, -1.0, 0.5] + rng.logistic(size=400) > 0).astype(int)

    def descended(factor, **settings):
        model = LogisticRegression(penalty="elasticnet", l1_ratio=0.3, C=0.02, **settings)
        for _ in range(5):
            model.partial_fit(x * factor, y)
        return model.coef_[0] * factor

    np.testing.assert_allclose(descended(1e-3, standardize=True), descended(1.0, standardize=True), rtol=1e-6)
    assert np.abs(descended(1e-3)).max() < 0.5 * np.abs(descended(1e-3, standardize=True)).max()


def test_the_duality_gap_of_an_l1_penalty_closes() -> None:
    x, y, _ = problem(n=300, p=20)
    C = 0.05
    model = LogisticRegression(penalty="l1", C=C, tol=1e-7).fit(x, y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(x)
    primal = np.logaddexp(0, -margin).sum() + np.abs(model.coef_).sum() / C
    # The dual of the logistic loss: the entropies of a = 1/(1 + exp(margin)), where |Xᵀ(y a)| ≤ 1/C and Σ y a = 0.
    a = 1 / (1 + np.exp(margin))
    signed = np.where(y == 1, 1, -1) * a
    assert abs(signed.sum()) < 1e-6
    a = a * min(1, 1 / C / np.abs(x.T @ signed).max())
    dual = -(a * np.log(a) + (1 - a) * np.log(1 - a)).sum()
    assert -1e-12 * primal < primal - dual < 1e-6 * primal  # rounding may leave it below 0


def test_the_solvers_agree() -> None:
    x, y, w = problem(classes=3, p=12)
    newton, cg = (LogisticRegression(solver=s, tol=1e-8).fit(x, y, w) for s in ("newton", "newton-cg"))
    np.testing.assert_allclose(newton.coef_, cg.coef_, atol=1e-7)
    newton, coordinate = (
        LogisticRegression(penalty="l1", C=0.2, solver=s, tol=1e-8).fit(x, y, w) for s in ("newton", "coordinate")
    )
    np.testing.assert_allclose(newton.coef_, coordinate.coef_, atol=1e-6)


def test_coefficients_of_several_classes_sum_to_zero() -> None:
    x, y, w = problem(classes=4)
    for penalty in ("l2", None):
        model = fitted(x, y, w, penalty)
        np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(model.intercept_.sum(), 0, atol=1e-9)


def test_a_strong_l1_penalty_leaves_the_shares_of_the_classes() -> None:
    x, y, _ = problem(classes=3)
    model = LogisticRegression(penalty="l1", C=1e-4).fit(x, y)
    assert not model.coef_.any()
    np.testing.assert_allclose(model.predict_proba(x[:1])[0], np.bincount(y) / len(y), rtol=1e-6)


def test_a_scan_gives_what_the_table_gives(tmp_path) -> None:
    rng = np.random.default_rng(6)
    n = 3000
    town = rng.choice(["Bern", "Basel", "Chur"], n)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n).round(1))
    y = np.where(np.nan_to_num(age, nan=40) / 20 + (town == "Bern") + rng.logistic(size=n) > 2.5, "yes", "no")
    lines = ["age,town,y", *(f"{'' if np.isnan(a) else a},{t},{c}" for a, t, c in zip(age, town, y, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    table = learnt.read(tmp_path / "rows.csv")
    for settings in ({}, {"solver": "newton-cg"}, {"penalty": "l1", "solver": "coordinate", "C": 0.01}):
        whole = LogisticRegression(**settings, tol=1e-7).fit(table, "y")
        parts = LogisticRegression(**settings, tol=1e-7).fit(learnt.scan(tmp_path / "rows.csv"), "y")
        np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
        assert parts.coefficient_names_ == whole.coefficient_names_


# Inference


def test_odds_ratios_are_the_exponents_of_the_summary() -> None:
    x, y, _ = problem(p=2)
    model = LogisticRegression(penalty=None).fit({"age": x[:, 0], "size": x[:, 1]}, np.where(y, "yes", "no"))
    table, summary = model.odds_ratios(level=0.9), model.summary(level=0.9)
    assert table["name"].labels() == ["age", "size"]
    np.testing.assert_allclose(table["odds_ratio"].values, np.exp(summary.estimates[1:]))
    np.testing.assert_allclose(table["high"].values, np.exp(summary.high[1:]))
    assert "log-odds of 'yes' against 'no'" in str(summary)
    assert "<td style='text-align:left'>age</td>" in summary._repr_html_()


def test_weights_count_as_copies_in_the_errors_too() -> None:
    x, y, w = problem(n=80)
    copied = np.repeat(np.arange(80), w.astype(int))
    weighted, rows = (LogisticRegression(penalty=None, tol=1e-8).fit(*a) for a in ((x, y, w), (x[copied], y[copied])))
    np.testing.assert_allclose(weighted.summary().standard_errors, rows.summary().standard_errors, rtol=1e-8)
    np.testing.assert_allclose(weighted.summary().likelihood.bic, rows.summary().likelihood.bic, rtol=1e-10)


def test_a_penalised_fit_says_that_it_has_no_intervals() -> None:
    x, y, _ = problem()
    summary = LogisticRegression().fit(x, y).summary()
    assert np.isnan(summary.standard_errors).all()
    assert "Fit with penalty=None" in str(summary)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(8)
    truth, inside = np.array([0.5, -1.0, 0.0]), 0
    for _ in range(200):
        x = rng.normal(size=(200, 3))
        y = (x @ truth + rng.logistic(size=200) > 0).astype(int)
        found = LogisticRegression(penalty=None).fit(x, y).summary()
        inside += int(((found.low[1:] <= truth) & (truth <= found.high[1:])).sum())
    assert 0.92 < inside / 600 < 0.98


def test_the_parts_of_an_explanation_add_up_to_the_log_odds() -> None:
    rng = np.random.default_rng(2)
    table = {"age": rng.normal(40, 9, 200), "town": rng.choice(["Bern", "Basel", "Chur"], 200)}
    y = np.where(table["age"] + 10 * (table["town"] == "Chur") + rng.logistic(size=200) * 5 > 42, "yes", "no")
    model = LogisticRegression().fit(table, y)
    for i, told in enumerate(model.explain(table)):
        np.testing.assert_allclose(told.base + sum(e.contribution for e in told.evidence), told.total, rtol=1e-9)
        np.testing.assert_allclose(abs(model.decision_function(table)[i]), told.total, rtol=1e-9)
        if i == 20:
            break


def test_sparse_and_dense_rows_give_the_same_model() -> None:
    x, y, w = problem(classes=3)
    x = np.where(np.abs(x) < 0.7, 0, x)
    dense, sparse = (LogisticRegression(tol=1e-7).fit(rows, y, w) for rows in (x, csr_matrix(x)))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)
    gaps = hstack([csr_matrix(x), csr_matrix((len(x), 1))]).tocsr()
    gaps.data[3] = np.nan  # taken as the mean of its column
    assert LogisticRegression().fit(gaps, y, w).converged_
