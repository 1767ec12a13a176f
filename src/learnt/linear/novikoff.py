"""Novikoff's theorem in numbers: the radius of the rows, the margin of a separator, the bound on mistakes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array

#: Up to this many cells, the largest margin is computed; beyond, that of the separator found has to do.
FEW_CELLS = 100_000


@dataclass(frozen=True)
class Margin:
    """`value` is a margin that some separator has, `largest` whether no separator has a larger one."""

    value: float
    largest: bool


def radius(rows: Array) -> float:
    """R, the length of the longest row, without overflow."""
    size = float(np.abs(rows).max()) if rows.size else 0.0
    return size * float(np.sqrt(((rows / size) ** 2).sum(axis=1).max())) if size > 0 else 0.0


def margin(rows: Array, signs: Array, weights: Array) -> Margin:
    """γ = max_w min_i y_i w·x_i / |w|: exactly if that is cheap, else that of the given separator.

    The largest margin is the distance of the origin from the convex hull of the rows y_i x_i. The nearest point of the
    hull is found by non-negative least squares; its length is an upper bound on γ, and its direction a separator
    whose own margin is a lower one, so that the answer checks itself.
    """
    signed = rows * signs[:, None]
    size = radius(signed)
    if size == 0:
        return Margin(0.0, largest=True)
    signed = signed / size
    found = _margin_of(signed, weights)
    if signed.size <= FEW_CELLS:
        from scipy.optimize import nnls

        system = np.vstack([signed.T, np.ones(len(signed))])
        target = np.append(np.zeros(signed.shape[1]), 1.0)
        try:
            shares, _ = nnls(system, target)
        except RuntimeError:  # too many iterations
            return Margin(found * size, largest=False)
        nearest = signed.T @ (shares / shares.sum()) if shares.any() else np.zeros(signed.shape[1])
        above, best = float(np.linalg.norm(nearest)), max(found, _margin_of(signed, nearest))
        return Margin(best * size, largest=bool(best >= (1 - 1e-6) * above))
    return Margin(found * size, largest=False)


def _margin_of(signed: Array, weights: Array) -> float:
    size = float(np.abs(weights).max()) if weights.size else 0.0
    if size == 0:
        return 0.0
    unit = weights / size
    return float((signed @ unit).min() / np.linalg.norm(unit))
