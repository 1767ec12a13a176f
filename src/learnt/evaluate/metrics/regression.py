"""Errors of predicted numbers, and how much of the truth's variation they explain."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics import numeric
from learnt.evaluate.metrics.inputs import numbers_of, same_length, some_rows, weights_of
from learnt.evaluate.metrics.numeric import explained_share
from learnt.evaluate.metrics.undefined import warn_undefined
from learnt.evaluate.metrics.weighing import mean_of, weighted_mean
from learnt.learner.parameters import Real
from learnt.show.words import spell
from learnt.statistics.quantiles import weighted_quantile

Checked = tuple[Array, Array, Array | None]


def checked_numbers(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Checked:
    """Truth, answer and weights, one of each per row."""
    truth, answer = numbers_of(y_true, "y_true"), numbers_of(y_pred, "y_pred")
    some_rows(len(truth))
    same_length(len(truth), len(answer), "y_pred")
    return truth, answer, weights_of(sample_weight, len(truth))


def mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The mean of (truth − answer)²."""
    return numeric.mse_of(*checked_numbers(y_true, y_pred, sample_weight))


def root_mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The root of the mean of (truth − answer)², in the units of the target.

    >>> root_mean_squared_error([1, 2, 3], [1, 2, 6])
    1.7320508075688772
    """
    return float(np.sqrt(mean_squared_error(y_true, y_pred, sample_weight=sample_weight)))


def mean_absolute_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The mean of |truth − answer|."""
    return numeric.mae_of(*checked_numbers(y_true, y_pred, sample_weight))


def median_absolute_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The median of |truth − answer|: what half of the rows stay below."""
    return numeric.median_error_of(*checked_numbers(y_true, y_pred, sample_weight))


def max_error(y_true: Any, y_pred: Any) -> float:
    """The largest |truth − answer|."""
    return numeric.max_error_of(*checked_numbers(y_true, y_pred))


def mean_absolute_percentage_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The mean of |truth − answer| / |truth|, as a share; huge where the truth is 0."""
    return numeric.percentage_error_of(*checked_numbers(y_true, y_pred, sample_weight))


def mean_squared_log_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The mean of (log(1 + truth) − log(1 + answer))², for numbers above −1."""
    truth, answer, weights = checked_numbers(y_true, y_pred, sample_weight)
    for name, values in (("y_true", truth), ("y_pred", answer)):
        _above(values, name, -1, strictly=True)
    return mean_of(lambda t, a: (np.log1p(t) - np.log1p(a)) ** 2, truth, answer, weights=weights)


def root_mean_squared_log_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The root of `mean_squared_log_error`."""
    return float(np.sqrt(mean_squared_log_error(y_true, y_pred, sample_weight=sample_weight)))


def mean_pinball_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None, alpha: float = 0.5) -> float:
    """α·(truth − answer) where the answer is too low, (1 − α)·(answer − truth) where too high: least at a quantile."""
    truth, answer, weights = checked_numbers(y_true, y_pred, sample_weight)
    return _pinball(truth, answer, _share(alpha), weights)


def _pinball(truth: Array, answer: Array | float, alpha: float, weights: Array | None) -> float:
    def losses(error: Array) -> Array:
        return np.maximum(alpha * error, (alpha - 1) * error)

    if isinstance(answer, float):
        return mean_of(lambda t: losses(t - answer), truth, weights=weights)
    return mean_of(lambda t, a: losses(t - a), truth, answer, weights=weights)


def _share(alpha: float) -> float:
    if alpha not in Real(0, 1):
        raise ParameterError(f"alpha={spell(alpha)} is not allowed. Expected a number from 0 to 1.")
    return float(alpha)


def mean_tweedie_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None, power: float = 0) -> float:
    """Twice the log-likelihood lost against a perfect answer, for a variance that grows as meanᵖ.

    Power 0 is the squared error, 1 Poisson's deviance (counts), 2 the gamma's; between 0 and 1 there is none.
    """
    truth, answer, weights = checked_numbers(y_true, y_pred, sample_weight)
    _check_power(power, truth, answer)
    return mean_of(lambda t, a: _deviances(t, a, power), truth, answer, weights=weights)


def mean_poisson_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """2·mean of truth·log(truth/answer) − truth + answer: for counts, answers above 0."""
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=1)


