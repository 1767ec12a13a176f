"""Scores as the tests take them: paired, with folds that were not run left out, and freed of rounding noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.learner.parameters import Domain, OneOf, Real, check_parameters
from learnt.show.words import spell

#: Differences below this share of the largest score are rounding, not differences.
ROUNDING = 1e-12

ALPHA = Real(above=0, below=1)
TAIL = OneOf("two", "greater", "less")


def check_test(owner: str, *, alpha: float, tail: str = "two", **more: tuple[Domain, Any]) -> None:
    """Raise for a level, a tail or a further setting outside its domain."""
    domains = {"alpha": ALPHA, "tail": TAIL} | {name: domain for name, (domain, _) in more.items()}
    values = {"alpha": alpha, "tail": tail} | {name: value for name, (_, value) in more.items()}
    check_parameters(owner, domains, values)


def score_array(scores: Any, what: str = "The scores") -> Array:
    """One score per fold or data set; NaN where there is none."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} are not numbers. Expected one number per fold or data set.") from None
    if values.ndim != 1:
        raise InputError(f"{what} have shape {values.shape}. Expected one number per fold or data set.")
    return values


def pair_differences(first: Any, second: Any) -> tuple[Array, int]:
    """first − second where both are known, and how many pairs were left out."""
    a, b = score_array(first, "The first scores"), score_array(second, "The second scores")
    if a.shape != b.shape:
        raise InputError(
            f"There are {len(a)} first and {len(b)} second scores. Expected pairs, measured on the same folds or data "
            "sets in the same order."
        )
    for values in (a, b):
        if np.isinf(values).any():
            place = int(np.flatnonzero(np.isinf(values))[0])
            raise InputError(
                f"Score {place} is infinite. Expected finite scores, or NaN for folds without one. "
                "Use sign_test, which asks only which is larger, or a metric that stays finite."
            )
    known = ~(np.isnan(a) | np.isnan(b))
    return without_rounding(a[known], b[known]), int((~known).sum())


def without_rounding(a: Array, b: Array) -> Array:
    """a − b, exactly 0 where they differ by rounding only."""
    difference = a - b
    scale = float(max(np.abs(a).max(initial=0), np.abs(b).max(initial=0)))
    difference[np.abs(difference) <= ROUNDING * scale] = 0.0
    return difference


def deviation(values: Array, scale: float) -> float:
    """The standard deviation (n − 1), exactly 0 where values differ by rounding only."""
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return 0.0 if spread <= ROUNDING * scale else spread


def score_matrix(scores: Any, owner: str) -> tuple[list[str], Array, int]:
    """Names, data sets × learners, and how many data sets were left out because a score is missing.

    `scores` is a dict of one list per learner, a frame with a column per learner, or a matrix.
    """
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        keys = list(scores if isinstance(scores, Mapping) else scores.columns)
        names = list(map(str, keys))
        columns = [score_array(scores[key], f"The scores of {key!r}") for key in keys]
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise InputError(f"{owner}: learners have {sorted(lengths)} scores. Expected one on each data set.")
        matrix = np.column_stack(columns) if columns else np.empty((0, 0))
    else:
        matrix = np.asarray(scores, dtype=np.float64)
        if matrix.ndim != 2:
            raise InputError(f"{owner}: scores of shape {matrix.shape}. Expected data sets × learners.")
        names = [str(j) for j in range(matrix.shape[1])]
    known = ~np.isnan(matrix).any(axis=1)
    return names, matrix[known], int((~known).sum())


def test_to_train(n_train: Any, n_test: Any) -> float:
    """n_test / n_train, averaged over folds where they differ."""
    train, test = np.asarray(n_train, dtype=np.float64), np.asarray(n_test, dtype=np.float64)
    if train.ndim > 1 or test.ndim > 1 or not (train > 0).all() or not (test > 0).all() or not train.size * test.size:
        raise InputError(
            f"n_train={spell(n_train)} and n_test={spell(n_test)} are not sizes. Expected the rows of a fold's "
            "training and test part, both above 0."
        )
    return float(np.mean(test / train))
