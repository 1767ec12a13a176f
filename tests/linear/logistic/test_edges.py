"""Logistic regression where classes are separated, settings contradict, or numbers are extreme; and going on."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.linear.logistic.logistic_cases import problem, violation

from learnt import LogisticRegression
from learnt.errors import ConvergenceWarning, InputError, ParameterError

# Separation


def warned(table, y, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LogisticRegression(penalty=None, **settings).fit(table, y)
    return model, " ".join(str(w.message) for w in caught)


def test_a_column_that_separates_the_classes_is_named() -> None:
    model, words = warned({"age": [1.0, 2, 3, 4, 5, 6], "size": [5.0, 3, 4, 1, 2, 9]}, list("aaabbb"))
    assert model.separation_ == "complete"
    assert not model.converged_
    assert np.isfinite(model.coef_).all()
    assert "All rows with 'age' below 4 are 'a'" in words
    assert model.predict([[1.0, 5.0], [6.0, 9.0]]).tolist() == ["a", "b"]


def test_a_sum_of_columns_that_separates_the_classes_is_named() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    model, words = warned(x, (x[:, 0] + x[:, 1] > 0).astype(int))
    assert model.separation_ == "complete"
    assert "A weighted sum of" in words
    assert "separates the classes" in words


def test_a_category_of_one_class_alone_is_quasi_separation() -> None:
    rng = np.random.default_rng(1)
    town = rng.choice(["Bern", "Basel", "Chur"], 300)
    y = np.where((town == "Chur") | (rng.random(300) < 0.5), "yes", "no")
    model, words = warned({"x": rng.normal(size=300), "town": town}, y)
    assert model.separation_ == "quasi"
    assert "The categories of 'town' separate the classes" in words
    y[town == "Chur"], y[town == "Bern"] = np.where(rng.random((town == "Chur").sum()) < 0.5, "yes", "no"), "no"
    model, words = warned({"x": rng.normal(size=300), "town": town}, y)
    assert "All rows with 'town' = 'Bern' are 'no'" in words


def test_classes_that_overlap_are_not_called_separated() -> None:
    for seed in range(5):
        x, y, _ = problem(n=60, p=4, seed=seed)
        model, words = warned(x, y)
        assert model.separation_ is None
        assert words == ""


def test_steep_but_overlapping_classes_converge() -> None:
    """Coefficients of a hundred standard deviations are no separation as long as one pair of rows overlaps."""
    x = np.linspace(-1, 1, 400)
    y = (x > 0).astype(int)
    y[199], y[200] = 1, 0
    model, words = warned(x[:, None], y)
    assert model.separation_ is None
    assert violation(model, x[:, None], y, np.ones(400), None, 1.0) < 1e-6
    assert words == ""


def test_separated_classes_with_a_penalty_are_no_trouble() -> None:
    x = np.arange(10.0)[:, None]
    y = (x[:, 0] > 4).astype(int)
    for penalty in ("l2", "l1"):
        model = LogisticRegression(penalty=penalty, C=1e6, tol=1e-7).fit(x, y)
        assert model.converged_
        assert model.score(x, y) == 1


# Edges


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_predictions_do_not_depend_on_units_without_a_penalty(scale) -> None:
    x, y, w = problem()
    here, there = (LogisticRegression(penalty=None).fit(table, y, w) for table in (x, x * scale))
    np.testing.assert_allclose(here.predict_proba(x), there.predict_proba(x * scale), rtol=1e-6)
    np.testing.assert_allclose(here.coef_, there.coef_ * scale, rtol=1e-6)


def test_collinear_columns_share_their_effect() -> None:
    x, y, w = problem(p=3)
    double = np.column_stack([x, x[:, 0] * 10 + 5])
    model = LogisticRegression(penalty=None, tol=1e-7).fit(double, y, w)
    alone = LogisticRegression(penalty=None, tol=1e-7).fit(x, y, w)
    np.testing.assert_allclose(model.coef_[0, 0], alone.coef_[0, 0] / 2, rtol=1e-5)
    np.testing.assert_allclose(model.predict_proba(double), alone.predict_proba(x), rtol=1e-6)


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_numbers_whose_squares_overflow_are_refused(storage) -> None:
    x, y, _ = problem()
    with pytest.raises(InputError, match="Scale it down"):
        LogisticRegression().fit(storage(x * 1e200), y)


def test_columns_that_do_not_vary_leave_the_shares() -> None:
    for storage in (np.asarray, csr_matrix):
        model = LogisticRegression(penalty=None).fit(storage(np.full((10, 2), 3.0)), [0] * 7 + [1] * 3)
        assert not model.coef_.any()
        np.testing.assert_allclose(model.predict_proba([[3.0, 3.0]]), [[0.7, 0.3]], rtol=1e-6)


def test_a_class_without_weight_is_never_predicted() -> None:
    x, y, _ = problem(classes=3)
    w = np.where(y == 1, 0.0, 1.0)
    model = LogisticRegression().fit(x, y, w)
    assert model.classes_.tolist() == [0, 2]
    assert 1 not in model.predict(x)
    two = LogisticRegression().fit(x[y < 2], y[y < 2], (y[y < 2] == 0).astype(float))
    assert set(two.predict(x).tolist()) == {0}


def test_a_hundred_thousand_sparse_columns_are_no_trouble() -> None:
    rng = np.random.default_rng(0)
    at = (np.repeat(np.arange(3000), 20), rng.integers(100_000, size=60_000))
    x = csr_matrix((rng.random(60_000), at), shape=(3000, 100_000))
    y = np.asarray(x[:, :1000].sum(axis=1)).ravel() > np.asarray(x[:, 1000:2000].sum(axis=1)).ravel()
    for penalty in ("l2", "l1"):
        model = LogisticRegression(penalty=penalty).fit(x, y)
        assert model.converged_
        assert violation(model, x, y.astype(int), np.ones(3000), penalty, 1.0) < 1e-4


def test_far_columns_are_centred_before_anything_is_multiplied() -> None:
    x, y, w = problem()
    far = LogisticRegression(penalty=None, tol=1e-7).fit(x + 1e7, y, w)
    np.testing.assert_allclose(far.coef_, LogisticRegression(penalty=None, tol=1e-7).fit(x, y, w).coef_, rtol=1e-6)


def test_infinite_cells_are_refused() -> None:
    x, y, _ = problem()
    x[17, 2] = np.inf
    for rows in (x, csr_matrix(x)):
        with pytest.raises(InputError, match="infinite"):
            LogisticRegression().fit(rows, y)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"C": 0}, "C=0 is not allowed"),
        ({"penalty": "elasticnet"}, "Give l1_ratio"),
        ({"l1_ratio": 0.5}, "Give l1_ratio"),
        ({"penalty": "l1", "solver": "newton-cg"}, "no L1 penalty"),
        ({"solver": "coordinate"}, "needs one"),
        ({"class_weight": {"x": 2.0}}, "'x', which is not a class"),
        ({"class_weight": {0: -1.0}}, "class_weight"),
        ({"class_weight": {0: 0.0, 1: 0.0}}, "no row any weight"),
    ],
)
def test_settings_that_contradict_are_refused(settings, words) -> None:
    x, y, _ = problem()
    with pytest.raises(ParameterError, match=words):
        LogisticRegression(**settings).fit(x, y)


def test_too_few_steps_are_told() -> None:
    x, y, _ = problem()
    with pytest.warns(ConvergenceWarning, match="after 1 steps"):
        model = LogisticRegression(max_iter=1, tol=1e-12).fit(x, y)
    assert not model.converged_


# Going on from an earlier fit


def test_a_warm_start_ends_where_a_cold_one_does_and_sooner() -> None:
    x, y, w = problem(classes=3)
    model = LogisticRegression(warm_start=True, tol=1e-8).fit(x, y, w)
    cold = model.n_iter_
    coef = model.coef_
    model.fit(x, y, w)
    assert model.n_iter_ < cold
    np.testing.assert_allclose(model.coef_, coef, atol=1e-9)
    other = model.fit(x[:, :3], y, w)  # other columns: from the beginning
    np.testing.assert_allclose(other.coef_, LogisticRegression(tol=1e-8).fit(x[:, :3], y, w).coef_, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_instalments_come_near_the_optimum(classes) -> None:
    x, y, w = problem(n=4000, classes=classes)
    model = LogisticRegression(random_state=0)
    for epoch in range(10):
        for part in np.array_split(np.arange(4000), 4):
            model.partial_fit(
                x[part], y[part], classes=np.arange(classes) if epoch == 0 else None, sample_weight=w[part]
            )
    whole = LogisticRegression().fit(x, y, w)
    assert np.abs(model.predict_proba(x) - whole.predict_proba(x)).mean() < 0.02
    assert model.n_iter_ == 40


def test_instalments_go_on_from_a_fit_and_do_not_spoil_it() -> None:
    x, y, _ = problem(n=2000)
    model = LogisticRegression(random_state=0).fit(x, y)
    before = model.predict_proba(x)
    model.partial_fit(x[:500], y[:500])
    assert 0 < np.abs(model.predict_proba(x) - before).mean() < 0.03


def test_unknown_classes_in_later_instalments_are_refused() -> None:
    model = LogisticRegression().partial_fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(InputError, match="'c'"):
        model.partial_fit([[0.0]], ["c"])


def test_one_class_and_an_intercept_alone_are_told_in_words():
    one = LogisticRegression().fit([[1.0], [2.0]], ["a", "a"])
    assert "All rows are of one class, 'a'" in str(one.summary())
    assert str(one).startswith("score of 'a', the only class =\n")
    flat = LogisticRegression(penalty=None).fit(np.ones((30, 1)), [0, 1, 1] * 10).summary()
    assert "30 rows, 1 parameter, AIC" in str(flat)
    assert flat.likelihood.pseudo_r2 == 0


def test_odds_ratios_are_drawn_with_their_intervals():
    import matplotlib as mpl

    mpl.use("Agg")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    y = (x[:, 0] + rng.logistic(size=200) > 0).astype(int)
    summary = LogisticRegression(penalty=None).fit(x, y).summary()
    axes = summary.plot()
    ends = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2 and line.get_ydata()[0] in (0, 1, 2)]
    expected = np.exp(np.column_stack([summary.low, summary.high])[1:])
    np.testing.assert_allclose([e for e in ends if e[0] != e[1]], expected)
    penalised = LogisticRegression().fit(x, y).summary().plot()  # points alone
    assert len(penalised.lines) == 1 + 3
    many = LogisticRegression().fit(rng.normal(size=(200, 60)), rng.integers(0, 3, 200)).summary().plot()
    assert len(many.get_yticks()) == 40
    with pytest.raises(InputError, match="no odds ratio"):
        LogisticRegression().fit({"a": ["x"] * 4}, [0, 1, 0, 1]).summary().plot()


@pytest.mark.parametrize("penalty", [None, "l2", "l1"])
@pytest.mark.parametrize("cells", [np.ones(30), np.arange(30.0), ["x"] * 30])
def test_one_class_without_an_intercept_is_certain_and_separated_from_none(penalty, cells) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(penalty=penalty, fit_intercept=False).fit({"a": cells}, ["yes"] * 30)
    assert model.separation_ is None
    assert not model.coef_.any()
    assert model.predict_proba({"a": cells}).tolist() == [[1.0]] * 30


@pytest.mark.parametrize("y", [np.repeat([0, 1, 2], 10), np.arange(30) % 2])
@pytest.mark.parametrize("cells", [np.ones(30), np.zeros(30), ["x"] * 30, np.full(30, np.nan)])
def test_a_constant_column_without_intercept_and_penalty_gives_shares_or_equal_odds(cells, y) -> None:
    model, _ = warned({"a": cells}, y, fit_intercept=False)
    found = model.predict_proba({"a": cells})
    np.testing.assert_allclose(found, 1 / len(np.unique(y)), rtol=1e-6)  # the shares are equal here
    str(model.summary())


@pytest.mark.parametrize("cost", [1.0, 100.0])
def test_a_column_far_from_0_next_to_its_spread_ends_where_rounding_lets_it(cost) -> None:
    rng = np.random.default_rng(5)
    away, y = rng.random(40) * 1e-3, rng.integers(0, 8, 40)
    other = {"label": [f"label {i}" for i in range(40)]}
    rows = [{"time": 1e9 + away, **other}, {"time": (1e9 + away) - 1e9, **other}]
    far, near = (LogisticRegression(C=cost, standardize=True).fit(x, y) for x in rows)
    assert far.converged_
    assert far.n_iter_ < 20
    odds = [np.log(model.predict_proba(x)) for model, x in zip((far, near), rows, strict=True)]
    np.testing.assert_allclose(odds[0], odds[1], atol=0.02)
