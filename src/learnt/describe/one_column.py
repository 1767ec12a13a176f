"""How much of a target one column tells by itself, each row judged by the others."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Column

FEW_VALUES = 50  # different numbers that are taken one by one, like labels
WINDOW = 2  # neighbours on either side that answer for a row


def skill(column: Column, target: Column, rows: Array | None = None) -> float:
    """Of what guessing gets wrong, the share that the column gets right: 1 all of it, 0 none.

    For classes errors are counted, for numbers squared. A row is answered by the other rows of its label, or, of a
    column of many numbers, by its neighbours in the order of these numbers: no model, and none of its assumptions. A
    number that many numbers are to tell is answered by a straight line too, which few rows are enough for.
    """
    x, y = (c.values if rows is None else c.values[rows] for c in (column, target))
    classes = target.kind != "numeric"
    missing = ~np.isfinite(x) if column.kind == "numeric" else x < 0
    if column.kind == "numeric":
        levels = np.unique(x[~missing])
        if len(levels) > FEW_VALUES:
            near = _share(_by_neighbours(x, y, missing, classes), y, classes)
            line = 0.0 if classes else _share(_by_line(x, y, missing), y, classes)
            return max(near, line)  # a line that is not a number is not larger
        x = np.searchsorted(levels, np.where(missing, 0, x)).clip(0, max(len(levels) - 1, 0))
    codes = np.where(missing, 0, x.astype(np.int64) + 1)
    return _share(_by_label(codes, y, classes), y, classes)


def _share(answers: Array, y: Array, classes: bool) -> float:
    """`answers` are shares of a row's answer that are right, or numbers."""
    if classes:
        guessing = len(y) - int(np.bincount(y).max())
        return 1 - float((1 - answers).sum()) / guessing if guessing else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(((y - y.mean()) ** 2).sum())
        return 1 - float(((y - answers) ** 2).sum()) / spread if spread > 0 else 0.0


def _by_label(codes: Array, y: Array, classes: bool) -> Array:
    """What the other rows of the same label say; a row alone under its label is answered like all rows."""
    times = np.bincount(codes)[codes]
    if not classes:
        sums = np.bincount(codes, y)[codes]
        others = (sums - y) / np.maximum(times - 1, 1)
        return np.where(times > 1, others, y.mean())
    k = int(y.max()) + 1
    cells, place = np.unique(codes * k + y, return_inverse=True)
    own = np.bincount(place)
    ascending = np.lexsort((own, cells // k))
    starts = np.flatnonzero(np.diff(cells[ascending] // k, prepend=-1))
    sizes = np.diff(starts, append=len(cells))
    ends, many = starts + sizes - 1, sizes > 1
    largest = own[ascending[ends]]
    second = np.where(many, own[ascending[np.maximum(ends - 1, 0)]], 0)
    other = np.empty_like(own)  # the most rows of another class under the same label
    other[ascending] = np.repeat(largest, sizes)
    other[ascending[ends]] = second
    right = np.where(own - 1 > other, 1.0, np.where((own - 1 == other) & (own > 1), 0.5, 0.0))
    return right[place]


def _by_neighbours(x: Array, y: Array, missing: Array, classes: bool) -> Array:
    """What the rows next to each say, in the order of the column; equal cells stand in any order."""
    shuffled = np.random.default_rng(0).permutation(len(x))
    order = shuffled[np.argsort(np.where(missing, np.inf, x)[shuffled], kind="stable")]
    y = y[order]
    n = len(y)
    steps = [s for s in range(-WINDOW, WINDOW + 1) if s]
    near = np.stack([y[np.clip(np.arange(n) + s, 0, n - 1)] for s in steps])
    inside = np.stack([(np.arange(n) + s >= 0) & (np.arange(n) + s < n) for s in steps])
    found = np.empty(n)
    if classes:
        votes = ((near == y) & inside).sum(axis=0)
        half = inside.sum(axis=0) / 2
        found[order] = np.where(votes > half, 1.0, np.where(votes == half, 0.5, 0.0))
    else:
        found[order] = (near * inside).sum(axis=0) / inside.sum(axis=0)
    return found


def _by_line(x: Array, y: Array, missing: Array) -> Array:
    """The line of least squares through all other rows: of a row with the error e and the leverage h it misses by
    e / (1 − h). Rows without a number are answered by the mean.
    """
    answers = np.full(len(y), y.mean())
    x, y = x[~missing], y[~missing]
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large to square are on no line
        away = (x - x.mean()) / (x.std() or 1.0)
        error = y - y.mean() - away * float(away @ y) / len(y)
        lever = (1 + away**2) / len(y)
        answers[~missing] = y - error / np.maximum(1 - lever, 1e-12)
    return answers
