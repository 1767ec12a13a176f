"""Words in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.plot.axes import axes_for
from learnt.show.palette import BLUE, INK
from learnt.show.words import count_of, printable, short_name

#: In points: of letters their height, of a letter its width as a share of that, of a dot its half, and between both.
FONT, WIDTH, DOT, GAP = 8, 0.58, 1.5, 3


def plot_words(words: Sequence[str], vectors: Array, ax: Any = None) -> Any:
    """The first two principal components of the vectors of words, with the words beside them; returns the axes."""
    if len(words) < 2:
        raise InputError(f"{count_of(len(words), 'word')} given. Expected at least two, which may differ.")
    places, shares = word_places(vectors)
    ax = axes_for(ax, (7.2, 5.4))
    ax.plot(places[:, 0], places[:, 1], "o", ms=3, color=BLUE)
    ax.margins(0.12)
    names = [short_name(printable(word), 24).replace("$", r"\$") for word in words]
    ax.autoscale_view()
    dots = ax.transData.transform(places) * 72 / ax.figure.dpi
    widths = [WIDTH * FONT * len(name) for name in names]
    for name, at, (x, y) in zip(names, label_offsets(dots, widths, FONT), places, strict=True):
        ax.annotate(name, (x, y), at, textcoords="offset points", fontsize=FONT, color=INK)
    ax.set_xlabel(f"first component, {100 * shares[0]:.0f} % of the variance")
    ax.set_ylabel(f"second component, {100 * shares[1]:.0f} %")
    return ax


def label_offsets(dots: Array, widths: Sequence[float], height: float) -> list[tuple[float, float]]:
    """Where each label begins, from its dot: of eight places around it the one that covers least of the labels before
    and of all dots, and of those the first. All in points."""
    taken = np.concatenate([dots - DOT, dots + DOT], axis=1)
    found = []
    for i, (dot, width) in enumerate(zip(dots, widths, strict=True)):
        left, middle, right = -GAP - width, -width / 2, GAP
        below, beside, above = -GAP - height, -height / 2, GAP
        around = [(right, above), (right, below), (left, above), (left, below), (middle, above), (middle, below)]
        around += [(right, beside), (left, beside)]
        others = np.delete(taken, i, axis=0)
        boxes = [np.array([*(dot + at), *(dot + at + (width, height))]) for at in around]
        best = int(np.argmin([_covered(box, others) for box in boxes]))
        taken = np.concatenate([taken, boxes[best][None]])
        found.append(around[best])
    return found


def _covered(box: Array, others: Array) -> float:
    """The area that a box, of left, lower, right and upper ends, shares with others."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return float(np.maximum(sides, 0).prod(axis=1).sum())


def word_places(vectors: Array) -> tuple[Array, Array]:
    """Scores of the first two principal components, and their shares of the variance; the largest number of each
    direction is positive."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    pad = max(0, 2 - len(sizes))
    left, sizes = np.pad(left, ((0, 0), (0, pad)))[:, :2], np.pad(sizes, (0, pad))
    signs = np.ones(2)
    for c, row in enumerate(right[:2]):
        signs[c] = 1.0 if row[np.argmax(np.abs(row))] >= 0 else -1.0
    total = float((sizes**2).sum())
    shares: Array = sizes[:2] ** 2 / total if total > 0 else np.zeros(2)
    return left * sizes[:2] * signs, shares
