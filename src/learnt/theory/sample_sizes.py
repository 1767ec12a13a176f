"""How many rows are enough: bounds of probably approximately correct learning, solved for any of their unknowns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from learnt.errors import ParameterError
from learnt.show.numbers import number
from learnt.show.words import list_of, spell

_LARGEST = 1e300


@dataclass(frozen=True)
class SampleBound:
    """A bound with all its numbers: the one that was asked for is `solved`.

    `value` is that number as the formula gives it, `m` the rows as a whole number. `log_hypotheses` is ln |H|.
    """

    name: str
    solved: str
    value: float
    m: int
    epsilon: float
    delta: float
    log_hypotheses: float | None = None
    vc: float | None = None

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: an error of 1 or more, or a certainty of 0 or less."""
        return self.epsilon >= 1 or self.delta >= 1

    def __str__(self) -> str:
        size = (
            f"ln |H| = {number(self.log_hypotheses)}"
            if self.log_hypotheses is not None
            else f"VC = {number(self.vc or 0)}"
        )
        said = (
            f"{self.name}: with {size} and m = {self.m:,} rows, the error is at most {number(self.epsilon)}"
            f"{_of_training[self.name]} with probability {number(1 - self.delta)} or more"
        )
        return said + (". That is vacuous: it holds of anything." if self.vacuous else ".")


_of_training = {"consistent": "", "agnostic": " above that on the training rows", "VC": ""}


def consistent_bound(
    m: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    hypotheses: float | None = None,
    log_hypotheses: float | None = None,
) -> SampleBound:
    """A learner that makes no error on its m training rows, out of a finite class of hypotheses.

        m ≥ (ln |H| + ln 1/δ) / ε

    Leave out one of `m`, `epsilon`, `delta` and the size of H: it is what the bound is solved for. Sizes beyond all
    numbers are given as `log_hypotheses`, ln |H|: all functions of n booleans are 2^n · ln 2.

    >>> print(consistent_bound(epsilon=0.1, delta=0.05, hypotheses=973))
    consistent: with ln |H| = 6.88 and m = 99 rows, the error is at most 0.1 with probability 0.95 or more.
    >>> round(consistent_bound(m=500, delta=0.05, hypotheses=973).epsilon, 4)
    0.0198
    """
    size = _log_size(hypotheses, log_hypotheses)
    return _solved(
        "consistent",
        {"m": m, "epsilon": epsilon, "delta": delta, "log_hypotheses": size},
        {
            "m": lambda g: (g["log_hypotheses"] - math.log(g["delta"])) / g["epsilon"],
            "epsilon": lambda g: (g["log_hypotheses"] - math.log(g["delta"])) / g["m"],
            "delta": lambda g: _exp(g["log_hypotheses"] - g["m"] * g["epsilon"]),
            "log_hypotheses": lambda g: g["m"] * g["epsilon"] + math.log(g["delta"]),
        },
    )


def agnostic_bound(
    m: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    hypotheses: float | None = None,
    log_hypotheses: float | None = None,
) -> SampleBound:
    """A learner that need not be right on all training rows: how far its error may be above that on those rows.

        m ≥ (ln |H| + ln 1/δ) / (2 ε²)        by Hoeffding's inequality

    >>> agnostic_bound(epsilon=0.1, delta=0.05, hypotheses=973).m
    494
    """
    size = _log_size(hypotheses, log_hypotheses)
    return _solved(
        "agnostic",
        {"m": m, "epsilon": epsilon, "delta": delta, "log_hypotheses": size},
        {
            "m": lambda g: (g["log_hypotheses"] - math.log(g["delta"])) / (2 * g["epsilon"] ** 2),
            "epsilon": lambda g: math.sqrt((g["log_hypotheses"] - math.log(g["delta"])) / (2 * g["m"])),
            "delta": lambda g: _exp(g["log_hypotheses"] - 2 * g["m"] * g["epsilon"] ** 2),
            "log_hypotheses": lambda g: 2 * g["m"] * g["epsilon"] ** 2 + math.log(g["delta"]),
        },
    )


