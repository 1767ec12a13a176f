"""Intervals for what was measured on a sample: shares, mean errors, RMSE, R² and correlations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics import numeric
from learnt.evaluate.metrics.agreement import accuracy_score
from learnt.evaluate.metrics.labels import code_labels
from learnt.evaluate.metrics.per_class import class_tallies
from learnt.evaluate.metrics.regression import checked_numbers
from learnt.evaluate.metrics.studentized import mean_square_factors
from learnt.learner.parameters import Real, Seed, Whole, check_parameters, seed_from
from learnt.show.numbers import number, percent
from learnt.show.words import spell
from learnt.statistics.skewness import skewed_interval

PROPORTION_METHODS = ("wilson", "exact", "jeffreys", "agresti_coull", "normal")


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval that holds the true value in `level` of all samples; unpacks to low and high."""

    estimate: float
    low: float
    high: float
    level: float
    method: str

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return (
            f"{number(self.estimate)}  [{number(self.low)}, {number(self.high)}]  "
            f"({percent(self.level)}, {self.method})"
        )


def tail_of(level: float) -> float:
    """What lies beyond either end of a two-sided interval."""
    if level not in Real(above=0, below=1):
        raise ParameterError(f"level={spell(level)} is not allowed. Expected a number between 0 and 1, such as 0.95.")
    return (1 - level) / 2


def widened_tail(tail: float, n: int) -> float:
    """What to leave out at either end so that n rows drawn anew, which vary by (n − 1)/n of the variance and whose
    spread is an estimate, give intervals as wide as Student's of a mean."""
    from scipy.special import ndtr, stdtrit

    return float(ndtr(math.sqrt(n / (n - 1)) * stdtrit(n - 1, tail))) if n > 1 else tail


def proportion_interval(successes: float, n: float, *, level: float = 0.95, method: str = "wilson") -> Interval:
    """An interval for a share, seen as `successes` out of `n`.

    >>> print(proportion_interval(17, 20))
    0.85  [0.6396, 0.9476]  (95 %, wilson)

    | method | what it is |
    |---|---|
    | `"wilson"` | the shares p for which the sample is no further off than z standard errors of p; good for all n |
    | `"exact"` | Clopper and Pearson: never covers too little, and often too much |
    | `"jeffreys"` | quantiles of Beta(successes + ½, failures + ½); reaches 0 and 1 where all failed or succeeded |
    | `"agresti_coull"` | the normal interval after adding z²/2 successes and failures |
    | `"normal"` | ± z standard errors: in all textbooks, and wrong near 0 and 1 or for small n |

    Reference: L. Brown, T. Cai, A. DasGupta, Interval estimation for a binomial proportion, 2001.
    """
    from scipy.special import betaincinv, ndtri

    if method not in PROPORTION_METHODS:
        raise ParameterError(f"method={method!r} is not allowed. Expected one of {', '.join(PROPORTION_METHODS)}.")
    if not (n > 0 and 0 <= successes <= n and math.isfinite(n)):
        raise InputError(
            f"{spell(successes)} out of {spell(n)} is not a share. Expected 0 ≤ successes ≤ n, with n above 0."
        )
    tail, k, share = tail_of(level), float(successes), float(successes) / float(n)
    z = float(-ndtri(tail))
    if method == "exact":
        low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
        high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    elif method == "jeffreys":
        low = float(betaincinv(k + 0.5, n - k + 0.5, tail)) if k > 0 else 0.0
        high = float(betaincinv(k + 0.5, n - k + 0.5, 1 - tail)) if k < n else 1.0
    else:
        size = n + z * z
        middle = share if method == "normal" else (k + z * z / 2) / size
        if method == "wilson":
            half = z / size * math.sqrt(k * (n - k) / n + z * z / 4)
        else:
            half = z * math.sqrt(middle * (1 - middle) / (n if method == "normal" else size))
        low, high = max(0.0, middle - half), min(1.0, middle + half)
        if method == "wilson":  # the ends are exactly 0 and 1 there, up to rounding
            low, high = 0.0 if k == 0 else low, 1.0 if k == n else high
    return Interval(share, low, high, level, method)


