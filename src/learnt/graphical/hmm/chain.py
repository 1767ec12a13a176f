"""The hidden chain: where sequences start, and which state follows which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.storable import FiniteNumbers, storable

#: A probability that learning has driven below this is 0 from then on: kernels could lose it in a product.
NEARLY_ZERO = 1e-100


@storable
@dataclass(frozen=True)
class Chain:
    """`start` holds the probability of each first state, `transition` (rows sum to 1) that of each next one."""

    start: FiniteNumbers
    transition: FiniteNumbers

    def __post_init__(self) -> None:
        k = len(self.start)
        if self.start.ndim != 1 or k == 0 or self.transition.shape != (k, k):
            raise InputError(
                f"start has the shape {self.start.shape} and transition {self.transition.shape}. Expected one number "
                "for each state, and a square with a row and a column for each."
            )
        for name, rows in (("start", self.start[None]), ("transition", self.transition)):
            if (rows < 0).any():
                raise InputError(f"{name} has a probability below 0, {rows.min():g}.")
            off = np.abs(rows.sum(axis=1) - 1)
            if (off > 1e-6).any():
                i = int(off.argmax())
                where = f"Row {i} of {name}" if name == "transition" else name
                raise InputError(f"{where} adds up to {rows[i].sum():.6g}, not to 1. Probabilities of states do.")

    @property
    def states(self) -> int:
        return len(self.start)

    @classmethod
    def of_counts(cls, starts: Array, pairs: Array, before: Chain, smoothing: ChainSmoothing) -> Chain:
        """Shares of the counts, with those of the smoothing; a state that none leaves stays as it was."""
        allowed = smoothing.allowed
        counted = np.where(allowed, pairs + smoothing.transition, 0.0)
        first = np.where(smoothing.first, starts + smoothing.start, 0.0)
        return cls(_shares(first[None], before.start[None])[0], _shares(counted, before.transition))

    def log_prior(self, smoothing: ChainSmoothing) -> float:
        """The logarithm of the Dirichlet prior, up to a constant."""
        found = 0.0
        for extra, p, there in (
            (smoothing.start, self.start, smoothing.first),
            (smoothing.transition, self.transition, smoothing.allowed),
        ):
            if extra > 0:
                found += extra * float(np.log(np.maximum(p[there], NEARLY_ZERO)).sum())
        return found

    def expected_stays(self) -> Array:
        """How many rows a stay in each state lasts on average: 1 / (1 − A_kk)."""
        with np.errstate(divide="ignore"):
            stays: Array = 1 / (1 - np.minimum(np.diag(self.transition), 1.0))
        return stays

    def long_run(self) -> Array:
        """The share of time spent in each state in the long run, by powers of the chain made lazy."""
        step = 0.5 * (self.transition + np.eye(self.states))
        share = self.start
        for _ in range(64):
            share, step = share @ step, step @ step
            step /= step.sum(axis=1, keepdims=True)
        found: Array = share / share.sum()
        return found

    def ahead(self, share: Array, n: int) -> Array:
        """Shares of states 1 … n rows after `share`."""
        found = np.empty((n, self.states))
        for h in range(n):
            share = share @ self.transition
            found[h] = share
        return found


@dataclass(frozen=True)
class ChainSmoothing:
    """Counts added to every allowed start and transition, and which are allowed."""

    start: float
    transition: float
    first: Array
    allowed: Array


def allowed_transitions(topology: Any, k: int) -> tuple[Array, Array]:
    """Which states may come first, and which may follow which."""
    every = np.ones(k, dtype=bool)
    if isinstance(topology, str):
        if topology == "left-to-right":
            step = np.subtract.outer(np.arange(k), np.arange(k))
            return np.arange(k) == 0, (step == 0) | (step == -1)
        if topology == "cycle":
            follows = np.eye(k, dtype=bool) | np.roll(np.eye(k, dtype=bool), 1, axis=1)
            return every, follows
        return every, np.ones((k, k), dtype=bool)
    given = np.asarray(topology)
    if given.shape != (k, k):
        raise ParameterError(f"topology has the shape {given.shape}. Expected ({k}, {k}), one row for each state.")
    allowed = given.astype(bool)
    if not allowed.any(axis=1).all():
        stuck = int(np.flatnonzero(~allowed.any(axis=1))[0])
        raise ParameterError(f"topology allows state {stuck} no next state. Allow at least that it stays: {stuck}.")
    return every, allowed


def _shares(counts: Array, before: Array) -> Array:
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(total > 0, counts / total, before)
    shares = np.where(shares < NEARLY_ZERO, 0.0, shares)
    found: Array = shares / shares.sum(axis=1, keepdims=True)
    return found
