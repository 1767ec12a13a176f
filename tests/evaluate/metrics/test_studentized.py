"""The bootstrap that studentizes, against loops, numeric derivatives and the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from learnt.errors import InputError, ParameterError
from learnt.evaluate import metrics as m
from learnt.evaluate.metrics.studentized import at_a_time, drawn_rows
from learnt.learner.parameters import seed_from

LOGS = {
    "rmse": lambda truth, answer, counts: math.log(m.mean_squared_error(truth, answer, sample_weight=counts)),
    "r2": lambda truth, answer, counts: math.log(1 - m.r2_score(truth, answer, sample_weight=counts)),
}


def log_and_error(name, truth, answer, counts):
    """The logarithm, and its standard error from how much a little more weight of each row moves it."""
    n, step, log = len(truth), 1e-5, LOGS[name]
    at = log(truth, answer, counts)
    moves = []
    for row in range(n):
        more, less = counts.astype(float), counts.astype(float)
        more[row] += step
        less[row] = max(less[row] - step, 0)
        moves.append(n * (log(truth, answer, more) - log(truth, answer, less)) / (more[row] - less[row]))
    return at, math.sqrt((counts * np.array(moves) ** 2).sum()) / n


@pytest.mark.parametrize("name", LOGS)
def test_resamples_are_off_by_so_many_of_their_own_standard_errors(name):
    rng = np.random.default_rng(8)
    answer = rng.normal(size=15)
    truth = answer + rng.laplace(0, 0.5, 15)
    at, error = log_and_error(name, truth, answer, np.ones(15))
    off = []
    for rows in drawn_rows(np.random.default_rng(seed_from(3)), 15, 60):
        for drawn in rows:
            log, own = log_and_error(name, truth, answer, np.bincount(drawn, minlength=15))
            off.append((log - at) / own)
    assert len(off) == 60
    tail = scipy.stats.norm.sf(math.sqrt(15 / 14) * scipy.stats.t.ppf(0.95, 14))
    most, least = np.quantile(off, [1 - tail, tail])
    ask = m.rmse_interval if name == "rmse" else m.r2_interval
    found = ask(truth, answer, level=0.9, method="bootstrap", n_resamples=60, random_state=3)
    low, high = math.exp(at - most * error), math.exp(at - least * error)
    expected = (math.sqrt(low), math.sqrt(high)) if name == "rmse" else (1 - high, 1 - low)
    assert tuple(found) == pytest.approx(expected, rel=1e-5)
    assert found.estimate == pytest.approx(math.exp(at / 2) if name == "rmse" else 1 - math.exp(at))


@pytest.mark.parametrize("name", LOGS)
def test_few_rows_of_skewed_errors_have_intervals_that_are_wide_enough(name):
    """Of 2,000 samples .95 is off by .005. Percentiles corrected by BCa held 92.2 % of RMSE."""
    rng, held = np.random.default_rng(1), 0
    ask, right = (m.rmse_interval, 1.0) if name == "rmse" else (m.r2_interval, 0.5)
    for _ in range(2000):
        answer, error = rng.normal(size=(2, 30))
        held += right in ask(answer + error, answer, method="bootstrap", n_resamples=500)
    assert 0.932 <= held / 2000 <= 0.968


def test_units_do_not_matter_even_where_squares_would_overflow():
    rng = np.random.default_rng(2)
    answer = rng.normal(size=20)
    truth = answer + rng.normal(size=20)
    for ask in (m.rmse_interval, m.r2_interval):
        plain, small = (ask(truth * unit, answer * unit, method="bootstrap") for unit in (1, 1e-140))
        unit = 1e-140 if ask is m.rmse_interval else 1
        assert tuple(small) == pytest.approx(tuple(unit * end for end in plain))


def test_without_any_error_or_any_variance_there_is_a_point():
    same = [1.0, 2.0, 3.0, 4.0]
    assert tuple(m.rmse_interval(same, same, method="bootstrap")) == (0, 0)
    assert tuple(m.r2_interval(same, same, method="bootstrap")) == (1, 1)
    assert tuple(m.r2_interval([1, 1, 1], [1, 2, 3], method="bootstrap")) == (0, 0)
    low, high = m.rmse_interval([0, 0, 0, 0], [1, 1, 1, 1], method="bootstrap")
    assert (low, high) == (1, 1)


def test_pieces_are_all_the_resamples_and_stay_small():
    assert list(at_a_time(10, 7)) == [7]
    assert sum(at_a_time(1000, 2001)) == 2001
    assert max(at_a_time(1000, 2001)) <= 100
    assert list(at_a_time(10**6, 3)) == [1, 1, 1]


def test_areas_of_resamples_are_those_of_rows_drawn_anew_one_by_one():
    rng = np.random.default_rng(4)
    y = np.arange(60) % 3 == 0
    score = np.round(rng.normal(y * 1.0, 1), 1)  # with ties
    found = m.auc_interval(y, score, method="bootstrap", n_resamples=20_000)
    areas = []
    for _ in range(4000):
        rows = np.concatenate([rng.choice(np.flatnonzero(own), own.sum()) for own in (y, ~y)])
        areas.append(m.roc_auc_score(y[rows], score[rows]))
    tail = scipy.stats.norm.sf(math.sqrt(60 / 59) * scipy.stats.t.ppf(0.975, 59))
    assert tuple(found) == pytest.approx(tuple(np.quantile(areas, [tail, 1 - tail])), abs=0.01)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: m.rmse_interval([1, 2], [1, 3], method="bootstrap"), "There are 2 rows. Expected at least 3"),
        (lambda: m.r2_interval([1, 2], [1, 3], method="bootstrap"), "There are 2 rows. Expected at least 3"),
        (lambda: m.bootstrap_interval("mae", [1.0], [2.0]), "There are 1 rows. Expected at least 2"),
        (lambda: m.bootstrap_interval("accuracy", ["a"], ["a"]), "There are 1 rows. Expected at least 2"),
        (lambda: m.r2_interval([1, 2, 3], [1, 3, 5], method="bootstrap", n_resamples=1), "n_resamples=1"),
    ],
)
def test_too_few_rows_or_resamples_are_refused_in_words(call, words):
    with pytest.raises((InputError, ParameterError), match=words):
        call()


@pytest.mark.filterwarnings("ignore:overflow")
def test_squares_beyond_all_numbers_are_said_and_not_an_interval():
    far = np.array([1e200, 2e200, 3e200, 5e200])
    for call in (m.rmse_interval, lambda t, a: m.bootstrap_interval("mse", t, a)):
        with pytest.raises(InputError, match="is infinite for these rows"):
            call(far, far * 0.9)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_means_of_very_few_losses_have_an_interval(n):
    error = np.arange(1.0, n + 1)
    for method in ("bca", "percentile"):
        low, high = m.bootstrap_interval("mae", np.zeros(n), error, method=method)
        assert 1 <= low < error.mean() < high <= n
