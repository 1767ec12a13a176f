"""Products of columns against scikit-learn and against counting."""

import itertools
import math
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import preprocessing

import learnt
from learnt.errors import InputError, SavedModelError
from learnt.prepare import PolynomialFeatures
from learnt.prepare.numbers.products import Products

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("include_bias", [False, True])
def test_products_are_those_of_scikit_learn(degree, interaction_only, include_bias):
    x = RNG.normal(size=(40, 4))
    settings = {"interaction_only": interaction_only, "include_bias": include_bias}
    one, two = (
        preprocessing.PolynomialFeatures(degree, **settings).fit(x),
        PolynomialFeatures(degree, **settings).fit(x),
    )
    np.testing.assert_allclose(two.transform(x), one.transform(x), rtol=1e-13)
    np.testing.assert_array_equal(two.powers_, one.powers_)
    assert two.n_output_features_ == one.n_output_features_
    rows = sparse.csr_matrix(x * (x > 0.5))
    assert sparse.issparse(two.transform(rows))
    np.testing.assert_allclose(two.transform(rows).toarray(), one.transform(rows.toarray()), rtol=1e-13)


def test_ten_columns_have_2002_products_of_degree_five():
    model = PolynomialFeatures(5).fit(np.ones((1, 10)))
    assert int((model.powers_.sum(axis=1) == 5).sum()) == 2002 == math.comb(14, 5)
    assert model.n_output_features_ == math.comb(15, 5)


@pytest.mark.parametrize("following", [[0, 1, 2], [1, 2, 3], [2, 2, 2], [0, 3, 3, 3, 5, 5], [1]])
@pytest.mark.parametrize("degree", [1, 2, 4])
def test_products_are_all_that_the_rule_allows(following, degree):
    products = Products(np.array(following), degree)
    m, allowed = len(following), []
    for d in range(1, degree + 1):
        for factors in itertools.combinations_with_replacement(range(m), d):
            if all(b >= following[a] for a, b in itertools.pairwise(factors)):
                allowed.append(list(factors))
    made = [row for level in products.factors() for row in level.tolist()]
    assert made == allowed
    assert products.count() == len(allowed)


def test_names_are_products_and_powers():
    names = PolynomialFeatures(3).fit({"a": [1.0], "b": [2.0]}).get_feature_names_out().tolist()
    assert names == ["1", "a", "b", "a²", "a·b", "b²", "a³", "a²·b", "a·b²", "b³"]
    assert PolynomialFeatures(12, include_bias=False).fit({"a": [1.0]}).get_feature_names_out()[-1] == "a¹²"
    taken = PolynomialFeatures().fit({"a": [3.0], "a²": [9.0]}).get_feature_names_out().tolist()
    assert taken == ["(1)", "a", "a²", "(a)²", "(a)·(a²)", "(a²)²"]


def test_categories_take_part_as_indicators_that_never_meet():
    cells = {"x": [2.0, 3.0, None], "town": ["Bern", "Basel", None], "own": [True, False, True]}
    out = PolynomialFeatures(include_bias=False).fit_transform(cells)
    assert out.names == (
        *("x", "town=Basel", "town=Bern", "own", "x²", "x·town=Basel", "x·town=Bern", "x·own"),
        *("town=Basel·own", "town=Bern·own"),
    )
    assert out["x·town=Bern"].labels() == [2.0, 0.0, None]
    assert out["town=Bern"].labels() == [1.0, 0.0, 0.0]
    assert out["town=Bern·own"].labels() == [1.0, 0.0, 0.0]
    assert out["x²"].labels() == [4.0, 9.0, None]


def test_many_categories_give_sparse_rows_of_the_same_products():
    codes = np.arange(500) % 300
    table = learnt.Table({"id": [f"c{c:03}" for c in codes], "x": RNG.normal(size=500)})
    out = PolynomialFeatures(3).fit_transform(table)
    assert sparse.issparse(out.sparse)
    x = table["x"].values
    j = int(codes[7])
    np.testing.assert_allclose(out[f"id=c{j:03}·x²"].values, (codes == j) * x**2, rtol=1e-14)
    assert out.n_columns == 1 + 300 * 3 + 3


def test_sparse_rows_come_out_as_frames_where_frames_are_asked_for():
    rows = sparse.csr_matrix(np.diag([2.0, 3.0]))
    for package in ("pandas", "polars"):
        out = PolynomialFeatures().set_output(transform=package).fit_transform(rows)
        assert list(out.columns) == ["1", "x0", "x1", "x0²", "x0·x1", "x1²"]
        np.testing.assert_array_equal(out.to_numpy(), [[1, 2, 0, 4, 0, 0], [1, 0, 3, 0, 0, 9]])


def test_absurd_sizes_are_refused_with_their_number():
    with pytest.raises(InputError, match=str(math.comb(1020, 20))):
        PolynomialFeatures(20).fit(np.ones((2, 1000)))
    wide = PolynomialFeatures().fit(np.ones((2, 1000)))
    rows = np.broadcast_to(np.ones(1000), (10_000, 1000))
    with pytest.raises(InputError, match=r"10000 rows of 501501 products take 40 GB"):
        wide.transform(rows)


def test_half_a_million_products_of_an_array_take_no_names():
    x = RNG.normal(size=(5, 1000))
    start = time.process_time()
    out = PolynomialFeatures().fit_transform(x)
    assert out.shape == (5, 501_501)
    assert time.process_time() - start < 10


def test_a_line_over_products_is_a_parabola_in_a_pipeline():
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline

    frame = pd.DataFrame({"x": np.linspace(-2, 2, 50)})
    y = 3 - frame["x"] + 2 * frame["x"] ** 2
    pipe = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression()).fit(frame, y)
    np.testing.assert_allclose(pipe[-1].coef_, [-1, 2], atol=1e-12)
    framed = make_pipeline(PolynomialFeatures(), LinearRegression()).set_output(transform="pandas").fit(frame, y)
    assert list(framed[:-1].transform(frame)) == ["1", "x", "x²"]


def test_products_that_contradict_the_columns_are_not_loaded():
    for following, degree in (([0, 0], 2), ([3, 1], 2), ([0, 5], 2), ([0, 1], 0)):
        with pytest.raises(ValueError, match=r"column|degree"):
            Products(np.array(following), degree)
    for damage in ({"n_output_features_": 3}, {"_products": Products(np.arange(3), 2)}):
        model = PolynomialFeatures().fit(np.eye(2))
        model.__dict__.update(damage)
        with pytest.raises(SavedModelError):
            model._check_fitted_state()


def test_a_degree_beyond_all_reason_is_counted_no_longer_than_it_takes_to_refuse_it():
    powers, alone = Products(np.array([0, 2]), 10**12), Products(np.array([1, 2]), 10**12)
    assert powers.count(10**6) > 10**6
    assert alone.count() == 3
    assert Products(np.array([0, 2]), 1500).count(10**6) == Products(np.array([0, 2]), 1500).count() == 3000
