"""Locally weighted regression: statsmodels' lowess, least squares by hand, outliers."""

import numpy as np
import pytest
from statsmodels.nonparametric.smoothers_lowess import lowess

from learnt import LocallyWeightedRegressor, Table


def waves(n, seed, outliers=True):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n)
    return x, np.sin(x) + (rng.standard_t(2, n) if outliers else rng.normal(size=n)) * 0.3


@pytest.mark.parametrize("n", [31, 200])
@pytest.mark.parametrize("frac", [0.2, 0.5, 2 / 3, 1.0])
@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_of_one_column_it_is_the_lowess_of_statsmodels(n, frac, iterations):
    x, y = waves(n, n)
    model = LocallyWeightedRegressor(frac=frac, robust_iterations=iterations).fit(x[:, None], y)
    theirs = lowess(y, x, frac=frac, it=iterations, delta=0, return_sorted=False)
    # Theirs leaves out weights below 3e-8 and takes those above 1 − 3e-9 for 1.
    np.testing.assert_allclose(model.fitted_values_, theirs, atol=1e-7)
    np.testing.assert_array_equal(model.predict(x[:, None]), model.fitted_values_)


def test_it_is_lowess_between_the_rows_too():
    x, y = waves(120, 5)
    asked = np.linspace(0.1, 9.9, 50)
    theirs = lowess(y, x, frac=0.3, it=2, xvals=asked)
    model = LocallyWeightedRegressor(frac=0.3, robust_iterations=2).fit(x[:, None], y)
    np.testing.assert_allclose(model.predict(asked[:, None]), theirs, atol=1e-7)


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize(
    ("kernel", "weigh"),
    [
        ("tricube", lambda u: (1 - u**3) ** 3),
        ("epanechnikov", lambda u: 1 - u**2),
        ("gaussian", lambda u: np.exp(-2 * u**2)),
        ("uniform", np.ones_like),
    ],
)
def test_answers_are_those_of_weighted_least_squares(degree, kernel, weigh):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(80, 2)) * [1, 100], rng.normal(size=80)
    model = LocallyWeightedRegressor(frac=0.5, degree=degree, kernel=kernel, robust_iterations=0).fit(x, y)
    z, asked = x / x.std(axis=0), rng.normal(size=(20, 2)) * [1, 100]
    for q, answer in zip(asked / x.std(axis=0), model.predict(asked), strict=True):
        away = np.linalg.norm(z - q, axis=1)
        near = np.argsort(away)[:40]
        root = np.sqrt(weigh(away[near] / away[near].max()))
        g = z[near] - q
        terms = [np.ones(40), g[:, 0], g[:, 1], g[:, 0] ** 2, g[:, 0] * g[:, 1], g[:, 1] ** 2]
        a = np.column_stack(terms[: (1, 3, 6)[degree]])
        beta = np.linalg.lstsq(a * root[:, None], y[near] * root, rcond=None)[0]
        assert answer == pytest.approx(beta[0], abs=1e-8)


def test_polynomials_of_its_degree_are_met_exactly():
    rng = np.random.default_rng(2)
    x, asked = rng.normal(size=(200, 3)), rng.normal(size=(20, 3))

    def plane(z):
        return 3 + z @ [1.0, -2.0, 0.5]

    def bowl(z):
        return plane(z) + z[:, 0] ** 2 - z[:, 1] * z[:, 2]

    for degree, truth in ((1, plane), (2, bowl)):
        model = LocallyWeightedRegressor(degree=degree, frac=0.4).fit(x, truth(x))
        np.testing.assert_allclose(model.predict(asked), truth(asked), atol=1e-7)


def test_outliers_lose_their_say():
    x, y = waves(200, 3, outliers=False)
    wrong = np.arange(0, 200, 15)
    far = y.copy()
    far[wrong] += 30
    settings = {"frac": 0.3, "degree": 2}
    clean = LocallyWeightedRegressor(**settings).fit(x[:, None], y)
    robust = LocallyWeightedRegressor(**settings).fit(x[:, None], far)
    plain = LocallyWeightedRegressor(**settings, robust_iterations=0).fit(x[:, None], far)
    assert np.abs(robust.fitted_values_ - clean.fitted_values_).mean() < 0.1
    assert np.abs(plain.fitted_values_ - clean.fitted_values_).mean() > 1
    assert (robust.robustness_weights_[wrong] == 0).all()
    assert robust.robustness_weights_.mean() > 0.7


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("kernel", ["tricube", "uniform", "distance"])
def test_a_weight_of_two_is_a_row_twice_also_among_outliers(kernel, columns):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(60, columns)), rng.standard_t(1.5, 60)
    counts = rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), counts)
    settings = {"kernel": kernel, "frac": 0.45, "degree": 2}
    weighted = LocallyWeightedRegressor(**settings).fit(x, y, counts)
    copied = LocallyWeightedRegressor(**settings).fit(x[rows], y[rows])
    asked = rng.normal(size=(20, columns))
    np.testing.assert_allclose(weighted.predict(asked), copied.predict(asked), rtol=1e-7)
    np.testing.assert_allclose(weighted.robustness_weights_[rows], copied.robustness_weights_, atol=1e-8)


@pytest.mark.parametrize("size", [1e-250, 1e-150, 1e150, 1e250])
def test_numbers_of_any_size_give_the_same_curve(size):
    x, y = waves(60, 7)
    for degree in (1, 2):
        plain = LocallyWeightedRegressor(degree=degree).fit(x[:, None], y)
        scaled = LocallyWeightedRegressor(degree=degree).fit(x[:, None] * size, y)
        np.testing.assert_allclose(scaled.fitted_values_, plain.fitted_values_, rtol=1e-7)


def test_labels_say_who_is_a_neighbour():
    x = np.tile(np.arange(20.0), 2)
    kind = ["up"] * 20 + ["down"] * 20
    y = np.concatenate([x[:20], -x[:20]])
    table = Table({"x": x, "kind": kind})
    # Half of the rows: those of the same label come first when labels are farther apart than numbers.
    model = LocallyWeightedRegressor(frac=0.2).fit(table, y)
    np.testing.assert_allclose(model.predict(table), y, atol=1e-8)


def test_the_degree_is_lowered_where_terms_outnumber_neighbours():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(30, 8)), rng.normal(size=30)
    assert [LocallyWeightedRegressor(degree=2, frac=f).fit(x, y).degree_ for f in (0.2, 0.5, 1.0)] == [0, 1, 1]


def test_a_line_goes_on_far_beyond_the_rows():
    x = np.linspace(0, 1, 30)
    model = LocallyWeightedRegressor(robust_iterations=0).fit(x[:, None], 2 * x)
    np.testing.assert_allclose(model.predict([[50.0], [-1000.0]]), [100.0, -2000.0], rtol=1e-9)


def test_equal_rows_answer_with_their_mean():
    x, y = np.ones((6, 1)), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    model = LocallyWeightedRegressor(robust_iterations=0, frac=1.0).fit(x, y)
    np.testing.assert_allclose(model.predict([[1.0], [50.0]]), 3.5)


def test_an_explanation_starts_at_the_mean_of_the_neighbours():
    x = np.arange(30.0)[:, None]
    model = LocallyWeightedRegressor(frac=0.5).fit(x, 2 * x[:, 0])
    told = model.explain([[29.0]])[0]
    assert told.total == pytest.approx(58)
    assert told.base < 55
    assert told.evidence[0].contribution == pytest.approx(58 - told.base)
    assert "weighted mean of the 15 nearest rows" in str(told)
