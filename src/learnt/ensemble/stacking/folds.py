"""Which rows are left out together when members are asked about rows they have not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.row_keys import ORDERED_UP_TO, are_copies, cells_of, order_of_points
from learnt.data.table import Array
from learnt.engine.passes import Batch
from learnt.engine.whole import WholeTable
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain, Whole
from learnt.show.words import short_repr
from learnt.statistics.sample import hash_rows


class Folds(Domain):
    words = "a whole number ≥ 2, a splitter, which has `split`, or a list of pairs of row numbers, (train, test)"
    bounds = "≥ 2"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, list | tuple):
            return len(value) > 0 and all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value)
        return value in Whole(2) or (hasattr(value, "split") and not isinstance(value, str | bytes | type))


def left_out_parts(
    rows: WholeTable, there: WholeTable, batch: Batch, cv: Any, classes: bool
) -> tuple[Batch, list[tuple[Array, Array]]]:
    """The rows that members are asked about, and pairs of numbers of them: to learn from, and left out.

    `batch` holds the rows `there`, those of positive weight among `rows`. Each row is left out once; there are no pairs
    where there are too few different rows to leave any out.
    """
    if cv in Whole(2):
        batch = spread_copies(batch)
        fold = dealt_folds(batch, int(cv), classes)
        parts = int(fold.max()) + 1
        pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(parts)]
        return batch, pairs if parts > 1 else []
    place = np.full(rows.rows, -1)
    place[there.numbers - rows.numbers[0]] = np.arange(there.rows)
    given = cv if isinstance(cv, list | tuple) else cv.split(rows.table, rows.target)
    try:
        pairs = [(place[np.asarray(train)], place[np.asarray(test)]) for train, test in given]
        pairs = [(train[train >= 0], test[test >= 0]) for train, test in pairs]
        pairs = [(train, test) for train, test in pairs if len(test)]
        times = np.bincount(np.concatenate([test for _, test in pairs]), minlength=there.rows)
        fits = bool((times == 1).all()) and all(len(train) for train, _ in pairs)
    except (IndexError, ValueError):
        fits = False
    if not fits:
        raise ParameterError(
            f"cv={short_repr(cv)} does not leave every row out once, so that members cannot be asked about each. "
            "Give a whole number, or a splitter such as KFold, StratifiedKFold or GroupKFold."
        )
    return batch, pairs


def spread_copies(batch: Batch) -> Batch:
    """The rows to be left out one by one: whole weights of rows in mixed cells as so many copies, the others as they
    are."""
    if batch.weights is None or batch.n_rows > ORDERED_UP_TO or not are_copies(batch.weights):
        return batch
    assert batch.target is not None
    cell, mixed = _cells(batch)
    times = np.where(mixed[cell], batch.weights, 1).astype(np.int64)
    places = np.repeat(np.arange(batch.n_rows), times)
    weights = np.where(mixed[cell], 1.0, batch.weights)[places]
    return replace(batch, table=batch.table.take(places), target=batch.target[places], weights=weights)


def dealt_folds(batch: Batch, n_folds: int, classes: bool) -> Array:
    """The fold of each row, the classes, or small and large targets, spread evenly.

    Rows are put in an order that follows from their cells, copies counting as one, and of every `n_folds` in a run
    one is dealt to each fold: neither the order of rows and columns nor whether a row stands there twice or weighs 2
    changes the folds. Tables that are larger are dealt out as they come.

    Where the same cells have different targets, though, rows are drawn from few cells, and a copy is another draw: it
    counts by itself. Left out together, rows would be asked about by members that have met the others of their cells
    alone, those of other targets.
    """
    assert batch.target is not None
    target, n = batch.target.astype(np.float64), batch.n_rows
    number = np.empty(n, np.int64)  # of each row among the different ones
    if n > ORDERED_UP_TO:
        number[np.argsort(target, kind="stable")] = np.arange(n)
    else:
        cell, mixed = _cells(batch)
        w = np.zeros(n) if batch.weights is None else batch.weights
        order = np.lexsort((w, cell, target))
        cell, target = cell[order], target[order]
        another = (cell[1:] != cell[:-1]) | (target[1:] != target[:-1]) | mixed[cell[1:]]
        number[order] = np.cumsum(np.append(False, another))
    distinct = int(number.max()) + 1
    runs = -(-distinct // n_folds)
    cards = hash_rows(0, 0, runs * n_folds).reshape(runs, n_folds).argsort(axis=1).ravel()[:distinct]
    dealt = np.unique(cards, return_inverse=True)[1]  # fewer rows than folds make fewer folds
    found: Array = dealt[number]
    return found


def _cells(batch: Batch) -> tuple[Array, Array]:
    """By row, which of the different combinations of cells it has; and of these, whether their targets differ."""
    assert batch.target is not None
    points = np.column_stack([*cells_of(batch.table), np.empty((batch.n_rows, 0))])
    inside = order_of_points(points)
    filled, cell = np.where(np.isnan(points), np.inf, points)[inside], np.empty(batch.n_rows, np.int64)
    cell[inside] = np.cumsum(np.append(False, (filled[1:] != filled[:-1]).any(axis=1)))  # missing cells are equal
    least, most = np.full(cell.max() + 1, np.inf), np.full(cell.max() + 1, -np.inf)
    np.minimum.at(least, cell, batch.target)
    np.maximum.at(most, cell, batch.target)
    return cell, least < most
