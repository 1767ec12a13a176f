"""Ratings in the order of time: what is tested lies in the future of what is trained on."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.errors import InputError, KindError, ParameterError
from learnt.evaluate.splits.train_test import take
from learnt.learner.parameters import Real, Whole
from learnt.show.words import spell


def leave_last_out(ratings: Any, n: int = 1, *, user: str | None = None, time: str | None = None) -> tuple[Any, Any]:
    """Training and test rows: of each user, the last n ratings are tested.

    >>> rows = Table({"user": ["a", "a", "b", "a"], "item": ["x", "y", "x", "z"], "time": [1, 3, 2, 2]})
    >>> train, test = leave_last_out(rows)
    >>> train["item"].labels(), test["item"].labels()
    (['x', 'x', 'z'], ['y'])

    No row of training is as late as a test row of the same user: rows of one time are tested together. Users with at
    most n rows are only trained on. Other users' rows may be later: where that would tell what becomes the fashion, use
    `split_by_time`. `user` and `time` name columns, unless these are called so.
    """
    if n not in Whole(1):
        raise ParameterError(f"n={spell(n)} is not allowed. Expected a whole number ≥ 1.")
    table = ratings if isinstance(ratings, Table) else Table(ratings)
    who, when = _role(table, "user", user), _times(table, time)
    gone = np.flatnonzero(who.missing)
    if len(gone):
        raise InputError(f"Column {who.name!r} has no cell in row {gone[0]}. Leave out rows without a user first.")
    codes = np.unique(who.values, return_inverse=True)[1].ravel()
    counts = np.bincount(codes)
    order = np.lexsort((when, codes))
    ends = np.cumsum(counts)
    few = counts <= n
    cut = when[order[np.where(few, ends - 1, ends - n)]]  # of each user, the time of the first row tested
    tested = (when >= cut[codes]) & ~few[codes]
    return _parts(ratings, tested)


def split_by_time(ratings: Any, test_size: float = 0.2, *, at: Any = None, time: str | None = None) -> tuple[Any, Any]:
    """Training and test rows: what was before a moment, and what came at it or later.

    >>> rows = Table({"user": ["a", "a", "b"], "item": ["x", "y", "x"], "time": [1, 3, 2]})
    >>> train, test = split_by_time(rows, at=2)
    >>> train.n_rows, test.n_rows
    (1, 2)

    Without `at` the moment is chosen such that the share `test_size` of the rows, or a little more, are tested. Rows of
    one time are never parted, so that nothing in training is as late as anything tested.
    """
    if test_size not in Real(above=0, below=1):
        raise ParameterError(f"test_size={spell(test_size)} is not allowed. Expected a share between 0 and 1.")
    table = ratings if isinstance(ratings, Table) else Table(ratings)
    when = _times(table, time)
    if at is None:
        late = min(len(when), max(1, round(test_size * len(when))))
        moment = float(np.sort(when)[len(when) - late])
    else:
        moment = _moment(at)
    tested = when >= moment
    if tested.all() or not tested.any():
        side = "train" if tested.all() else "test"
        raise InputError(f"The split leaves no row to {side} on. Choose another moment.")
    return _parts(ratings, tested)


def _parts(ratings: Any, tested: Array) -> tuple[Any, Any]:
    return take(ratings, np.flatnonzero(~tested)), take(ratings, np.flatnonzero(tested))


def _role(table: Table, role: str, told: str | None) -> Column:
    from learnt.recommendation import known_column  # with all that learns from ratings, which other splits do without

    name = known_column(role, table.names) if told is None else told
    if name is None:
        raise InputError(f"No column is called {role!r}. Name it: {role}=….")
    if name not in table:
        raise InputError(f"{role}={spell(name)} names a column. {unknown_column(name, table.names)}")
    return table[name]


def _times(table: Table, told: str | None) -> Array:
    column = _role(table, "time", told)
    if table.n_rows == 0:
        raise InputError("The table has no rows to split.")
    if column.kind not in ("numeric", "ordinal"):
        raise KindError(f"Column {column.name!r} is {column.kind}: its cells have no order. Give numbers or dates.")
    gone = np.flatnonzero(column.missing)
    if len(gone):
        raise InputError(
            f"Column {column.name!r} has no cell in row {gone[0]}, so that its place is not known. Fill it."
        )
    return np.asarray(column.values, np.float64)


def _moment(at: Any) -> float:
    if isinstance(at, str):
        try:
            at = datetime.fromisoformat(at)
        except ValueError:
            raise ParameterError(f"at={at!r} is not a moment. Expected a number or a date.") from None
    column = to_vector([at], "at")
    if column.kind != "numeric" or not np.isfinite(column.values[0]) or isinstance(at, bool):
        raise ParameterError(f"at={spell(at)} is not a moment. Expected a number or a {date.__name__}.")
    return float(column.values[0])
