"""The smallest region that holds a given probability: where the density is highest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.density.kernel_density import KernelDensity
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.learner.parameters import Real, Seed, Whole
from learnt.show.numbers import number, percent
from learnt.show.words import spell

#: Places at which a density of one column is looked at first, and points of a Gauss-Legendre panel between them.
_PLACES, _POINTS = 2048, 6

LogDensity = Callable[[Array], Array]


@dataclass(frozen=True, eq=False, repr=False)
class DensityRegion:
    """All rows whose density is at least `threshold`: together they have `probability`, and no smaller region has.

    | field | meaning |
    |---|---|
    | `probability` | what the region holds |
    | `threshold` | the density at its edge |
    | `intervals` | of one column of numbers: (from, to), one for each peak that is high enough; else None |
    | `standard_error` | of `log(threshold)`, where draws stand for integrals; 0 for one column |
    """

    probability: float
    threshold: float
    intervals: tuple[tuple[float, float], ...] | None
    standard_error: float
    log_density: Any

    @property
    def length(self) -> float:
        """Of all intervals together."""
        if self.intervals is None:
            raise InputError("This region is not one of a single column of numbers: it has no intervals.")
        return float(sum(high - low for low, high in self.intervals))

    def contains(self, X: Any) -> Array:
        """Which rows lie in the region."""
        if self.intervals is not None and isinstance(X, list | tuple | np.ndarray) and np.ndim(X) <= 1:
            x = np.asarray(X, dtype=np.float64)
            inside = [(x >= low) & (x <= high) for low, high in self.intervals]
            found: Array = np.logical_or.reduce(inside)
            return found
        dense: Array = self.log_density(X) >= math.log(self.threshold)
        return dense

    def __repr__(self) -> str:
        return f"<DensityRegion of probability {number(self.probability)}>"

    def __str__(self) -> str:
        edge = f"density of at least {number(self.threshold)}"
        if self.standard_error:
            edge += f" (± {percent(1.96 * self.standard_error, 1)})"
        if self.intervals is None:
            return f"probability {number(self.probability)}: {edge}"
        shown = " and ".join(f"{number(low)} to {number(high)}" for low, high in self.intervals)
        return f"probability {number(self.probability)}: {shown}, {edge}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the density with the region filled, of one column of numbers; returns the matplotlib axes."""
        from learnt.plot.mixtures import plot_region

        return plot_region(self, ax)


def highest_density_region(
    density: Any,
    probability: float = 0.95,
    *,
    bounds: tuple[float, float] | None = None,
    n_draws: int = 20_000,
    random_state: Any = 0,
) -> DensityRegion:
    """The smallest region that holds a probability: all places where the density is above a threshold.

        {x : f(x) ≥ t},   t so that the region has the probability

    >>> from scipy.stats import norm
    >>> print(highest_density_region(norm(10, 2)))
    probability 0.95: 6.08 to 13.92, density of at least 0.02922

    | argument | default | meaning |
    |---|---|---|
    | `density` | | a fitted `KernelDensity`, or another model of rows; a distribution of SciPy; a function; or draws |
    | `probability` | 0.95 | above 0, below 1 |
    | `bounds` | None | between which a density of one number is looked at; found out unless it is a function |
    | `n_draws` | 20,000 | draws that stand for integrals where there is more than one column |
    | `random_state` | 0 | seed of those |

    A function takes an array of numbers and needs `bounds`; of numbers drawn the kernel density is taken; a model has
    `score_samples` and `sample`. Of one number the region is one interval for each peak, found to many digits. Of more
    columns the threshold is the quantile of the densities of rows drawn from the model, with its standard error. A flat
    top that holds more than was asked is taken as a whole.

    Reference: R. Hyndman, Computing and graphing highest density regions, The American Statistician 50, 1996.
    """
    if probability not in Real(above=0, below=1) or n_draws not in Whole(100) or random_state not in Seed():
        raise ParameterError(
            f"probability is {probability!r}, n_draws {n_draws!r}, random_state {spell(random_state)}. Expected a "
            "number above 0 and below 1, at least 100 draws, and a seed."
        )
    if hasattr(density, "score_samples"):
        one = isinstance(density, KernelDensity) and _one_number(density)
        if not one:
            return _by_draws(density, probability, n_draws, random_state)
        return _on_a_line(_of_model(density), bounds or _reach(density), probability, density.score_samples)
    if hasattr(density, "pdf") and hasattr(density, "ppf"):
        low, high = bounds or (float(density.ppf(1e-10)), float(density.ppf(1 - 1e-10)))
        return _on_a_line(density.logpdf, (low, high), probability, _flat(density.logpdf))
    if callable(density):
        if bounds is None:
            raise ParameterError("A density given as a function needs bounds=(from, to), where it is looked at.")

        def logarithm(x: Array) -> Array:
            with np.errstate(divide="ignore"):
                return np.log(np.asarray(density(x), dtype=np.float64))

        return _on_a_line(logarithm, bounds, probability, _flat(logarithm))
    drawn = np.asarray(density, dtype=np.float64)
    if drawn.ndim != 1 or len(drawn) < 2:
        raise InputError(
            f"The draws have the shape {drawn.shape}. Expected at least two numbers. For rows of more columns, fit a "
            "KernelDensity and give that."
        )
    model = KernelDensity().fit(drawn[:, None])
    return highest_density_region(model, probability, bounds=bounds)


def _one_number(model: KernelDensity) -> bool:
    schema = model._fitted_schema()
    return len(schema) == 1 and schema.all_numeric and model.bandwidth_[0] > 0


