"""MultiResponseClassifier: the memberships are those of least squares, and its probabilities the nearest ones."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import learnt
from learnt import Table
from learnt.errors import InputError
from learnt.linear.several import multi_response
from learnt.linear.several.multi_response import MultiResponseClassifier, nearest_probabilities


def data(n=200, p=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 5
    return x, np.array(list("abcdefgh"))[:k][rng.integers(k, size=n)]


def lstsq(x, y, w=None):
    """(intercept, coefficients) × classes, by NumPy."""
    root = np.ones(len(x)) if w is None else np.sqrt(w)
    member = (y[:, None] == np.unique(y)).astype(float)
    ones = np.column_stack([np.ones(len(x)), x])
    return np.linalg.lstsq(ones * root[:, None], member * root[:, None], rcond=None)[0]


@pytest.mark.parametrize("k", [2, 3, 8])
def test_each_class_has_the_coefficients_of_its_own_regression(k):
    x, y = data(k=k)
    w = np.random.default_rng(1).uniform(0, 3, len(x))
    for weights in (None, w):
        expected = lstsq(x, y, weights)
        model = MultiResponseClassifier().fit(x, y, weights)
        assert_allclose(model.intercept_, expected[0], atol=1e-10)
        assert_allclose(model.coef_, expected[1:].T, atol=1e-10)


def test_collinear_columns_and_few_rows_are_met_by_the_orthogonal_triangle():
    x, y = data(30)
    twice = np.hstack([x, x[:, :2], np.full((30, 1), 7.0)])
    model = MultiResponseClassifier().fit(twice, y)
    expected = lstsq(x, y)
    assert_allclose(twice @ model.coef_.T + model.intercept_, x @ expected[1:] + expected[0], atol=1e-9)
    assert_allclose(model.coef_[:, :2], model.coef_[:, 4:6], atol=1e-9)  # copies share their effect
    assert model.rank_ == 4
    few = MultiResponseClassifier().fit(x[:4], ["a", "b", "a", "c"])
    assert_allclose(few.decision_function(x[:4]), [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-9)


def test_columns_far_from_zero_lose_no_digits():
    x, y = data()
    near, far = MultiResponseClassifier().fit(x, y), MultiResponseClassifier().fit(x + 1e7, y)
    assert_allclose(far.coef_, near.coef_, rtol=1e-6)


def test_wide_sparse_columns_meet_the_same_conditions(monkeypatch):
    x, y = data(150, 20)
    x *= np.random.default_rng(2).random(x.shape) < 0.3
    expected = MultiResponseClassifier().fit(x, y)
    monkeypatch.setattr(multi_response, "WIDE", 10)
    model = MultiResponseClassifier().fit(scipy.sparse.csr_matrix(x), y)
    assert model.converged_
    assert_allclose(model.coef_, expected.coef_, atol=1e-9)
    assert_allclose(model.intercept_, expected.intercept_, atol=1e-9)


def test_memberships_add_up_to_one_and_lead_to_the_answer():
    x, y = data()
    model = MultiResponseClassifier().fit(x, y)
    scores = model.decision_function(x)
    assert_allclose(scores.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(model.predict(x), model.classes_[scores.argmax(axis=1)])


def test_of_two_classes_the_decision_is_the_lead_of_the_second():
    x, y = data(k=2)
    model = MultiResponseClassifier().fit(x, y)
    lead = model.decision_function(x)
    assert lead.shape == (200,)
    np.testing.assert_array_equal(model.predict(x), np.where(lead > 0, "b", "a"))
    assert_allclose(model.predict_proba(x)[:, 1], np.clip(0.5 + lead / 2, 0, 1), atol=1e-12)


def test_probabilities_are_the_nearest_point_of_the_simplex():
    rng = np.random.default_rng(3)
    for scores in rng.normal(0.3, 0.6, (8, 4)):
        found = minimize(
            lambda p, s=scores: ((p - s) ** 2).sum(),
            np.full(4, 0.25),
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
            options={"ftol": 1e-14},
        ).x
        assert_allclose(nearest_probabilities(scores[None])[0], found, atol=1e-6)
    inside = rng.dirichlet(np.ones(5), 10)
    assert_allclose(nearest_probabilities(inside), inside, atol=1e-15)


def test_scores_of_any_size_keep_their_order():
    scores = np.array([[1e12, -1e12, 1.0], [5.0, 4.999, -9.0], [0.0, 0.0, 0.0]])
    shares = nearest_probabilities(scores)
    assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), scores.argmax(axis=1))
    assert_allclose(shares[2], 1 / 3)


def test_the_class_in_the_middle_is_masked():
    x = np.repeat(np.arange(9.0), 10)
    y = np.repeat(["left", "middle", "right"], 30)
    model = MultiResponseClassifier().fit({"x": x}, y)
    assert "middle" not in model.predict({"x": x})  # known, and said in the docs


def test_mixed_tables_with_gaps_are_learnt_and_explained():
    weather = learnt.datasets.load("weather_numeric")
    model = MultiResponseClassifier().fit(weather)
    told = model.explain(weather)[0]
    assert told.kind == "score"
    assert told.add_up() == pytest.approx(told.total)
    assert [e.column for e in told.evidence] == list(weather.names[:-1])


def test_a_class_without_weight_is_never_answered():
    x, y = data()
    model = MultiResponseClassifier().fit(x, y, (y != "c").astype(float))
    assert model.classes_.tolist() == ["a", "b"]
    assert "c" not in model.predict(x)


def test_squares_that_overflow_are_an_error():
    with pytest.raises(InputError, match="large"):
        MultiResponseClassifier().fit(np.arange(20.0)[:, None] * 1e200, ["a", "b"] * 10)
    small = MultiResponseClassifier().fit(np.arange(20.0)[:, None] * 1e-150, np.repeat(["a", "b"], 10))
    assert small.score(np.arange(20.0)[:, None] * 1e-150, np.repeat(["a", "b"], 10)) == 1


def test_a_scan_gives_the_same_model(tmp_path):
    x, y = data(500)
    rows = ["a,b,c,d,y", *(",".join(map(repr, row.tolist())) + f",{label}" for row, label in zip(x, y, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    model = MultiResponseClassifier().fit(learnt.scan(tmp_path / "rows.csv", batch_rows=37), "y")
    assert_allclose(model.coef_, MultiResponseClassifier().fit(Table(x), y).coef_, atol=1e-10)


@pytest.mark.parametrize("table", [{"a": ["x"] * 30}, {"a": ["x"] * 30, "b": ["z"] * 30}])
def test_columns_of_one_category_leave_the_shares_of_the_classes(table):
    model = MultiResponseClassifier().fit(table, np.repeat(list("abc"), [5, 10, 15]))
    np.testing.assert_allclose(model.predict_proba(table)[0], [1 / 6, 1 / 3, 1 / 2], rtol=1e-12)
    assert model.coef_.shape == (3, 0)
    assert model.rank_ == 0