def mean_gamma_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """2·mean of log(answer/truth) + truth/answer − 1: for numbers above 0 whose spread grows with them."""
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=2)


def _check_power(power: float, truth: Array, answer: Array) -> None:
    if power not in Real() or 0 < power < 1:
        raise ParameterError(f"power={power!r} is not allowed. Expected a number ≤ 0 or ≥ 1.")
    if power != 0:
        _above(answer, "y_pred", 0, strictly=True)
    if power >= 1:
        _above(truth, "y_true", 0, strictly=power >= 2)


def _above(values: Array, name: str, low: float, *, strictly: bool) -> None:
    wrong = values <= low if strictly else values < low
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        words = "above" if strictly else "of at least"
        raise InputError(f"{name} is {values[row]} in row {row}. Expected numbers {words} {low} for this metric.")


def _deviances(y: Array, m: Array | float, p: float) -> Array:
    if p == 0:
        return (y - m) ** 2
    if p == 1:
        log = np.log(np.divide(y, m), out=np.zeros(len(y)), where=y > 0)
        return 2 * (y * log - y + m)
    if p == 2:
        return 2 * (np.log(m / y) + y / m - 1)
    base = np.maximum(y, 0) if p < 0 else y
    deviance: Array = base ** (2 - p) / ((1 - p) * (2 - p)) - y * m ** (1 - p) / (1 - p) + m ** (2 - p) / (2 - p)
    return 2 * deviance


def r2_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, force_finite: bool = True) -> float:
    """R² = 1 − Σ(truth − answer)² / Σ(truth − mean)²: the share of variance explained; 0 for answering the mean.

    >>> r2_score([1, 2, 3], [1, 2, 4])
    0.5

    A target without variance scores 1 when met exactly and 0 otherwise (NaN and −∞ with `force_finite=False`).
    NaN for one row.
    """
    numbers = checked_numbers(y_true, y_pred, sample_weight)
    return float("nan") if _too_few(numbers) else numeric.r2_of(*numbers, force_finite=force_finite)


def explained_variance_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, force_finite: bool = True
) -> float:
    """1 − variance of the errors / variance of the truth: R² that forgives a constant error."""
    return numeric.explained_variance_of(*checked_numbers(y_true, y_pred, sample_weight), force_finite=force_finite)


def _too_few(numbers: Checked) -> bool:
    if len(numbers[0]) > 1:
        return False
    warn_undefined("One row leaves nothing to explain. The score is NaN.")
    return True


def d2_tweedie_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, power: float = 0) -> float:
    """1 − deviance / deviance of answering the mean; see `mean_tweedie_deviance`. NaN for one row."""
    truth, answer, weights = numbers = checked_numbers(y_true, y_pred, sample_weight)
    _check_power(power, truth, answer)
    if _too_few(numbers):
        return float("nan")
    middle = weighted_mean(truth, weights)
    there = mean_of(lambda t: _deviances(t, middle, power), truth, weights=weights)
    lost = mean_of(lambda t, a: _deviances(t, a, power), truth, answer, weights=weights)
    return explained_share(lost, there, force_finite=False)


def d2_pinball_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, alpha: float = 0.5) -> float:
    """1 − pinball loss / pinball loss of answering the quantile α of the truth. NaN for one row."""
    truth, answer, weights = numbers = checked_numbers(y_true, y_pred, sample_weight)
    alpha = _share(alpha)
    if _too_few(numbers):
        return float("nan")
    quantile = weighted_quantile(truth, weights, alpha)
    return explained_share(_pinball(truth, answer, alpha, weights), _pinball(truth, quantile, alpha, weights))


def d2_absolute_error_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """1 − mean absolute error / that of answering the median. NaN for one row."""
    return d2_pinball_score(y_true, y_pred, sample_weight=sample_weight)


def pearson_correlation(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """r = cov(truth, answer) / (sd(truth)·sd(answer)): 1 on a rising line, −1 on a falling one; NaN if one is constant.

    >>> round(pearson_correlation([1, 2, 3, 4], [1, 3, 2, 4]), 3)
    0.8
    """
    return numeric.pearson_of(*checked_numbers(y_true, y_pred, sample_weight))


def spearman_correlation(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Pearson's r of the ranks: 1 where the order is the same; equal values share the mean of their ranks."""
    return numeric.spearman_of(*checked_numbers(y_true, y_pred, sample_weight))
