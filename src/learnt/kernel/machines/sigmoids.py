"""How scores of pairs turn into probabilities: sigmoids, learnt from rows that the machines had not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from learnt.data.table import Array
from learnt.kernel.distinct_rows import DistinctRows
from learnt.kernel.machines.solving import KernelRows
from learnt.linear import STEEPEST, steepness

#: Up to so many rows every one is held out once, by five folds; beyond, a fifth of them is.
FEW_ROWS = 2000
FOLDS = 5


class HeldOut(NamedTuple):
    """Of a pair: scores for its first class of rows held out, which of them are of it, and their weights."""

    scores: Array
    first: Array
    weights: Array


def held_out_scores(
    machines: Callable[[list[tuple[int, int]], Array], tuple[Array, Array]],
    rows: KernelRows,
    distinct: DistinctRows,
    codes: Array,
    pairs: list[tuple[int, int]],
) -> list[HeldOut]:
    """By pair. `machines` fits some pairs to the rows that are there: coefficients (rows × pairs) and offsets, of which
    sums above 0 speak for the first of a pair."""
    n = len(codes)
    fold = (np.arange(n) - distinct.starts[codes]) % FOLDS  # by hash within each class
    told: list[list[HeldOut]] = [[] for _ in pairs]
    for f in range(FOLDS if n <= FEW_ROWS else 1):
        there = fold != f
        asked = np.flatnonzero(~there)
        left = set(codes[there].tolist())
        able = [m for m, (a, b) in enumerate(pairs) if a in left and b in left]
        if not len(asked) or not able:
            continue
        weights, offsets = machines([pairs[m] for m in able], there)
        scores = rows.sums(weights, asked) + offsets
        for i, m in enumerate(able):
            mine = np.flatnonzero(np.isin(codes[asked], pairs[m]))
            first = codes[asked[mine]] == pairs[m][0]
            told[m].append(HeldOut(scores[mine, i], first, distinct.weights[asked[mine]]))
    empty = HeldOut(np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0))
    return [HeldOut(*(np.concatenate(parts) for parts in zip(empty, *found, strict=True))) for found in told]


def learn_sigmoids(held_out: list[HeldOut], n_classes: int) -> tuple[Any, Array]:
    """Steepness and offset of each pair. Of two classes a steepness alone, so that the more probable class is the
    answer; of several a sigmoid for each pair, since votes decide there. All pairs together have one row of doubt."""
    if n_classes == 2:
        (told,) = held_out
        if not len(told.scores):
            return 1.0, np.zeros(1)
        return steepness(told.scores[:, None], told.first.astype(np.int64), told.weights, 2), np.zeros(1)
    doubt = 1 / len(held_out)
    found = [sigmoid_of(*told, doubt) if len(told.scores) else (1.0, 0.0) for told in held_out]
    return np.array([a for a, _ in found]), np.array([b for _, b in found])


def sigmoid_of(scores: Array, first: Array, weights: Array, doubt: float = 1.0) -> tuple[float, float]:
    """The a > 0 and b of Platt's sigmoid 1/(1 + exp(−(a f + b))), most likely for scores of rows held out, of which
    `first` says which are of the pair's first class. As in Platt, the targets stay short of 0 and 1, as if `doubt` more
    rows of each class had been seen. By Newton's method, on scores divided by their size."""
    size = float(np.abs(scores).max(initial=0.0))
    if not size > 0:
        return 1.0, 0.0
    f, w = scores / size, weights / weights[weights > 0].min()
    yes, no = float(w[first].sum()), float(w[~first].sum())
    target = np.where(first, (yes + doubt) / (yes + 2 * doubt), doubt / (no + 2 * doubt))
    x = np.column_stack([f, np.ones(len(f))])
    found = np.array([0.0, np.log((yes + 1) / (no + 1))])

    def loss(at: Array) -> float:
        z = x @ at
        return float(w @ (np.logaddexp(0, z) - target * z))

    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ found, -500, 500)))
        gradient = x.T @ (w * (p - target))
        bend = (x * (w * p * (1 - p))[:, None]).T @ x + 1e-9 * w.sum() * np.eye(2)
        step, before = np.linalg.solve(bend, gradient), loss(found)
        share = 1.0
        while share > 1e-6 and loss(found - share * step) > before:
            share /= 2
        found = found - share * step
        if np.abs(step).max() < 1e-10:
            break
    # Scores that say nothing, or the opposite, keep their order, at the share of the classes.
    return min(max(float(found[0]), 1e-3) / size, STEEPEST), float(found[1])
