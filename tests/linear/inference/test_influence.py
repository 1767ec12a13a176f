"""Influence, residual tests and collinearity against statsmodels, SciPy and refitting."""

import matplotlib as mpl
import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats import diagnostic
from statsmodels.stats.outliers_influence import reset_ramsey, variance_inflation_factor
from statsmodels.stats.stattools import durbin_watson, jarque_bera
from tests.linear.least_squares.regression_cases import REAL, case

import learnt
from learnt import LinearRegression, Table
from learnt.errors import InputError

mpl.use("Agg")


@pytest.mark.parametrize("name", REAL)
def test_measures_of_influence_are_those_of_statsmodels(name):
    one = case(name)
    model = one.fit()
    # By QR: statsmodels' default, a pseudo-inverse, loses digits of residuals near 0 where columns nearly add up.
    fit = sm.OLS(one.y, one.written_out(model)).fit(method="qr")
    other, mine = fit.get_influence(), model.influence(one.table, one.target)
    for found, expected in (
        (mine.leverage, other.hat_matrix_diag),
        (mine.residual, fit.resid),
        (mine.standardized, other.resid_studentized_internal),
        (mine.studentized, other.resid_studentized_external),
        (mine.cooks_distance, other.cooks_distance[0]),
        (mine.dffits, other.dffits[0]),
    ):
        assert_allclose(found, expected, rtol=1e-8, atol=1e-12 * np.abs(expected).max())
    test = fit.outlier_test()
    assert_allclose(mine.p_values, test[:, 1], rtol=1e-8)
    assert_allclose(mine.outlier_p_values, test[:, 2], rtol=1e-8)


def test_leaving_a_row_out_does_what_its_measures_say():
    one = case("cpu")
    model = one.fit()
    mine = model.influence(one.table, one.target)
    i = int(mine.most_influential(1)[0])
    rest = one.table.take(np.arange(209) != i)
    without = LinearRegression().fit(rest, one.target)
    moved = model.predict(one.features) - without.predict(one.features)
    assert_allclose(mine.cooks_distance[i], moved @ moved / (7 * model.sigma_**2), rtol=1e-8)
    assert_allclose(mine.dffits[i], moved[i] / (without.sigma_ * mine.leverage[i] ** 0.5), rtol=1e-8)
    apart = (one.y - without.predict(one.features))[i]
    assert_allclose(mine.studentized[i], apart * (1 - mine.leverage[i]) ** 0.5 / without.sigma_, rtol=1e-8)


def test_of_copies_one_is_measured():
    one = case("weighted")
    model = one.fit()
    again = np.repeat(np.arange(209), one.weights.astype(int))
    copies = one.table.take(again)
    mine = model.influence(one.table, one.target, one.weights)
    other = LinearRegression().fit(copies, one.target).influence(copies, one.target)
    for name in ("leverage", "standardized", "studentized", "cooks_distance", "dffits", "outlier_p_values"):
        assert_allclose(getattr(mine, name)[again], getattr(other, name), rtol=1e-8, atol=1e-12, err_msg=name)


def test_with_precisions_rows_are_measured_as_if_scaled():
    one = case("weighted")
    model = one.fit(weights="precision")
    root = np.sqrt(one.weights)
    scaled = sm.OLS(one.y * root, one.written_out(model) * root[:, None]).fit().get_influence()
    mine = model.influence(one.table, one.target, one.weights)
    assert_allclose(mine.leverage, scaled.hat_matrix_diag, rtol=1e-8)
    assert_allclose(mine.studentized, scaled.resid_studentized_external, rtol=1e-8)
    assert_allclose(mine.cooks_distance, scaled.cooks_distance[0], rtol=1e-8)


