"""Parameters a user gives to start from, checked and brought into z."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cluster.mixture.view import MixtureView
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain


class _Numbers(Domain):
    words = "None or an array of numbers"

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        if isinstance(value, str | bytes | dict):
            return False
        try:
            array = np.asarray(value)
        except ValueError:  # rows of different lengths
            return False
        return array.ndim > 0 and array.size > 0 and array.dtype.kind in "fiu" and bool(np.isfinite(array).all())


#: What `weights_init` and `precisions_init` may be.
GIVEN = _Numbers()


def given_weights(given: Any, k: int, otherwise: Array) -> Array:
    if given is None:
        return otherwise
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (k,) or (weights < 0).any() or not np.isclose(weights.sum(), 1, rtol=1e-6):
        raise ParameterError(
            f"weights_init has the shape {weights.shape} and the sum {weights.sum():.6g}. Expected {k} numbers, none "
            "below 0, that sum to 1."
        )
    scaled: Array = weights / weights.sum()
    return scaled


def given_means(given: Any, k: int, schema: Schema, view: MixtureView, otherwise: Array) -> Array:
    if given is None:
        return otherwise
    table = Table(given)
    if table.shape != (k, len(schema)):
        raise ParameterError(
            f"means_init has shape {table.shape}. Expected one row per component in the columns of the table: "
            f"({k}, {len(schema)})."
        )
    mean = view.scaled(view.cells(table.matched(schema)))
    if not np.isfinite(mean).all():
        raise ParameterError("means_init has missing or infinite cells. Expected numbers only.")
    return np.ascontiguousarray(mean)


def given_covariances(given: Any, shape: str, view: MixtureView, k: int, otherwise: Array) -> Array:
    """Covariances in z (or variances, for shapes without correlations), from given precisions."""
    if given is None:
        return otherwise
    precision = np.asarray(given, dtype=np.float64)
    p = len(view.numbers)
    wanted = {"full": (k, p, p), "tied": (p, p), "diag": (k, p), "spherical": (k,)}[shape]
    if precision.shape != wanted:
        raise ParameterError(
            f"precisions_init has shape {precision.shape}. Expected {wanted} for {shape!r} covariances."
        )
    if shape in ("diag", "spherical"):
        if (precision <= 0).any():
            raise ParameterError("precisions_init has a number that is not above 0.")
        variance = view.scale**2 / (precision if shape == "diag" else precision[:, None])
        return np.ascontiguousarray(np.broadcast_to(variance, (k, p)))
    unit = 1 / view.scale
    whole = np.atleast_3d(precision.reshape(-1, p, p)) * np.outer(unit, unit)
    try:
        if not np.allclose(whole, whole.swapaxes(1, 2), rtol=1e-6):
            raise np.linalg.LinAlgError
        np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:
        raise ParameterError("precisions_init is not symmetric and positive definite.") from None
    covariance = np.linalg.inv(whole)
    return np.ascontiguousarray((covariance + covariance.swapaxes(1, 2)) / 2)
