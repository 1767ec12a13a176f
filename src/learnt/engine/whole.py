"""All rows at once, for learners that compare rows with each other, sort them or draw from them.

Such a learner sets `whole` to an `InMemory`, which says why, and writes `_learn(rows)`, which gets a `WholeTable`. One
that needs all rows for some settings only calls `check` or `take` of an `InMemory` in its plan.

All rows are not a statistic: they are never added. So a plan does not ask for them by a pass but by `TakeWhole`, which
only the engine of a table in memory answers.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.dask import is_dask
from learnt.data.files.scan import Scan
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.errors import InputError

if TYPE_CHECKING:  # engines import this file, and training imports statistics, which import passes beside the engines
    from learnt.engine.training import Training


#: What a cluster fits in their stead, by task.
IN_PASSES = {
    "classification": "GradientBoostingClassifier, RandomForestClassifier or LogisticRegression",
    "regression": "GradientBoostingRegressor, RandomForestRegressor or Ridge",
    "clustering": "KMeans or MixtureModel",
}


@dataclass(frozen=True)
class InMemory:
    """Why a learner needs all rows in memory, in words that go on after "It"; and what else a user can do."""

    because: str
    instead: str = ""

    def check(self, source: Any, owner: str, task: str = "") -> None:
        """Raise if `source` is a scan. On a cluster, learners of the same task that work in passes are named."""
        if isinstance(source, Scan) or is_dask(source):
            what, advice = _told(source)
            ways = [advice, self.instead]
            if task in IN_PASSES and (is_dask(source) or source.of_dask or source.workers is not None):
                ways.append(f"fit {IN_PASSES[task]}, which work in passes")
            *others, last = [way for way in ways if way]
            told = f"{', '.join(others)}, or {last}" if others else last
            raise InputError(f"{owner} was given {what}. It {self.because}, so all rows must be in memory. {told}.")

    def take(self, training: Training, owner: str, task: str = "") -> Generator[TakeWhole, Any, WholeTable]:
        """The rows of a fit; a scan is refused."""
        self.check(training.source, owner, task)
        rows: WholeTable = yield TakeWhole()
        return rows


def _told(source: Any) -> tuple[str, str]:
    """What a source is that is not in memory, and how it gets there."""
    if is_dask(source) or source.of_dask:
        return "a Dask collection", "Bring the rows, or a part of them, into the memory of one machine by compute()"
    where = "a scan" if source.workers is None else "a scan on a cluster"
    return where, "Read the files, or a part of them, into a table by learnt.read"


@dataclass(frozen=True)
class OneMachine:
    """Why a learner that takes scans goes through them on one machine alone, in words that go on after "It"."""

    because: str

    def check(self, source: Any, owner: str) -> None:
        """Raise if `source` is on a cluster."""
        if is_dask(source) or (isinstance(source, Scan) and source.workers is not None):
            raise InputError(
                f"{owner} was given {_told(source)[0]}. It {self.because}, which workers of a cluster cannot do side "
                "by side. Fit it to a scan of the files on one machine, outside learnt.cluster."
            )


COMPARES_ROWS = InMemory("compares rows with each other")


@dataclass(frozen=True)
class WholeTable:
    """All rows, or those of positive weight, with their targets (None without) and weights."""

    rows: int
    table: Table
    target: Any
    weights: Array | None
    numbers: Array  # of the rows in the table that was fitted

    @classmethod
    def of(cls, batch: Batch) -> WholeTable:
        """Of the one batch of a table in memory."""
        numbers = np.arange(batch.n_rows, dtype=np.int64)
        return cls(batch.n_rows, batch.table, batch.target, batch.weights, numbers)

    @property
    def batch(self) -> Batch:
        return Batch(self.table, 0, self.target, self.weights)

    @property
    def uneven_weights(self) -> Array | None:
        """The weights, or None where all are 1."""
        return uneven(self.weights)

    def of_positive_weight(self) -> WholeTable:
        """Without the rows of weight 0: such a row is none, and must not shift a threshold."""
        w = self.weights
        if w is None or w.all():
            return self
        there = np.flatnonzero(w)
        target = None if self.target is None else self.target[there]
        return WholeTable(len(there), self.table.take(there), target, w[there], self.numbers[there])

    def unpacked(self) -> WholeTable:
        """The same, with a sparse table as columns, each of which is asked for many times."""
        return WholeTable(self.rows, unpacked(self.table), self.target, self.weights, self.numbers)


class TakeWhole:
    """What a plan yields to be given a `WholeTable`."""


def unpacked(table: Table) -> Table:
    """A sparse table as columns, each of which is asked for many times."""
    return table if table.sparse is None else Table.of_columns(table.columns, named=table.schema.named)


def uneven(weights: Array | None) -> Array | None:
    """The weights, or None where all are 1."""
    return None if weights is None or bool(np.all(weights == 1)) else weights
