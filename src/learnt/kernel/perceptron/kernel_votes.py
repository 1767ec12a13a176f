"""Votes of a kernel perceptron: the sums it ever held, told by its mistakes in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import SavedModelError
from learnt.learner.parameters import seed_from
from learnt.linear import one_by_one
from learnt.storable import storable

#: Partial sums made at a time.
_CELLS = 4_000_000


@storable
@dataclass(frozen=True, eq=False)
class KernelVotes:
    """Of each mistake: its place among the rows kept, its sign, its unit, and the rows its sum survived."""

    place: Array
    sign: Array
    unit: Array
    survived: Array

    def __post_init__(self) -> None:
        if self.place.ndim != 1 or any(a.shape != self.place.shape for a in (self.sign, self.unit, self.survived)):
            raise ValueError("Votes need one row, sign, unit and number of rows each.")

    def check(self, n_kept: int, n_units: int) -> None:
        for places, end in ((self.place, n_kept), (self.unit, n_units)):
            if np.any(places < 0) or np.any(places >= end):
                raise SavedModelError("The votes do not fit the rows kept or the classes.")

    def scores(self, likeness: Array, n_units: int) -> Array:
        """Σ survived · sign(Σ of the mistakes so far) over Σ survived, from −1 to 1: rows × units."""
        found = np.zeros((len(likeness), n_units))
        for u in range(n_units):
            mine = np.flatnonzero(self.unit == u)
            place, sign, survived = self.place[mine], self.sign[mine], self.survived[mine]
            share = survived / max(survived.sum(), np.finfo(float).tiny)
            step = max(1, _CELLS // max(len(mine), 1))
            for first in range(0, len(likeness), step):
                sums = np.cumsum(likeness[first : first + step, place] * sign, axis=1)
                found[first : first + step, u] = (np.sign(sums) * share).sum(axis=1)
        return found


def collect_kernel_votes(
    learner: Any, gram: Array, codes: Array, places: Array | None, shown: Array | None, kept: Array, units: int
) -> KernelVotes:
    """Learn again, unit by unit, and note each mistake with the rows that its sum survived, its own included."""
    n, seed = len(gram), seed_from(learner.random_state)
    listed = one_by_one(places, shown, n, "KernelPerceptron")
    end = n if listed is None else len(listed)
    scores, counts = np.zeros((units, n)), (np.zeros((units, n)), np.zeros((units, n)))
    time, mistakes, following = np.zeros(units), np.zeros(units, np.int64), np.zeros(units, np.int64)
    rows: list[int] = []
    births: list[float] = []
    of_unit: list[int] = []
    deaths: list[float] = []
    for u in range(units):
        unit, first_vote = np.array([u], np.int32), len(rows)
        for epoch in range(int(learner.max_iter)):
            before, place = int(mistakes[u]), 0
            course = listed, None, seed, epoch, bool(learner.shuffle)
            while place < end:
                count, made = int(mistakes[u]), counts[0][u].copy()
                _core.kernel_perceptron_pass(
                    gram, codes, course, place, True, unit, scores, counts, time, mistakes, following
                )
                place = int(following[u])
                if mistakes[u] > count:
                    rows.append(int(np.flatnonzero(counts[0][u] != made)[0]))
                    births.append(float(time[u]) - 1)
                    of_unit.append(u)
            if mistakes[u] == before:
                break
        deaths += [*births[first_vote + 1 :], float(time[u])]
    row = np.array(rows, np.int64)
    sign = np.where(codes[row] == np.array(of_unit), 1.0, -1.0)
    survived = np.array(deaths) - np.array(births)
    return KernelVotes(np.searchsorted(kept, row), sign, np.array(of_unit, np.int32), survived)
