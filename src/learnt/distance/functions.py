"""The metrics, each as a function of two rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.distance.space import factor
from learnt.errors import InputError, KindError, ParameterError
from learnt.show.words import spell


def manhattan(a: Any, b: Any) -> float:
    """Σ |a_j − b_j|: along the streets.

    >>> manhattan([0, 0], [3, 4])
    7.0
    """
    return float(np.abs(_difference(a, b)).sum())


def euclidean(a: Any, b: Any) -> float:
    """sqrt(Σ (a_j − b_j)²): as the crow flies.

    >>> euclidean([0, 0], [3, 4])
    5.0
    """
    return math.hypot(*_difference(a, b).tolist())


def chebyshev(a: Any, b: Any) -> float:
    """max |a_j − b_j|: the moves of a king.

    >>> chebyshev([0, 0], [3, 4])
    4.0
    """
    return float(np.abs(_difference(a, b)).max())


def minkowski(a: Any, b: Any, p: float) -> float:
    """(Σ |a_j − b_j|^p)^(1/p): Manhattan's for p = 1, Euclid's for 2, Chebyshev's for infinity.

    >>> round(minkowski([0, 0], [3, 4], p=3), 4)
    4.4979
    """
    if not (isinstance(p, (int, float)) and p >= 1):
        raise ParameterError(f"p is {spell(p)}. Expected 1 or more: below 1 there is no triangle inequality.")
    d = np.abs(_difference(a, b))
    largest = float(d.max())
    if largest == 0 or math.isinf(p):
        return largest
    total = float(((d / largest) ** p).sum())  # divided first, that powers may not overflow
    return largest * math.pow(total, 1 / p)


def hamming(a: Sequence[Any], b: Sequence[Any]) -> float:
    """The share of cells that differ, whatever they are: letters, labels, numbers.

    >>> hamming("karolin", "kathrin") * 7
    3.0
    """
    _check_lengths(len(a), len(b))
    return sum(bool(x != y) for x, y in zip(a, b, strict=True)) / len(a)


def cosine(a: Any, b: Any) -> float:
    """1 − a·b / (|a| |b|): 0 for the same direction, 1 at a right angle, 2 for opposite ones; not a true metric.

    A row of zeros has no direction; it is at 1 from all rows, also from one of zeros.

    >>> cosine([1, 0], [0, 3])
    1.0
    """
    x, y = _numbers(a, "first"), _numbers(b, "second")
    _check_lengths(len(x), len(y))
    if not (np.any(x) and np.any(y)):
        return 1.0
    # Half the squared chord between the directions: no digits are lost where they are nearly the same.
    chord = x / np.abs(x).max(), y / np.abs(y).max()
    away = chord[0] / math.hypot(*chord[0].tolist()) - chord[1] / math.hypot(*chord[1].tolist())
    return float(away @ away) / 2


def mahalanobis(a: Any, b: Any, inverse_covariance: Any) -> float:
    """sqrt((a − b)ᵀ S⁻¹ (a − b)): differences measured by how the columns S vary, and vary together.

    >>> mahalanobis([0, 0], [4, 0], [[0.25, 0], [0, 1]])     # a column with the standard deviation 2
    2.0
    """
    d = _difference(a, b)
    turn = factor(inverse_covariance, None)
    if len(turn) != len(d):
        raise InputError(f"The inverse covariance is of {len(turn)} columns, but the rows have {len(d)}.")
    return math.hypot(*(d @ turn).tolist())


def levenshtein(a: str, b: str) -> int:
    """The least number of letters to insert, delete or replace that turns one text into the other.

    >>> levenshtein("kitten", "sitting")
    3
    """
    for text in (a, b):
        if not isinstance(text, str):
            raise KindError(f"levenshtein compares texts, but {text!r} is a {type(text).__name__}.")
    return _core.levenshtein_distance(a, b)


def mixed(a: Sequence[Any], b: Sequence[Any], ranges: Sequence[float | None]) -> float:
    """Σ d_j over columns of any kind: numbers as a share of their range, labels 0 or 1, missing cells 1.

    `ranges` has a number for each column of numbers and None for each column of labels. A cell is
    missing if it is None or NaN; beyond its range a number counts 1, as far as any two labels.

    >>> mixed([1.70, "Bern", None], [1.80, "Basel", "tea"], ranges=[0.5, None, None])
    2.2
    """
    _check_lengths(len(a), len(b))
    if len(ranges) != len(a):
        raise InputError(
            f"There are {len(ranges)} ranges for rows of {len(a)} cells. Give one for each, None for labels."
        )
    return float(sum(_cell(x, y, r) for x, y, r in zip(a, b, ranges, strict=True)))


def _cell(x: Any, y: Any, scale: float | None) -> float:
    if x is None or y is None or x != x or y != y:
        return 1.0
    if scale is None:
        return float(x != y)
    if not (0 <= scale < math.inf):
        raise ParameterError(f"A range is {scale!r}. Expected a finite number of at least 0, or None for labels.")
    return float(x != y) if scale == 0 else min(abs(x - y) / scale, 1.0)


def _difference(a: Any, b: Any) -> Array:
    x, y = _numbers(a, "first"), _numbers(b, "second")
    _check_lengths(len(x), len(y))
    return x - y


def _numbers(row: Any, which: str) -> Array:
    try:
        numbers = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise KindError(
            f"The {which} row is {spell(row)}. Expected numbers; labels and texts need another metric."
        ) from error
    if numbers.ndim != 1:
        raise InputError(f"The {which} row has the shape {numbers.shape}. Expected one row; `pairwise` takes many.")
    if not np.isfinite(numbers).all():
        bad = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(
            f"The {which} row has {numbers[bad]} in column {bad}. Expected finite numbers; "
            "`mixed` takes rows with missing cells."
        )
    return numbers


def _check_lengths(m: int, n: int) -> None:
    if m != n or m == 0:
        raise InputError(f"The rows have {m} and {n} cells. Expected as many in both, and at least one.")
