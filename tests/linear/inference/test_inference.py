"""Errors, tests, intervals and information criteria against statsmodels, certified values and definitions."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy import stats
from tests.linear.least_squares.regression_cases import REAL, case
from tests.linear.least_squares.test_linear_regression import LONGLEY

import learnt
from learnt import LinearRegression
from learnt.engine.engines import LocalEngine

TIGHT = 1e-8


def whole(model, attribute):
    """Of the coefficients of a summary, the intercept included."""
    return getattr(model.summary().coefficients, attribute)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", REAL)
def test_real_data_gives_what_statsmodels_gives(name, intercept):
    one = case(name)
    model = one.fit(fit_intercept=intercept)
    other = sm.OLS(one.y, one.written_out(model)).fit()
    estimates = [model.intercept_, *model.coef_] if intercept else model.coef_
    assert_allclose(estimates, other.params, rtol=TIGHT)
    assert_allclose(whole(model, "standard_errors"), other.bse, rtol=TIGHT)
    assert_allclose(whole(model, "t_values"), other.tvalues, rtol=TIGHT)
    assert_allclose(whole(model, "p_values"), other.pvalues, rtol=TIGHT, atol=1e-200)
    assert_allclose(np.asarray(model.confidence_intervals(0.9)), other.conf_int(0.1), rtol=TIGHT)
    if not intercept and "=" in "".join(model.coefficient_names_):
        return  # indicators of all levels hold a constant; statsmodels finds it and counts R² about the mean
    summary = model.summary()
    assert_allclose(
        [model.r2_, model.adjusted_r2_, model.sigma_, model.f_statistic_, model.f_p_value_],
        [other.rsquared, other.rsquared_adj, other.scale**0.5, other.fvalue, other.f_pvalue],
        rtol=TIGHT,
    )
    assert_allclose([summary.log_likelihood, model.aic_, model.bic_], [other.llf, other.aic, other.bic], rtol=TIGHT)
    assert (summary.n, summary.df_model, summary.df_residual) == (other.nobs, other.df_model, other.df_resid)


@pytest.mark.parametrize("name", REAL)
def test_attributes_are_those_of_the_slopes(name):
    model = case(name).fit()
    for attribute in ("standard_errors", "t_values", "p_values"):
        assert_allclose(getattr(model, f"{attribute}_"), whole(model, attribute)[1:], rtol=0)


def test_longley_meets_the_certified_errors():
    # NIST Statistical Reference Datasets, Longley.
    certified = [84.9149257747669, 0.0334910077722432, 0.488399681651699, 0.214274163161675, 0.226073200069370]
    model = LinearRegression().fit(LONGLEY[:, 1:], LONGLEY[:, 0])
    assert_allclose(whole(model, "standard_errors"), [890420.383607373, *certified, 455.478499142212], rtol=TIGHT)
    assert_allclose(model.sigma_, 304.854073561965, rtol=TIGHT)
    assert_allclose(model.r2_, 0.995479004577296, rtol=TIGHT)
    assert_allclose(model.f_statistic_, 330.285339234588, rtol=TIGHT)


@pytest.mark.parametrize("name", ["cpu", "iris"])
def test_covariance_is_that_of_statsmodels(name):
    one = case(name)
    model = one.fit()
    other = sm.OLS(one.y, one.written_out(model)).fit().cov_params()
    assert_allclose(model.covariance(), other, rtol=TIGHT, atol=1e-12 * np.abs(other).max())


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("kind", ["confidence", "prediction"])
def test_prediction_intervals_are_those_of_statsmodels(name, kind):
    one = case(name)
    model = one.fit()
    frame = sm.OLS(one.y, one.written_out(model)).fit().get_prediction(one.written_out(model)).summary_frame(0.2)
    found = model.predict_interval(one.features, 0.8, kind)
    prefix = "mean_ci" if kind == "confidence" else "obs_ci"
    assert_allclose(found.estimates, frame["mean"], rtol=TIGHT)
    assert_allclose(np.asarray(found), frame[[f"{prefix}_lower", f"{prefix}_upper"]], rtol=TIGHT)


@pytest.mark.parametrize("robust", ["HC0", "HC1", "HC2", "HC3"])
@pytest.mark.parametrize("name", REAL)
def test_robust_errors_are_those_of_statsmodels(name, robust):
    one = case(name)
    model = one.fit()
    other = sm.OLS(one.y, one.written_out(model)).fit(cov_type=robust, use_t=True)
    summary = model.summary(one.table, one.target, robust=robust)
    assert_allclose(summary.coefficients.standard_errors, other.bse, rtol=TIGHT)
    assert_allclose(summary.coefficients.p_values, other.pvalues, rtol=TIGHT, atol=1e-200)
    assert_allclose(summary.f_statistic, other.fvalue, rtol=TIGHT)
    assert_allclose(np.diag(model.covariance(one.table, one.target, robust=robust)) ** 0.5, other.bse, rtol=TIGHT)


@pytest.mark.parametrize("name", ["iris", "glass"])
@pytest.mark.parametrize("robust", [None, "HC3"])
def test_a_nominal_column_is_tested_as_a_whole(name, robust):
    one = case(name)
    model = one.fit()
    x = one.written_out(model)
    other = sm.OLS(one.y, x).fit(**({"cov_type": robust, "use_t": True} if robust else {}))
    summary = model.summary(one.table, one.target, robust=robust)
    nominal = one.features.schema.names[-1]
    own = [1 + j for j, n in enumerate(model.coefficient_names_) if n.startswith(f"{nominal}=")]
    joint = other.f_test(np.eye(x.shape[1])[own])
    test = summary.column_tests[-1]
    assert test.column == nominal
    assert test.freedom == len(own)
    assert_allclose([test.f_value, test.p_value], [joint.fvalue, joint.pvalue], rtol=TIGHT)
    if robust is None:  # the definition: how much worse the fit is without the column
        without = sm.OLS(one.y, np.delete(x, own, axis=1)).fit()
        assert_allclose(test.f_value, other.compare_f_test(without)[0], rtol=TIGHT)
    numbers = [t for t in summary.column_tests if not t.base]
    t = summary.coefficients.t_values[1 : 1 + len(numbers)]
    assert_allclose([t.f_value for t in numbers], t**2, rtol=TIGHT)


def test_a_weight_of_copies_is_the_row_that_often():
    one = case("weighted")
    model = one.fit()
    repeated = one.table.take(np.repeat(np.arange(209), one.weights.astype(int)))
    copies = LinearRegression().fit(repeated, one.target)
    for name in ("standard_errors_", "t_values_", "p_values_", "r2_", "adjusted_r2_", "sigma_", "aic_", "bic_"):
        assert_allclose(getattr(model, name), getattr(copies, name), rtol=1e-9)
    weighted, plain = (
        model.summary(one.table, one.target, one.weights, robust="HC3"),
        copies.summary(repeated, one.target, robust="HC3"),
    )
    assert_allclose(weighted.coefficients.standard_errors, plain.coefficients.standard_errors, rtol=1e-9)
    assert_allclose(weighted.residual_quantiles, plain.residual_quantiles, rtol=1e-9)
    assert_allclose(model.predict_interval(one.features), copies.predict_interval(one.features), rtol=1e-9)


@pytest.mark.parametrize("robust", ["HC0", "HC1", "HC2", "HC3"])
def test_weights_as_precisions_are_those_of_weighted_least_squares(robust):
    one = case("weighted")
    model = one.fit(weights="precision")
    x = one.written_out(model)
    other = sm.WLS(one.y, x, one.weights).fit()
    assert_allclose(whole(model, "standard_errors"), other.bse, rtol=TIGHT)
    assert_allclose(whole(model, "p_values"), other.pvalues, rtol=TIGHT)
    assert_allclose(
        [model.r2_, model.adjusted_r2_, model.f_statistic_], [other.rsquared, other.rsquared_adj, other.fvalue]
    )
    assert_allclose([model.aic_, model.bic_], [other.aic, other.bic], rtol=TIGHT)
    summary = model.summary(one.table, one.target, one.weights, robust=robust)
    white = sm.WLS(one.y, x, one.weights).fit(cov_type=robust, use_t=True)
    assert_allclose(summary.coefficients.standard_errors, white.bse, rtol=TIGHT)
    interval = other.get_prediction(x).summary_frame()
    found = model.predict_interval(one.features)
    assert_allclose(np.asarray(found), interval[["obs_ci_lower", "obs_ci_upper"]], rtol=TIGHT)


def test_scaling_precisions_changes_nothing_but_sigma():
    one = case("weighted")
    model = one.fit(weights="precision")
    scaled = LinearRegression(weights="precision").fit(one.table, one.target, one.weights / 1000)
    assert_allclose(scaled.standard_errors_, model.standard_errors_, rtol=1e-9)
    assert_allclose(scaled.sigma_, model.sigma_ / 1000**0.5, rtol=1e-9)


def test_rows_without_weight_are_not_there():
    one = case("cpu")
    w = np.ones(209)
    w[::3] = 0
    for weights in ("copies", "precision"):
        model = LinearRegression(weights=weights).fit(one.table, one.target, w)
        fewer = LinearRegression().fit(one.table.take(w > 0), one.target)
        assert_allclose(model.standard_errors_, fewer.standard_errors_, rtol=1e-9)
        assert_allclose(model.aic_, fewer.aic_, rtol=1e-9)


def test_inference_costs_no_pass_beyond_the_fit(monkeypatch):
    one, passes = case("cpu"), []
    answer = LocalEngine.answer
    monkeypatch.setattr(LocalEngine, "answer", lambda self, request: (passes.append(request), answer(self, request))[1])
    x = np.column_stack([one.features[n].values for n in one.features.names])
    model = LinearRegression().fit(x, one.y)
    assert np.isfinite(model.summary().coefficients.p_values).all()
    assert np.isfinite(np.asarray(model.predict_interval(x))).all()
    assert [type(request).__name__ for request in passes] == ["TakeCrossProducts"]


def test_residual_quantiles_are_those_of_numpy():
    one = case("cpu")
    model = one.fit()
    found = model.summary(one.table, one.target).residual_quantiles
    assert_allclose(found, np.quantile(one.y - model.predict(one.features), [0, 0.25, 0.5, 0.75, 1]), rtol=1e-9)


@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9])
def test_small_residuals_keep_their_digits(noise):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 4)) + 2
    y = x @ [1.0, -2.0, 3.0, 0.5] + 7 + noise * rng.standard_normal(500)
    model = LinearRegression().fit(x, y)
    # 64-bit sums of y itself carry rounding of 1e-16; what it leaves of the residuals is the tolerance.
    assert_allclose(model.sigma_, sm.OLS(y, sm.add_constant(x)).fit().scale ** 0.5, rtol=max(1e-9, 1e-14 / noise))


@pytest.mark.parametrize("scale", [1e-120, 1e-60, 1e60, 1e120])
def test_units_of_a_column_scale_its_error_and_nothing_else(scale):
    one = case("cpu")
    x = np.column_stack([one.features[n].values for n in one.features.names])
    model = LinearRegression().fit(x, one.y)
    factor = np.array([scale, 1, 1 / scale, 1, 1, 1])
    other = LinearRegression().fit(x * factor, one.y)
    assert_allclose(other.standard_errors_ * factor, model.standard_errors_, rtol=TIGHT)
    assert_allclose(other.p_values_, model.p_values_, rtol=TIGHT)
    assert_allclose(other.predict_interval(x * factor), model.predict_interval(x), rtol=TIGHT)


def test_intervals_hold_as_often_as_they_say():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, (30, 2))
    held = {"confidence": 0, "prediction": 0}
    for _ in range(400):
        model = LinearRegression().fit(x, 1 + x @ [2.0, -1.0] + rng.standard_normal(30))
        mean = 1 + 0.3 * 2 - 0.6
        for kind, truth in (("confidence", mean), ("prediction", mean + rng.standard_normal())):
            low, high = np.asarray(model.predict_interval([[0.3, 0.6]], 0.9, kind))[0]
            held[kind] += low <= truth <= high
    for count in held.values():
        assert stats.binomtest(count, 400, 0.9).pvalue > 1e-4


def test_a_scan_gives_the_same_summary_as_the_table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.standard_normal(1000), "t": rng.choice(list("xyz"), 1000)})
    frame.loc[::7, "a"] = np.nan
    frame["y"] = frame["a"].fillna(0) * 2 + (frame["t"] == "x") + rng.standard_normal(1000)
    for i in range(4):
        frame.iloc[i * 250 : (i + 1) * 250].to_parquet(tmp_path / f"{i}.parquet")
    scan = learnt.scan(tmp_path / "*.parquet")
    table, files = LinearRegression().fit(frame, "y"), LinearRegression().fit(scan, "y")
    for robust in (None, "HC2"):
        one, other = table.summary(frame, "y", robust=robust), files.summary(scan, "y", robust=robust)
        assert_allclose(other.coefficients.standard_errors, one.coefficients.standard_errors, rtol=1e-9)
        assert_allclose(other.residual_quantiles, one.residual_quantiles, rtol=1e-9)
        assert other.cautions == one.cautions
        assert "143 of 1000 rows had missing cells" in other.cautions[0]
    assert_allclose(files.influence(scan, "y").cooks_distance, table.influence(frame, "y").cooks_distance, rtol=1e-8)
    assert_allclose(files.predict_interval(scan), table.predict_interval(frame), rtol=1e-9)
