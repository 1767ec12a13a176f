"""Domains of settings: what a learner's constructor may be given, checked before any work."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.errors import ParameterError
from learnt.show.words import short_repr


class Domain:
    """A set of allowed values that can say what it allows. `a | b` allows either."""

    words: str
    #: The ends of a range of numbers, as a table of settings shows them: "≥ 1", "(0, 1]".
    bounds: str = ""

    def __contains__(self, value: object) -> bool:
        raise NotImplementedError

    def __or__(self, other: Domain) -> Domain:
        return Either(self, other)


class Either(Domain):
    def __init__(self, *domains: Domain):
        self.domains = domains
        self.words = " or ".join(d.words for d in domains)
        self.bounds = ", or ".join(dict.fromkeys(d.bounds for d in domains if d.bounds))

    def __contains__(self, value: object) -> bool:
        return any(value in d for d in self.domains)


class Whole(Domain):
    """A whole number, at least `low` and at most `high`."""

    def __init__(self, low: int | None = None, high: int | None = None):
        self.low, self.high = low, high
        self.words = "a whole number" + _range(low, high)
        self.bounds = f"{low} to {high}" if low is not None and high is not None else _range(low, high).strip()

    def __contains__(self, value: Any) -> bool:
        if not _is_number(value, numbers.Integral) or not -(2**63) <= value < 2**63:  # what kernels count with
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


class Real(Domain):
    """A finite number in a range; `above` and `below` leave the end itself out."""

    def __init__(
        self,
        low: float | None = None,
        high: float | None = None,
        *,
        above: float | None = None,
        below: float | None = None,
    ):
        self.low, self.high, self.above, self.below = low, high, above, below
        self.words = "a number" + _range(low, high, above, below)
        self.bounds = _interval(low, high, above, below)

    def __contains__(self, value: Any) -> bool:
        if not _is_number(value, numbers.Real) or not _finite(value):
            return False
        return (
            (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


def _is_number(value: Any, kind: type) -> bool:
    """Whether a value is a number of a kind; booleans do not count."""
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


class OneOf(Domain):
    """One of a few listed values, told apart by type too: 1 is not True. NumPy's types stand for Python's."""

    def __init__(self, *values: Any):
        self.values = values
        self.words = "one of " + ", ".join(repr(v) for v in values) if len(values) > 1 else repr(values[0])

    def __contains__(self, value: object) -> bool:
        plain = value.item() if isinstance(value, np.generic) else value  # grids of settings are arrays
        return any(type(plain) is type(v) and plain == v for v in self.values)


class Flag(Domain):
    words = "True or False"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, bool | np.bool_)


class Rows(Domain):
    """A table or anything with two dimensions, such as given centres."""

    words = "a table or a 2-D array"

    def __contains__(self, value: object) -> bool:
        if value is None or isinstance(value, str):
            return False
        try:
            return isinstance(value, Table | Mapping) or np.ndim(value) == 2  # type: ignore[arg-type]
        except ValueError:  # rows of different lengths
            return False


class Seed(Domain):
    """What `random_state` takes: None for fresh randomness, a whole number, or a NumPy generator."""

    words = "None, a whole number from 0 to 2**32 − 1, or a numpy.random.Generator or RandomState"

    def __contains__(self, value: object) -> bool:
        if value is None or isinstance(value, np.random.Generator | np.random.RandomState):
            return True
        return value in Whole(0, 2**32 - 1)


def _range(low: float | None, high: float | None, above: float | None = None, below: float | None = None) -> str:
    parts = [
        f"{sign} {bound}" for sign, bound in (("≥", low), (">", above), ("≤", high), ("<", below)) if bound is not None
    ]
    return " " + " and ".join(parts) if parts else ""


def _interval(low: float | None, high: float | None, above: float | None, below: float | None) -> str:
    first, last = above if low is None else low, below if high is None else high
    if first is None or last is None:
        return _range(low, high, above, below).strip()
    return f"{'(' if low is None else '['}{first}, {last}{')' if high is None else ']'}"


def check_parameters(owner: str, domains: Mapping[str, Domain], values: Mapping[str, Any]) -> None:
    """Raise for the first value outside its domain."""
    for name, domain in domains.items():
        if values[name] not in domain:
            raise ParameterError(f"{owner}: {name}={short_repr(values[name])} is not allowed. Expected {domain.words}.")


def seed_from(random_state: Any) -> int:
    """A 64-bit seed for hashing rows and drawing numbers, from any `random_state`."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    state: np.ndarray[Any, Any] = np.random.SeedSequence(random_state).generate_state(1, np.uint64)
    return int(state[0])
