"""`pairwise`: all distances between rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.distance.resolving import resolve
from learnt.distance.text_edits import all_edits
from learnt.errors import InputError


def pairwise(X: Any, Y: Any = None, metric: Any = "euclidean", **settings: Any) -> Array:
    """All distances between the rows of X and those of Y, or among the rows of X.

    >>> pairwise([[0, 0], [3, 4]])
    array([[0., 5.],
           [5., 0.]])
    >>> pairwise(["kitten"], ["sitting", "mitten"], metric="levenshtein")
    array([[3., 1.]])

    `metric` is a name, a resolved `Metric`, or a function of two rows; `settings` are those of `resolve`.
    What a name leaves open (ranges, covariance) is taken from all rows, those of X and of Y.
    """
    if metric == "levenshtein" and (_are_texts(X) or _are_texts(Y)):
        return all_edits(_texts(X, "X"), None if Y is None else _texts(Y, "Y"))
    if callable(metric) and not isinstance(metric, (Metric, OwnMetric)):
        return OwnMetric(metric).distances(_plain(X), _plain(X if Y is None else Y))
    one = _rows(X)
    other = one if Y is None else _rows(Y)
    found: Metric | OwnMetric
    if isinstance(metric, str) and metric not in _FROM_NOTHING:
        one, other = _as_table(one), _as_table(other)
        found = resolve(metric, one if Y is None else _stacked_rows(one, other), **settings)
    else:
        found = resolve(metric, one, **settings)
    distances = found.distances(one, _matched(one, other, found))
    if Y is None and found.name == "cosine":  # a row of zeros is at 1 from its copies, but not from itself
        np.fill_diagonal(distances, 0.0)
    return distances


#: Metrics that take nothing from rows.
_FROM_NOTHING = ("euclidean", "l2", "manhattan", "l1", "cityblock", "chebyshev", "minkowski", "hamming", "cosine")


def _are_texts(rows: Any) -> bool:
    return isinstance(rows, (list, tuple)) and len(rows) > 0 and all(isinstance(row, str) for row in rows)


def _texts(rows: Any, what: str) -> list[str]:
    texts = rows if isinstance(rows, (list, tuple)) else np.asarray(rows).tolist()
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"Row {i} of {what} is {text!r}. The metric 'levenshtein' compares texts.")
    return list(texts)


def _rows(X: Any) -> Any:
    """A matrix of numbers, or a table."""
    if isinstance(X, Table) or (isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.ndim == 2):
        return X
    return Table(X)


def _plain(X: Any) -> Any:
    """Rows as they are handed to a function: those of a list may be anything."""
    return X if isinstance(X, (list, tuple, np.ndarray)) else _rows(X)


def _as_table(X: Any) -> Table:
    return X if isinstance(X, Table) else Table(X)


def _stacked_rows(one: Table, other: Table) -> Table:
    """The rows of both, in the columns of the first."""
    lower = other.matched(one.schema)
    columns = [
        Column.like(c, np.concatenate([c.values, d.values])) for c, d in zip(one.columns, lower.columns, strict=True)
    ]
    return Table.of_columns(columns, named=one.schema.named)


def _matched(one: Any, other: Any, metric: Metric | OwnMetric) -> Any:
    """`other` in the columns of `one`; texts stay what they are, also those that `one` does not have."""
    if not (isinstance(one, Table) and isinstance(other, Table)) or one is other:
        return other
    text = metric.text if isinstance(metric, Metric) else ()
    matched = other.matched(one.schema)
    if not text:
        return matched
    named = one.schema.named and other.schema.named
    columns = list(matched.columns)
    for j in text:
        columns[j] = other[one.names[j]] if named else other.columns[j]
    return Table.of_columns(columns, named=named)
