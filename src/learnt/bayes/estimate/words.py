"""Vectors, matrices, intervals and samples in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.bayes.estimate.statistics import Counts, Moments
from learnt.show.numbers import number
from learnt.show.words import count_of, printable

MOST = 4  # entries of a vector that fit on a line


def vector(values: Any) -> str:
    """A number, or the entries of a vector; the rows of a matrix where they are few."""
    values = np.asarray(values)
    if values.ndim == 0:
        return number(float(values))
    if values.ndim == 2 and len(values) > MOST:
        return f"a matrix of {len(values)} × {len(values)} numbers"
    shown = ", ".join(vector(entry) for entry in values[:MOST])
    return f"({shown}{', …' if len(values) > MOST else ''})"


def interval(ends: Any) -> str:
    low, high = ends
    return f"{number(low)} … {number(high)}"


def sample(seen: Counts | Moments, weight: float) -> str:
    """How much was observed: "7 observations (1 missing left out)"."""
    there = seen.rows - seen.missing
    parts = [count_of(there, "observation")]
    if weight != there:
        parts.append(f"of total weight {number(weight)}")
    if seen.missing:
        parts.append(f"({seen.missing} missing left out)")
    return " ".join(parts)


def moments(seen: Moments) -> str:
    """The sufficient statistics of numbers or rows: ": mean 2, Σ(x − mean)² = 2"."""
    if seen.weight == 0:
        return ""
    square = "Σ(x − mean)²" if np.ndim(seen.mean) == 0 else "scatter Σ(x − mean)(x − mean)ᵀ"
    return f": mean {vector(seen.mean)}, {square} = {vector(seen.scatter)}"


def coordinates(names: Sequence[str], intervals: Any) -> str:
    """The interval of each coordinate by name, the first few."""
    shown = [f"{printable(name)} {interval(ends)}" for name, ends in zip(names, intervals, strict=True)]
    return "; ".join(shown[:MOST]) + (f"; and {len(shown) - MOST} more" if len(shown) > MOST else "")
