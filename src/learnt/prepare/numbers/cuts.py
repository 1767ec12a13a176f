"""Where to cut a numeric column: by equal widths, by equal frequencies, by information gain with an MDL stop.

Each function takes the cells that are there, and weights above 0 or None, and returns the cuts in
rising order. A cell x belongs to the interval below a cut t when x ≤ t.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array

#: Two cuts closer than this, in bits or relative to the weight, are equally good, and the lower one is taken.
_TIE = 1e-11


def equal_width(values: Array, n_bins: int) -> Array:
    """Intervals of equal width from the smallest value to the largest."""
    if len(values) == 0 or values.min() == values.max():
        return np.zeros(0)
    low, high = float(values.min()), float(values.max())
    share = np.arange(1, n_bins) / n_bins
    return np.unique(low * (1 - share) + high * share)


def equal_frequency(values: Array, weights: Array | None, n_bins: int) -> Array:
    """Intervals of equal weight, as nearly as equal values, which stay together, permit."""
    order = None if weights is None else np.argsort(values)
    ordered = np.sort(values) if order is None else values[order]
    last = _last_of_each(ordered)
    levels = ordered[last]
    if len(levels) < 2:
        return np.zeros(0)
    below = last + 1.0 if weights is None else np.cumsum(weights[order])[last]
    wanted = below[-1] * np.arange(1, n_bins) / n_bins
    right = np.minimum(np.searchsorted(below, wanted), len(levels) - 2)
    left = np.maximum(right - 1, 0)
    nearer = np.abs(wanted - below[left]) <= np.abs(below[right] - wanted) + _TIE * below[-1]
    return _between(levels, np.unique(np.where(nearer, left, right)))


def _last_of_each(ordered: Array) -> Array:
    """Where each run of equal values ends."""
    return np.flatnonzero(np.append(ordered[1:] != ordered[:-1], len(ordered) > 0))


def _between(levels: Array, after: Array) -> Array:
    """Halfway between a level and the next; the level itself where no number lies between."""
    low, high = levels[after].astype(np.float64), levels[after + 1].astype(np.float64)
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def by_information(values: Array, codes: Array, weights: Array | None, n_classes: int) -> Array:
    """Cuts of largest information gain, each part cut again, while the classes are told in fewer bits with the cut.

    A part of N rows and k classes with entropy H is cut into parts 1 and 2 if (Fayyad and Irani, 1993)

        gain > [log₂(N − 1) + log₂(3ᵏ − 2) − (k·H − k₁·H₁ − k₂·H₂)] / N.

    All cuts of a part are tried in one sweep over (value, class) pairs: n·log n for the sort, then n a level.
    """
    order = np.argsort(values)
    ordered, codes = values[order], codes[order].astype(np.int64)
    last = _last_of_each(ordered)
    levels = ordered[last]
    level = np.repeat(np.arange(len(levels)), np.diff(last, prepend=-1))
    each = np.ones(len(order)) if weights is None else weights[order]
    keys = level * n_classes + codes
    if len(levels) < len(order):  # rows of equal value and class are one pair
        keys, pair = np.unique(keys, return_inverse=True)
        level, codes, each = keys // n_classes, keys % n_classes, np.bincount(pair, each)
    sweep = _Sweep(level, codes, each, n_classes)
    found: list[int] = []
    parts = [(0, len(keys), np.zeros(n_classes))]
    while parts:
        start, stop, base = parts.pop()
        cut = sweep.best_cut(start, stop, base)
        if cut is not None:
            found.append(int(sweep.level[cut]))
            inside = np.bincount(sweep.code[start : cut + 1], sweep.weight[start : cut + 1], n_classes)
            parts += [(start, cut + 1, base), (cut + 1, stop, base + inside)]
    return _between(levels, np.sort(np.array(found, dtype=np.intp)))


class _Sweep:
    """The pairs (value, class) of a column in order of value, each with its weight."""

    def __init__(self, level: Array, code: Array, weight: Array, n_classes: int):
        self.level, self.code, self.weight, self.n_classes = level, code, weight, n_classes
        order = np.argsort(code, kind="stable")
        total = np.cumsum(weight[order])
        counts = np.bincount(code, minlength=n_classes)
        first = np.cumsum(counts) - counts
        earlier = np.where(first > 0, total[np.maximum(first, 1) - 1], 0.0) if len(total) else first
        #: Weight of the pair's own class up to and including it.
        self.so_far = np.empty(len(weight))
        self.so_far[order] = total - np.repeat(earlier, counts)

    def best_cut(self, start: int, stop: int, base: Array) -> int | None:
        """The last pair below the best cut of the pairs start … stop, or None where MDL says to stop.

        `base` is the weight of each class before `start`.
        """
        level = self.level[start:stop]
        ends = np.flatnonzero(level[:-1] != level[1:])
        if len(ends) == 0:
            return None
        code, weight = self.code[start:stop], self.weight[start:stop]
        whole = np.bincount(code, weight, self.n_classes)
        after = np.maximum(self.so_far[start:stop] - base[code], 0)
        before = np.maximum(after - weight, 0)
        # Σ_c f(n_c) with f(x) = x·log₂x changes by one class's term from pair to pair.
        left = np.cumsum(_x_log_x(after) - _x_log_x(before))[ends]
        above = whole[code]
        change = _x_log_x(np.maximum(above - before, 0)) - _x_log_x(np.maximum(above - after, 0))
        right = np.cumsum(change[::-1])[::-1][ends + 1]
        n_left = np.cumsum(weight)[ends]
        n = float(weight.sum())
        bits = (_x_log_x(n_left) - left + _x_log_x(np.maximum(n - n_left, 0)) - right) / n
        cut = int(ends[np.flatnonzero(bits <= bits.min() + _TIE)[0]])
        sides = (code[: cut + 1], weight[: cut + 1]), (code[cut + 1 :], weight[cut + 1 :])
        low, high = (np.bincount(*side, self.n_classes) for side in sides)
        return start + cut if _pays(low, high) else None


def _pays(low: Array, high: Array) -> bool:
    """Whether a cut into these class weights shortens the description of the classes."""
    whole = low + high
    n = float(whole.sum())
    h, h1, h2 = (_entropy(part) for part in (whole, low, high))
    k, k1, k2 = (int(np.count_nonzero(part)) for part in (whole, low, high))
    gain = h - (low.sum() * h1 + high.sum() * h2) / n
    log_of_splits = k * np.log2(3) + np.log1p(-2 / 3.0 ** min(k, 600)) / np.log(2)
    cost = np.log2(max(n - 1, 1)) + log_of_splits - (k * h - k1 * h1 - k2 * h2)
    return bool(gain > _TIE and gain > cost / n)


def _entropy(counts: Array) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p @ np.log2(p)))


def _x_log_x(x: Array) -> Any:
    return x * np.log2(x, out=np.zeros_like(x), where=x > 0)
