"""Several classes, each against each: votes and probabilities from the scores of pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from learnt.data.table import Array

#: Rows whose probabilities are solved for at a time.
_BLOCK = 4096


def pairs_of(classes: list[int]) -> list[tuple[int, int]]:
    """Every two of some classes; a score above 0 speaks for the first."""
    return list(combinations(classes, 2))


def class_scores(scores: Array, pairs: list[tuple[int, int]], n_classes: int) -> Array:
    """Votes of each class, and less than one vote for how clear they were: rows × classes. Ties of votes go to the
    class whose pairs are clearer."""
    votes, sums = np.zeros((len(scores), n_classes)), np.zeros((len(scores), n_classes))
    scores = np.clip(scores, -1e300, 1e300)  # infinite ones, whose sums would be none
    for m, (a, b) in enumerate(pairs):
        f = scores[:, m]
        votes[:, a] += f > 0
        votes[:, b] += f <= 0
        sums[:, a] += f
        sums[:, b] -= f
    scores_of: Array = votes + sums / (3 * (np.abs(sums) + 1))
    return scores_of


def coupled(scores: Array, pairs: list[tuple[int, int]], n_classes: int, steepness: Array, offsets: Array) -> Array:
    """Probabilities p of classes from those of pairs, r_ab = 1/(1 + exp(−(a f_ab + b))): the ones that minimise

        Σ_a Σ_{b ≠ a} (r_ba p_a − r_ab p_b)²,   Σ p = 1        (Wu, Lin & Weng 2004)

    The class with the most votes is the answer; where another one would be more probable, the two change places.
    """
    classes = sorted({c for pair in pairs for c in pair})
    place = {c: i for i, c in enumerate(classes)}
    shares, k = np.zeros((len(scores), n_classes)), len(classes)
    for start in range(0, len(scores), _BLOCK):
        some = scores[start : start + _BLOCK]
        r = np.zeros((len(some), k, k))
        for m, (a, b) in enumerate(pairs):
            p = 1 / (1 + np.exp(-np.clip(steepness[m] * some[:, m] + offsets[m], -30, 30)))
            r[:, place[a], place[b]], r[:, place[b], place[a]] = p, 1 - p
        shares[start : start + _BLOCK, classes] = _coupled(r)
    rows = np.arange(len(scores))
    voted, likely = class_scores(scores, pairs, n_classes).argmax(axis=1), shares.argmax(axis=1)
    shares[rows, voted], shares[rows, likely] = shares[rows, likely], shares[rows, voted]
    return shares


def _coupled(r: Array) -> Array:
    n, k, _ = r.shape
    if k == 2:
        return np.asarray(r.sum(axis=2))
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -r.transpose(0, 2, 1) * r
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = (r**2).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1
    p = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
    shares: Array = p / p.sum(axis=1, keepdims=True)
    return shares
