"""Observations of any form become codes, numbers or rows of numbers. Missing cells are kept as such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.bayes.estimate.statistics import Counts, Moments
from learnt.data.convert import to_table, to_vector
from learnt.data.table import Array, Column
from learnt.engine.training import checked_weights
from learnt.errors import InputError, KindError
from learnt.show.words import first_of, label, spell


def count_successes(data: Any, success: Any, weights: Any = None) -> Counts:
    """How often `success` was seen, and how often something else."""
    column = _column(data)
    hits = _numbers_that_are(column, success) if column.kind == "numeric" else _labels_that_are(column, success)
    codes = np.where(column.missing, -1, np.where(hits, 0, 1))
    return Counts.of(codes, 2, _weights(weights, len(codes)))


def _numbers_that_are(column: Column, success: Any) -> Array:
    values, missing = column.values, column.missing
    truth = isinstance(success, bool | np.bool_)
    odd = ~missing & ((values != 0) & (values != 1) if truth else isinstance(success, str))
    if odd.any():
        row = int(np.flatnonzero(odd)[0])
        raise InputError(
            f"Row {row} of the data is {label(values[row])}. Expected "
            + ("True or 1 for a success and False or 0 for a failure" if truth else f"labels such as {spell(success)}")
            + ". Say with success= which value counts as a success, or mark the cell missing."
        )
    hits: Array = values == success
    return hits


def _labels_that_are(column: Column, success: Any) -> Array:
    present = column.categories
    # True is 1, but of labels of text it is none, and most likely nobody has said what a success is.
    if isinstance(success, bool | np.bool_) and not set(present) <= {False, True} and not column.missing.all():
        shown = ", ".join(map(label, present[:6]))
        raise InputError(
            f"The data has the labels {shown}. Expected True and False, or 1 and 0. "
            "Say which label counts as a success, as in BetaBernoulli(success='H')."
        )
    codes = [code for code, name in enumerate(present) if name == success]
    return np.isin(column.values, codes)


def count_labels(data: Any, categories: Sequence[Any], weights: Any = None) -> Counts:
    """How often each of `categories` was seen; another label is an error."""
    column = _column(data)
    labels: Sequence[Any]
    if column.kind == "numeric":
        found, codes = np.unique(column.values, return_inverse=True)
        labels = found.tolist()
    else:
        labels, codes = column.categories, column.values
    place = {name: code for code, name in enumerate(categories)}
    moved = np.array([place.get(name, -1) for name in labels] + [-1])[codes]  # NaN has no place, −1 is the last
    unknown = ~column.missing & (moved < 0)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        shown = first_of([label(name) for name in categories], 6)
        raise InputError(
            f"Row {row} of the data is {label(labels[codes[row]])}. Expected one of the categories {shown}. "
            "Give every label that can occur a place in the prior, or mark the cell missing."
        )
    return Counts.of(moved, len(categories), _weights(weights, len(moved)))


def moments_of_numbers(data: Any, weights: Any = None) -> Moments:
    column = _column(data)
    return _moments(_numbers(column), _weights(weights, len(column)))


def moments_of_rows(
    data: Any, width: int, columns: tuple[str, ...], weights: Any = None
) -> tuple[Moments, tuple[str, ...]]:
    """Moments of a table's rows, and the names of its columns if it has any of its own.

    A table with names is read in the order of `columns`, if these are known already.
    """
    table = to_table(data)
    named = table.schema.named
    if columns and named:
        table = table.select(columns)
    if table.n_columns != width:
        raise InputError(
            f"The data has {table.n_columns} columns. Expected {width}, one per number of the prior's mean. "
            "Choose the columns, or give a prior of that size."
        )
    matrix = np.column_stack([_numbers(column) for column in table.columns])
    return _moments(matrix, _weights(weights, table.n_rows)), (table.names if named else columns)


def _column(data: Any) -> Column:
    return to_vector(list(data) if isinstance(data, str) else data, "data")


def _numbers(column: Column) -> Array:
    if column.kind != "numeric" and not column.missing.all():
        raise KindError(
            f"Column {column.name!r} is {column.kind}. Expected numbers. "
            "Convert it, or estimate its labels with BetaBernoulli or DirichletMultinomial."
        )
    values = column.values if column.kind == "numeric" else np.full(len(column), np.nan)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise InputError(
            f"Column {column.name!r} has {len(infinite)} infinite value(s), first in row {infinite[0]}. "
            "Expected finite numbers. Replace them or mark them missing."
        )
    return values.astype(np.float64, copy=False)


def _moments(x: Array, weights: Array | None) -> Moments:
    seen = Moments.of(x, weights)
    if not np.isfinite(seen.scatter).all():
        largest = float(np.nanmax(np.abs(x)))
        raise InputError(
            f"The data holds numbers as large as {largest:.4g}, whose squares have no room in a float. "
            "Expected numbers up to about 1e150. Give them in a larger unit."
        )
    return seen


def _weights(weights: Any, n_rows: int) -> Array | None:
    return None if weights is None else checked_weights(weights, n_rows)
