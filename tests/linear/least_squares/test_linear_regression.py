"""LinearRegression against NumPy, certified values and hostile columns."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose

import learnt
from learnt import ElasticNet, Lasso, LinearRegression, Ridge, Table
from learnt.errors import InputError, KindError

# Longley's data and certified coefficients: NIST Statistical Reference Datasets (public domain).
LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)
CERTIFIED = [
    15.0618722713733,
    -0.0358191792925910,
    -2.02022980381683,
    -1.03322686717359,
    -0.0511041056535807,
    1829.15146461355,
]
CERTIFIED_INTERCEPT = -3482258.63459582


def data(n=300, p=7, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + 3
    return x, x @ rng.standard_normal(p) + 2 + rng.standard_normal(n)


def lstsq(x, y, w=None):
    """Intercept and coefficients by NumPy."""
    root = np.ones(len(y)) if w is None else np.sqrt(w)
    solution = np.linalg.lstsq(np.column_stack([np.ones(len(y)), x]) * root[:, None], y * root, rcond=None)[0]
    return solution[0], solution[1:]


def test_longley_meets_the_certified_coefficients():
    model = LinearRegression().fit(LONGLEY[:, 1:], LONGLEY[:, 0])
    assert_allclose(model.coef_, CERTIFIED, rtol=1e-8)
    assert_allclose(model.intercept_, CERTIFIED_INTERCEPT, rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F", "reversed"])
def test_coefficients_are_those_of_numpy(dtype, order):
    x, y = data()
    x = x.astype(dtype)
    x = np.asfortranarray(x) if order == "F" else x[::-1, ::-1][::-1, ::-1] if order == "reversed" else x
    model = LinearRegression().fit(x, y)
    intercept, coef = lstsq(x.astype(float), y)
    assert_allclose(model.coef_, coef, rtol=1e-9)
    assert_allclose(model.intercept_, intercept, rtol=1e-8)
    assert_allclose(model.predict(x), x.astype(float) @ coef + intercept, rtol=1e-9)


def test_weights_are_those_of_weighted_least_squares():
    x, y = data()
    w = np.random.default_rng(1).uniform(0, 3, len(y))
    model = LinearRegression().fit(x, y, w)
    intercept, coef = lstsq(x, y, w)
    assert_allclose([model.intercept_, *model.coef_], [intercept, *coef], rtol=1e-9)


def test_without_an_intercept_the_line_goes_through_zero():
    x, y = data()
    model = LinearRegression(fit_intercept=False).fit(x, y)
    assert_allclose(model.coef_, np.linalg.lstsq(x, y, rcond=None)[0], rtol=1e-9)
    assert model.intercept_ == 0


def test_columns_far_from_zero_lose_no_digits():
    x, y = data()
    near = LinearRegression().fit(x, y)
    far = LinearRegression().fit(x + 1e7, y)
    assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    assert_allclose(far.predict(x + 1e7), near.predict(x), atol=1e-6)


def test_nearly_collinear_columns_take_the_accurate_way():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(500)
    x = np.column_stack([a, a + 1e-6 * rng.standard_normal(500), rng.standard_normal(500)])
    y = x @ [1.0, 2.0, 3.0]
    model = LinearRegression().fit(x, y)
    assert model.condition_ > 1e6
    assert_allclose(model.coef_, [1, 2, 3], rtol=1e-7)


def test_copies_of_a_column_share_its_effect():
    x, y = data(p=3)
    model = LinearRegression().fit(np.column_stack([x, x[:, 0], 5 * x[:, 0]]), y)
    single = LinearRegression().fit(x, y)
    assert model.rank_ == 3
    assert_allclose(model.coef_[[0, 3]], single.coef_[0] / 3, rtol=1e-8)
    assert_allclose(model.coef_[4], single.coef_[0] / 15, rtol=1e-8)
    assert_allclose(model.predict(np.column_stack([x, x[:, 0], 5 * x[:, 0]])), single.predict(x), rtol=1e-8)


def test_more_columns_than_rows_fit_exactly_with_the_smallest_norm():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((20, 50)), rng.standard_normal(20)
    model = LinearRegression().fit(x, y)
    assert_allclose(model.predict(x), y, atol=1e-10)
    centred = x - x.mean(0)
    size = np.sqrt((centred**2).sum(0))
    assert_allclose(model.coef_ * size, np.linalg.pinv(centred / size) @ (y - y.mean()), atol=1e-10)


def test_constant_columns_get_no_coefficient():
    x, y = data(p=2)
    x = np.column_stack([x, np.full(len(x), 0.1), np.full(len(x), 1e9)])
    model = LinearRegression().fit(x, y)
    assert (model.coef_[2:] == 0).all()
    assert_allclose(model.coef_[:2], lstsq(x[:, :2], y)[1], rtol=1e-9)


def test_categories_are_indicators_against_the_most_frequent():
    frame = pd.DataFrame(
        {"size": [1.0, 2, 3, 4, 5, 6], "town": list("abbcbc"), "old": [True, False, False, True, False, True]}
    )
    y = np.array([3.0, 1, 4, 1, 5, 9])
    model = LinearRegression().fit(frame, y)
    assert model.coefficient_names_ == ("size", "town=a", "town=c", "old=True")
    explicit = np.column_stack([frame["size"], frame.town == "a", frame.town == "c", frame.old]).astype(float)
    assert_allclose(model.predict(frame), LinearRegression().fit(explicit, y).predict(explicit), atol=1e-9)


def test_ordered_categories_enter_by_rank():
    table = Table({"grade": ["S", "L", "M", "L"]}, ordinal={"grade": ["S", "M", "L"]})
    model = LinearRegression().fit(table, [1.0, 5.0, 3.0, 5.0])
    assert_allclose([model.intercept_, *model.coef_], [1, 2], atol=1e-12)


def test_missing_cells_count_as_mean_and_most_frequent():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 8.0, 2.0], "t": ["x", "y", None, "x", "x"]})
    filled = pd.DataFrame({"a": [1.0, 3.5, 3.0, 8.0, 2.0], "t": ["x", "y", "x", "x", "x"]})
    y = [1.0, 2.0, 4.0, 4.0, 7.0]
    model, full = LinearRegression().fit(frame, y), LinearRegression().fit(filled, y)
    assert_allclose(model.predict(frame), full.predict(filled), rtol=1e-10)
    numbers = LinearRegression().fit(frame[["a"]].to_numpy(), y)
    assert_allclose(numbers.predict([[np.nan]]), numbers.predict([[3.5]]))


def test_a_cell_missing_only_when_predicting_counts_as_the_mean():
    x, y = data()
    model = LinearRegression().fit(x, y)
    row = x[:1].copy()
    row[0, 2] = np.nan
    mean = x[:1].copy()
    mean[0, 2] = x[:, 2].mean()
    assert_allclose(model.predict(row), model.predict(mean), rtol=1e-10)
    assert_allclose(model.predict(np.vstack([x[:3], row])), [*model.predict(x[:3]), *model.predict(mean)], rtol=1e-10)


def test_a_sparse_matrix_gives_the_same_as_its_dense_twin():
    x = scipy.sparse.random(400, 30, 0.2, random_state=0, format="csr")
    y = np.asarray(x.sum(axis=1)).ravel() + np.random.default_rng(0).standard_normal(400)
    dense = LinearRegression().fit(x.toarray(), y)
    sparse = LinearRegression().fit(x, y)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-11)
    assert_allclose(sparse.predict(x), dense.predict(x.toarray()), rtol=1e-9)


def test_a_wide_sparse_matrix_is_solved_without_a_square_one():
    x = scipy.sparse.random(4000, 1500, 0.01, random_state=0, format="csr")
    y = x @ np.random.default_rng(1).standard_normal(1500) + 3
    model = LinearRegression().fit(x, y)
    assert model.converged_
    assert_allclose(model.predict(x), y, atol=1e-7)


def test_ten_thousand_categories_give_their_means():
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(10_000), rng.integers(0, 10_000, 20_000)])
    y = rng.standard_normal(len(codes))
    frame = pd.DataFrame({"id": pd.Categorical.from_codes(codes, [f"c{i}" for i in range(10_000)])})
    model = LinearRegression().fit(frame, y)
    means = np.bincount(codes, weights=y) / np.bincount(codes)
    assert_allclose(model.predict(frame), means[codes], atol=1e-8)


def test_scaling_a_column_scales_its_coefficient_and_nothing_else():
    x, y = data()
    model = LinearRegression().fit(x, y)
    scaled = LinearRegression().fit(x * [1e-9, 1, 1, 1e9, 1, 1, 1], y)
    assert_allclose(scaled.coef_ * [1e-9, 1, 1, 1e9, 1, 1, 1], model.coef_, rtol=1e-8)


def test_an_explanation_is_the_arithmetic_of_the_prediction():
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4], "town": list("aabb")})
    model = LinearRegression().fit(frame, [1.0, 3, 7, 9])
    because = model.explain(frame)[2]
    assert because.base == pytest.approx(5)
    assert because.total == pytest.approx(float(model.predict(frame)[2]))
    assert because.add_up() == pytest.approx(because.total)
    assert [e.column for e in because.evidence] == ["size", "town"]
    assert because.evidence[0].contribution == pytest.approx(2 * (3 - 2.5))


def test_overflowing_squares_are_named_not_returned():
    with pytest.raises(InputError, match="so large that their squares overflow"):
        LinearRegression().fit(np.array([[1e200], [-1e200], [3.0]]), [1.0, 2, 3])


@pytest.mark.parametrize("learner", [LinearRegression, Ridge, Lasso, ElasticNet])
@pytest.mark.parametrize("rows", [4, 2])
def test_a_target_whose_squares_overflow_is_not_taken_for_a_column(learner, rows):
    x = np.arange(12.0).reshape(4, 3)[:rows] ** 2
    with pytest.raises(InputError, match="The target holds values so large that their squares overflow"):
        learner().fit(x, np.array([1e170, 2e170, 1.0, 2.0])[:rows])


def test_a_nominal_target_is_refused():
    with pytest.raises(KindError, match="nominal"):
        LinearRegression().fit({"a": [1, 2], "b": ["x", "y"]}, "b")


def test_a_scan_gives_the_same_model_as_the_table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.standard_normal(1000), "t": rng.choice(list("xyz"), 1000)})
    frame.loc[::7, "a"] = np.nan
    frame["y"] = frame["a"].fillna(0) * 2 + (frame["t"] == "x")
    for i in range(4):
        frame.iloc[i * 250 : (i + 1) * 250].to_parquet(tmp_path / f"{i}.parquet")
    whole = LinearRegression().fit(frame, "y")
    parts = LinearRegression().fit(learnt.scan(tmp_path / "*.parquet"), "y")
    assert parts.coefficient_names_ == whole.coefficient_names_
    assert_allclose(parts.coef_, whole.coef_, rtol=1e-9)
    assert_allclose(parts.predict(learnt.scan(tmp_path / "*.parquet")), whole.predict(frame), rtol=1e-9)
