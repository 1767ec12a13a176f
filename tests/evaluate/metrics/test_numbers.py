"""Metrics of numbers: scikit-learn's and SciPy's numbers on random and degenerate rows, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.peer import numbers, same_as_peer

from learnt.errors import InputError, LearntError
from learnt.evaluate import metrics as m

PLAIN = [
    "mean_squared_error",
    "root_mean_squared_error",
    "mean_absolute_error",
    "median_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_log_error",
    "root_mean_squared_log_error",
    "r2_score",
    "explained_variance_score",
    "d2_absolute_error_score",
    "mean_poisson_deviance",
    "mean_gamma_deviance",
]


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=50, deadline=None)
@given(rows=st.one_of(numbers(), numbers(positive=True)))
def test_errors_are_scikit_learns(name, rows):
    truth, answer, weight = rows
    same_as_peer(getattr(m, name), getattr(sk, name), truth, answer, sample_weight=weight)


@settings(max_examples=50, deadline=None)
@given(rows=numbers(), finite=st.booleans())
def test_explained_shares_are_scikit_learns_where_nothing_varies(rows, finite):
    truth, answer, weight = rows
    for name in ("r2_score", "explained_variance_score"):
        same_as_peer(getattr(m, name), getattr(sk, name), truth, answer, sample_weight=weight, force_finite=finite)


@settings(max_examples=60, deadline=None)
@given(rows=numbers(), alpha=st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1, 2]))
def test_quantile_losses_are_scikit_learns(rows, alpha):
    truth, answer, weight = rows
    for name in ("mean_pinball_loss", "d2_pinball_score"):
        same_as_peer(getattr(m, name), getattr(sk, name), truth, answer, sample_weight=weight, alpha=alpha)


@settings(max_examples=80, deadline=None)
@given(rows=st.one_of(numbers(), numbers(positive=True)), power=st.sampled_from([-1, 0, 0.5, 1, 1.5, 2, 3]))
def test_deviances_are_scikit_learns(rows, power):
    truth, answer, weight = rows
    same_as_peer(
        m.mean_tweedie_deviance, sk.mean_tweedie_deviance, truth, answer, sample_weight=weight, power=power, rtol=1e-11
    )


@settings(max_examples=60, deadline=None)
@given(rows=numbers(positive=True).filter(lambda r: np.ptp(r[0]) > 0), power=st.sampled_from([-1, 0, 1, 1.5, 2, 3]))
def test_the_share_of_deviance_explained_is_scikit_learns(rows, power):
    truth, answer, weight = rows
    counted = truth if weight is None else truth[weight > 0]
    if len(counted) and np.ptp(counted) == 0:
        return  # nothing varies: a difference of roundings divided by another
    same_as_peer(m.d2_tweedie_score, sk.d2_tweedie_score, truth, answer, sample_weight=weight, power=power, rtol=1e-9)


@settings(max_examples=50, deadline=None)
@given(rows=numbers())
def test_the_largest_error_is_scikit_learns(rows):
    same_as_peer(m.max_error, sk.max_error, *rows[:2])


@settings(max_examples=100, deadline=None)
@given(rows=numbers(most=20).filter(lambda r: len(r[0]) > 1))
def test_correlations_are_scipys(rows):
    truth, answer, _ = rows
    constant = np.ptp(truth) == 0 or np.ptp(answer) == 0
    for ours, theirs in (
        (m.pearson_correlation, scipy.stats.pearsonr),
        (m.spearman_correlation, scipy.stats.spearmanr),
    ):
        found = ours(truth, answer)
        assert np.isnan(found) if constant else found == pytest.approx(theirs(truth, answer)[0], abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(rows=numbers().filter(lambda r: r[2] is not None and r[2].dtype.kind == "i" and r[2].sum() > 1))
def test_a_weight_of_two_is_the_row_twice_for_correlations(rows):
    truth, answer, weight = rows
    for function in (m.pearson_correlation, m.spearman_correlation):
        found = function(truth, answer, sample_weight=weight)
        twice = function(np.repeat(truth, weight), np.repeat(answer, weight))
        assert found == pytest.approx(twice, abs=1e-12, nan_ok=True)


def test_pearsons_r_divides_by_the_product_of_the_deviations():
    """cov = 2, sd = √2 and √(26/3): not their sum, nor their squares."""
    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 8.0])
    covariance = ((x - x.mean()) * (y - y.mean())).mean()
    assert m.pearson_correlation(x, y) == pytest.approx(covariance / (x.std() * y.std()), abs=1e-15)


def test_a_constant_with_a_rounded_mean_has_no_correlation():
    """0.1 added up ten times is not 1: a spread of roundings must not look like one."""
    assert np.isnan(m.pearson_correlation([0.1] * 10, np.arange(10)))
    assert np.isnan(m.pearson_correlation([1e10 + 0.1] * 7, np.arange(7)))


def test_large_offsets_lose_no_digits():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=1000)
    answer = truth + rng.normal(size=1000) / 2
    for name in ("r2_score", "explained_variance_score"):
        far, near = (getattr(m, name)(truth + shift, answer + shift) for shift in (1e6, 0))
        assert far == pytest.approx(near, rel=1e-9)


@pytest.mark.parametrize(
    "container",
    [list, np.int8, np.float32, pd.Series, pl.Series, lambda x: np.array(x)[:, None], lambda x: np.array(x, object)],
)
def test_numbers_come_in_any_container(container):
    truth, answer = [3, 1, 2, 7], [2, 1, 4, 8]
    assert m.mean_squared_error(container(truth), container(answer)) == 1.5
    assert m.mean_absolute_error(container(truth), container(answer), sample_weight=container([1, 1, 0, 2])) == 0.75


@pytest.mark.parametrize(
    ("truth", "answer", "words"),
    [
        ([], [], "no rows"),
        ([1, 2], [1], "y_pred 1"),
        ([1, float("nan")], [1, 2], "missing in row 1"),
        ([1, 2], [1, float("-inf")], "infinite in row 1"),
        (["a", "b"], [1, 2], "not a number"),
        ([1, None], [1, 2], "missing in row 1"),
        (pd.Series(["a", "b"]), [1, 2], "numbers"),
        (pl.Series([1, None]), [1, 2], "missing in row 1"),
        (np.ones((2, 2)), np.ones((2, 2)), "shape"),
        ([1j, 2], [1, 2], "numbers"),
    ],
)
@pytest.mark.parametrize("function", [m.mean_squared_error, m.r2_score, m.pearson_correlation])
def test_what_is_no_number_is_refused_in_words(truth, answer, words, function):
    with pytest.raises(InputError, match=words):
        function(truth, answer)


def test_numbers_outside_a_metrics_range_are_refused_in_words():
    for call, words in (
        (lambda: m.mean_squared_log_error([1, -1], [1, 1]), "y_true is -1.0 in row 1"),
        (lambda: m.mean_poisson_deviance([1, 1], [1, 0]), "y_pred is 0.0 in row 1"),
        (lambda: m.mean_poisson_deviance([1, -1], [1, 1]), "y_true"),
        (lambda: m.mean_gamma_deviance([1, 0], [1, 1]), "y_true"),
        (lambda: m.mean_tweedie_deviance([1], [1], power=0.5), "power"),
        (lambda: m.mean_pinball_loss([1], [1], alpha=2), "alpha"),
    ):
        with pytest.raises(LearntError, match=words):
            call()


def test_one_row_leaves_nothing_to_explain_and_that_is_said():
    for function in (m.r2_score, m.d2_absolute_error_score, m.d2_tweedie_score):
        with pytest.warns(m.UndefinedMetricWarning, match="One row"):
            assert np.isnan(function([1], [2]))