def _of_model(model: KernelDensity) -> LogDensity:
    name = model._schema.names[0]

    def logarithm(x: Array) -> Array:
        column = np.ascontiguousarray(x, dtype=np.float64)[:, None]
        return model.score_samples(Table.of_matrix(column, [name], named=model._schema.named))

    return logarithm


def _reach(model: KernelDensity) -> tuple[float, float]:
    values = model._rows.table.columns[0].values.astype(np.float64)
    far = {"gaussian": 8.0, "exponential": 30.0}.get(model.kernel, 1.0) * float(model.bandwidth_[0])
    return float(np.nanmin(values)) - far, float(np.nanmax(values)) + far


def _flat(logarithm: LogDensity) -> LogDensity:
    return lambda x: logarithm(np.asarray(x, dtype=np.float64).reshape(-1))


def _by_draws(model: Any, probability: float, n_draws: int, random_state: Any) -> DensityRegion:
    if not hasattr(model, "sample"):
        raise InputError(f"{type(model).__name__} cannot draw rows (it has no `sample`). Expected a model that can.")
    try:
        drawn = model.sample(n_draws, random_state=random_state)
    except TypeError:  # scikit-learn's mixtures have their seed among the settings
        drawn = model.sample(n_draws)
    rows = drawn[0] if isinstance(drawn, tuple) else drawn
    logs = np.sort(model.score_samples(rows))
    share = 1 - probability
    level = float(np.quantile(logs, share))
    # The error of a quantile, by the ranks that are as likely: binomial, a normal width of them.
    half = math.sqrt(share * probability / len(logs))
    low, high = np.quantile(logs, [max(0.0, share - half), min(1.0, share + half)])
    return DensityRegion(probability, math.exp(level), None, float(high - low) / 2, model.score_samples)


@dataclass(frozen=True)
class _Line:
    """A density between two bounds, looked at in panels."""

    logarithm: LogDensity
    places: Array
    heights: Array
    before: Array  # the integral up to each place

    @classmethod
    def of(cls, logarithm: LogDensity, low: float, high: float) -> _Line:
        places = np.linspace(low, high, _PLACES + 1)
        nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
        half = (places[1:] - places[:-1]) / 2
        x = (places[:-1] + half)[:, None] + half[:, None] * nodes
        f = np.exp(np.asarray(logarithm(x.ravel()))).reshape(x.shape)
        before = np.concatenate([[0.0], np.cumsum((f @ weights) * half)])
        return cls(logarithm, places, np.exp(np.asarray(logarithm(places))), before)

    def height(self, x: float) -> float:
        return float(np.exp(np.asarray(self.logarithm(np.array([x])))[0]))

    def mass_to(self, x: float) -> float:
        """The integral up to x."""
        at = min(max(int(np.searchsorted(self.places, x, side="right")) - 1, 0), len(self.places) - 2)
        nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
        half = (x - self.places[at]) / 2
        f = np.exp(np.asarray(self.logarithm(self.places[at] + half + half * nodes)))
        return float(self.before[at] + half * (f @ weights))

    def above(self, level: float) -> list[tuple[float, float]]:
        """The intervals where the density is at least so high."""
        high = self.heights >= level
        edges = [self._edge(int(i), level) for i in np.flatnonzero(high[1:] != high[:-1])]
        if high[0]:
            edges.insert(0, float(self.places[0]))
        if high[-1]:
            edges.append(float(self.places[-1]))
        return list(zip(edges[::2], edges[1::2], strict=True))

    def _edge(self, i: int, level: float) -> float:
        """Where the density passes a level between two places."""
        from scipy.optimize import brentq

        low, high = float(self.places[i]), float(self.places[i + 1])
        # Asked one by one, a density may differ from the same asked together in its last bit.
        if (self.height(low) - level) * (self.height(high) - level) >= 0:
            return low if abs(self.heights[i] - level) < abs(self.heights[i + 1] - level) else high
        return float(brentq(lambda x: self.height(x) - level, low, high, xtol=1e-15 * self.width, rtol=1e-14))

    @property
    def width(self) -> float:
        return float(self.places[-1] - self.places[0])

    def mass(self, level: float) -> float:
        return math.fsum(self.mass_to(high) - self.mass_to(low) for low, high in self.above(level))


def _on_a_line(
    logarithm: LogDensity, bounds: tuple[float, float], probability: float, asked: LogDensity
) -> DensityRegion:
    from scipy.optimize import brentq

    low, high = float(bounds[0]), float(bounds[1])
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError(f"bounds are {bounds!r}. Expected two numbers, the first below the second.")
    line = _Line.of(logarithm, low, high)
    total = float(line.before[-1])
    finite = bool(np.isfinite(line.heights).all())
    if not finite or not probability <= total <= 1.001:
        raise InputError(
            f"Between {number(low)} and {number(high)} the density adds up to {number(total)}"
            f"{'' if finite else ' and is infinite somewhere'}. Expected a finite density that holds at least "
            f"{number(probability)} there, and no more than 1. Widen bounds, or divide by its integral."
        )
    top = float(line.heights.max())
    # Where the top is flat and holds more than asked, no part of it is better than another: all of it is taken.
    level = top
    if line.mass(top) < probability:
        level = float(brentq(lambda t: line.mass(t) - probability, 0.0, top, xtol=1e-14 * top, rtol=1e-12))
    intervals = tuple((float(a), float(b)) for a, b in line.above(level))
    return DensityRegion(probability, level, intervals, 0.0, asked)
