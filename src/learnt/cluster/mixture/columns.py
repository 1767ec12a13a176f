"""Components in which columns are independent: a Gaussian for each number, a table of probabilities for each code."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from learnt import _core
from learnt.cluster.mixture.rules import LEAST, Rules, log_shares
from learnt.cluster.mixture.view import MixtureView, counted
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.errors import InputError
from learnt.statistics.sums import Sums
from learnt.storable import Shares, storable


@storable
@dataclass(frozen=True, eq=False)
class ColumnComponents:
    """Weights; means and variances of the numbers, in z; logarithms of the probabilities of each category."""

    weights: Shares
    mean: Array  # k × p
    variance: Array  # k × p
    levels: Array  # categories of each coded column
    tables: Array  # Σ levels × k; a category that never occurred has 0 in all: it says nothing
    occurs: Array  # Σ levels: which categories did occur

    def __post_init__(self) -> None:
        k, p = self.mean.shape if self.mean.ndim == 2 else (-1, -1)
        if k < 1 or self.weights.shape != (k,) or self.variance.shape != (k, p):
            raise ValueError("The weights, means and variances of the components do not fit each other.")
        if self.levels.dtype != np.int64 or (self.levels < 0).any() or self.tables.shape != (self.levels.sum(), k):
            raise ValueError("The probabilities of categories do not fit the components.")
        if self.occurs.dtype != np.bool_ or self.occurs.shape != self.tables.shape[:1]:
            raise ValueError("The categories that occur do not fit the probabilities.")
        arrays = (self.weights, self.mean, self.variance, self.tables)
        if any(a.dtype != np.float64 or np.isnan(a).any() for a in arrays) or not np.isfinite(self.mean).all():
            raise ValueError("A parameter of a component is not a number.")
        if (self.weights < 0).any() or not (np.isfinite(self.variance) & (self.variance > 0)).all():
            raise ValueError("A weight is below 0, or a variance is not above 0.")
        if (self.tables > 1e-9).any() or not self._levels_possible():
            raise ValueError("The probabilities of categories are above 1, or all 0.")

    def _levels_possible(self) -> bool:
        """Whether in each component each column has a category that is not impossible."""
        tables = (self.tables[a:b][self.occurs[a:b]] for a, b in pairwise(self.starts.tolist()))
        return not any(np.isneginf(logs.max(axis=0)).any() for logs in tables if len(logs))

    @classmethod
    def neutral(cls, k: int, view: MixtureView, frequency: Array) -> ColumnComponents:
        """All alike: the whole table, with these frequencies of categories."""
        p, occurs = len(view.numbers), frequency > 0
        tables = np.tile(np.log(np.where(occurs, frequency, 1.0))[:, None], (1, k))
        return cls(np.full(k, 1 / k), np.zeros((k, p)), np.ones((k, p)), view.levels, tables, occurs)

    @property
    def starts(self) -> Array:
        """The first row of `tables` of each coded column, and the end."""
        return np.concatenate([[0], np.cumsum(self.levels)])

    def one(self, c: int) -> ColumnComponents:
        """One component alone, with its weight."""
        own = slice(c, c + 1)
        tables = np.ascontiguousarray(self.tables[:, own])
        return ColumnComponents(self.weights[own], self.mean[own], self.variance[own], self.levels, tables, self.occurs)

    # Learning

    def round(self, view: MixtureView, rules: Rules) -> Pass:
        return ColumnRound(view, self, 0.0 if rules.variance is not None else rules.blur)

    def moved(self, sums: ColumnSums, rules: Rules) -> ColumnComponents:
        """The components that fit the rows, as shared out, best; what has no rows stays as it is."""
        there, first, second = sums.moments.swapaxes(1, 2)  # each k × p
        full = there > LEAST
        safe = np.where(full, there, 1.0)
        step = first / safe
        within = np.maximum(second - there * step**2, 0.0) + rules.blur * there
        prior, pull = rules.rows_of_prior, rules.rows_of_prior * rules.target
        if rules.variance is not None:
            variance = np.full_like(self.variance, rules.variance)
        elif rules.shape == "spherical":
            cells = there.sum(axis=1, keepdims=True)
            p = there.shape[1]
            even = (within.sum(axis=1, keepdims=True) + p * pull) / np.where(cells > 0, cells + p * prior, 1.0)
            variance = np.where(cells > 0, even, self.variance)
        else:
            variance = np.where(full, (within + pull) / (safe + prior), self.variance)
        if not (variance > 0).all():
            c = int(np.flatnonzero(~(variance > 0).all(axis=1))[0])
            raise InputError(
                f"The variance of component {c} is 0 in a column: the rows that belong to it have equal cells there. "
                "Raise reg_covar, ask for fewer components, or leave constant columns out."
            )
        return ColumnComponents(
            rules.shares(sums.weight),
            np.where(full, self.mean + step, self.mean),
            np.ascontiguousarray(variance),
            self.levels,
            self._tables(sums.counts, rules),
            self.occurs,
        )

    def _tables(self, counts: Array, rules: Rules) -> Array:
        """log((count + s f) / (all + s)), f the frequency in the whole table."""
        tables = np.zeros_like(counts)
        for m, start in enumerate(self.starts[:-1].tolist()):
            rows = slice(start, start + int(self.levels[m]))
            more = counts[rows]
            if rules.frequency is not None:
                more = more + rules.smoothing * rules.frequency[rows, None]
            total = more.sum(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.log(more) - np.log(total)
            tables[rows] = np.where(self.occurs[rows, None], np.where(total > 0, logs, self.tables[rows]), 0.0)
        return tables

    def log_prior(self, rules: Rules) -> float:
        """The logarithm of the prior density, up to a constant."""
        found = rules.log_prior_of_shares(self.weights)
        if rules.rows_of_prior and rules.variance is None:
            parts = np.log(self.variance) + rules.target / self.variance
            found -= 0.5 * rules.rows_of_prior * float(parts.sum())
        if rules.frequency is not None and rules.smoothing > 0:
            found += rules.smoothing * float(rules.frequency @ self.tables.sum(axis=1))
        return found

    # Answering

    def ask(self, view: MixtureView, x: Array, codes: Array, **wanted: Array | None) -> None:
        """Fill `log_density`, `shares` and `labels`, as far as they are wanted."""
        self.call(view, x, codes, None, 0.0, wanted, (None, None, None))

    def call(
        self,
        view: MixtureView,
        x: Array,
        codes: Array,
        weights: Array | None,
        blur: float,
        wanted: dict[str, Array | None],
        sums: tuple[Any, Any, Any],
    ) -> float:
        """The kernel."""
        return _core.column_mixture_round(
            x,
            codes,
            weights,
            view.shift,
            view.scale,
            np.ascontiguousarray(self.mean),
            np.ascontiguousarray(self.variance),
            blur,
            self.levels,
            self.tables,
            log_shares(self.weights),
            wanted.get("log_density"),
            wanted.get("shares"),
            wanted.get("labels"),
            *sums,
        )

    def terms(self, z: Array, codes: Array) -> tuple[Array, Array]:
        """Of one row: log π_c, and the log density by component and column, numbers first; missing cells have 0."""
        numbers = -0.5 * (np.log(2 * np.pi * self.variance) + (z - self.mean) ** 2 / self.variance)
        tables = [
            self.tables[start + code] if 0 <= code < size else np.zeros(len(self.weights))
            for start, code, size in zip(self.starts.tolist(), codes.tolist(), self.levels.tolist(), strict=False)
        ]
        parts = np.column_stack([np.where(np.isnan(z), 0.0, numbers), *tables])
        return log_shares(self.weights), parts

    def draw(self, rng: np.random.Generator, labels: Array) -> tuple[Array, Array]:
        """z and codes of new rows of these components."""
        z = rng.normal(self.mean[labels], np.sqrt(self.variance[labels]))
        codes = np.full((len(labels), len(self.levels)), -1, np.int32)
        for m, start in enumerate(self.starts[:-1].tolist()):
            place = slice(start, start + int(self.levels[m]))
            for c in np.unique(labels) if self.occurs[place].any() else ():
                rows = np.flatnonzero(labels == c)
                p = np.where(self.occurs[place], np.exp(self.tables[place, c]), 0.0)
                if 0 < p.sum() < np.inf:  # else the component has no category that could be drawn
                    codes[rows, m] = rng.choice(len(p), size=len(rows), p=p / p.sum())
        return z, codes

    def parameters(self, shape: str) -> int:
        """How many numbers a model of this shape has, weights apart."""
        k, p = self.mean.shape
        spreads = {"spherical": k, "known": 0}.get(shape, k * p)
        occurring = [int(self.occurs[a:b].sum()) for a, b in pairwise(self.starts.tolist())]
        return int(k * p + spreads + k * sum(max(size - 1, 0) for size in occurring))


@dataclass(frozen=True)
class ColumnSums(Sums):
    """Σ w log p; per component Σ w r; of each number Σ w r (1, d, d²), d from the component's mean; of each category
    Σ w r."""

    rows: int
    log_likelihood: float
    weight: Array
    moments: Array  # 3 × p × k
    counts: Array  # Σ levels × k

    @classmethod
    def of_shares(
        cls, view: MixtureView, x: Array, codes: Array, weights: Array | None, share: Array, blur: float
    ) -> ColumnSums:
        """The sums of rows that are shared out already, around 0."""
        z = view.scaled(x)
        there, z = ~np.isnan(z), np.nan_to_num(z, nan=0.0)
        r = share if weights is None else share * weights[:, None]
        counts = []
        for m, size in enumerate(view.levels.tolist()):
            known = codes[:, m] >= 0
            of_column = np.zeros((size, r.shape[1]))
            np.add.at(of_column, codes[known, m], r[known])
            counts.append(of_column)
        moments = np.stack([there.T @ r, z.T @ r, (z**2).T @ r])
        return cls(len(x), 0.0, r.sum(axis=0), moments, np.concatenate([np.zeros((0, r.shape[1])), *counts]))


class ColumnRound(Pass):
    """E-step and the sums of the M-step; a missing cell is left out."""

    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, view: MixtureView, components: ColumnComponents, blur: float):
        self.view, self.components, self.blur = view, components, blur

    def __call__(self, batch: Batch, state: Any) -> tuple[ColumnSums, Any]:
        now, view = self.components, self.view
        w = batch.weights
        x, codes = state or (counted(view.cells(batch.table), w), counted(view.codes(batch.table), w))
        k, p = now.mean.shape
        sums = np.zeros(k), np.zeros((3, p, k)), np.zeros(now.tables.shape)
        value = now.call(view, x, codes, counted(w, w), self.blur, {}, sums)
        return ColumnSums(len(x), value, *sums), (x, codes)
