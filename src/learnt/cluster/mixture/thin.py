"""Whether a component holds rows enough: one of a few rows fits them as closely as it likes, and proves nothing."""

from __future__ import annotations

import math
from typing import Any

#: Shares of rows add up but for rounding.
_ROUNDING = 1e-6


def rows_needed(model: Any) -> int:
    """Rows that each component of a fitted mixture needs: as many as it has parameters for numbers.

        full p + p(p+1)/2,   diag 2p,   spherical p + 1,   tied p + p(p+1)/2k,   p numbers that vary, k components

    With fewer, its density grows beyond all bounds as it shrinks onto them, and no criterion that counts parameters
    can tell it from a component that is there. Categories do not count: no probability exceeds 1.
    """
    p, k = int((~model._view.constant).sum()), int(model.n_components)
    square = p * (p + 1) // 2
    spread = {"full": square, "tied": math.ceil(square / k), "diag": p, "spherical": min(p, 1), "known": 0}
    return max(1, p + spread[model._shape()])


def fewest_rows(model: Any, weight: float) -> float:
    """Rows of the smallest component, of rows with this total weight; each row counts by its share in it."""
    return float(model.weights_.min()) * weight


def has_enough_rows(model: Any, weight: float) -> bool:
    """Whether every component holds the rows it needs."""
    return fewest_rows(model, weight) >= rows_needed(model) - _ROUNDING
