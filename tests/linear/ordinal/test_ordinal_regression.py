"""OrdinalRegression against statsmodels, the conditions of its optimum, and data without one."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from scipy.special import expit
from statsmodels.miscmodels.ordinal_model import OrderedModel

import learnt
from learnt import Table
from learnt.errors import ConvergenceWarning, ParameterError
from learnt.linear.ordinal import ordinal_regression
from learnt.linear.ordinal.ordinal_regression import OrdinalRegression


def data(n=400, k=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal([3, 100, -5], [1, 20, 0.1], (n, 3))
    s = x @ [0.8, -0.05, 6.0]
    return x, np.digitize(s + rng.logistic(size=n), np.quantile(s, np.arange(1, k) / k))


def log_likelihood(x, y, coef, thresholds, w=None):
    """By the definition: differences of cumulative probabilities."""
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    p = expit(ends[y + 1] - x @ coef) - expit(ends[y] - x @ coef)
    return np.sum(np.log(p) * (1 if w is None else w))


def derivatives(x, y, model, w=None):
    """The gradient of the log-likelihood per row, by central differences."""
    size = np.concatenate([1 / x.std(axis=0), np.ones(len(model.thresholds_))])
    point = np.concatenate([model.coef_, model.thresholds_])

    def at(step):
        moved = point + step
        return log_likelihood(x, y, moved[: x.shape[1]], moved[x.shape[1] :], w) / len(x)

    return [(at(1e-5 * e * size) - at(-1e-5 * e * size)) / 2e-5 for e in np.eye(len(point))]


@pytest.mark.parametrize("k", [2, 3, 6])
def test_coefficients_thresholds_and_errors_are_those_of_statsmodels(k):
    x, y = data(k=k)
    z = (x - x.mean(axis=0)) / x.std(axis=0)  # its optimiser needs columns of one size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = OrderedModel(y, z, distr="logit").fit(method="bfgs", disp=0, maxiter=2000, gtol=1e-10)
    model = OrdinalRegression().fit(z, y)
    assert_allclose(model.coef_, peer.params[:3], rtol=1e-6)
    assert_allclose(model.thresholds_, peer.model.transform_threshold_params(peer.params)[1:-1], rtol=1e-6, atol=1e-6)
    assert_allclose(model.coef_errors_, peer.bse[:3], rtol=1e-6)
    assert model.log_likelihood_ == pytest.approx(peer.llf, rel=1e-10)
    assert_allclose(model.predict_proba(z), peer.model.predict(peer.params, z), atol=1e-6)
    summary = model.summary()
    assert summary.aic == pytest.approx(peer.aic)
    assert summary.bic == pytest.approx(peer.bic)
    assert_allclose(summary.p_values[:3], peer.pvalues[:3], rtol=1e-5)


def test_errors_are_the_inverse_of_the_second_derivatives_in_the_users_units():
    x, y = data(k=3)
    model = OrdinalRegression().fit(x, y)
    point, p = np.concatenate([model.coef_, model.thresholds_]), 3
    size = np.concatenate([model.coef_errors_, model.threshold_errors_]) * 0.02
    hessian = np.empty((5, 5))
    for i in range(5):
        for j in range(5):
            corners = [
                a * b * log_likelihood(x, y, moved[:p], moved[p:])
                for a in (1, -1)
                for b in (1, -1)
                for moved in [point + size * (a * np.eye(5)[i] + b * np.eye(5)[j])]
            ]
            hessian[i, j] = sum(corners) / (4 * size[i] * size[j])
    errors = np.sqrt(np.diagonal(np.linalg.inv(-hessian)))
    assert_allclose(np.concatenate([model.coef_errors_, model.threshold_errors_]), errors, rtol=2e-2)


def test_the_optimum_is_flat_with_weights_too():
    x, y = data()
    w = np.random.default_rng(1).uniform(0, 3, len(y))
    for weights in (None, w):
        assert_allclose(derivatives(x, y, OrdinalRegression().fit(x, y, weights), weights), 0, atol=1e-7)


def test_a_penalty_is_on_standardised_coefficients_and_not_on_thresholds():
    x, y = data()
    model = OrdinalRegression(alpha=0.1).fit(x, y)
    expected = np.concatenate([0.1 * model.coef_ * x.std(axis=0), np.zeros(3)])
    assert_allclose(derivatives(x, y, model), expected, atol=1e-7)
    assert np.isnan(model.coef_errors_).all()
    assert "alpha=0" in str(model.summary())


def test_two_classes_are_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    x, y = data(k=2)
    peer = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit((x - x.mean(0)) / x.std(0), y)
    assert_allclose(OrdinalRegression().fit(x, y).coef_ * x.std(0), peer.coef_[0], rtol=1e-5)


def test_an_ordinal_column_gives_the_order_and_plain_labels_are_sorted():
    x, y = data(k=3)
    named = np.array(["low", "mid", "high"])[y]
    table = Table({"a": x[:, 0], "b": x[:, 1], "y": named}, ordinal={"y": ["low", "mid", "high"]})
    model = OrdinalRegression().fit(table, "y")
    assert model.classes_.tolist() == ["low", "mid", "high"]
    assert_allclose(model.coef_, OrdinalRegression().fit(x[:, :2], y).coef_, rtol=1e-9)
    assert OrdinalRegression().fit(x[:, :2], named).classes_.tolist() == ["high", "low", "mid"]


def test_thresholds_rise_and_probabilities_are_differences_of_cumulative_ones():
    x, y = data(k=6)
    model = OrdinalRegression().fit(x, y)
    assert (np.diff(model.thresholds_) > 0).all()
    below = expit(model.thresholds_ - model.position(x)[:, None])
    expected = np.diff(np.column_stack([np.zeros(len(x)), below, np.ones(len(x))]), axis=1)
    assert_allclose(model.predict_proba(x), expected, atol=1e-14)


def test_turning_the_order_round_turns_the_signs():
    x, y = data()
    one, other = OrdinalRegression().fit(x, y), OrdinalRegression().fit(x, -y)
    assert_allclose(other.coef_, -one.coef_, rtol=1e-6)
    assert_allclose(other.thresholds_, -one.thresholds_[::-1], rtol=1e-6)


def test_collinear_and_constant_columns_share_or_have_no_effect():
    x, y = data()
    more = np.column_stack([x, x[:, 0], np.full(len(x), 3.0)])
    one, two = OrdinalRegression().fit(x, y), OrdinalRegression().fit(more, y)
    assert_allclose(two.predict_proba(more), one.predict_proba(x), atol=1e-9)
    assert_allclose(two.coef_[[0, 3]], one.coef_[0] / 2, rtol=1e-6)
    assert two.coef_[4] == 0
    assert np.isnan(two.coef_errors_[[0, 3, 4]]).all()
    assert_allclose(two.coef_errors_[1:3], one.coef_errors_[1:], rtol=1e-6)


def test_separated_classes_are_told_and_a_penalty_helps():
    x = np.arange(30.0)[:, None]
    y = np.repeat(["a", "b", "c"], 10)
    with pytest.warns(ConvergenceWarning, match="alpha"):
        model = OrdinalRegression().fit(x, y)
    assert model.separated_
    assert not model.converged_
    assert model.score(x, y) == 1
    assert np.isnan(model.coef_errors_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OrdinalRegression(alpha=0.01).fit(x, y).converged_


def test_a_column_that_gives_away_some_rows_is_told():
    rng = np.random.default_rng(4)
    x = np.column_stack([rng.normal(size=200), np.zeros(200)])
    y = (x[:, 0] + rng.logistic(size=200) > 0).astype(int)
    x[:20, 1], y[:20] = 1.0, 1  # all rows with the flag are of class 1
    with pytest.warns(ConvergenceWarning, match="separates"):
        model = OrdinalRegression().fit(x, y)
    assert model.separated_


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e150])
def test_the_units_of_columns_do_not_matter(scale):
    x, y = data()
    one, other = OrdinalRegression().fit(x, y), OrdinalRegression().fit(x * scale, y)
    assert_allclose(other.coef_ * scale, one.coef_, rtol=1e-6)
    assert_allclose(other.predict_proba(x * scale), one.predict_proba(x), atol=1e-8)


def test_classes_without_weight_have_no_room():
    x, y = data()
    for left_out in (0, 1, 3):
        w = (y != left_out).astype(float)
        model = OrdinalRegression().fit(x, y, w)
        assert model.classes_.tolist() == [c for c in range(4) if c != left_out]
        rest = OrdinalRegression().fit(x[w > 0], y[w > 0])
        assert_allclose(model.predict_proba(x), rest.predict_proba(x), atol=1e-9)


def test_wide_sparse_columns_reach_the_same_optimum(monkeypatch):
    x, y = data()
    rng = np.random.default_rng(5)
    wide = np.column_stack([x - x.mean(axis=0), rng.normal(size=(len(x), 12))]) * (rng.random((len(x), 15)) < 0.5)
    expected = OrdinalRegression(alpha=0.01, tol=1e-6).fit(wide, y)
    monkeypatch.setattr(ordinal_regression, "WIDE", 10)
    model = OrdinalRegression(alpha=0.01, tol=1e-6).fit(scipy.sparse.csr_matrix(wide), y)
    assert model.converged_
    assert_allclose(model.coef_, expected.coef_, rtol=1e-5, atol=1e-7)
    assert_allclose(model.thresholds_, expected.thresholds_, rtol=1e-5)


def test_too_few_steps_are_told():
    x, y = data()
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        assert not OrdinalRegression(max_iter=1).fit(x, y).converged_


def test_a_tolerance_of_zero_ends_where_rounding_begins():
    x, y = data()
    model = OrdinalRegression(tol=0.0, max_iter=100_000).fit(x, y)
    assert model.converged_
    assert model.n_iter_ < 20


def test_the_summary_shows_errors_odds_ratios_and_thresholds():
    x, y = data(k=3)
    model = OrdinalRegression().fit({"a": x[:, 0], "b": x[:, 1]}, np.array(["no", "some", "yes"])[y])
    summary = model.summary(0.9)
    assert summary.names == ("a", "b", "no | some", "some | yes")
    assert_allclose(summary.odds_ratios, np.exp(model.coef_))
    assert_allclose(summary.high - summary.low, 2 * 1.6448536 * summary.standard_errors, rtol=1e-6)
    assert "odds ratio" in str(summary)
    assert "90 %" in str(summary)
    assert "<table>" in summary._repr_html_()
    with pytest.raises(ParameterError, match="level=2"):
        model.summary(2)


def test_the_explanation_says_where_on_the_scale_a_row_lies():
    glass = learnt.datasets.load("cpu")
    target = glass.names[-1]
    thirds = np.digitize(glass[target].values, [20, 100])
    model = OrdinalRegression(alpha=0.01).fit(glass.drop(target), np.array(["slow", "fair", "fast"])[thirds])
    told = model.explain(glass)[0]
    assert told.total == pytest.approx(model.position(glass)[0])
    assert told.add_up() == pytest.approx(told.total)
    assert sum(p for _, p in told.alternatives) < 1
    assert any(words in str(told) for words in ("above", "below", "from"))