def accuracy_interval(y_true: Any, y_pred: Any, *, level: float = 0.95, method: str = "wilson") -> Interval:
    """An interval for the accuracy on rows drawn as these were; see `proportion_interval`."""
    right = accuracy_score(y_true, y_pred, normalize=False)
    return proportion_interval(right, len(code_labels(y_true=y_true).truth), level=level, method=method)


def precision_interval(
    y_true: Any, y_pred: Any, *, pos_label: Any = 1, level: float = 0.95, method: str = "wilson"
) -> Interval:
    """An interval for the precision of the class `pos_label` among two; see `proportion_interval`."""
    tally = class_tallies(y_true, y_pred, None, pos_label, "binary", None)
    return proportion_interval(tally.hits[0], tally.answered[0], level=level, method=method)


def recall_interval(
    y_true: Any, y_pred: Any, *, pos_label: Any = 1, level: float = 0.95, method: str = "wilson"
) -> Interval:
    """An interval for the recall of the class `pos_label` among two; see `proportion_interval`."""
    tally = class_tallies(y_true, y_pred, None, pos_label, "binary", None)
    return proportion_interval(tally.hits[0], tally.true[0], level=level, method=method)


def mean_error_interval(y_true: Any, y_pred: Any, *, of: str = "absolute", level: float = 0.95) -> Interval:
    """An interval for the mean error: its size ("absolute"), its square ("squared") or its sign ("signed", answer −
    truth: whether answers are too high on average).

    Of signed errors it is Student's t. Sizes and squares are skewed, large ones being rare, which t makes too little
    of: there t is that of the mean after Hall's transformation, which takes the skewness out.

    Reference: P. Hall, On the removal of skewness by transformation, JRSS B 54, 1992.
    """
    from scipy.special import stdtrit

    truth, answer, _ = checked_numbers(y_true, y_pred)
    tail, n = tail_of(level), len(truth)
    error = answer - truth
    if of not in ("absolute", "squared", "signed"):
        raise ParameterError(f"of={of!r} is not allowed. Expected 'absolute', 'squared' or 'signed'.")
    values = np.abs(error) if of == "absolute" else error * error if of == "squared" else error
    need_rows(n, 2)
    mean, spread = float(values.mean()), float(values.std(ddof=1))
    if of == "signed" or spread == 0:
        reach = float(stdtrit(n - 1, 1 - tail)) / math.sqrt(n) * spread
        return Interval(mean, mean - reach, mean + reach, level, "t")
    low, high = skewed_interval(values, level)
    return Interval(mean, max(0.0, low), high, level, "hall")


def rmse_interval(
    y_true: Any,
    y_pred: Any,
    *,
    level: float = 0.95,
    method: str = "chi2",
    n_resamples: int = 2000,
    random_state: Any = 0,
) -> Interval:
    """An interval for the root mean squared error.

        "chi2":  RMSE·√(n/χ²_{1−α/2}) … RMSE·√(n/χ²_{α/2}),   n degrees of freedom

    which is exact for independent normal errors around 0, and too narrow for errors with heavy tails;
    "bootstrap" asks nothing of the errors but enough rows: it draws them anew, and studentizes the logarithm.
    """
    truth, answer, _ = checked_numbers(y_true, y_pred)
    rmse = known_figure("rmse", math.sqrt(numeric.mse_of(truth, answer)))
    if _is_bootstrap(method, "chi2"):
        low, high = _factors(truth - answer, None, level, n_resamples, random_state)
    else:
        low, high = _stretch(len(truth), level)
    return Interval(rmse, rmse * math.sqrt(low), rmse * math.sqrt(high), level, method)


