"""Winnow: its rule by hand, its bound, and how it stands irrelevant columns."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, hstack
from scipy.sparse import random as sparse_random

from learnt import Perceptron, Table, Winnow
from learnt.errors import ConvergenceWarning, ParameterError


def quietly(model, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args)


def by_hand(x, y, variant, alpha, threshold, epochs):
    """Littlestone's rules, literally."""
    w, promotions, demotions = np.ones(x.shape[1]), 0, 0
    for _ in range(epochs):
        before = promotions + demotions
        for row, truth in zip(x, y, strict=True):
            said = w[row].sum() > threshold
            if truth and not said:
                w[row] *= alpha
                promotions += 1
            elif said and not truth:
                w[row] = 0 if variant == "winnow1" else w[row] / alpha
                demotions += 1
        if promotions + demotions == before:
            break
    return w, promotions, demotions


def disjunction(seed, n_rows, n, k, share=0.3):
    rng = np.random.default_rng(seed)
    x = rng.random((n_rows, n)) < share
    return x, x[:, :k].any(axis=1)


@pytest.mark.parametrize("variant", ["winnow1", "winnow2"])
@pytest.mark.parametrize(("alpha", "threshold"), [(2.0, None), (1.5, 4.0)])
def test_weights_and_counts_are_those_by_hand(variant, alpha, threshold):
    x, y = disjunction(0, 80, 12, 2)
    x[5:9] = ~x[5:9]  # some noise, so that demotions happen to relevant columns too
    expected, promotions, demotions = by_hand(x, y, variant, alpha, threshold or 6.0, 20)
    for rows in (x.astype(float), csr_matrix(x.astype(float)), Table({f"c{j}": x[:, j] for j in range(12)})):
        model = quietly(Winnow(variant=variant, alpha=alpha, threshold=threshold, max_iter=20), rows, y)
        np.testing.assert_allclose(model.coef_[0], expected, rtol=1e-12)
        assert (model.n_promotions_, model.n_demotions_) == (promotions, demotions)
        assert model.threshold_ == (threshold or 6.0)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 120),
    k=st.integers(1, 3),
    variant=st.sampled_from(["winnow1", "winnow2"]),
    alpha=st.sampled_from([1.3, 2.0, 4.0]),
)
def test_mistakes_never_exceed_the_bound_for_a_disjunction(seed, n, k, variant, alpha):
    x, y = disjunction(seed, 150, n, k)
    if len(set(y.tolist())) < 2 or not (x.any(axis=0) & ~x.all(axis=0)).all():
        return
    model = quietly(Winnow(variant=variant, alpha=alpha), x.astype(float), y)
    assert model.n_mistakes_ <= model.mistake_bound(k)
    assert model.n_promotions_ <= k * (np.log(model.threshold_) / np.log(alpha) + 1)


def test_mistakes_grow_with_the_logarithm_of_irrelevant_columns_and_those_of_the_perceptron_with_their_number():
    """An "or" of 3 among n columns, rows of n/10 true cells, shown once: 16 times the columns."""
    found = {}
    for n in (50, 800):
        x, y = disjunction(1, 6000, n, 3, share=0.1)
        rows = csr_matrix(x.astype(float))
        found[n] = [quietly(m, rows, y).n_mistakes_ for m in (Winnow(max_iter=1), Perceptron(max_iter=1))]
    winnow, perceptron = (found[800][i] / found[50][i] for i in (0, 1))
    assert winnow < np.log(800) / np.log(50) * 1.6
    assert perceptron > 5
    assert found[800][0] * 5 < found[800][1]


def test_balanced_weights_speak_against_a_class_too():
    rng = np.random.default_rng(0)
    x = rng.random((400, 6)) < 0.5
    y = x[:, 0] & ~x[:, 1]
    plain = quietly(Winnow(), x.astype(float), y)
    balanced = quietly(Winnow(variant="balanced", max_iter=200), x.astype(float), y)
    assert balanced.score(x.astype(float), y) == 1.0 > plain.score(x.astype(float), y)
    assert balanced.coef_[0, 0] > 0 > balanced.coef_[0, 1]
    with pytest.raises(ParameterError, match="balanced"):
        balanced.mistake_bound(2)


def test_every_kind_of_column_makes_statements():
    table = pd.DataFrame(
        {
            "owned": [True, False, None, True, False, True],
            "town": ["Bern", "Basel", "Bern", None, "Genève", "Bern"],
            "age": [20.0, 40.0, 60.0, np.nan, 80.0, 40.0],
            "debt": [0.0, 0.0, -3.0, 0.0, 7.0, 0.0],
            "rooms": [3, 4, 4, 3, 3, 4],
            "size": pd.Categorical(["s", "m", "l", None, "m", "s"], categories=["s", "m", "l"], ordered=True),
        }
    )
    table = Table(table)
    model = quietly(Winnow(n_bins=2), table, [1, 0, 1, 0, 1, 0])
    assert model.coefficient_names_ == (
        *("owned=True", "town=Basel", "town=Bern", "town=Genève"),
        *("age in (−∞, 50]", "age in (50, ∞)", "debt<0", "debt>0", "rooms>3.5", "size=s", "size=m", "size=l"),
    )
    assert model._design.encode(table).toarray().astype(int).tolist() == [
        [1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0],
        [0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1],
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0],
    ]
    unseen = {k: [v[0]] for k, v in table.to_dict().items()} | {"town": ["Lugano"]}
    assert model._design.encode(model._matched(unseen)).toarray()[0, 1:4].tolist() == [0, 0, 0]
    (told,) = model.explain(table.rows(3, 4))
    assert "missing, so that nothing is said of it" in str(told)


