"""The Bayes error: what even the best classifier gets wrong when the distribution is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from learnt.bayes.decision.probabilities import checked_priors
from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.learner.loss_matrix import loss_matrix, zero_one
from learnt.learner.parameters import Whole, seed_from
from learnt.show.numbers import number
from learnt.show.words import spell


@dataclass(frozen=True)
class BayesError:
    """`value`, the least expected loss; `error`, how far it may be off; `method`, how it was found.

    `error` is 0 for a sum over all values, the bound of the quadrature for an integral, and one standard error
    for a Monte Carlo estimate.
    """

    value: float
    error: float
    method: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        about = "" if self.error == 0 else f" ± {number(self.error)}"
        return f"{number(self.value)}{about} ({self.method})"


def bayes_error(
    distributions: Any,
    priors: Any = None,
    *,
    loss: Any = None,
    n: int = 100_000,
    random_state: Any = 0,
) -> BayesError:
    """The least expected loss of any classifier; with no `loss`, the least probability of an error.

        E* = 1 − Σ_x max_c P(c) p(x | c),   or with a loss  Σ_x min_a Σ_c P(c) p(x | c) ℓ(c, a)

    >>> str(bayes_error([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], [0.5, 0.5]))
    '0.2 (sum)'

    | `distributions` | how |
    |---|---|
    | matrix p(x \\| c), a row per class; or without `priors` the joint P(c, x) | exact sum |
    | a list of discrete `scipy.stats` distributions, frozen, one per class | sum over their values |
    | a list of continuous ones of one variable | integral, with the bound of its error |
    | a list of continuous ones of several variables, such as `multivariate_normal` | Monte Carlo |
    | a fitted classifier that can `sample`: its own distribution | Monte Carlo |

    Monte Carlo draws `n` rows, averages the least expected loss of each, and gives the standard error.
    """
    if n not in Whole(2):
        raise ParameterError(f"n={spell(n)} is not allowed. Expected a whole number ≥ 2.")
    if hasattr(distributions, "sample") and hasattr(distributions, "predict_proba"):
        return _of_model(distributions, loss, n, random_state)
    given = list(distributions) if isinstance(distributions, list | tuple) else None
    if given and all(hasattr(d, "rvs") for d in given):
        return _of_distributions(given, _shares(priors, len(given)), loss, n, random_state)
    return _of_matrix(distributions, priors, loss)


def _shares(priors: Any, k: int) -> Array:
    return np.full(k, 1 / k) if priors is None else checked_priors(priors, range(k))


def _least(joint: Array, loss: Any, classes: Sequence[Any] | None = None) -> Array:
    """min_a Σ_c P(c, x) ℓ(c, a) of joint probabilities, x × classes."""
    names = range(joint.shape[1]) if classes is None else classes
    matrix = zero_one(names) if loss is None else loss_matrix(loss, names)
    least: Array = matrix.expected(joint).min(axis=1)
    return least


def _of_matrix(table: Any, priors: Any, loss: Any) -> BayesError:
    try:
        p = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.zeros(0)
    if p.ndim != 2 or p.size == 0 or not (p >= 0).all():
        raise InputError(
            f"Distributions came as {type(table).__name__}. Expected a row of probabilities per class, a list of "
            "frozen scipy.stats distributions, or a fitted classifier that can sample."
        )
    total = p.sum(axis=1) if priors is not None else p.sum(keepdims=True)
    if not (np.abs(total - 1) <= 1e-6).all():
        raise InputError(
            f"Probabilities add up to {total.ravel().tolist()[:6]}. Expected 1 for each class, or without priors 1 for "
            "the whole table of P(class, x)."
        )
    joint = p if priors is None else p * checked_priors(priors, range(len(p)))[:, None]
    return BayesError(float(_least(joint.T, loss).sum()), 0.0, "sum")


def _of_distributions(given: list[Any], share: Array, loss: Any, n: int, random_state: Any) -> BayesError:
    if all(hasattr(d, "dist") and hasattr(d.dist, "pmf") for d in given):
        return _discrete(given, share, loss)
    if all(hasattr(d, "dist") and hasattr(d.dist, "pdf") for d in given):
        return _integral(given, share, loss)
    if not all(hasattr(d, "logpdf") for d in given):
        raise InputError("Some distributions are discrete and some continuous, or have no density. Give one kind.")
    rng = np.random.default_rng(seed_from(random_state))

    def risks(c: int, count: int) -> Array:
        x = np.asarray(given[c].rvs(size=count, random_state=rng), dtype=np.float64)
        x = x.reshape(count, -1) if count == 1 or x.ndim == 1 else x
        with np.errstate(divide="ignore"):
            prior = np.log(share)
        log = np.column_stack([b + np.reshape(d.logpdf(x), count) for b, d in zip(prior, given, strict=True)])
        joint = np.exp(log - log.max(axis=1, keepdims=True))
        return _least(joint / joint.sum(axis=1, keepdims=True), loss)

    return _monte_carlo(share, risks, n)


def _monte_carlo(share: Array, risks: Callable[[int, int], Array], n: int) -> BayesError:
    """Each class drawn in proportion to its prior, so that only the spread within classes adds to the error."""
    value = variance = 0.0
    for c, p in enumerate(share.tolist()):
        if p == 0:
            continue
        found = risks(c, max(2, round(n * p)))
        value += p * float(found.mean())
        variance += p**2 * float(found.var(ddof=1)) / len(found)
    return BayesError(value, float(np.sqrt(variance)), "Monte Carlo")


def _discrete(given: list[Any], share: Array, loss: Any) -> BayesError:
    low = min(int(d.ppf(1e-15)) for d in given)
    high = max(int(d.ppf(1 - 1e-15)) for d in given)
    if high - low > 10_000_000:
        raise InputError(f"The values reach from {low} to {high}. Expected at most 10,000,000 of them to add up.")
    x = np.arange(low - 1, high + 2)
    joint = np.column_stack([p * d.pmf(x) for p, d in zip(share, given, strict=True)])
    return BayesError(float(_least(joint, loss).sum()), float(max(0.0, 1 - joint.sum())), "sum")


def _integral(given: list[Any], share: Array, loss: Any) -> BayesError:
    """Piece by piece between quantiles of all classes, where the densities change most."""
    from scipy.integrate import quad

    quantiles = [
        1e-14,
        1e-9,
        1e-6,
        1e-4,
        0.01,
        *np.linspace(0.05, 0.95, 19),
        0.99,
        0.9999,
        1 - 1e-6,
        1 - 1e-9,
        1 - 1e-14,
    ]
    points = np.unique(np.concatenate([d.ppf(quantiles) for d in given] + [_ends(d) for d in given]))
    points = points[np.isfinite(points)]

    def density(x: float) -> float:
        joint = np.array([[p * float(d.pdf(x)) for p, d in zip(share, given, strict=True)]])
        return float(_least(joint, loss)[0])

    # Each crossing of densities is a kink: halving there keeps the quadrature at its full order.
    points = np.unique(np.concatenate([points, _crossings(points, given, share)]))
    parts = [quad(density, a, b, limit=100) for a, b in pairwise(points)]
    return BayesError(sum(v for v, _ in parts), sum(e for _, e in parts) + 1e-13, "integral")


def _ends(d: Any) -> Array:
    return np.asarray(d.support(), dtype=np.float64)


def _crossings(points: Array, given: list[Any], share: Array) -> Array:
    """Where the order of the weighted densities changes, between the points, by bisection."""
    x = np.unique(np.concatenate([np.linspace(a, b, 9) for a, b in pairwise(points)]))
    found = []
    for i in range(len(given)):
        for j in range(i):

            def gap(t: Array, i: int = i, j: int = j) -> Array:
                difference: Array = share[i] * given[i].pdf(t) - share[j] * given[j].pdf(t)
                return difference

            sign = np.sign(gap(x))
            for at in np.flatnonzero(sign[1:] * sign[:-1] < 0):
                low, high = x[at], x[at + 1]
                for _ in range(60):
                    middle = (low + high) / 2
                    low, high = (middle, high) if np.sign(gap(middle)) == sign[at] else (low, middle)
                found.append((low + high) / 2)
    return np.array(found)


def _of_model(model: Any, loss: Any, n: int, random_state: Any) -> BayesError:
    rows, _ = model.sample(n, random_state)
    risk = _least(np.asarray(model.predict_proba(rows)), loss, model.classes_.tolist())
    return BayesError(float(risk.mean()), float(risk.std(ddof=1) / np.sqrt(n)), "Monte Carlo")
