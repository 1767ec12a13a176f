"""The smallest change to a row that makes a model answer otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from learnt.data.table import Array
from learnt.report.comparison.insights.distance import Distance

MOST_VALUES = 40  # of a column, tried at first
MOST_CELLS = 4_000_000  # asked about for one row
PAIRED_COLUMNS, PAIRED_VALUES = 8, 12

#: Answers to variants of the row: (places → stored values) each; codes or numbers, and for classes how probable the
#: present answer still is (0 where that is not known).
Ask = Callable[[Sequence[dict[int, float]]], tuple[Array, Array]]


@dataclass(frozen=True)
class Flip:
    """Changed cells, by the places of their columns, as stored; the answer then; how far the change goes."""

    cells: tuple[tuple[int, float], ...]
    answer: float
    distance: float


@dataclass(frozen=True)
class Search:
    """`flip` is None where none was found among `columns` columns, one by one and, if `pairs`, two by two."""

    flip: Flip | None
    columns: int
    pairs: bool


def smallest_flip(distance: Distance, row: int, places: Sequence[int], others: Array, ask: Ask) -> Search:
    """Search single columns, then pairs, among values that occur in the rows `others`.

    `places` are the columns to try, most telling first; as many are tried as the limits allow.
    """
    places, values = _candidates(distance, row, places, others)
    now = ask([{}])[0][0]
    singles = [(j, v) for j in places for v in values[j]]
    if not singles:
        return Search(None, len(places), False)
    answers, still = ask([{j: v} for j, v in singles])
    flips = _flips(distance, row, singles, answers, now)
    if flips:
        return Search(_nearest_flip(distance, row, flips, values, others, ask, now), len(places), False)
    # No column alone: those that come closest, two by two.
    least = {
        j: min(s for (k, _), s in zip(singles, still.tolist(), strict=True) if k == j) for j in values if values[j]
    }
    telling = sorted(least, key=lambda j: (least[j], places.index(j)))[:PAIRED_COLUMNS]
    pairs = [
        {a: x, b: y}
        for a, b in combinations(telling, 2)
        for x, y in product(_thinned_values(values[a], PAIRED_VALUES), _thinned_values(values[b], PAIRED_VALUES))
    ]
    pairs = pairs[: max(1, MOST_CELLS // max(1, len(distance.columns)))]
    if not pairs:
        return Search(None, len(places), False)
    answers, _ = ask(pairs)
    found = [
        Flip(tuple(change.items()), float(a), sum(_far(distance, row, j, v) for j, v in change.items()))
        for change, a in zip(pairs, answers.tolist(), strict=True)
        if a != now
    ]
    return Search(min(found, key=_order) if found else None, len(places), True)


def largest_moves(distance: Distance, row: int, places: Sequence[int], others: Array, ask: Ask) -> list[Flip]:
    """Of numbers: the change of one column that lowers the prediction most, and the one that raises it most."""
    places, values = _candidates(distance, row, places, others)
    singles = [(j, v) for j in places for v in values[j]]
    if not singles:
        return []
    now = float(ask([{}])[0][0])
    answers, _ = ask([{j: v} for j, v in singles])
    moves = [
        Flip(((j, v),), float(a), _far(distance, row, j, v))
        for (j, v), a in zip(singles, answers.tolist(), strict=True)
        if np.isfinite(a)
    ]
    ends = [min(moves, key=lambda m: m.answer), max(moves, key=lambda m: m.answer)] if moves else []
    return [m for m, sign in zip(ends, (-1, 1), strict=False) if sign * (m.answer - now) > 1e-12 * max(1.0, abs(now))]


def _candidates(
    distance: Distance, row: int, places: Sequence[int], others: Array
) -> tuple[list[int], dict[int, list[float]]]:
    """The columns that the limits allow, and values of each, the nearest to the row's own first."""
    room = MOST_CELLS // max(1, len(distance.columns))
    values: dict[int, list[float]] = {}
    for j in places:
        found = _thinned_values(_occurring(distance, row, j, others), MOST_VALUES)
        if room < len(found):
            break
        room -= len(found)
        values[j] = found
    return list(values), values


def _occurring(distance: Distance, row: int, place: int, others: Array) -> list[float]:
    """Values of a column in other rows, but the row's own, in order of their distance from it."""
    column = distance.columns[place]
    cells = column.values[others]
    known = np.isfinite(cells) if column.kind == "numeric" else cells >= 0
    seen = np.unique(cells[known])
    seen = seen[seen != column.values[row]]
    if column.kind == "nominal":  # all are equally far: the frequent first
        tally = np.bincount(cells[known], minlength=len(column.categories))
        seen = seen[np.argsort(-tally[seen], kind="stable")]
    order = np.argsort(distance.cells(place, column.values[row], seen), kind="stable")
    return [x.item() for x in seen[order]]


def _thinned_values(values: list[float], most: int) -> list[float]:
    """At most so many of them, evenly chosen, the first and the last among them."""
    if len(values) <= most:
        return values
    return [values[i] for i in np.unique(np.linspace(0, len(values) - 1, most).round().astype(int)).tolist()]


def _flips(distance: Distance, row: int, singles: list[tuple[int, float]], answers: Array, now: float) -> list[Flip]:
    return [
        Flip(((j, v),), float(a), _far(distance, row, j, v))
        for (j, v), a in zip(singles, answers.tolist(), strict=True)
        if a != now
    ]


def _nearest_flip(
    distance: Distance, row: int, flips: list[Flip], values: dict[int, list[float]], others: Array, ask: Ask, now: float
) -> Flip:
    """The least of the changes found, after a second look at the values passed over just before each of them."""
    first: dict[int, Flip] = {}
    for flip in sorted(flips, key=_order):
        first.setdefault(flip.cells[0][0], flip)
    nearer: list[tuple[int, float]] = []
    for j, flip in first.items():
        if distance.columns[j].kind != "nominal" and len(values[j]) == MOST_VALUES:
            own, found = distance.columns[j].values[row], flip.cells[0][1]
            same_side = [v for v in values[j] if (v > own) == (found > own)]
            passed = [far for v in same_side if (far := _far(distance, row, j, v)) < flip.distance]
            between = [
                v
                for v in _occurring(distance, row, j, others)
                if (v > own) == (found > own) and max(passed, default=0.0) < _far(distance, row, j, v) < flip.distance
            ]
            nearer += [(j, v) for v in _thinned_values(between, 4 * MOST_VALUES)]
    nearer = nearer[: max(1, MOST_CELLS // max(1, len(distance.columns)))]
    more = _flips(distance, row, nearer, ask([{j: v} for j, v in nearer])[0], now) if nearer else []
    return min([*first.values(), *more], key=_order)


def _far(distance: Distance, row: int, place: int, value: float) -> float:
    own = distance.columns[place].values[row]
    return float(distance.cells(place, own, np.array([value]))[0])


def _order(flip: Flip) -> float:
    """Of equal ones the first, which is that of the most telling column and its most frequent label."""
    return flip.distance