def test_numbers_are_cut_where_a_row_weighs_half():
    """By rows as often as they weigh; rows without weight have no say, not even of what is mostly 0."""
    x = np.array([[1.0, 0.0], [2.0, 5.0], [3.0, 6.0], [4.0, 7.0], [100.0, 0.0]])
    weights, y = np.array([1, 1, 4, 1, 0]), [0, 1, 0, 1, 1]
    one = quietly(Winnow(n_bins=2), x, y, weights)
    two = quietly(Winnow(n_bins=2), np.repeat(x, weights, axis=0), np.repeat(y, weights))
    assert one.coefficient_names_ == two.coefficient_names_
    assert one.coefficient_names_[:2] == ("x0 in (−∞, 2.5]", "x0 in (2.5, ∞)")
    np.testing.assert_array_equal(one.coef_, two.coef_)
    light = quietly(Winnow(n_bins=2), x, y, [1, 1, 1, 1, 5])  # of the second column most is 0 by weight, not by count
    assert light.coefficient_names_[2:] == ("x1>0",)


def test_the_bound_is_littlestones():
    x, y = disjunction(0, 80, 12, 2)
    for variant, expected in (
        ("winnow1", 3 * 2 * (np.log(6) / np.log(3) + 1) + 2),
        ("winnow2", 4 * 2 * (np.log(6) / np.log(3) + 1) + 3),
    ):
        assert quietly(Winnow(variant=variant, alpha=3.0), x * 1.0, y).mistake_bound(2) == pytest.approx(expected)


def test_a_zero_is_larger_than_two_negative_values_in_a_sparse_matrix_too():
    x, new = np.array([[-2.0], [-1.0], [-2.0], [-1.0]]), np.array([[0.0], [-2.0]])
    model = quietly(Winnow(), csr_matrix(x), [0, 1, 0, 1])
    assert model.predict(csr_matrix(new)).tolist() == model.predict(new).tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(5))
def test_a_sparse_matrix_makes_the_statements_of_its_dense_twin(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(50, 8)) * (rng.random((50, 8)) < rng.random(8))  # from hardly any zero to hardly anything else
    x[:, 0] = -np.abs(x[:, 0])
    x[:, 1] = rng.integers(1, 3, 50)
    x[rng.random((50, 8)) < 0.05] = np.nan
    y = rng.integers(3, size=50)
    dense, sparse = quietly(Winnow(n_bins=4), x, y), quietly(Winnow(n_bins=4), csr_matrix(x), y)
    assert dense.coefficient_names_ == sparse.coefficient_names_
    np.testing.assert_array_equal(dense.coef_, sparse.coef_)
    new = rng.normal(size=(20, 8)) * (rng.random((20, 8)) < 0.5)
    np.testing.assert_array_equal(sparse.decision_function(csr_matrix(new)), dense.decision_function(new))
    np.testing.assert_array_equal(sparse.decision_function(new), dense.decision_function(csr_matrix(new)))


@pytest.mark.costly
def test_a_hundred_thousand_sparse_columns_take_a_moment():
    rng = np.random.default_rng(0)
    x = sparse_random(300, 100_000, density=1e-3, format="csr", rng=rng, data_rvs=lambda k: rng.integers(1, 4, k))
    y = np.arange(300) % 3 == 0
    x = hstack([csr_matrix(y[:, None].astype(float)), x], format="csr")
    model = quietly(Winnow(), x, y)
    assert model.converged_
    assert model.score(x, y) == 1.0
    assert model.n_mistakes_ <= model.mistake_bound(1)


def test_defaults_do_well_on_numbers():
    from learnt import cross_validate, datasets

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert cross_validate(Winnow(), datasets.load("iris"), cv=5).mean("accuracy") > 0.85


def test_bounds_for_more_statements_than_there_are_are_refused():
    x, y = disjunction(0, 50, 5, 1)
    model = quietly(Winnow(), x.astype(float), y)
    for k in (0, 6, 1.5, "two"):
        with pytest.raises(ParameterError, match="k="):
            model.mistake_bound(k)


def test_rows_without_a_true_cell_do_not_hang_even_with_enormous_weights():
    x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    model = quietly(Winnow(max_iter=2), x, [1, 0, 1], [1e15, 1.0, 1e15])
    assert np.isfinite(model.coef_).all()


def test_weights_stay_finite_on_noise():
    rng = np.random.default_rng(3)
    x = (rng.random((500, 5)) < 0.5).astype(float)
    for variant in ("winnow1", "winnow2", "balanced"):
        model = quietly(Winnow(variant=variant, max_iter=500), x, rng.integers(2, size=500))
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.predict_proba(x)).all()
