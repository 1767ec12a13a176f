"""The settings of priors, checked when a prior is made: numbers, vectors and covariance matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.learner.parameters import Real, check_parameters
from learnt.show.words import short_repr


def checked_number(owner: str, name: str, value: Any, domain: Real, *, infinity: bool = False) -> float:
    """A number in its domain, as a float; `infinity` allows that too."""
    if infinity and isinstance(value, float) and value == math.inf:
        return math.inf
    check_parameters(owner, {name: domain}, {name: value})
    return float(value)


def checked_vector(owner: str, name: str, value: Any, words: str = "a list of finite numbers") -> Array:
    """A vector of its own, which cannot be changed."""
    vector = _numbers(value)
    if vector is None or vector.ndim != 1 or vector.size == 0 or not np.isfinite(vector).all():
        raise ParameterError(f"{owner}: {name}={short_repr(value)} is not allowed. Expected {words}.")
    return frozen(vector)


def checked_matrix(
    owner: str, name: str, value: Any, size: int, *, singular: bool = False, infinity: bool = False
) -> Array:
    """A symmetric positive definite matrix; a number c stands for c times the identity.

    `singular` allows semidefinite ones, as limits of priors; `infinity` allows ∞ for the flat one.
    """
    matrix = _numbers(value)
    if matrix is not None and matrix.ndim == 0:
        matrix = np.diag(np.full(size, float(matrix)))
    if matrix is None or matrix.shape != (size, size):
        raise ParameterError(
            f"{owner}: {name}={short_repr(value)} is not allowed. "
            f"Expected a matrix of {size} × {size} numbers, or one number for its diagonal."
        )
    if infinity and np.array_equal(matrix, np.diag(np.full(size, np.inf))):
        return frozen(matrix)
    size_of = np.abs(matrix).max()
    if not np.isfinite(size_of) or not np.allclose(matrix, matrix.T, rtol=0, atol=1e-10 * size_of):
        raise ParameterError(f"{owner}: {name} is not a symmetric matrix of finite numbers. Give a covariance.")
    matrix = (matrix + matrix.T) / 2
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    if not (smallest >= -1e-12 * size_of if singular else is_definite(matrix)):
        words = "semidefinite" if singular else "definite"
        raise ParameterError(
            f"{owner}: {name} is not positive {words}: in some direction its variance is {smallest:.3g}. "
            "Expected the covariance of numbers that vary. Leave out columns that repeat others."
        )
    return frozen(matrix)


def is_definite(matrix: Array) -> bool:
    """Whether a symmetric matrix is positive definite beyond rounding, whatever the units of its columns."""
    variance = np.diagonal(matrix)
    if not (variance > 0).all():
        return False
    sd = np.sqrt(variance)
    smallest: float = np.linalg.eigvalsh(matrix / sd / sd[:, None])[0]
    return bool(smallest > len(matrix) * np.finfo(float).eps)


def frozen(array: Array) -> Array:
    own: Array = np.array(array, dtype=np.float64)
    own.flags.writeable = False
    return own


def _numbers(value: Any) -> Array | None:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return None
    return array.astype(np.float64) if array.dtype.kind in "fiu" else None
