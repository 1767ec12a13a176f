"""How many errors a leaf will make on new rows, judged pessimistically from those it makes on its own."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, Any]
Estimate = Literal["j48", "binomial", "wilson"]


def pessimistic_errors(
    weight: Any, errors: Any, confidence: float = 0.25, estimate: Estimate = "j48", *, z: float | None = None
) -> Array:
    """The upper confidence limit of the errors of leaves: `errors` seen among `weight` rows.

    With E errors among N rows and f = E/N, the limit N·u has u as

    - `"binomial"`, C4.5's exact limit: a leaf with that error rate would show E errors or fewer
      with probability `confidence`;
    - `"wilson"`, the normal approximation: (f + z²/2N + z·√(f/N − f²/N + z²/4N²)) / (1 + z²/N);
    - `"j48"`: exact for E = 0, Wilson's with f = (E + ½)/N from E = 1 on, in a straight line between.

    z is the normal quantile of 1 − `confidence`, unless given. Leaves without rows make no errors.

    >>> pessimistic_errors([6, 2, 6, 14], [2, 1, 2, 5], estimate="wilson", z=0.69).round(2).tolist()
    [2.84, 1.44, 2.84, 6.28]
    """
    n, e = np.broadcast_arrays(np.asarray(weight, np.float64), np.asarray(errors, np.float64))
    some = n > 0
    safe = np.where(some, n, 1.0)
    if z is None:
        z = NormalDist().inv_cdf(1 - confidence) if confidence > 1e-12 else -NormalDist().inv_cdf(confidence)
    if estimate == "binomial":
        limit = safe * _binomial_limit(safe, e, confidence)
    elif estimate == "wilson":
        limit = safe * _wilson_limit(safe, e / safe, z)
    else:
        limit = _j48_limit(safe, e, confidence, z)
    return np.where(some, limit, 0.0)


def _binomial_limit(n: Array, e: Array, confidence: float) -> Array:
    """u with P(at most e errors | u) = confidence: a quantile of Beta(e + 1, n − e)."""
    from scipy.special import betaincinv

    limit: Array = betaincinv(e + 1, np.maximum(n - e, 1e-12), 1 - confidence)
    return np.where(n - e <= 1e-12, 1.0, limit)


def _wilson_limit(n: Array, f: Array, z: float) -> Array:
    # Numerator and denominator times n: weights may be so small that their squares vanish.
    spread = np.maximum(n * f * (1 - f) + z * z / 4, 0.0)
    limit: Array = (n * f + z * z / 2 + z * np.sqrt(spread)) / (n + z * z)
    return limit


def _j48_limit(n: Array, e: Array, confidence: float, z: float) -> Array:
    none = n * (1 - confidence ** (1 / n))
    one = _from_one_error(n, np.ones_like(e), z)
    return np.where(e < 1, none + e * (one - none), _from_one_error(n, e, z))


def _from_one_error(n: Array, e: Array, z: float) -> Array:
    return np.where(e + 0.5 >= n, np.maximum(n, e), n * _wilson_limit(n, (e + 0.5) / n, z))
