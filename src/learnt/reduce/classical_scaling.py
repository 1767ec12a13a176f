"""Classical scaling: coordinates whose distances are those given, as far as so few of them can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.reduce.axes import fix_signs
from learnt.reduce.leading import drive, leading
from learnt.storable import storable

#: Up to so many rows all eigenvalues are found, beyond only those that are asked for.
_SMALL = 500


@storable
@dataclass(frozen=True)
class ClassicalScaling:
    """B = −½ J D² J = Σ λ u uᵀ with J = 1 − 1 wᵀ/Σw;  coordinates √λ u.

    `level` is the weighted mean of squared distances from each row. Gower's formula puts new rows among the others:

        x = (d² − level) · projector,      projector = −½ w u / √λ

    since the columns of the projector add up to 0, further constants of a row have no say.
    """

    level: Array
    projector: Array

    def place(self, squares: Array) -> Array:
        """Coordinates of rows by their squared distances from the fitted ones."""
        out = np.empty((len(squares), self.projector.shape[1]))
        _core.project_rows(np.ascontiguousarray(squares), self.level, self.projector, out)
        return out


def classical_scaling(squares: Array, weights: Array, count: int, seed: int) -> tuple[Array, Array, ClassicalScaling]:
    """Coordinates and eigenvalues from squared distances of all pairs, and how new rows are placed.

    Axes without extent are 0.
    """
    n, share = len(squares), weights / weights.sum()
    level = squares @ share
    grand, root = float(level @ share), np.sqrt(weights)

    def multiply(q: Array) -> Array:
        """√w B √w q, without B."""
        y = root[:, None] * q
        total = y.sum(axis=0)
        product = -0.5 * (squares @ y - np.outer(level, total) - (level @ y) + grand * total)
        found: Array = root[:, None] * product
        return found

    k = min(count, n)
    if n <= _SMALL:
        b = -0.5 * (squares - level[:, None] - level + grand) * np.outer(root, root)
        values, vectors = np.linalg.eigh(b)
        values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
        largest = float(np.abs(values).max(initial=0.0))
    else:
        found = drive(leading(n, k, seed, tol=1e-10, max_iter=200), multiply)
        values, vectors = found.values, found.vectors
        largest = float(values.max(initial=0.0))
    there = values > 1e-12 * max(largest, np.finfo(np.float64).tiny)
    values = np.where(there, values, 0.0)
    coordinates, projector = np.zeros((n, count)), np.zeros((n, count))
    coordinates[:, :k] = fix_signs((vectors / root[:, None] * np.sqrt(values)).T).T
    safe = np.where(there, values, 1.0)
    projector[:, :k] = np.where(there, -0.5 * weights[:, None] * coordinates[:, :k] / safe, 0.0)
    padded = np.zeros(count)
    padded[:k] = values
    return coordinates, padded, ClassicalScaling(level, projector)
