"""What each column adds for every class at once, in probabilities or in scores whose softmax they are.

Classifiers that know their sums by class tell them by `_class_parts`, so that those who ask several of them can add up
parts towards one class, whichever class each would have answered itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, Any]

#: The way from base to scores is cut into panels of at most so many units of score, each with so many nodes.
PANEL, NODES, MOST_PANELS = 4.0, 8, 512


@dataclass(frozen=True, eq=False)
class ClassParts:
    """`base` by class, plus the sum of `parts`, columns × classes, are the probabilities, or the scores, of a row."""

    base: Array
    parts: Array
    scale: Literal["probability", "score"]

    @property
    def total(self) -> Array:
        found: Array = self.base + self.parts.sum(axis=0)
        return found

    def in_probabilities(self) -> ClassParts:
        """The same in probabilities.

        Scores z go from base to total on a straight line, z(s) = z₀ + s·Σ_j t_j, and every column gets what it changes
        on the way (Aumann and Shapley):

            part_cj = Σ_k t_kj · ∫₀¹ ∂p_c/∂z_k ds,        ∂p_c/∂z_k = p_c·(1[c = k] − p_k)

        The integrals are found by Gauss and Legendre's rule, panel by panel.
        """
        if self.scale == "probability":
            return self
        start, end = self.base, self.total
        gradient = _mean_gradient(start, end - start)
        base = _softmax(start[None])[0]
        return ClassParts(base, self.parts @ gradient, "probability").ending_at(_softmax(end[None])[0])

    def ending_at(self, total: Array) -> ClassParts:
        """With the little that is left of `total`, by rounding, spread over the parts by their sizes."""
        rest, size = total - self.total, np.abs(self.parts)
        whole = size.sum(axis=0)
        share = np.divide(size, whole, out=np.zeros_like(size), where=whole > 0)
        base = np.where(whole > 0, self.base, self.base + rest)
        return ClassParts(base, self.parts + share * rest, self.scale)


def two_sided(parts: ClassParts) -> ClassParts:
    """Of two classes that have one score, the second's, both: the first scores 0."""
    base = np.append(0.0, parts.base)
    return ClassParts(base, np.column_stack([np.zeros(len(parts.parts)), parts.parts[:, 0]]), parts.scale)


def _softmax(scores: Array) -> Array:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = grown / grown.sum(axis=1, keepdims=True)
    return shares


def _mean_gradient(start: Array, change: Array) -> Array:
    """The mean of ∂p_c/∂z_k on the way, classes k × classes c."""
    apart = change - change.mean()  # what all scores have in common changes no probability
    panels = int(np.clip(np.ceil(np.ptp(apart) / PANEL), 1, MOST_PANELS))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    s = ((np.arange(panels)[:, None] + (nodes + 1) / 2) / panels).ravel()
    w = np.tile(weights / 2 / panels, panels)
    p = _softmax(start + s[:, None] * apart)
    return np.diag(w @ p) - (p * w[:, None]).T @ p
