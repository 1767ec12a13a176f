"""What the states emit, all kinds of columns together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.graphical.hmm.columns import ColumnSums, Rules, StateColumns, TableMoments
from learnt.graphical.hmm.full import FullGaussian
from learnt.graphical.hmm.layout import Cells, Layout
from learnt.graphical.hmm.mixed import StateMixtures
from learnt.storable import storable


def padded_states(k: int) -> int:
    """Kernels take states side by side, filled up to a multiple of 8."""
    return (k + 7) // 8 * 8


@storable
@dataclass(frozen=True)
class Emissions:
    """Independent columns, and those that vary together within a state."""

    columns: StateColumns
    full: FullGaussian | None = None
    mixture: StateMixtures | None = None

    @property
    def states(self) -> int:
        return self.columns.states

    @property
    def needs_posterior(self) -> bool:
        """Whether a step needs the posterior of each row, beside the sums of the kernel."""
        return self.full is not None or self.mixture is not None

    @classmethod
    def neutral(
        cls, cells: Cells, weights: Array, whole: TableMoments, k: int, layout: Layout, components: int
    ) -> Emissions:
        """All states alike: as the whole table."""
        return cls(
            StateColumns.neutral(cells, weights, whole, k, layout.levels),
            FullGaussian.neutral(whole.full, k) if layout.full else None,
            StateMixtures.neutral(whole.mixed, k, components) if layout.mixture else None,
        )

    def fill_evidence(self, cells: Cells, known: Array | None, out: Array, top: Array | None) -> None:
        """Log-likelihoods of rows by state into `out` (n × padded); with `top`, exp of them less the largest.

        `known` holds the state of each row where it is known, −1 elsewhere: all others are then impossible.
        """
        add = self.needs_posterior or known is not None
        if add:
            out[:] = 0.0
            if self.full is not None:
                self.full.add_evidence(cells.full, out, cells.full_groups)
            if self.mixture is not None:
                self.mixture.add_evidence(cells.mixed, out)
            if known is not None:
                rows = np.flatnonzero(known >= 0)
                kept = out[rows, known[rows]]
                out[rows] = -np.inf
                out[rows, known[rows]] = kept
        _core.hmm_evidence(
            cells.x, cells.y, cells.codes, self.states, *self.columns.arguments(), add=add, out=out, top=top
        )

    def stepped(self, cells: Cells, sums: ColumnSums, share: Array | None, rules: Rules) -> Emissions:
        """After a step of learning; `share` is the posterior with weights, where it is needed."""
        full, mixture = self.full, self.mixture
        if share is not None:
            full = None if full is None else full.stepped(cells.full, share, rules, cells.full_groups)
            mixture = None if mixture is None else mixture.stepped(cells.mixed, share, rules)
        return Emissions(self.columns.stepped(sums, rules), full, mixture)

    def taken(self, order: Array) -> Emissions:
        """The same with its states in another order."""
        full, mixture = self.full, self.mixture
        return Emissions(
            self.columns.taken(order),
            None if full is None else full.taken(order),
            None if mixture is None else mixture.taken(order),
        )

    # What a state looks like

    def moments(self, layout: Layout, j: int) -> tuple[Array, Array]:
        """Mean and variance of the column of numbers at a place, by state."""
        kind = layout.kind(j)
        if kind == "gaussian":
            at = layout.gaussian.index(j)
            return self.columns.mean[at], self.columns.variance[at]
        if kind == "poisson":
            rate = self.columns.rate[layout.poisson.index(j)]
            return rate, rate
        if kind == "full":
            assert self.full is not None
            at = layout.full.index(j)
            return self.full.mean[:, at], self.full.covariance[:, at, at]
        assert self.mixture is not None
        mean, variance = self.mixture.moments()
        at = layout.mixture.index(j)
        return mean[:, at], variance[:, at]

    def probabilities(self, layout: Layout, j: int) -> Array:
        """Of the column of categories at a place: categories × states."""
        at = layout.categorical.index(j)
        a, b = self.columns.starts[at : at + 2].tolist()
        found: Array = self.columns.probability[a:b]
        return found

    def terms(self, layout: Layout, cells: Cells, i: int) -> list[tuple[tuple[int, ...], Array]]:
        """Of one row: places of columns, and how likely each state makes their cells, as logarithms."""
        one = Cells(*(part[i : i + 1] for part in (cells.x, cells.y, cells.codes, cells.full, cells.mixed)))
        c, k = self.columns, self.states
        found: list[tuple[tuple[int, ...], Array]] = []
        for at, j in enumerate(layout.gaussian):
            d = one.x[0, at] - c.mean[at]
            logs = -0.5 * (np.log(2 * np.pi * c.variance[at]) + d * d / c.variance[at])
            found.append(((j,), np.zeros(k) if np.isnan(one.x[0, at]) else np.maximum(logs, -1e290)))
        for at, j in enumerate(layout.poisson):
            y = one.y[0, at]
            with np.errstate(divide="ignore"):
                logs = -c.rate[at] + (y * np.log(c.rate[at]) if y > 0 else 0.0)
            found.append(((j,), np.zeros(k) if np.isnan(y) else logs - math.lgamma(y + 1)))
        tables = c.tables
        for at, (j, (a, b)) in enumerate(zip(layout.categorical, pairwise(c.starts.tolist()), strict=True)):
            code = int(one.codes[0, at])
            found.append(((j,), tables[a + code] if 0 <= code < b - a else np.zeros(k)))
        for places, part, x in ((layout.full, self.full, one.full), (layout.mixture, self.mixture, one.mixed)):
            if part is not None:
                logs = np.zeros((1, k))
                part.add_evidence(x, logs)
                found.append((places, logs[0]))
        return found

    def draw(self, rng: np.random.Generator, labels: Array, layout: Layout) -> dict[int, Array]:
        """New cells of rows in these states, by place of column."""
        c = self.columns
        drawn: dict[int, Array] = {}
        for at, j in enumerate(layout.gaussian):
            drawn[j] = rng.normal(c.mean[at, labels], np.sqrt(c.variance[at, labels]))
        for at, j in enumerate(layout.poisson):
            drawn[j] = rng.poisson(c.rate[at, labels]).astype(np.float64)
        for j, (a, b) in zip(layout.categorical, pairwise(c.starts.tolist()), strict=True):
            upto = np.cumsum(c.probability[a:b], axis=0).T[labels]
            spot = rng.random((len(labels), 1)) * upto[:, -1:] if b > a else np.zeros((len(labels), 1))
            drawn[j] = (spot >= upto).sum(axis=1).astype(np.int32) if b > a else np.full(len(labels), -1, np.int32)
        for places, part in ((layout.full, self.full), (layout.mixture, self.mixture)):
            if part is not None:
                drawn |= dict(zip(places, part.draw(rng, labels).T, strict=True))
        return drawn

    def parameters(self) -> int:
        """How many numbers they are."""
        c, k = self.columns, self.states
        found = k * (2 * len(c.mean) + len(c.rate) + int(np.maximum(c.levels - 1, 0).sum()))
        return found + sum(part.parameters() for part in (self.full, self.mixture) if part is not None)


def learning_rules(whole: TableMoments, columns: StateColumns, floor: float, smoothing: float) -> Rules:
    """What learning keeps to, from the whole table: a column that never varies has a variance of 1."""
    numbers, full, mixed = (part[1] for part in (whole.numbers, whole.full, whole.mixed))
    return Rules(
        floor=np.where(numbers > 0, floor * numbers, 1.0),
        joint_floor=floor,
        full_spread=np.sqrt(np.where(full > 0, full, 1.0)),
        mixed_floor=np.where(mixed > 0, floor * mixed, 1.0),
        smoothing=smoothing,
        mean_counts=whole.counts[0],
        frequency=columns.probability[:, 0],
    )
