"""Intervals of metrics, and the test of two areas."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import ndtr, ndtri

from calibration import group, holds, one_by_one
from learnt import LinearRegression, LogisticRegression
from learnt.describe import confidence_limits
from learnt.evaluate import (
    METRICS,
    accuracy_interval,
    auc_interval,
    bootstrap_interval,
    delong_test,
    mean_error_interval,
    pearson_interval,
    precision_interval,
    proportion_interval,
    r2_interval,
    recall_interval,
    rmse_interval,
)
from learnt.evaluate.new_rows import judge
from learnt.evaluate.problem import problem

METHODS = ("wilson", "exact", "jeffreys", "agresti_coull", "normal")
RESAMPLES = 1000
STEPS = "cautious: it counts rows, and moves in steps"


# Counts come in steps, so that the coverage of one share jumps about with n. Over a range of shares the jumps cancel.
@group(
    "a share drawn from .5 to .95, seen in n rows",
    known={
        "proportion_interval(method='exact')": "cautious: never holds it too rarely, and so too often",
        "proportion_interval(method='normal')": "too narrow, as its page says",
    },
)
@one_by_one
def shares(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    share = rng.uniform(0.5, 0.95)
    k = int(rng.binomial(n, share))
    return {f"proportion_interval(method='{m}')": holds(_of_share(k, n, m), share) for m in METHODS}


@cache
def _of_share(k: int, n: int, method: str) -> tuple[float, float]:
    low, high = proportion_interval(k, n, method=method)
    return low, high


@group("answers to n rows of two classes, right with a probability drawn from .5 to .95")
@one_by_one
def answers(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    share = rng.uniform(0.5, 0.95)
    truth = rng.integers(0, 2, n)
    answer = np.where(rng.random(n) < share, truth, 1 - truth)
    # Half the rows are positive, and answers as often right in both classes: all three are that share.
    return {
        "accuracy_interval": holds(accuracy_interval(truth, answer), share),
        "precision_interval": holds(precision_interval(truth, answer), share),
        "recall_interval": holds(recall_interval(truth, answer), share),
    }


@group("Gaussian errors, R² = ½")
@one_by_one
def errors(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    answer, error = rng.normal(size=(2, n))
    truth = answer + error
    return {
        "mean_error_interval": holds(mean_error_interval(truth, answer), math.sqrt(2 / math.pi)),
        "mean_error_interval(of='squared')": holds(mean_error_interval(truth, answer, of="squared"), 1.0),
        "mean_error_interval(of='signed')": holds(mean_error_interval(truth, answer, of="signed"), 0.0),
        "rmse_interval": holds(rmse_interval(truth, answer), 1.0),
        "r2_interval": holds(r2_interval(truth, answer), 0.5),
        "pearson_interval": holds(pearson_interval(truth, answer), math.sqrt(0.5)),
        "describe.confidence_limits": holds(confidence_limits(error), 0.0),
    }


def _scores(rng: np.random.Generator, n: int, area: float) -> tuple[np.ndarray, np.ndarray]:
    """Classes by turns, and two scores of the same area that correlate by ½."""
    y = np.arange(n) % 2
    shared = rng.normal(size=n)
    noise = math.sqrt(0.5) * (shared + rng.normal(size=(2, n)))
    return y, math.sqrt(2) * float(ndtri(area)) * y + noise


@group(
    "Gaussian scores of n rows, half of them positive; area .8",
    known={"auc_interval(method='delong')": "too narrow for few rows, as its page says"},
)
@one_by_one
def areas(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    y, (a, b) = _scores(rng, n, 0.8)
    test = delong_test(y, a, b)
    return {
        "auc_interval": holds(auc_interval(y, a), 0.8),
        "auc_interval(method='delong')": holds(auc_interval(y, a, method="delong"), 0.8),
        "delong_test": test.p_value,
        "delong_test().interval": holds(test.interval, 0.0),
    }


@group(
    "Gaussian scores of n rows, half of them positive; area .95",
    known={
        "auc_interval, area .95": "cautious near 1: of few rows, hardly one is out of place",
        "delong_test, area .95": "cautious: of few rows, hardly one is out of place",
    },
)
@one_by_one
def high_areas(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    y, (a, b) = _scores(rng, n, 0.95)
    test = delong_test(y, a, b)
    return {
        "auc_interval, area .95": holds(auc_interval(y, a), 0.95),
        "delong_test, area .95": test.p_value,
    }


@group(
    "answers right with a probability drawn from .5 to .95, and Gaussian errors: rows drawn anew",
    known={"bootstrap_interval('accuracy')": STEPS, "bootstrap_interval('f1')": STEPS},
)
@one_by_one
def bootstrap(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    answer, error = rng.normal(size=(2, n))
    truth = answer + error
    share, label = rng.uniform(0.5, 0.95), rng.integers(0, 2, n)
    guess = np.where(rng.random(n) < share, label, 1 - label)  # of both classes as many are right: F₁ is that share
    drawing = {"n_resamples": RESAMPLES, "random_state": int(rng.integers(2**31))}
    size = math.sqrt(2 / math.pi)
    asked = {
        "bootstrap_interval('accuracy')": (bootstrap_interval("accuracy", label, guess, **drawing), share),
        "bootstrap_interval('f1')": (bootstrap_interval("f1", label, guess, **drawing), share),
        "bootstrap_interval('mae')": (bootstrap_interval("mae", truth, answer, **drawing), size),
        "bootstrap_interval('mae', method='percentile')": (
            bootstrap_interval("mae", truth, answer, method="percentile", **drawing),
            size,
        ),
        "rmse_interval(method='bootstrap')": (rmse_interval(truth, answer, method="bootstrap", **drawing), 1.0),
        "r2_interval(method='bootstrap')": (r2_interval(truth, answer, method="bootstrap", **drawing), 0.5),
    }
    return {name: holds(interval, value) for name, (interval, value) in asked.items()}


@group("Gaussian scores of n rows, half of them positive; area .8: rows drawn anew")
@one_by_one
def bootstrap_of_areas(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    y, (a, _) = _scores(rng, n, 0.8)
    return {
        "auc_interval(method='bootstrap')": holds(auc_interval(y, a, method="bootstrap", n_resamples=RESAMPLES), 0.8)
    }


@cache
def _models() -> tuple[LinearRegression, LogisticRegression, float]:
    """A regressor that answers x, a classifier of scores of area .8, and the accuracy of its cut."""
    line = np.arange(10.0)
    rng, y = np.random.default_rng(0), np.arange(1000) % 2
    apart = math.sqrt(2) * float(ndtri(0.8))
    classifier = LogisticRegression().fit({"x": rng.normal(apart * y)}, y)
    cut = -float(classifier.intercept_[0] / classifier.coef_[0, 0])
    return LinearRegression().fit({"x": line}, line), classifier, float(ndtr(cut) + ndtr(apart - cut)) / 2


@group("the answers of a fitted model to n new rows; Gaussian errors, R² = ½; scores of area .8")
@one_by_one
def figures(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    numbers, classes, accuracy = _models()
    answer, error = rng.normal(size=(2, n))
    y, (score, _) = _scores(rng, n, 0.8)
    truths = {"mae": math.sqrt(2 / math.pi), "mse": 1.0, "rmse": 1.0, "r2": 0.5, "pearson": math.sqrt(0.5)}
    shares = {"accuracy": accuracy, "auc": 0.8}
    asked = [
        (judge(numbers, problem({"x": answer}, answer + error), [METRICS[m] for m in truths]), truths),
        (judge(classes, problem({"x": score}, y), [METRICS[m] for m in shares]), shares),
    ]
    return {
        f"`learnt test`, {f.metric.name}": holds((f.low, f.high), truth[f.metric.name])
        for judged, truth in asked
        for f in judged.figures
    }
