"""Inference where there is little to infer from: collinear, constant, too few, exact, wide, missing, wrong."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import statsmodels.api as sm
from numpy.testing import assert_allclose
from tests.linear.least_squares.regression_cases import case

import learnt
from learnt import LinearRegression, Table
from learnt.errors import InputError, NotFittedError, ParameterError, SavedModelError
from learnt.linear.inference.intervals import half_widths


def collinear(n=60, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, n)) + 3
    return Table({"a": a, "b": b, "a again": -2 * a}), 1 + 2 * a + b + rng.standard_normal(n)


def test_what_the_rows_do_not_determine_is_not_given_an_error():
    table, y = collinear()
    model, single = LinearRegression().fit(table, y), LinearRegression().fit(table.select(["a", "b"]), y)
    assert np.isnan(model.standard_errors_[[0, 2]]).all()
    assert_allclose(model.standard_errors_[1], single.standard_errors_[1], rtol=1e-9)
    assert_allclose(model.p_values_[1], single.p_values_[1], rtol=1e-8)
    summary = model.summary(table, y)
    assert summary.df_model == 2
    assert_allclose(
        summary.coefficients.standard_errors[0], single.summary().coefficients.standard_errors[0], rtol=1e-9
    )
    assert_allclose(
        [model.sigma_, model.r2_, model.f_statistic_, model.aic_],
        [single.sigma_, single.r2_, single.f_statistic_, single.aic_],
        rtol=1e-9,
    )
    assert "the rows do not determine 'a' and 'a again'" in summary.cautions[0]
    assert_allclose(model.influence(table, y).leverage, single.influence(table, y).leverage, rtol=1e-8)
    assert_allclose(
        model.summary(table, y, robust="HC3").coefficients.standard_errors[2],
        single.summary(table, y, robust="HC3").coefficients.standard_errors[2],
        rtol=1e-8,
    )


def test_rows_out_of_step_with_collinear_columns_get_infinite_intervals():
    table, y = collinear()
    model, single = LinearRegression().fit(table, y), LinearRegression().fit(table.select(["a", "b"]), y)
    found = model.predict_interval({"a": [1.0, 1.0], "b": [2.0, 2.0], "a again": [-2.0, 5.0]})
    assert_allclose(np.asarray(found)[0], np.asarray(single.predict_interval({"a": [1.0], "b": [2.0]}))[0], rtol=1e-8)
    assert np.asarray(found)[1].tolist() == [-np.inf, np.inf]


def test_a_column_that_does_not_vary_leaves_the_others_alone():
    one = case("cpu")
    table = Table({**one.features.to_dict(), "same": np.full(209, 7.5)})
    model, plain = LinearRegression().fit(table, one.y), one.fit()
    assert_allclose(model.standard_errors_[:6], plain.standard_errors_, rtol=1e-9)
    assert np.isnan(model.p_values_[6])
    assert_allclose(model.summary().coefficients.p_values[0], plain.summary().coefficients.p_values[0], rtol=1e-9)
    row = {name: [1.0] for name in one.features.names}
    known, unknown = (np.asarray(model.predict_interval({**row, "same": [v]}))[0] for v in (7.5, 8.0))
    assert_allclose(known, np.asarray(plain.predict_interval(row))[0], rtol=1e-9)
    assert np.isinf(unknown).all()


def test_a_declared_category_without_rows_costs_nothing():
    glass = learnt.datasets.load("glass")
    model, plain = LinearRegression().fit(glass, "RI"), case("glass").fit()
    lost = model.coefficient_names_.index("Type=vehic wind non-float")
    assert np.isnan(model.standard_errors_[lost])
    assert_allclose(np.sort(np.delete(model.standard_errors_, lost)), np.sort(plain.standard_errors_), rtol=1e-8)
    assert model.summary().column_tests[-1].freedom == 5
    assert_allclose(model.summary().column_tests[-1].f_value, plain.summary().column_tests[-1].f_value, rtol=1e-8)


def test_a_nominal_column_nested_in_another_is_tested_as_far_as_it_can_be():
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c", "d"], 80)
    country = np.where(np.isin(town, ["a", "b"]), "x", "z")
    table = Table({"town": town, "country": country, "size": rng.standard_normal(80)})
    y = (town == "a") * 2.0 + rng.standard_normal(80)
    tests = {t.column: t for t in LinearRegression().fit(table, y).summary().column_tests}

    def indicators(*columns):
        return np.column_stack([c == level for c in columns for level in np.unique(c)[1:]] + [table["size"].values])

    whole, without = (
        sm.OLS(y, sm.add_constant(x.astype(float))).fit() for x in (indicators(town), indicators(country))
    )
    f, p, df = whole.compare_f_test(without)
    assert tests["town"].freedom == df == 2
    assert_allclose([tests["town"].f_value, tests["town"].p_value], [f, p], rtol=1e-8)
    assert tests["country"].freedom == 0
    assert np.isnan(tests["country"].p_value)


def test_without_an_intercept_indicators_of_all_levels_need_none():
    frame = pd.DataFrame({"t": list("abcab") * 4, "u": list("xxyyx") * 4})
    y = np.random.default_rng(0).standard_normal(20)
    model = LinearRegression(fit_intercept=False).fit(frame, y)
    assert model.summary().df_residual == 20 - 4
    assert np.isnan(model.standard_errors_).all()  # either column could hold the constant
    assert_allclose(model.sigma_, LinearRegression().fit(frame, y).sigma_, rtol=1e-9)
    assert_allclose(model.predict_interval(frame), LinearRegression().fit(frame, y).predict_interval(frame), rtol=1e-8)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_too_few_rows_give_no_errors_and_say_so(rows):
    x = np.arange(3.0 * rows).reshape(rows, 3) ** 2
    model = LinearRegression().fit(x, np.arange(rows) + 1.0)
    summary = model.summary(x, np.arange(rows) + 1.0, robust="HC3")
    assert np.isnan(model.sigma_)
    assert np.isnan(model.p_values_).all()
    assert np.isnan(np.asarray(model.predict_interval(x))).all()
    assert any(f"{rows} rows leave nothing over" in words for words in summary.cautions)
    assert str(summary)
    assert str(model.influence(x, np.arange(rows) + 1.0))
    assert str(model.diagnostics(x, np.arange(rows) + 1.0))
    assert str(model.collinearity())


def test_weights_that_add_up_to_one_are_taken_for_precisions_only_if_asked():
    one = case("cpu")
    share = np.full(209, 1 / 209)
    copies = LinearRegression().fit(one.table, one.target, share)
    assert np.isnan(copies.sigma_)
    assert 'weights="precision"' in copies.summary().cautions[0]
    precise = LinearRegression(weights="precision").fit(one.table, one.target, share)
    assert_allclose(precise.standard_errors_, one.fit().standard_errors_, rtol=1e-9)


def test_an_exact_fit_is_called_so():
    x = np.random.default_rng(0).standard_normal((30, 2))
    model = LinearRegression().fit(x, x @ [1.0, 2.0] + 3)
    assert any("exact but for rounding" in words for words in model.summary().cautions)
    assert model.r2_ == pytest.approx(1)


def test_a_target_that_does_not_vary_has_nothing_to_explain():
    x = np.random.default_rng(0).standard_normal((30, 2))
    for value in (0.0, 0.1, 1e9):
        model = LinearRegression().fit(x, np.full(30, value))
        assert np.isnan(model.r2_)
        assert np.isnan(model.f_statistic_)
        assert any("does not vary" in words for words in model.summary().cautions)


def test_columns_that_say_nothing_leave_the_mean_and_its_error():
    y = np.random.default_rng(0).standard_normal(40)
    model = LinearRegression().fit(np.ones((40, 1)), y)
    table = model.summary(np.ones((40, 1)), y).coefficients
    assert_allclose(table.standard_errors[0], y.std(ddof=1) / 40**0.5, rtol=1e-12)
    assert model.summary().df_model == 0
    assert np.isnan(model.f_p_value_)


def test_rows_with_missing_cells_are_counted_and_cautioned_about():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 8.0, 2.0, 4.0], "t": ["x", None, "y", "x", None, "y"]})
    y = [1.0, 2.0, 4.0, 4.0, 7.0, 1.0]
    words = LinearRegression().fit(frame, y).summary().cautions
    assert "2 of 6 rows had missing cells" in words[0]
    weightless = LinearRegression().fit(frame, y, [1, 0, 1, 1, 1, 1]).summary()
    assert "1 of 5 rows had missing cells" in weightless.cautions[0]
    numbers = frame[["a"]].to_numpy()
    assert "1 of 6 rows" in LinearRegression().fit(numbers, y).summary().cautions[0]
    assert "1 rows have missing cells" in LinearRegression().fit(frame, y).predict_interval(frame.iloc[1:2]).cautions[0]


def test_sparse_rows_give_the_same_as_dense_ones():
    x = scipy.sparse.random(300, 20, 0.2, random_state=0, format="csr")
    y = np.asarray(x.sum(axis=1)).ravel() + np.random.default_rng(0).standard_normal(300)
    sparse, dense = LinearRegression().fit(x, y), LinearRegression().fit(x.toarray(), y)
    assert_allclose(sparse.p_values_, dense.p_values_, rtol=1e-8)
    assert_allclose(sparse.influence(x, y).dffits, dense.influence(x.toarray(), y).dffits, rtol=1e-8)
    assert_allclose(sparse.predict_interval(x), dense.predict_interval(x.toarray()), rtol=1e-8)


def test_wide_sparse_designs_have_a_summary_without_errors():
    x = scipy.sparse.random(3000, 1500, 0.01, random_state=0, format="csr")
    y = np.asarray(x.sum(axis=1)).ravel() + np.random.default_rng(0).standard_normal(3000)
    model = LinearRegression().fit(x, y)
    assert_allclose(model.r2_, model.score(x, y), rtol=1e-9)
    assert np.isnan(model.standard_errors_).all()
    summary = model.summary(x, y)
    assert "standard errors are not known" in summary.cautions[0]
    assert "… and 1441 more" in str(summary)
    for ask in (lambda: model.influence(x, y), lambda: model.diagnostics(x, y), model.collinearity):
        with pytest.raises(InputError, match="1500 columns and was solved without"):
            ask()


def test_questions_that_need_rows_or_a_fit_say_so():
    one = case("cpu")
    with pytest.raises(InputError, match="needs the residuals of the fitted rows"):
        one.fit().summary(robust="HC3")
    with pytest.raises(ParameterError, match="robust='HC9' is not allowed"):
        one.fit().summary(one.table, one.target, robust="HC9")
    with pytest.raises(ParameterError, match="level"):
        one.fit().confidence_intervals(95)
    with pytest.raises(ParameterError, match="kind"):
        one.fit().predict_interval(one.features, kind="credible")
    with pytest.raises(ParameterError, match="weights"):
        LinearRegression(weights="frequency").fit(one.table, one.target)
    for name in ("standard_errors_", "r2_", "aic_"):
        assert not hasattr(LinearRegression(), name)
    with pytest.raises(NotFittedError):
        LinearRegression().summary()
    with pytest.raises(InputError, match="infinite"):
        one.fit().predict_interval({name: [np.inf] for name in one.features.names})


def test_a_saved_model_infers_the_same(tmp_path):
    one = case("iris")
    model = one.fit()
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    assert str(again.summary(one.table, one.target, robust="HC3")) == str(
        model.summary(one.table, one.target, robust="HC3")
    )
    assert_allclose(again.predict_interval(one.features), model.predict_interval(one.features), rtol=0)


def test_a_model_saved_before_there_was_inference_says_so(tmp_path):
    model = case("iris").fit()
    del model._footing
    learnt.save(model, tmp_path / "old.learnt")
    old = learnt.load(tmp_path / "old.learnt")
    assert_allclose(old.predict(case("iris").features), model.predict(case("iris").features))
    with pytest.raises(InputError, match="Fit it again"):
        old.summary()


def test_a_saved_model_whose_parts_do_not_fit_is_refused(tmp_path):
    model = case("iris").fit()
    model._footing = case("cpu").fit()._footing
    learnt.save(model, tmp_path / "wrong.learnt")
    with pytest.raises(SavedModelError, match="does not fit the coefficients"):
        learnt.load(tmp_path / "wrong.learnt")


def test_findings_print_and_show_themselves_with_hostile_names():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"<b>\n": rng.standard_normal(20), "t": rng.choice(["<i>", "&"], 20)})
    y = rng.standard_normal(20)
    model = LinearRegression().fit(frame, y)
    found = (
        model.summary(frame, y),
        model.influence(frame, y),
        model.diagnostics(frame, y),
        model.collinearity(),
        model.confidence_intervals(),
        model.predict_interval(frame),
        model.summary().coefficients,
    )
    for one in found:
        assert "<b>" not in one._repr_html_()
        assert "<i>" not in one._repr_html_()
        assert repr(one).startswith("<")
        assert "<b>\n" not in str(one)


def test_intervals_infinitely_far_away_are_infinite_and_next_to_it_in_proportion():
    x = np.column_stack([np.arange(8.0) * 1e-6, np.cos(np.arange(8.0))])
    model = learnt.LinearRegression().fit(x, np.sin(np.arange(8.0)))
    far = np.array([[1.0, 0.0], [0.0, -1.0], [1.0, -1.0]])

    def width(model, rows):
        return half_widths(model._footing, rows, 0.95, "prediction")

    near, away, beyond = (width(model, far * scale) for scale in (1e90, 1e150, 1.7e308))
    np.testing.assert_allclose(away, near * 1e60, rtol=1e-9)
    assert beyond[0] == beyond[2] == np.inf
