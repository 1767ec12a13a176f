"""Centres of k-prototypes: means of numbers, the most frequent category of nominal columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.cluster.kmeans.lloyd import Means, means
from learnt.data.design import Design
from learnt.data.table import Array


def is_nominal(design: Design) -> Array:
    """Which columns of the table enter as indicators."""
    return np.array([c.kind in ("nominal", "boolean") for c in design.schema], dtype=bool)


def huang_gamma(design: Design, variance: Array) -> float:
    """What a mismatch costs by Huang's rule: half the mean standard deviation of the numbers, 1 if there are none.

    `variance` is that of the design's columns. Reference: Z. Huang, Extensions to the k-means algorithm for
    clustering large data sets with categorical values, 1998.
    """
    numbers = ~is_nominal(design)[design.owner]
    return float(np.sqrt(variance[numbers]).mean()) / 2 if numbers.any() else 1.0


def with_mismatches(design: Design, gamma: float) -> Design:
    """The design in which two different categories are at squared distance `gamma`: indicators of size √(γ/2)."""
    return replace(design, scale=np.where(is_nominal(design), np.sqrt(gamma / 2), design.scale))


def means_and_modes(design: Design) -> Means:
    """How centres move: numbers to the mean, nominal columns to the heaviest category (of equals the present one)."""
    blocks = [
        (int(design.starts[j]), len(design.schema.columns[j].categories), float(design.scale[j]))
        for j in np.flatnonzero(is_nominal(design))
        if len(design.schema.columns[j].categories)
    ]

    def move(sums: Array, weight: Array, centers: Array) -> Array:
        moved = means(sums, weight, centers)
        full = np.flatnonzero(weight > 0)
        for at, width, size in blocks:
            counts = sums[full, at : at + width]
            present = centers[full, at : at + width].argmax(axis=1)
            each = np.arange(len(full))
            heaviest = counts.argmax(axis=1)
            mode = np.where(counts[each, present] >= counts[each, heaviest], present, heaviest)
            moved[full, at : at + width] = 0.0
            moved[full, at + mode] = size
        return moved

    return move