def test_a_planted_outlier_is_found_and_nothing_else():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100, 2))
    y = x @ [1.0, 2.0] + rng.standard_normal(100)
    assert len(LinearRegression().fit(x, y).influence(x, y).outliers()) == 0
    y[17] += 10
    found = LinearRegression().fit(x, y).influence(x, y)
    assert found.outliers().tolist() == [17]
    assert "Row 17 is too far off to belong to this model" in str(found)
    assert found.to_frame().shape == (100, 9)


def test_a_row_that_decides_its_own_answer_has_no_residual_to_judge():
    x = np.append(np.zeros(9), 1.0)[:, None]
    y = np.append(np.arange(9.0), 50.0)
    found = LinearRegression().fit(x, y).influence(x, y)
    assert found.leverage[9] == pytest.approx(1)
    assert np.isnan(found.cooks_distance[9])
    assert np.isfinite(found.cooks_distance[:9]).all()
    assert "Row 9 is met exactly, whatever the target" in str(found)


@pytest.mark.parametrize("name", REAL)
def test_residual_tests_are_those_of_statsmodels(name):
    one = case(name)
    model = one.fit()
    x = one.written_out(model)
    fit = sm.OLS(one.y, x).fit()
    found = model.diagnostics(one.table, one.target)
    lm, p, *_ = diagnostic.het_breuschpagan(fit.resid, x)
    assert_allclose([found.breusch_pagan.statistic, found.breusch_pagan.p_value], [lm, p], rtol=1e-8)
    assert_allclose(found.durbin_watson.statistic, durbin_watson(fit.resid), rtol=1e-8)
    assert_allclose([found.jarque_bera.statistic, found.jarque_bera.p_value], jarque_bera(fit.resid)[:2], rtol=1e-8)
    assert_allclose(found.shapiro.statistic, stats.shapiro(fit.resid).statistic, rtol=1e-8)
    other = reset_ramsey(fit, degree=3)
    assert_allclose([found.reset.statistic, found.reset.p_value], [other.fvalue, other.pvalue], rtol=1e-8)


def test_whites_test_is_that_of_statsmodels():
    one = case("cpu")
    model = one.fit()
    x = one.written_out(model)
    lm, p, *_ = diagnostic.het_white(sm.OLS(one.y, x).fit().resid, x)
    found = model.diagnostics(one.table, one.target).white
    assert_allclose([found.statistic, found.p_value], [lm, p], rtol=1e-8)
    assert found.freedom == (27,)


def test_whites_test_of_many_columns_is_asked_of_the_answers():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 25))
    y = x.sum(axis=1) * 3 + rng.standard_normal(200)
    model = LinearRegression().fit(x, y)
    found, answer = model.diagnostics(x, y).white, model.predict(x)
    explained = sm.OLS((y - answer) ** 2, sm.add_constant(np.column_stack([answer, answer**2]))).fit().rsquared
    assert found.name == "White, of the answer"
    assert_allclose(found.statistic, 200 * explained, rtol=1e-8)


def test_tests_of_copies_are_those_of_the_rows_repeated():
    one = case("weighted")
    copies = one.table.take(np.repeat(np.arange(209), one.weights.astype(int)))
    mine = one.fit().diagnostics(one.table, one.target, one.weights)
    other = LinearRegression().fit(copies, one.target).diagnostics(copies, one.target)
    for name in ("breusch_pagan", "white", "jarque_bera", "durbin_watson", "reset"):
        assert_allclose(getattr(mine, name).statistic, getattr(other, name).statistic, rtol=1e-8, err_msg=name)
    assert mine.shapiro is None


