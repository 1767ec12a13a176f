"""How far the mean of random draws may be from what is expected: Chebyshev, Hoeffding, Chernoff."""

from __future__ import annotations

import math

from learnt.errors import ParameterError
from learnt.show.words import spell


def chebyshev(k: float) -> float:
    """The chance to be `k` standard deviations or more from the mean is at most 1/k², whatever the distribution.

    >>> chebyshev(2)
    0.25
    """
    _check("k", k, above=0)
    return min(1.0, 1 / k**2)


def chebyshev_mean(m: float, epsilon: float, *, variance: float = 0.25) -> float:
    """The same for the mean of m draws: P(|mean − μ| ≥ ε) ≤ variance/(m ε²). A share varies by ¼ at most.

    >>> chebyshev_mean(1000, 0.5)
    0.001
    """
    _check("m", m, above=0)
    _check("epsilon", epsilon, above=0)
    _check("variance", variance)
    return min(1.0, variance / (m * epsilon**2))


def hoeffding(m: float, epsilon: float, *, sides: int = 1, width: float = 1.0) -> float:
    """P(mean − μ ≥ ε) ≤ exp(−2 m ε²/width²) for draws from a range of this width; `sides=2` for either direction.

    >>> round(hoeffding(1000, 0.05), 6), round(hoeffding(1000, 0.05, sides=2), 6)
    (0.006738, 0.013476)
    """
    _check("m", m, above=0)
    _check("epsilon", epsilon)
    _check("width", width, above=0)
    _check_sides(sides)
    return min(1.0, sides * math.exp(-2 * m * (epsilon / width) ** 2))


def hoeffding_interval(m: float, delta: float, *, sides: int = 2, width: float = 1.0) -> float:
    """The ε that Hoeffding's inequality gives m draws with certainty 1 − δ: ± of an interval for the mean.

    >>> round(hoeffding_interval(1000, 0.05), 4)
    0.0429
    """
    _check("m", m, above=0)
    _check("delta", delta, above=0, below=1)
    _check_sides(sides)
    return width * math.sqrt(math.log(sides / delta) / (2 * m))


def chernoff(m: float, p: float, gamma: float, *, side: str = "above") -> float:
    """How likely a share of m draws is (1 + γ)p or more, or (1 − γ)p or less ("below"), if p is expected.

        above: exp(−m p γ²/3) for γ ≤ 1, exp(−m p γ/3) beyond;  below: exp(−m p γ²/2)

    For rare events it says more than Hoeffding's inequality.

    >>> round(chernoff(1000, 0.01, 1.0), 4), round(hoeffding(1000, 0.01), 4)
    (0.0357, 0.8187)
    """
    _check("m", m, above=0)
    _check("p", p, above=0, most=1)
    _check("gamma", gamma, above=0)
    if side == "above":
        return math.exp(-m * p * min(gamma, gamma**2) / 3)
    if side != "below":
        raise ParameterError(f"side is {spell(side)}. Expected 'above' or 'below'.")
    return math.exp(-m * p * min(gamma, 1.0) ** 2 / 2)


def _check_sides(sides: int) -> None:
    if sides not in (1, 2):
        raise ParameterError(f"sides is {spell(sides)}. Expected 1 or 2.")


def _check(
    name: str, value: float, *, above: float | None = None, below: float | None = None, most: float = math.inf
) -> None:
    fits = isinstance(value, int | float) and math.isfinite(value) and value >= 0
    if not fits or (above is not None and value <= above) or (below is not None and value >= below) or value > most:
        raise ParameterError(f"{name} is {spell(value)}, which cannot be.")
