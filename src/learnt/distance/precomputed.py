"""Distances of all pairs: given by the user and checked, or measured once for learners that look at pairs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.copies import groups_of_copies
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.distance.resolving import resolve
from learnt.distance.space import Space, space_of
from learnt.errors import InputError

#: Cells that are looked at, or measured, at a time.
_CELLS = 1 << 22

#: How far two distances of a pair may differ, and a row be from itself, relative to the largest: rounding.
_ROUNDING = 1e-8


def check_distances(distances: Any, name: str = "X") -> Array:
    """A square of float64, symmetric to the last digit and 0 on its diagonal; an error names the pair that is wrong.

    >>> check_distances([[0, 2], [2, 0]])
    array([[0., 2.],
           [2., 0.]])

    What is right already is not copied. What differs from it by rounding (1e-8 of the largest distance) is mended:
    of two distances of a pair the mean is taken. The mixed metric puts a row with missing cells at a distance from its
    own copy; so the diagonal may hold numbers that are no larger than the distances from the row to any other, and
    becomes 0. Larger ones are those of similarities and refused.
    """
    d = _square(distances, name)
    n = len(d)
    step = max(1, _CELLS // max(n, 1))
    largest, uneven = 0.0, False
    for i in range(0, n, step):
        part = d[i : i + step]
        wrong = ~((part >= 0) & (part < np.inf))
        if wrong.any():
            row, other = (int(v[0]) for v in np.nonzero(wrong))
            raise InputError(
                f"{name} says that rows {row + i} and {other} are {part[row, other]} apart. "
                "Expected finite distances of at least 0, none missing."
            )
        largest = max(largest, float(part.max(initial=0.0)))
    for i in range(0, n, step):
        part, mirrored = d[i : i + step], d[:, i : i + step].T
        differ = part != mirrored
        if not differ.any():
            continue
        uneven = True
        row, other = (int(v) for v in np.unravel_index(int(np.abs(part - mirrored).argmax()), part.shape))
        if abs(part[row, other] - mirrored[row, other]) > _ROUNDING * largest:
            raise InputError(
                f"{name} is not symmetric: from row {row + i} to row {other} it is {part[row, other]}, "
                f"back it is {mirrored[row, other]}. Expected one distance for each pair of rows."
            )
    own = d.diagonal()
    if own.any():
        nearest = np.concatenate([d[i : i + step].min(axis=1) for i in range(0, n, step)])
        beyond = own - nearest  # the diagonal is among those, so that it is 0 at least
        row = int(beyond.argmax()) if (beyond > _ROUNDING * largest).any() else int(own.argmax())
        if beyond[row] > _ROUNDING * largest or float(nearest.min()) == largest:
            raise InputError(
                f"{name} says that row {row} is {own[row]} away from itself"
                + (f", and {nearest[row]} from another row. " if beyond[row] > 0 else ". ")
                + "Expected distances, not similarities: 0 on the diagonal, or where cells are missing no more than "
                "to any other row."
            )
        uneven = True
    if uneven:
        d = (d + d.T) / 2 if largest < np.finfo(np.float64).max / 2 else d / 2 + d.T / 2
        np.fill_diagonal(d, 0.0)
    return d


def _square(distances: Any, name: str) -> Array:
    given = distances
    try:
        if isinstance(given, Table):
            given = given.matrix if given.matrix is not None else np.array(given, dtype=np.float64)
        d: Array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read as distances: {error}. Expected a square of numbers.") from error
    if d.ndim != 2 or d.shape[0] != d.shape[1]:
        raise InputError(
            f"{name} has the shape {d.shape}. With metric='precomputed' it holds the distances of all pairs of rows: "
            "expected a square, n × n."
        )
    return d


def metric_for(table: Table, metric: Any = "auto", **settings: Any) -> Metric | OwnMetric:
    """The metric that measures these rows: "auto" is "euclidean" for complete numbers and mixed otherwise.

    >>> metric_for(Table({"age": [20, 70], "town": ["Bern", None]})).name
    'mixed'
    """
    if isinstance(metric, str) and metric == "auto" and table.schema.all_numeric and not any_missing(table):
        metric = "euclidean"
    return resolve(metric, table, **settings)


def any_missing(table: Table) -> bool:
    """Whether a cell is missing."""
    if table.sparse is not None:
        return bool(np.isnan(table.sparse.data).any())
    return any(bool(c.missing.any()) for c in table.columns)


def distances_of(X: Any, metric: Any = "auto", *, condensed: bool = False, name: str = "X") -> Array:
    """The distances of all pairs of rows in float64: n × n, or condensed to the n (n − 1)/2 pairs i < j.

    >>> distances_of([[0.0], [1.0], [3.0]], condensed=True)
    array([1., 3., 2.])

    `metric` is what `metric_for` takes, or "precomputed": then X holds the distances and is checked. Condensed
    pairs stand in SciPy's order, (0, 1), (0, 2), …, (1, 2), …; a row is at distance 0 from itself and from its copies,
    also where the mixed metric puts a row with missing cells at a distance from itself.
    """
    if isinstance(metric, str) and metric == "precomputed":
        return condense(check_distances(X, name)) if condensed else check_distances(X, name)
    table = X if isinstance(X, Table) else Table(X)
    n = table.n_rows
    check_room(n, condensed=condensed)
    found = metric_for(table, metric)
    out = np.empty(n * (n - 1) // 2 if condensed else (n, n))
    step = max(1, _CELLS // max(n, 1))
    for first, block in _blocks(table, found, step):
        if condensed:
            for i, row in enumerate(block, first):
                out[pair_place(n, i, i + 1) :][: n - i - 1] = row[i + 1 - first :]
        else:
            out[first : first + len(block), first:] = block
            out[first + len(block) :, first : first + len(block)] = block[:, len(block) :].T
    for copies in groups_of_copies(table):
        one, other = (copies[places] for places in np.triu_indices(len(copies), 1))
        if condensed:
            out[pair_place(n, one, other)] = 0.0
        else:
            out[one, other] = out[other, one] = 0.0
    if not condensed:
        np.fill_diagonal(out, 0.0)
    return out


def _blocks(table: Table, metric: Metric | OwnMetric, step: int) -> Any:
    """(first row, its block's distances to the rows from it on), block by block."""
    n, space = table.n_rows, space_of(metric)
    stored = table.sparse is not None and space is not None and space.norm == "l2" and space.turn is None
    x = None if space is None or stored else space.rows(table)  # sparse rows are compared by the cells they store
    for first in range(0, n, step):
        last = min(n, first + step)
        if space is None or x is None:
            yield first, metric.distances(table.rows(first, last), table.rows(first, n))
        else:
            yield first, _measured_distances(space, x[first:last], x[first:])


def _measured_distances(space: Space, a: Array, b: Array) -> Array:
    """Distances of rows that are in the space's coordinates already, however large or small their numbers."""
    with np.errstate(over="ignore"):
        found = space.shown_between(a, b)
    if not np.isfinite(found).all():
        raise InputError("Some rows are farther apart than the largest number. Divide the columns by a large number.")
    return found


def pair_place(n: int, i: Any, j: Any) -> Any:
    """Where the pair i < j of n rows stands among the condensed ones."""
    return i * n - i * (i + 1) // 2 + j - i - 1


def condense(square: Array) -> Array:
    """The pairs i < j of a square of distances, as SciPy orders them."""
    n = len(square)
    out = np.empty(n * (n - 1) // 2)
    for i in range(n - 1):
        out[pair_place(n, i, i + 1) :][: n - i - 1] = square[i, i + 1 :]
    return out


def check_room(n: int, *, condensed: bool = False, instead: str = "") -> None:
    """Raise if the distances of all pairs of n rows would not fit in memory; `instead` says what to do then."""
    needed = 8 * n * (n - 1) // 2 if condensed else 8 * n * n
    free = _free_memory()
    if needed > free:
        raise InputError(
            f"n={n:,} needs {needed / 1e9:,.0f} GB for the distances of all pairs; {free / 1e9:,.1f} GB are free. "
            f"{instead or 'Take fewer rows.'}"
        )


def check_dense(n: int, columns: int) -> None:
    """Raise if n rows of so many columns would not fit in memory as numbers."""
    needed, free = 8 * n * columns, _free_memory()
    if needed > free:
        raise InputError(
            f"{n:,} rows of {columns:,} columns, one for each category, need {needed / 1e9:,.0f} GB; "
            f"{free / 1e9:,.1f} GB are free. Leave out columns of many categories, or take another metric."
        )


def _free_memory() -> float:
    """Bytes that may still be taken, as far as the system tells."""
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
