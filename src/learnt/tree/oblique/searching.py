"""Which few columns, added up, tell the target of a node apart: least squares with ever one column more, then one
coefficient at a time is moved to where the split is best (as OC1 does)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Table
from learnt.tree.arrays import TreeArrays
from learnt.tree.model_tree.ranked_cells import is_nominal
from learnt.tree.oblique.combinations import Term

#: Columns that are looked at together: those most correlated with the target.
TRIED = 20
#: Of a nominal column, categories that at least this share of the rows has; so many at most.
LEAST_SHARE, MOST_CATEGORIES = 0.05, 8
#: A column of which less than this part of its variance is left beside those chosen adds nothing.
COLLINEAR = 1e-6
#: Digits of coefficients: what is written is what is computed.
DIGITS = 3
#: Cells whose squares can be added, and deviations whose squares are not lost.
LARGEST, SMALLEST = 1e120, 1e-120
#: Coefficients are moved at most so many times.
MOVES = 3


class Terms:
    """All terms that combinations may have, as a matrix, rows × terms, missing cells filled."""

    def __init__(self, table: Table, weights: Array):
        self.terms: list[Term] = []
        columns = []
        total = float(weights.sum())
        for j, column in enumerate(table.columns):
            known = ~column.missing
            if is_nominal(column):
                share = np.bincount(column.values[known], weights[known], len(column.categories)) / total
                often = np.flatnonzero((share >= LEAST_SHARE) & (share < 1))
                often = often[np.argsort(-share[often], kind="stable")][:MOST_CATEGORIES]
                codes = sorted(often.tolist())[: 1 if len(column.categories) == 2 else None]
            else:
                plain = column.kind == "numeric" and (column.form is None or column.form.sort == "number")
                codes = [-1] if plain and known.any() else []
            for code in codes:
                values = (column.values == code).astype(np.float64) if code >= 0 else column.values.astype(np.float64)
                if np.abs(values[known]).max(initial=0.0) > LARGEST:
                    continue
                mean = float(np.average(values[known], weights=weights[known]))
                values = np.where(known, values, mean)
                deviation = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
                if deviation > max(SMALLEST, 1e-10 * abs(mean)):
                    self.terms.append(Term(j, code, mean, deviation))
                    columns.append(values)
        self.matrix = np.column_stack(columns) if columns else np.empty((table.n_rows, 0))


@dataclass(frozen=True, slots=True)
class Direction:
    """Terms by their numbers, in rising order, and their coefficients; the first is 1."""

    terms: tuple[int, ...]
    coef: tuple[float, ...]

    def values(self, x: Array) -> Array:
        total = np.zeros(len(x))
        for t, b in zip(self.terms, self.coef, strict=True):
            total += b * x[:, t]
        return total


def direction(terms: list[int], coef: Array, digits: int = DIGITS) -> Direction | None:
    """Coefficients in a few digits, in units of the first; None where they vanish."""
    order = np.argsort(terms)
    b = np.asarray(coef, dtype=np.float64)[order]
    with np.errstate(all="ignore"):
        b = b / b[0]
    if not np.isfinite(b).all() or not b.all():
        return None
    return Direction(tuple(sorted(terms)), tuple(float(f"{v:.{digits - 1}e}") for v in b.tolist()))


def directions(terms: Terms, rows: Array, targets: list[Array], w: Array, most: int) -> Iterator[list[Direction]]:
    """Per number of terms, from 2 to `most`, a direction for each target, and for each with another first term."""
    x = terms.matrix[rows]
    total = float(w.sum())
    mean = (w @ x) / total
    x = x - mean
    scale = np.sqrt((w @ x**2) / total)
    alive = np.flatnonzero(scale > 1e-9 * np.array([term.scale for term in terms.terms]))
    if len(alive) < 2:
        return
    z = x[:, alive] / scale[alive]
    paths = []
    for y in targets:
        right = z.T @ (w * (y - float(w @ y) / total))
        tried = np.sort(np.argsort(-np.abs(right), kind="stable")[:TRIED])
        gram = (z[:, tried] * w[:, None]).T @ z[:, tried]
        first = int(np.argmax(np.abs(right[tried])))
        paths += [
            (gram, right[tried], alive[tried], _stepwise(gram, right[tried], start, most)) for start in (first, -1)
        ]
    for size in range(2, most + 1):
        found = []
        for gram, right, names, path in paths:
            if len(path) < size:
                continue
            inside = path[:size]
            b = np.linalg.solve(gram[np.ix_(inside, inside)] + 1e-9 * total * np.eye(size), right[inside])
            one = direction([int(names[i]) for i in inside], b / scale[names[inside]])
            if one is not None and one not in found:
                found.append(one)
        yield found


def _stepwise(gram: Array, right: Array, start: int, most: int) -> list[int]:
    """Columns, each lowering the squared residuals most beside those before; with `start` −1 the best pair first."""
    if start < 0:
        pair = _best_pair(gram, right)
        if pair is None:
            return []
        chosen = list(pair)
    else:
        chosen = [start]
    a, c, own = gram.copy(), right.copy(), np.diag(gram).copy()
    for k in range(most):
        if k >= len(chosen):
            left = np.diag(a)
            gains = np.where(left > COLLINEAR * own, c**2 / np.where(left > 0, left, 1.0), -1.0)
            gains[chosen] = -1.0
            best = int(np.argmax(gains))
            if gains[best] <= 0:
                break
            chosen.append(best)
        j = chosen[k]
        if not a[j, j] > COLLINEAR * own[j]:
            return chosen[:k]
        row = a[j] / a[j, j]
        c = c - row * c[j]
        a = a - np.outer(a[:, j], row)
    return chosen


def _best_pair(gram: Array, right: Array) -> tuple[int, int] | None:
    """The two columns that leave the smallest squared residuals together."""
    d = np.diag(gram)
    det = np.outer(d, d) - gram**2
    with np.errstate(all="ignore"):
        both = np.outer(right, right)
        gain = (right[:, None] ** 2 * d[None, :] - 2 * both * gram + right[None, :] ** 2 * d[:, None]) / det
    gain = np.where(det > COLLINEAR * np.outer(d, d), gain, -1.0)
    gain[np.tril_indices(len(d))] = -1.0
    i, j = divmod(int(np.argmax(gain)), len(d))
    return (i, j) if gain[i, j] > 0 else None


Split = Callable[[Array], TreeArrays]
Gain = Callable[[TreeArrays], float]


def in_fewest_digits(one: Direction, stump: TreeArrays, x: Array, split: Split, gain: Gain) -> Direction:
    """The direction in as few digits as split the rows no worse."""
    for digits in range(1, DIGITS):
        short = direction(list(one.terms), np.array(one.coef), digits)
        if short is None:
            continue
        found = split(short.values(x)[:, None])
        if not found.is_leaf[0] and gain(found) >= gain(stump) * (1 - 1e-9):
            return short
    return one


def moved(one: Direction, stump: TreeArrays, x: Array, split: Split, gain: Gain) -> tuple[Direction, TreeArrays]:
    """The direction after single coefficients were moved to where the split is best, with its stump.

    With s the other terms and x' > 0 the term shifted, s + b·x' ≤ t is b ≤ (t − s)/x': the best b for this t is a
    threshold on the right side.
    """
    for _ in range(MOVES):
        values, t = one.values(x), float(stump.threshold[0])
        places, columns = [], []
        for k, (term, b) in enumerate(zip(one.terms, one.coef, strict=True)):
            cells = x[:, term]
            low, high = float(cells.min()), float(cells.max())
            shift = low - 0.01 * (high - low)
            if k == 0 or not high > low:
                continue
            with np.errstate(all="ignore"):
                ratio = (t - b * shift - (values - b * cells)) / (cells - shift)
            if np.isfinite(ratio).all():
                places.append(k)
                columns.append(ratio)
        if not columns:
            break
        best = split(np.column_stack(columns))
        if best.is_leaf[0] or not gain(best) > gain(stump) * (1 + 1e-9):
            break
        coef = list(one.coef)
        coef[places[int(best.feature[0])]] = float(best.threshold[0])
        other = direction(list(one.terms), np.array(coef))
        if other is None or other == one:
            break
        found = split(other.values(x)[:, None])
        if found.is_leaf[0] or not gain(found) > gain(stump) * (1 + 1e-9):
            break
        one, stump = other, found
    return one, stump
