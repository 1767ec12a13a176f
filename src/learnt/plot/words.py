"""Words in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.plot.axes import axes_for
from learnt.show.palette import BLUE, INK
from learnt.show.words import printable, short_name


def plot_words(words: Sequence[str], vectors: Array, ax: Any = None) -> Any:
    """The first two principal components of the vectors of words, with the words beside them; returns the axes."""
    if len(words) < 2:
        raise InputError(f"{len(words)} words were given. Expected at least two, which may differ.")
    places, shares = word_places(vectors)
    ax = axes_for(ax, (7.2, 5.4))
    ax.plot(places[:, 0], places[:, 1], "o", ms=3, color=BLUE)
    for word, (x, y) in zip(words, places, strict=True):
        name = short_name(printable(word), 24).replace("$", r"\$")
        ax.annotate(name, (x, y), (3, 3), textcoords="offset points", fontsize=8, color=INK)
    ax.margins(0.12)
    ax.set_xlabel(f"first component, {100 * shares[0]:.0f} % of the variance")
    ax.set_ylabel(f"second component, {100 * shares[1]:.0f} %")
    return ax


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
