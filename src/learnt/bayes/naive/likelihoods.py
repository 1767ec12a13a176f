"""Which likelihood a column has in each class, and what each of them says of a cell.

    categorical   P(x = v | c) = (n_cv + α) / (n_c + α·V), or the m-estimate (n_cv + m·p_v) / (n_c + m)
    bernoulli     the same for two values: of a boolean column, or x > 0 of a number
    gaussian      N(x; μ_c, σ²_c)
    kernel        the mean of Gaussians of width h_c around the cells of class c
    mdl, width, frequency    categorical, over intervals of the number

Missing cells say nothing, log 1 = 0 in every class. Summing over what they could be gives the same: the
probabilities of a column's values add up to 1 in every class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, unknown_column
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain
from learnt.prepare import interval_labels
from learnt.storable import storable

CUTTING = ("mdl", "width", "frequency")
OF_NUMBERS = ("gaussian", "kernel", *CUTTING)
NAMES = ("categorical", "bernoulli", *OF_NUMBERS)

_HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)

#: Pairs of a cell and a kernel's centre looked at together.
_PAIRS = 1_000_000


class Likelihoods(Domain):
    """What `likelihoods` may be; whether the columns are there is known at fit."""

    words = f"None, a name for all numeric columns, or a dict from columns to names; names are {', '.join(NAMES)}"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, Mapping):
            names = list(value.values())
            return bool(names) and all(isinstance(n, str) and n in NAMES for n in names)
        return value is None or (isinstance(value, str) and value in (*OF_NUMBERS, "bernoulli"))


def chosen(schema: Schema, setting: Any, owner: str) -> dict[str, str]:
    """The likelihood of each column: as set, else by its kind."""
    by_name = setting if isinstance(setting, Mapping) else {}
    for name in by_name:
        if schema.place(name) is None:
            raise ParameterError(f"{owner}: likelihoods name a column. {unknown_column(str(name), schema.names)}")
    numeric = setting if isinstance(setting, str) else "gaussian"
    usual = {"numeric": numeric, "boolean": "bernoulli"}
    found = {c.name: by_name.get(c.name, usual.get(c.kind, "categorical")) for c in schema}
    for column in schema:
        _check_kind(column, found[column.name], owner)
    return found


def _check_kind(column: ColumnSchema, name: str, owner: str) -> None:
    if column.coded and name in OF_NUMBERS:
        raise ParameterError(
            f"{owner}: likelihoods={{{column.name!r}: {name!r}}} is for numbers, but the column is {column.kind}. "
            "Expected 'categorical' for it, or a numeric column."
        )
    if name == "categorical" and not column.coded:
        raise ParameterError(
            f"{owner}: likelihoods={{{column.name!r}: 'categorical'}} is for categories, but the column is numeric. "
            f"Give the table as Table(data, kinds={{{column.name!r}: 'nominal'}})."
        )
    if name == "bernoulli" and column.coded and len(column.categories) > 2:
        raise ParameterError(
            f"{owner}: likelihoods={{{column.name!r}: 'bernoulli'}} is for two values, but the column has "
            f"{len(column.categories)} categories. Use 'categorical'."
        )


# Counted columns: categories, booleans, intervals.


def level_codes(column: Column, edges: Array | None) -> Array:
    """The level of each cell, −1 for a missing one: its category, its interval, or whether it is above 0."""
    if column.kind != "numeric":
        return column.values
    x = column.values
    codes = (x > 0).astype(np.int32) if edges is None else np.searchsorted(edges[1:-1], x).astype(np.int32)
    codes[np.isnan(x)] = -1
    return codes


def level_labels(column: ColumnSchema, edges: Array | None) -> tuple[Any, ...]:
    if column.coded:
        return column.categories
    return ("≤ 0", "> 0") if edges is None else interval_labels(edges[1:-1], column.form)


def smoothed_log_probabilities(counts: Array, alpha: float, m: float | None, prior: Array | None) -> Array:
    """log P(level | class), classes × levels; uniform in a class without cells where nothing smooths."""
    levels = counts.shape[1]
    share = 1 / max(levels, 1)  # a column whose labels all weigh nothing has no level
    more = np.full(levels, float(alpha)) if m is None else m * (np.full(levels, share) if prior is None else prior)
    total = counts.sum(axis=1, keepdims=True) + more.sum()
    even = np.full_like(counts, share)
    with np.errstate(divide="ignore"):
        logs: Array = np.log(np.divide(counts + more, total, out=even, where=total > 0))
    return logs


class LevelPriors(Domain):
    """What `m_prior` may be."""

    words = "'column', 'uniform', or a dict from columns to dicts from labels to probabilities"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, Mapping):
            return bool(value) and all(isinstance(inner, Mapping) for inner in value.values())
        return isinstance(value, str) and value in ("column", "uniform")


def level_prior(m_prior: Any, name: str, labels: tuple[Any, ...], counts: Array) -> Array | None:
    """The prior of each level in an m-estimate, None for a uniform one: as given, else its share in all classes."""
    if isinstance(m_prior, str) or name not in m_prior:
        total = counts.sum()
        return None if m_prior == "uniform" or total == 0 else counts.sum(axis=0) / total
    given = np.array([m_prior[name].get(label, np.nan) for label in labels], dtype=np.float64)
    if not (np.all(given >= 0) and np.isclose(given.sum(), 1, atol=1e-8)):
        raise ParameterError(
            f"m_prior[{name!r}]={dict(m_prior[name])!r} is not allowed. Expected a probability for each of "
            f"{list(labels)[:8]!r}, which sum to 1. Give those that are missing."
        )
    return given


def add_counted(out: Array, log_probability: Array, codes: Array) -> None:
    """Add log P(level | class) to classes × rows."""
    blank = np.zeros((len(log_probability), 1))  # code −1 indexes the last entry
    out += np.hstack([log_probability, blank])[:, codes]


# Gaussians.


def add_gaussian(out: Array, x: Array, mean: Array, variance: Array) -> None:
    """Add Σ_j log N(x_j; μ_cj, σ²_cj) to classes × rows; NaN adds nothing."""
    _core.gaussian_evidence(x, np.ascontiguousarray(mean), np.ascontiguousarray(variance), out)


@storable
@dataclass(frozen=True, eq=False)
class Kernels:
    """The kernel density of a column in each class: distinct cells sorted by class, their weights, widths."""

    points: Array
    weights: Array
    starts: Array  # of each class in these, and the end
    widths: Array

    def __post_init__(self) -> None:
        k, n = len(self.widths), len(self.points)
        good = (
            self.starts.dtype.kind == "i"
            and self.points.shape == self.weights.shape == (n,)
            and self.starts.shape == (k + 1,)
            and n > 0
        )
        if not good or self.starts[0] != 0 or self.starts[-1] > n or np.any(np.diff(self.starts) < 0):
            raise ValueError("The points of a kernel density do not fit its classes.")
        if not (np.all(self.widths > 0) and np.all(self.weights > 0)):
            raise ValueError("Widths and weights of a kernel density are above 0.")

    @classmethod
    def of(cls, cells: Array, n_classes: int) -> Kernels | None:
        """Widths are range/√n in the class, at least a sixth of the mean gap between the column's values (as in Weka);
        None where there are no cells at all."""
        if len(cells) == 0:
            return None
        levels = np.unique(cells[:, 0])
        least = float(levels[-1] - levels[0]) / (len(levels) - 1) / 6 if len(levels) > 1 else 1.0
        points, weights, starts, widths = [], [], [0], np.empty(n_classes)
        for c in range(n_classes):
            values, weight = _distinct(cells[cells[:, 1] == c])
            points.append(values)
            weights.append(weight)
            starts.append(starts[-1] + len(values))
            known = (values, weight) if len(values) else _distinct(cells)
            widths[c] = max(np.ptp(known[0]) / np.sqrt(known[1].sum()), least)
        return cls(np.concatenate(points), np.concatenate(weights), np.array(starts, np.int64), widths)

    def of_class(self, c: int) -> tuple[Array, Array, float]:
        """Centres, weights and width; those of all classes for one that had no cells."""
        cut = slice(*self.starts[c : c + 2]) if self.starts[c] < self.starts[c + 1] else slice(None)
        return self.points[cut], self.weights[cut], float(self.widths[c])

    def add(self, out: Array, x: Array) -> None:
        """Add the log of the density to classes × rows."""
        there = np.flatnonzero(~np.isnan(x))
        for c in range(len(self.widths)):
            centres, weights, width = self.of_class(c)
            log_share = np.log(weights / weights.sum())
            step = max(1, _PAIRS // len(centres))
            for start in range(0, len(there), step):
                rows = there[start : start + step]
                logs = log_share - 0.5 * ((x[rows, None] - centres) / width) ** 2
                top = logs.max(axis=1)
                total = np.log(np.exp(logs - top[:, None]).sum(axis=1))
                out[c, rows] += top + total - np.log(width) - _HALF_LOG_2PI


def _distinct(cells: Array) -> tuple[Array, Array]:
    values, place = np.unique(cells[:, 0], return_inverse=True)
    return values, np.bincount(place, weights=cells[:, 2], minlength=len(values))