def r2_interval(
    y_true: Any,
    y_pred: Any,
    *,
    level: float = 0.95,
    method: str = "jackknife",
    n_resamples: int = 2000,
    random_state: Any = 0,
) -> Interval:
    """An interval for R² = 1 − (mean squared error) / (variance of the truth), of which both vary by sample.

    "jackknife" leaves out each row once and sees how far log(1 − R²) moves, s its standard error so found:
    1 − (1 − R²)·exp(±t·s), t of Student with n − 1 degrees. It asks of the errors no more than a finite kurtosis.
    "bootstrap" draws the rows anew, and studentizes the same logarithm.
    """
    from scipy.special import stdtrit

    truth, answer, _ = checked_numbers(y_true, y_pred)
    need_rows(len(truth), 2)
    r2 = known_figure("r2", numeric.r2_of(truth, answer))
    if _is_bootstrap(method, "jackknife"):
        low, high = _factors(truth - answer, truth, level, n_resamples, random_state)
    else:
        reach = float(-stdtrit(len(truth) - 1, tail_of(level))) * _error_of_log_ratio(truth, answer)
        low, high = math.exp(-reach), math.exp(reach)
    return Interval(r2, 1 - (1 - r2) * high, 1 - (1 - r2) * low, level, method)


def _error_of_log_ratio(truth: Array, answer: Array) -> float:
    """The standard error of log(mean squared error / variance of the truth), by leaving out each row once; 0 where
    there is no error or no variance at all."""
    n = len(truth)
    errors, spread = (truth - answer) ** 2, (truth - truth.mean()) ** 2
    error, variance = float(errors.mean()), float(spread.mean())
    if error == 0 or variance == 0:
        return 0.0
    without = n * error - errors, n * variance - spread * n / (n - 1)  # (n − 1) times each, without the row
    if min(float(left.min()) for left in without) <= 1e-12 * n * min(error, variance):
        moves = errors / error - spread / variance  # by derivatives: of one row alone is all the error or variance
    else:
        moves = (n - 1) * (np.log(without[0]) - np.log(without[1]))
        moves = moves - moves.mean()
    return math.sqrt(float(moves @ moves) / (n * (n - 1)))


def _is_bootstrap(method: str, other: str) -> bool:
    if method not in (other, "bootstrap"):
        raise ParameterError(f"method={method!r} is not allowed. Expected {other!r} or 'bootstrap'.")
    return method == "bootstrap"


def _factors(
    errors: Array, truth: Array | None, level: float, n_resamples: int, random_state: Any
) -> tuple[float, float]:
    """How many times the mean squared error, or its share of the variance, may be what it is here: by resamples."""
    need_rows(len(errors), 3)  # two rows drawn anew are the same two, or one of them twice
    settings = {"n_resamples": n_resamples, "random_state": random_state}
    check_parameters("method='bootstrap'", {"n_resamples": Whole(2), "random_state": Seed()}, settings)
    rng, tail = np.random.default_rng(seed_from(random_state)), widened_tail(tail_of(level), len(errors))
    return mean_square_factors(errors, truth, tail, n_resamples, rng)


def _stretch(n: int, level: float) -> tuple[float, float]:
    """The least and the most by which the mean square of n normal errors falls short of their variance."""
    from scipy.special import chdtri

    tail = tail_of(level)
    return n / float(chdtri(n, tail)), n / float(chdtri(n, 1 - tail))


def pearson_interval(y_true: Any, y_pred: Any, *, level: float = 0.95) -> Interval:
    """An interval for Pearson's r by Fisher's z: tanh(artanh r ± z/√(n − 3)), for four rows or more."""
    from scipy.special import ndtri

    truth, answer, _ = checked_numbers(y_true, y_pred)
    need_rows(len(truth), 4)
    r = numeric.pearson_of(truth, answer)
    half = float(-ndtri(tail_of(level))) / math.sqrt(len(truth) - 3)
    if abs(r) == 1:  # artanh is infinite there, and so is every interval around it
        return Interval(r, r, r, level, "fisher")
    return Interval(r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half), level, "fisher")


def known_figure(name: str, value: float) -> float:
    if not math.isfinite(value):
        how = "infinite" if math.isinf(value) else "undefined"
        raise InputError(f"The metric {name!r} is {how} for these rows. Choose another.")
    return value


def need_rows(n: int, least: int) -> None:
    if n < least:
        raise InputError(f"There are {n} rows. Expected at least {least} for an interval.")