def vc_bound(
    m: float | None = None, epsilon: float | None = None, delta: float | None = None, *, vc: float | None = None
) -> SampleBound:
    """A learner without error on its training rows, out of a class of any size with a known VC dimension.

        m ≥ (4 log₂ 2/δ + 8 VC log₂ 13/ε) / ε

    >>> vc_bound(epsilon=0.1, delta=0.05, vc=3).m
    1899

    Reference: A. Blumer, A. Ehrenfeucht, D. Haussler, M. Warmuth, Learnability and the VC dimension, 1989.
    """

    def rows(g: dict[str, float]) -> float:
        return (4 * math.log2(2 / g["delta"]) + 8 * g["vc"] * math.log2(13 / g["epsilon"])) / g["epsilon"]

    return _solved(
        "VC",
        {"m": m, "epsilon": epsilon, "delta": delta, "vc": vc},
        {
            "m": rows,
            "epsilon": lambda g: _falling(lambda e: rows(g | {"epsilon": e}), g["m"], 1e-300, 12.9),
            "delta": lambda g: (
                2 * 2.0 ** min(1000.0, (8 * g["vc"] * math.log2(13 / g["epsilon"]) - g["m"] * g["epsilon"]) / 4)
            ),
            "vc": lambda g: (
                (g["m"] * g["epsilon"] - 4 * math.log2(2 / g["delta"])) / (8 * math.log2(13 / g["epsilon"]))
            ),
        },
    )


def _log_size(hypotheses: float | None, log_hypotheses: float | None) -> float | None:
    if hypotheses is not None and log_hypotheses is not None:
        raise ParameterError("Give hypotheses= or log_hypotheses=, not both.")
    if hypotheses is None:
        return log_hypotheses
    if isinstance(hypotheses, bool) or not hypotheses >= 1:
        raise ParameterError(f"hypotheses is {spell(hypotheses)}. Expected how many there are, 1 or more.")
    return math.log(hypotheses)  # Python's integers may be of any size


def _solved(
    name: str, given: dict[str, float | None], formulas: dict[str, Callable[[dict[str, float]], float]]
) -> SampleBound:
    known = {key: float(value) for key, value in given.items() if value is not None}
    unknown = [key for key, value in given.items() if value is None]
    if len(unknown) != 1:
        raise ParameterError(
            f"Leave out exactly one of {list_of(list(given))}: it is what is solved for. "
            f"{'None is' if not unknown else list_of(unknown) + ' are'} left out."
        )
    _check(known)
    (solved,) = unknown
    value = formulas[solved](known)
    every = known | {solved: value}
    rows = max(0, math.ceil(every["m"] - 1e-9 * abs(every["m"]))) if every["m"] < _LARGEST else int(_LARGEST)
    return SampleBound(
        name, solved, value, rows, every["epsilon"], every["delta"], every.get("log_hypotheses"), every.get("vc")
    )


def _check(known: dict[str, float]) -> None:
    for key, value in known.items():
        if key in ("epsilon", "delta") and not 0 < value < 1:
            raise ParameterError(f"{key} is {value:g}. Expected a number between 0 and 1.")
        if key == "m" and not (value >= 1 and math.isfinite(value)):
            raise ParameterError(f"m is {value:g}. Expected a number of rows, 1 or more.")
        if key in ("log_hypotheses", "vc") and not (value >= 0 and math.isfinite(value)):
            raise ParameterError(f"{key} is {value:g}. Expected a number of 0 or more.")


def _exp(x: float) -> float:
    return math.exp(min(x, 700.0))


def _falling(f: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    """Where a function that falls is `wanted`, by halving in logarithms; the ends where it is not within them."""
    if f(high) >= wanted:
        return high
    for _ in range(2000):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        low, high = (middle, high) if f(middle) > wanted else (low, middle)
    return high
