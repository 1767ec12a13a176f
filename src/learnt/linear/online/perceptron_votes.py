"""The voted perceptron: every line it ever held votes, by how many rows it survived."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS, dense
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanation
from learnt.learner.parameters import seed_from
from learnt.show.words import label
from learnt.storable import storable

if TYPE_CHECKING:
    from learnt.linear.online.rows import OnlineRows, Scaling

#: Cells that the lines of all votes may take together: 200 MB.
MOST_CELLS = 25_000_000


@storable
@dataclass(frozen=True, eq=False)
class Votes:
    """Lines (votes × columns, and their intercepts), the unit each belongs to, and the rows each survived."""

    coef: Array
    intercept: Array
    unit: Array
    survived: Array

    def __post_init__(self) -> None:
        v = len(self.coef)
        if self.coef.ndim != 2 or any(a.shape != (v,) for a in (self.intercept, self.unit, self.survived)):
            raise ValueError("Votes need one intercept, unit and number of rows each.")

    def check(self, n_columns: int, n_units: int) -> None:
        if self.coef.shape[1] != n_columns or np.any(self.unit < 0) or np.any(self.unit >= n_units):
            raise SavedModelError("The votes do not fit the columns or classes.")

    def in_units(self, scaling: Scaling) -> Votes:
        """The same lines for columns as the table has them."""
        coef, intercept = scaling.in_units(self.coef, self.intercept)
        return replace(self, coef=coef, intercept=intercept)

    def of(self, table: Table, design: Design) -> Array:
        parts = [
            self.scores(dense(design.encode(table.rows(start, start + ENCODED_ROWS))))
            for start in range(0, table.n_rows, ENCODED_ROWS)
        ]
        return np.concatenate(parts)

    def scores(self, x: Array) -> Array:
        """Σ survived · sign(b + w·x) over Σ survived, from −1 to 1: rows × units."""
        n_units = int(self.unit.max()) + 1
        shares = (self.unit == np.arange(n_units)[:, None]) * self.survived
        shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        found = np.zeros((len(x), n_units))
        step = max(1, MOST_CELLS // (10 * max(len(x), 1)))
        for first in range(0, len(self.coef), step):
            some = slice(first, first + step)
            found += _sides(x, self.coef[some].T, self.intercept[some]) @ shares[:, some].T
        return found

    def explain(self, scores: Array, labels: list[Any]) -> Explanation:
        """The lead of the answer over the runner-up; lines disagree, so that columns have no part of their own."""
        order = np.argsort(-scores, kind="stable").tolist()
        best, others = int(order[0]), [int(c) for c in order[1:]]
        total = float(scores[best] - scores[others[0]])
        return Explanation(
            prediction=labels[best],
            kind="score",
            base=total,
            base_words=f"votes of {len(self.coef)} perceptrons",
            evidence=(),
            total=total,
            total_words=f"lead against {label(labels[others[0]])}",
            alternatives=tuple((labels[c], float(scores[c] - scores[best])) for c in others),
        )


def collect_votes(learner: Any, rows: OnlineRows, codes: Array, units: int) -> Votes:
    """Learn again, unit by unit, and note each line with the rows it survived, that of its birth included."""
    rows = _one_by_one(rows)
    p, seed = rows.n_columns, seed_from(learner.random_state)
    coef, intercept = np.zeros((units, p)), np.zeros(units)
    time, mistakes, following = np.zeros(units), np.zeros(units, np.int64), np.zeros(units, np.int64)
    lines: list[tuple[Array, float, int, float]] = []
    for u in range(units):
        unit, born = np.array([u], np.int32), 0.0
        for epoch in range(int(learner.max_iter)):
            before, place = int(mistakes[u]), 0
            course = rows.course(seed, epoch, bool(learner.shuffle))
            while place < rows.n_taking_part:
                line, count = (coef[u].copy(), float(intercept[u])), int(mistakes[u])
                rows.perceptron_pass(codes, course, place, True, float(learner.eta0), bool(learner.fit_intercept), unit,
                                     (coef, intercept), None, time, None, mistakes, following)  # fmt: skip
                place = int(following[u])
                if mistakes[u] > count:
                    lines.append((*line, u, float(time[u]) - 1 - born))
                    born = float(time[u]) - 1
                if len(lines) * (p + 1) > MOST_CELLS:
                    raise InputError(
                        f"Perceptron(variant='voted') keeps a line of {p} weights for each mistake, and has made "
                        f"{len(lines)}. Choose variant='averaged', or fewer passes (max_iter)."
                    )
            if mistakes[u] == before:
                break
        lines.append((coef[u].copy(), float(intercept[u]), u, float(time[u]) - born))
    kept = [line for line in lines if line[3] > 0]  # the first line of all, at 0, survives nothing
    return Votes(
        np.array([line[0] for line in kept]),
        np.array([line[1] for line in kept]),
        np.array([line[2] for line in kept], np.int32),
        np.array([line[3] for line in kept]),
    )


def _one_by_one(rows: OnlineRows) -> OnlineRows:
    return replace(rows, weights=None, places=one_by_one(rows.places, rows.weights, rows.n_rows, "Perceptron"))


def one_by_one(places: Array | None, weights: Array | None, n_rows: int, learner: str) -> Array | None:
    """Each row listed as often as it is shown, so that every visit is a step of its own."""
    if weights is None:
        return places
    places = np.arange(n_rows, dtype=np.int64) if places is None else places
    shown = np.ceil(weights[places])
    if not shown.sum() <= MOST_CELLS:
        raise InputError(
            f"{learner}(variant='voted') shows each row as often as it weighs, {shown.sum():.15g} times in all. "
            "Scale the weights down, or choose variant='averaged'."
        )
    return np.repeat(places, shown.astype(np.int64))


def _sides(x: Array, coef: Array, intercept: Array) -> Array:
    """The sign of b + x·w; of rows whose sum would overflow that of (b + x·w) / 2¹²⁰⁰, which is the same."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = x @ coef + intercept
    if not np.isfinite(sums).all():
        least = math.ldexp(1.0, -600)
        lost = ~np.isfinite(sums).all(axis=1)
        sums[lost] = (x[lost] * least) @ (coef * least) + intercept * least * least
    sides: Array = np.sign(sums)
    return sides