def test_tests_stay_silent_where_all_is_well_and_speak_where_not():
    rng = np.random.default_rng(5)
    x = rng.uniform(0, 1, (400, 2))
    line = 1 + x @ [2.0, -1.0]
    well = line + 0.1 * rng.standard_normal(400)
    assert LinearRegression().fit(x, well).diagnostics(x, well).words == (
        "Nothing contradicts the assumptions of least squares.",
    )
    fan = line + x[:, 0] * rng.standard_normal(400)
    assert LinearRegression().fit(x, fan).diagnostics(x, fan).breusch_pagan.rejected
    bent = line + 2 * x[:, 0] ** 2 + 0.1 * rng.standard_normal(400)
    assert LinearRegression().fit(x, bent).diagnostics(x, bent).reset.rejected
    skew = line + rng.exponential(size=400)
    assert LinearRegression().fit(x, skew).diagnostics(x, skew).jarque_bera.rejected
    walk = line + np.cumsum(rng.standard_normal(400))
    assert LinearRegression().fit(x, walk).diagnostics(x, walk).durbin_watson.statistic < 0.5


@pytest.mark.parametrize("name", ["cpu", "glass"])
def test_variance_inflation_is_that_of_statsmodels(name):
    one = case(name)
    model = LinearRegression().fit(
        one.features.select([c.name for c in one.features.schema if c.kind == "numeric"]), one.y
    )
    x = sm.add_constant(np.column_stack([one.table[n].values for n in model.feature_names_in_]))
    expected = [variance_inflation_factor(x, j) for j in range(1, x.shape[1])]
    found = model.collinearity()
    assert_allclose(found.vif, expected, rtol=1e-8)
    unit = x[:, 1:] - x[:, 1:].mean(axis=0)
    assert_allclose(found.condition, np.linalg.cond(unit / np.linalg.norm(unit, axis=0)), rtol=1e-8)
    assert ("say much that other columns say too" in found.words) == (max(expected) > 10)


def test_generalised_inflation_is_a_ratio_of_determinants():
    one = case("iris")
    model = one.fit()
    r = np.corrcoef(one.written_out(model)[:, 1:].T)
    kept, own = r[:3, :3], r[3:, 3:]
    expected = (np.linalg.det(kept) * np.linalg.det(own) / np.linalg.det(r)) ** (1 / 2)
    assert_allclose(model.collinearity().vif[-1], expected, rtol=1e-8)


def test_collinear_columns_are_named_in_groups():
    rng = np.random.default_rng(0)
    a, b, c, d = rng.standard_normal((4, 50))
    table = Table({"a": a, "b": b, "a again": 2 * a, "c": c, "d": d, "c and d": c + d, "same": np.ones(50)})
    found = LinearRegression().fit(table, a + b + c + rng.standard_normal(50)).collinearity()
    assert {frozenset(group) for group in found.tied} == {
        frozenset(["a", "a again"]),
        frozenset(["c", "d", "c and d"]),
    }
    assert found.constant == ("same",)
    assert np.isinf(found.vif[[0, 2, 3, 4, 5, 6]]).all()
    assert found.vif[1] < 2
    assert found.condition == np.inf
    assert "'a' and 'a again' are collinear" in found.words


def test_pictures_show_every_row_and_name_the_extreme_ones():
    one = case("cpu")
    axes = one.fit().influence(one.table, one.target).plot()
    assert [len(ax.collections[0].get_offsets()) for ax in axes.flat] == [209] * 4
    assert {text.get_text() for text in axes[0, 0].texts} == {"199", "31", "9"}
    assert "199" in {text.get_text() for text in axes[1, 1].texts}


def test_pictures_can_be_drawn_of_rows_that_leave_nothing_over():
    table = learnt.datasets.load("organs")
    axes = LinearRegression().fit(table).influence(table).plot()
    assert len(axes[0, 0].collections[0].get_offsets()) == 4


def test_other_rows_than_the_fitted_ones_are_refused():
    one = case("cpu")
    model = one.fit()
    for wrong in (one.table.rows(0, 100), one.table.take(np.arange(209) % 200)):
        with pytest.raises(InputError, match="not the rows that were fitted"):
            model.influence(wrong, one.target)
    with pytest.raises(InputError, match="not the rows that were fitted"):
        model.summary(one.table, one.target, np.full(209, 2.0))
    with pytest.raises(InputError, match="not the rows that were fitted"):
        model.diagnostics(one.features, one.y + np.arange(209))
