"""The monotone curve from dissimilarities to distances that non-metric scaling draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.storable import storable


@storable
@dataclass(frozen=True)
class Curve:
    """Corners of a rising line: `heights` at `places`, straight between them, in proportion beyond the last."""

    places: Array
    heights: Array

    def __post_init__(self) -> None:
        rising = self.places.ndim == 1 and self.places.shape == self.heights.shape and len(self.places) > 0
        if not rising or np.any(np.diff(self.places) < 0) or np.any(np.diff(self.heights) < 0):
            raise ValueError("A curve needs places and heights that rise.")

    def of(self, values: Array) -> Array:
        """The height of the curve at each value."""
        last = float(self.places[-1])
        found: Array = np.interp(values, self.places, self.heights)
        if last > 0:
            found = np.where(values > last, values / last * self.heights[-1], found)
        return found


def fitted_curve(wanted: Array, x: Array, weights: Array) -> Curve:
    """The rising curve of the dissimilarities nearest to the distances of x, as large in all as the dissimilarities.

    Equal dissimilarities share a height (Kruskal's secondary approach): a curve that new rows can be read from.
    """
    from scipy.optimize import isotonic_regression
    from scipy.spatial.distance import pdist

    upper = np.triu_indices(len(x), 1)
    values, d, w = wanted[upper], pdist(x), weights[upper[0]] * weights[upper[1]]
    if len(values) == 0:
        return Curve(np.zeros(1), np.zeros(1))
    places, group = np.unique(values, return_inverse=True)
    weight = np.bincount(group, weights=w)
    height = np.bincount(group, weights=w * d) / weight
    risen = np.asarray(isotonic_regression(height, weights=weight).x)
    size, aim = float(weight @ risen**2), float(weight @ places**2)
    if size > 0:
        risen = risen * np.sqrt(aim / size)
    # Inside a flat stretch nothing need be kept: its ends say it all.
    inner = np.zeros(len(risen), dtype=bool)
    inner[1:-1] = (risen[1:-1] == risen[:-2]) & (risen[1:-1] == risen[2:])
    places, risen = places[~inner], risen[~inner]
    if places[0] > 0:  # a new row may lie nearer to another than any two fitted ones
        places, risen = np.append(0.0, places), np.append(0.0, risen)
    return Curve(places, risen)
