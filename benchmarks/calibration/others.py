"""What else has an interval or a p-value: forests, shuffles of a column, silhouettes of a sample."""

from __future__ import annotations

from functools import cache

import numpy as np

from calibration import group, holds, one_by_one
from learnt import ExtraTreesRegressor, LinearRegression, RandomForestRegressor, permutation_importance, silhouette


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


@group("y = x₁ + Gaussian noise, and a second column; one new row")
@one_by_one
def forests(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x = rng.normal(size=(n + 1, 2))
    y = x[:, 0] + rng.normal(size=n + 1)
    found: dict[str, float | bool] = {}
    for cls, leaf in ((RandomForestRegressor, 1), (RandomForestRegressor, 10), (ExtraTreesRegressor, 1)):
        words = cls.__name__ + ("(min_samples_leaf=10)" if leaf > 1 else "")
        settings = {"quantiles": True, "bootstrap": True, "n_estimators": 50, "min_samples_leaf": leaf}
        interval = cls(random_state=_seed(rng), **settings).fit(x[:n], y[:n]).predict_interval(x[n:], level=0.95)[0]
        found[f"{words}.predict_interval"] = holds(interval, y[n])
    return found


@group("ten shuffles, for the mean of all shuffles of n rows", (100,))
@one_by_one
def shuffles(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x, noise = rng.normal(size=(2, n))
    y, answer = x + noise, x
    every = float(((y[:, None] - answer) ** 2).mean() - (noise**2).mean())
    found = permutation_importance(_line(), {"x": x}, y, metric="mse", n_repeats=10, random_state=_seed(rng))
    return {"permutation_importance().intervals": holds(found.intervals()[0], every)}


@cache
def _line() -> LinearRegression:
    """A model that answers x."""
    return LinearRegression().fit({"x": np.arange(10.0)}, np.arange(10.0))


@group(
    "n of 2,000 rows in three clusters, for the mean of all",
)
@one_by_one
def silhouettes(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x, labels, whole = _clusters()
    found = silhouette(x, labels, sample=n, random_state=_seed(rng))
    return {"silhouette(sample=n).interval": holds(found.interval(), whole)}


@cache
def _clusters() -> tuple[np.ndarray, np.ndarray, float]:
    rng, labels = np.random.default_rng(0), np.arange(2000) % 3
    x = np.array([[0, 0], [3, 0], [0, 3]])[labels] + rng.normal(size=(2000, 2))
    return x, labels, silhouette(x, labels).mean
