"""Where learning starts: states by k-means, at random, by cutting sequences, or by labels that are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cluster import KMeans
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.graphical.hmm.chain import Chain, ChainSmoothing
from learnt.graphical.hmm.columns import ColumnSums, Rules
from learnt.graphical.hmm.emissions import Emissions
from learnt.graphical.hmm.layout import Cells
from learnt.graphical.hmm.mixed import StateMixtures

SAMPLE = 10_000  # rows that k-means looks at
FIRMNESS = 0.9  # the share of a row that goes to the state it is put into


def kmeans_states(table: Table, k: int, rng: np.random.Generator) -> Array:
    """A state for each row by its cells alone, numbered by where they first appear; −1 for a row without cells."""
    told = np.zeros(table.n_rows, dtype=bool)
    for column in table.columns:
        told |= ~column.missing
    rows = np.flatnonzero(told)
    found = np.full(table.n_rows, -1)
    if len(rows) < k or k == 1:
        found[rows] = np.arange(len(rows)) % k
        return found
    seen = np.sort(rng.choice(rows, min(SAMPLE, len(rows)), replace=False))
    model = KMeans(k, n_init=1, random_state=int(rng.integers(2**31)))
    labels = model.fit(table.take(seen)).predict(table.take(rows))
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    found[rows] = np.argsort(np.argsort(first))[which.ravel()]
    return found


def random_states(n: int, k: int, rng: np.random.Generator) -> Array:
    return rng.integers(k, size=n)


def cut_states(offsets: Array, k: int) -> Array:
    """Each sequence cut into k stretches of equal length, for chains that go from left to right."""
    found = np.empty(int(offsets[-1]), np.int64)
    for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        found[a:b] = np.arange(b - a) * k // max(b - a, 1)
    return found


def shares_of(states: Array, k: int, firmness: float = 1.0) -> Array:
    """Rows × states: mostly the state a row was put into; equal shares where none is known."""
    found = np.full((len(states), k), (1 - firmness) / max(k - 1, 1)) if k > 1 else np.ones((len(states), 1))
    rows = np.flatnonzero(states >= 0)
    found[rows, states[rows]] = firmness if k > 1 else 1.0
    found[states < 0] = 1 / k
    return found


def counted_chain(states: Array, offsets: Array, weights: Array, before: Chain, smoothing: ChainSmoothing) -> Chain:
    """The chain by counting: states of rows, −1 where unknown; weights row by row."""
    k = before.states
    starts, pairs = np.zeros(k), np.zeros((k, k))
    begins = offsets[:-1][np.diff(offsets) > 0]
    first = begins[states[begins] >= 0]
    np.add.at(starts, states[first], weights[first])
    inside = np.ones(len(states), dtype=bool)
    inside[begins] = False
    later = np.flatnonzero(inside)
    later = later[(states[later] >= 0) & (states[later - 1] >= 0)]
    np.add.at(pairs, (states[later - 1], states[later]), weights[later])
    return Chain.of_counts(starts, pairs, before, smoothing)


def started_emissions(
    neutral: Emissions, cells: Cells, share: Array, rules: Rules, rng: np.random.Generator
) -> Emissions:
    """The parameters of rows shared out among states (n × k, weights included)."""
    sums = ColumnSums.of_shares(neutral.columns, cells, share)
    moved = neutral.stepped(cells, sums, share, rules)
    if neutral.mixture is None:
        return moved
    mixture = StateMixtures.around(cells.mixed, share, neutral.mixture, rules, rng)
    return Emissions(moved.columns, moved.full, mixture.stepped(cells.mixed, share, rules))


def even_chain(smoothing: ChainSmoothing) -> Chain:
    """Every allowed start and step alike, but for a liking to stay."""
    k = len(smoothing.first)
    step = np.where(smoothing.allowed, 1.0 + k * np.eye(k), 0.0)
    first = smoothing.first.astype(np.float64)
    return Chain(first / first.sum(), step / step.sum(axis=1, keepdims=True))


def known_states(known: Any) -> tuple[tuple[Any, ...] | None, Array | None]:
    """The labels of states, and the code of each row, −1 where none is known."""
    if known is None:
        return None, None
    labels = {label for label in known if label is not None and label == label}
    if not labels:
        raise InputError("y holds no state. Give the state of some rows, or no y.")
    states = tuple(sorted(labels, key=lambda v: (str(type(v)), v)))
    place = {label: code for code, label in enumerate(states)}
    return states, np.array([place.get(label, -1) for label in known], np.int64)
