"""Shattering, the VC dimension and the growth function of a class of hypotheses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.show.words import count_of

#: Subsets looked at before an exact search gives up and says what it has.
MOST_SUBSETS = 2_000_000
#: The same where each is asked of a class in Python.
MOST_ASKED = 20_000


class HypothesisClass(Protocol):
    """A class of hypotheses, of any size, that knows which labels it can give to points."""

    def realises(self, points: Array, labels: Array) -> bool:
        """Whether some hypothesis gives exactly these labels (booleans) to these points (rows)."""


@dataclass(frozen=True)
class VCDimension:
    """The largest number of points that a class shatters, with such points.

    `exact` says that no larger set of the domain is shattered. Otherwise it is a lower bound of the dimension.
    """

    value: int
    points: tuple[Any, ...]
    exact: bool

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        shown = f"{count_of(self.value, 'point')} {'is' if self.value == 1 else 'are'} shattered"
        return f"VC dimension {'' if self.exact else 'at least '}{self.value}: {shown}" + (
            f", {', '.join(map(str, self.points))}." if 0 < self.value <= 8 else "."
        )


def shatters(hypotheses: Any, points: Any) -> bool:
    """Whether a class gives points all of their 2^m labellings.

    `hypotheses` are functions that say True or False of a point, or a class that knows what it `realises` (`Rays`,
    `Intervals`, `Rectangles`, `HalfPlanes`, `Conjunctions`, or your own).

    >>> shatters(Rays(), [1.0]), shatters(Rays(), [1.0, 2.0]), shatters(Intervals(), [1.0, 2.0])
    (True, False, True)
    >>> shatters([lambda x: x > 0, lambda x: x <= 0], [1.0])
    True
    """
    if hasattr(hypotheses, "realises"):
        rows = as_points(points)
        labellings = itertools.product((False, True), repeat=len(rows))
        return all(hypotheses.realises(rows, np.array(labels, bool)) for labels in labellings)
    table = label_table(hypotheses, points)
    return _all_patterns(_codes(table), list(range(table.shape[1])))


def vc_dimension(hypotheses: Any, domain: Any, *, most: int | None = None) -> VCDimension:
    """The largest set of points of a domain that a class shatters.

    For a finite list of hypotheses (or a table of their labels, hypotheses × points) the search is exact on that
    domain: a set is shattered only if all its parts are, and 2^d hypotheses are needed for d points. A class that knows
    what it `realises` is asked of sets of the domain's points. Unless it says that it is `finite`, there are
    more points than those of your domain, and what is found is a lower bound.

    >>> print(vc_dimension(Intervals(), [1.0, 2.0, 3.0, 4.0]))
    VC dimension at least 2: 2 points are shattered, 1.0, 2.0.
    """
    if hasattr(hypotheses, "realises"):
        return _by_asking(hypotheses, domain, most)
    table = label_table(hypotheses, domain)
    names = _names(domain, table.shape[1])
    codes = _codes(np.unique(table, axis=0))
    limit = min(table.shape[1], int(math.log2(max(1, codes[1]))))
    asked = limit if most is None else min(limit, most)
    best, exact = _deepest(codes, asked)
    exact = exact and (len(best) < asked or asked == limit)  # a search cut short at `most` may have stopped below
    return VCDimension(len(best), tuple(names[j] for j in best), exact)


def growth_function(hypotheses: Any, domain: Any, m: int) -> int:
    """The most different labellings that a finite class gives to any m points of a domain.

    >>> table = [[i >= t for i in range(6)] for t in range(7)]  # thresholds
    >>> [growth_function(table, range(6), m) for m in (1, 2, 3)]
    [2, 3, 4]
    """
    table = label_table(hypotheses, domain)
    if not 0 <= m <= table.shape[1]:
        raise ParameterError(f"m is {m}. Expected a number of points from 0 to {table.shape[1]}.")
    if math.comb(table.shape[1], m) > MOST_SUBSETS:
        raise InputError(f"There are too many sets of {m} of {table.shape[1]} points. Give a smaller domain.")
    subsets = itertools.combinations(range(table.shape[1]), m)
    return max(len(np.unique(table[:, list(chosen)], axis=0)) if m else 1 for chosen in subsets)


def sauer_bound(m: int, vc: int) -> int:
    """Σ_{i ≤ VC} C(m, i): the most labellings that a class of this VC dimension can give to m points.

    >>> [sauer_bound(m, 3) for m in (2, 3, 4, 10)]
    [4, 8, 15, 176]
    """
    if m < 0 or vc < 0:
        raise ParameterError("m and vc are numbers of points, 0 or more.")
    return sum(math.comb(m, i) for i in range(min(m, vc) + 1))


# Classes that know what they can do


@dataclass(frozen=True)
class Rays:
    """x ≥ t on a line."""

    def realises(self, points: Array, labels: Array) -> bool:
        x = points[:, 0]
        return bool(not labels.any() or labels.all() or x[labels].min() > x[~labels].max())


@dataclass(frozen=True)
class Intervals:
    """a ≤ x ≤ b on a line."""

    def realises(self, points: Array, labels: Array) -> bool:
        return Rectangles().realises(points[:, :1], labels)


@dataclass(frozen=True)
class Rectangles:
    """Boxes with sides along the axes, in any number of columns."""

    def realises(self, points: Array, labels: Array) -> bool:
        if not labels.any():
            return True
        low, high = points[labels].min(axis=0), points[labels].max(axis=0)
        inside = ((points >= low) & (points <= high)).all(axis=1)
        return bool((inside == labels).all())


@dataclass(frozen=True)
class HalfPlanes:
    """w·x ≥ t: lines in the plane, planes in space, in any number of columns."""

    def realises(self, points: Array, labels: Array) -> bool:
        from scipy.optimize import linprog

        signs = np.where(labels, 1.0, -1.0)[:, None]
        rows = -signs * np.column_stack([points, np.ones(len(points))])
        found = linprog(np.zeros(rows.shape[1]), rows, -np.ones(len(points)), bounds=(None, None))
        return bool(found.status == 0)


@dataclass(frozen=True)
class Conjunctions:
    """Literals of boolean columns joined by "and", each as it is or negated; also the one that is never true."""

    finite = True

    def realises(self, points: Array, labels: Array) -> bool:
        if not labels.any():
            return True
        positive = points[labels]
        same = (positive == positive[0]).all(axis=0)
        covered = (points[:, same] == positive[0][same]).all(axis=1)
        return bool((covered == labels).all())


# The searches


def as_points(points: Any) -> Array:
    """Points as rows of numbers; numbers are points on a line."""
    rows = np.asarray(list(points) if not isinstance(points, np.ndarray) else points, dtype=float)
    return rows[:, None] if rows.ndim == 1 else rows


def label_table(hypotheses: Any, points: Any) -> Array:
    """Hypotheses × points: which points each says yes to."""
    hypotheses = list(hypotheses)
    if not hypotheses:
        raise InputError("The class has no hypotheses.")
    if callable(hypotheses[0]):
        functions: Sequence[Callable[[Any], Any]] = hypotheses
        own = list(points)
        return np.array([[bool(h(point)) for point in own] for h in functions], dtype=bool).reshape(
            len(functions), len(own)
        )
    table = np.asarray(hypotheses, dtype=bool)
    if table.ndim != 2:
        raise InputError(
            "Expected functions, or a table of labels: a row for each hypothesis, a column for each point."
        )
    return table


def _names(domain: Any, n: int) -> list[Any]:
    names = list(domain)
    if len(names) != n:
        raise InputError(f"The table of labels has {n} columns, and the domain {len(names)} points.")
    return names


def _codes(table: Array) -> tuple[Array, int]:
    return table.astype(np.int64), len(table)


def _all_patterns(codes: tuple[Array, int], chosen: list[int]) -> bool:
    table, n = codes
    if n < 1 << len(chosen):
        return False
    weights = 1 << np.arange(len(chosen), dtype=np.int64)
    return len(np.unique(table[:, chosen] @ weights)) == 1 << len(chosen) if chosen else n > 0


def _deepest(codes: tuple[Array, int], limit: int) -> tuple[list[int], bool]:
    """The largest shattered set: sets grow by points of higher numbers, since parts of shattered sets are shattered."""
    table, _ = codes
    n = table.shape[1]
    best: list[int] = []
    looked = 0

    def grow(chosen: list[int], group: Array, first: int) -> bool:
        """`group`: the pattern of each hypothesis on the chosen points. False when it gives up."""
        nonlocal best, looked
        if len(chosen) > len(best):
            best = chosen
        for j in range(first, n):
            if len(best) >= limit:
                return True
            if len(chosen) + n - j <= len(best):  # too few points are left to do better
                return True
            looked += 1
            if looked > MOST_SUBSETS:
                return False
            finer = 2 * group + table[:, j]
            if len(np.unique(finer)) == 2 << len(chosen) and not grow([*chosen, j], finer, j + 1):
                return False
        return True

    exact = grow([], np.zeros(len(table), np.int64), 0)
    return best, exact


def _by_asking(hypotheses: HypothesisClass, domain: Any, most: int | None) -> VCDimension:
    names = list(domain)
    rows = as_points(domain)
    best: list[int] = []
    looked = 0

    def grow(chosen: list[int], first: int) -> None:
        nonlocal best, looked
        if len(chosen) > len(best):
            best = chosen
        for j in range(first, len(rows)):
            enough = most is not None and len(best) >= most
            if enough or len(chosen) + len(rows) - j <= len(best) or looked > MOST_ASKED:
                return
            looked += 1
            if shatters(hypotheses, rows[[*chosen, j]]):
                grow([*chosen, j], j + 1)

    grow([], 0)
    exact = getattr(hypotheses, "finite", False) and looked <= MOST_ASKED and (most is None or len(best) < most)
    return VCDimension(len(best), tuple(names[j] for j in best), exact)


def patterns(hypotheses: Any, points: Iterable[Any]) -> list[tuple[bool, ...]]:
    """The different labellings that a finite class gives to points, sorted.

    >>> patterns([lambda x: x > 1, lambda x: x > 2, lambda x: x > 9], [1.5, 2.5])
    [(False, False), (False, True), (True, True)]
    """
    return sorted({tuple(row) for row in label_table(hypotheses, points).tolist()})
