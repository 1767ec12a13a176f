"""How much each neighbour counts, by its distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError

#: u = distance / reach, where the reach is the distance of the first row that is no longer a neighbour.
KERNELS: dict[str, Callable[[Array], Array]] = {
    "gaussian": lambda u: np.exp(-2 * u * u),  # half of the reach is one standard deviation
    "tricube": lambda u: np.maximum(1 - u**3, 0) ** 3,
    "epanechnikov": lambda u: np.maximum(1 - u * u, 0),
}
BY_DISTANCE = {"distance": 1, "distance2": 2}
NAMES = ("uniform", *BY_DISTANCE, *KERNELS)


def neighbor_weights(weights: Any, distances: Array, share: Array, reach: Array) -> Array:
    """The weight of each neighbour, rows × places.

    | argument | meaning |
    |---|---|
    | `weights` | a name, or a function of the distances of a row |
    | `distances` | rows × places; infinite where a place is empty |
    | `share` | the weight with which each row takes part, 0 where a place is empty |
    | `reach` | for each row, where kernels end |

    Where neighbours would weigh nothing at all, such as all of them at the reach of a kernel, they weigh the same.
    """
    if weights == "uniform":
        return share
    if callable(weights):
        found = _by_function(weights, distances, share > 0)
    elif weights in BY_DISTANCE:
        found = _by_distance(distances, BY_DISTANCE[weights])
    else:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            u = np.where(reach[:, None] > 0, distances / reach[:, None], distances)
            found = KERNELS[weights](np.minimum(u, 1e100))
    found = found * share
    nothing = ~found.any(axis=1)
    if nothing.any():
        found[nothing] = share[nothing]
    return found


def change_with_k(weights: Any) -> bool:
    """Whether the weight of a neighbour depends on how many there are."""
    return weights != "uniform" and weights not in tuple(BY_DISTANCE)


def _by_distance(distances: Array, power: int) -> Array:
    """1/d or 1/d², relative to the nearest, which neither overflows nor divides by 0; exact matches take all."""
    nearest = distances.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = nearest / distances
    found: Array = np.where(nearest == 0, distances == 0, relative**power)
    return np.where(np.isfinite(distances), found, 0.0)


def _by_function(weights: Callable[[Array], Any], distances: Array, there: Array) -> Array:
    """By a function of the user's: of the whole array if every place is taken, else of one row after another."""
    if there.all():
        return _check_weights(weights(distances), distances)
    found = np.zeros(distances.shape)
    for i, taken in enumerate(there):
        own = distances[i, taken][None, :]
        found[i, taken] = _check_weights(weights(own), own)[0]
    return found


def _check_weights(found: Any, distances: Array) -> Array:
    values = np.asarray(found, dtype=np.float64)
    if values.shape != distances.shape or not np.all((values >= 0) & np.isfinite(values)):
        raise ParameterError(
            f"The function given as weights returned an array of shape {values.shape} for distances of shape "
            f"{distances.shape}. Expected a finite weight of at least 0 for each distance."
        )
    return values
