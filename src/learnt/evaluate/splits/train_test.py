"""Holding rows out: a table cut into training, validation and test parts."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.evaluate.splits.base import count_rows, generator
from learnt.evaluate.splits.shuffled import SIZE, part_sizes, spread
from learnt.evaluate.splits.strata import strata_of
from learnt.learner.parameters import Seed
from learnt.show.words import spell


def train_test_split(
    *data: Any,
    test_size: Any = None,
    train_size: Any = None,
    random_state: Any = 0,
    shuffle: bool = True,
    stratify: Any = None,
) -> list[Any]:
    """The rows of tables, frames and arrays in two parts, each given back as it came: train, test of each in turn.

    >>> train, test = train_test_split(Table({"x": range(8), "y": ["a", "b"] * 4}), test_size=0.25, random_state=0)
    >>> train.n_rows, test.n_rows
    (6, 2)

    | setting | default | meaning |
    |---|---|---|
    | `test_size` | None | rows to test on: a share below 1, or a count; None: what `train_size` leaves, or ¼ |
    | `train_size` | None | rows to train on; None: all that are not tested |
    | `random_state` | 0 | seed |
    | `shuffle` | True | False: the last rows are tested |
    | `stratify` | None | classes or numbers to spread evenly: an array, a column's name, or True for the target |
    """
    n_rows, strata = _rows_and_strata(data, shuffle, stratify, random_state)
    n_train, n_test = part_sizes(n_rows, train_size, test_size, 0.25)
    train, test = _parts(n_rows, [n_train, n_test], strata, shuffle, random_state)
    return [part for each in data for part in (take(each, train), take(each, test))]


def train_validation_test_split(
    *data: Any,
    validation_size: Any = 0.2,
    test_size: Any = 0.2,
    random_state: Any = 0,
    shuffle: bool = True,
    stratify: Any = None,
) -> list[Any]:
    """The rows in three parts, to learn from, to choose by and to judge with: train, validation, test of each.

    >>> parts = train_validation_test_split(list(range(10)), random_state=0)
    >>> [len(part) for part in parts]
    [6, 2, 2]

    Settings as of `train_test_split`.
    """
    n_rows, strata = _rows_and_strata(data, shuffle, stratify, random_state)
    for name, size in (("validation_size", validation_size), ("test_size", test_size)):
        if size is None or size not in SIZE:
            raise ParameterError(f"{name}={spell(size)} is not allowed. Expected a share below 1 or a count of rows.")
    rest, n_test = part_sizes(n_rows, None, test_size, 0.2)
    _, n_validation = part_sizes(n_rows, None, validation_size, 0.2)
    if n_validation >= rest:
        raise InputError(
            f"Of {n_rows} rows, {n_validation} for validation and {n_test} for the test leave none to train on. "
            "Make them smaller."
        )
    parts = _parts(n_rows, [rest - n_validation, n_validation, n_test], strata, shuffle, random_state)
    return [part for each in data for part in (take(each, rows) for rows in parts)]


def _rows_and_strata(data: Any, shuffle: bool, stratify: Any, random_state: Any) -> tuple[int, Array | None]:
    if not data:
        raise InputError("There is nothing to split. Give at least one table or array.")
    if random_state not in Seed():
        raise ParameterError(f"random_state={spell(random_state)} is not allowed. Expected {Seed.words}.")
    n_rows = count_rows(data[0])
    for each in data[1:]:
        if count_rows(each) != n_rows:
            raise InputError(f"The data have {n_rows} and {count_rows(each)} rows. Expected equally many in each.")
    if stratify is None or stratify is False:
        return n_rows, None
    if not shuffle:
        raise ParameterError("stratify= needs shuffle=True: parts in the order of rows hold the classes as they come.")
    if stratify is True:
        own = isinstance(data[0], Table) and data[0].target is not None
        if not own and len(data) < 2:
            raise InputError(
                "stratify=True needs a target: a Table that has one, or y after X. Name the column instead."
            )
        stratify = None if own else data[1]
    return n_rows, strata_of(data[0], stratify, 2)


def _parts(n_rows: int, sizes: list[int], strata: Array | None, shuffle: bool, random_state: Any) -> list[Array]:
    """Row numbers of each part. The first takes what the others leave, so it is drawn last."""
    if not shuffle:
        ends = np.cumsum(sizes)
        return [np.arange(end - size, end) for end, size in zip(ends.tolist(), sizes, strict=True)]
    rng = generator(random_state)
    rest = np.arange(n_rows)
    parts: list[Array] = []
    for size in reversed(sizes):
        if len(rest) == size:
            part = rest
        elif strata is None:
            part = rng.choice(rest, size, replace=False)
        else:
            part = spread(rest, strata, size, rng)
        parts.insert(0, rng.permutation(part))
        rest = np.setdiff1d(rest, part)
    return parts


def take(data: Any, rows: Array) -> Any:
    """Some rows of a table, frame, series, array or list, in the same type."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if isinstance(data, dict):
        return {name: take(column, rows) for name, column in data.items()}
    if isinstance(data, list | tuple | range):
        return type(data)(data[i] for i in rows.tolist()) if not isinstance(data, range) else [data[i] for i in rows]
    if hasattr(data, "tocsr"):
        return data.tocsr()[rows]
    if "polars" in sys.modules and type(data).__module__.startswith("polars"):
        return data[rows]
    return data.take(rows) if not isinstance(data, np.ndarray) and hasattr(data, "take") else data[rows]
