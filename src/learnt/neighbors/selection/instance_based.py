"""Instance-based learning: which rows to keep, decided as they come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from learnt import _core
from learnt.data.convert.out import join_tables
from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.training import Training
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.errors import SavedModelError
from learnt.lazy import cached_property
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Seed, seed_from
from learnt.learner.partial import Continuing
from learnt.learner.saved_settings import check_settings
from learnt.neighbors.exemplars.nearest_class import NearestClass
from learnt.neighbors.extent import Extent, cells_of
from learnt.neighbors.index.build import Index, build_index
from learnt.neighbors.kept_rows import KeptRows
from learnt.neighbors.measure import Measure
from learnt.neighbors.showings import showings
from learnt.show.words import label
from learnt.storable import storable
from learnt.watch import report

#: Wilson's limits with so much of the normal curve beyond each: 5 % to be accepted.
Z_ACCEPT = 1.6448536269514722


@storable
@dataclass(frozen=True, eq=False)
class Instances:
    """The rows kept, in the order they came: their class, place among all rows, and how they did when asked."""

    rows: KeptRows
    label: Array
    number: Array
    tried: Array
    right: Array


class InstanceBasedClassifier(Continuing, NearestClass):
    """Answer with the class of the nearest row kept; rows come one by one, and the policy says which to keep.

        ib1   all
        ib2   those that the rows kept so far get wrong
        ib3   the same, but each row kept has to prove itself: by how often it was right, it is
              accepted   lower limit of its accuracy > upper limit of its class's share (5 % level), and may answer
              rejected   upper limit of its accuracy < lower limit of that share (12.5 % level), and is forgotten

    >>> table = {"x": [0.0, 0.1, 0.2, 1.0, 0.9, 0.8]}
    >>> model = InstanceBasedClassifier(policy="ib2").fit(table, ["a", "a", "a", "b", "b", "b"])
    >>> model.kept_.tolist(), model.predict({"x": [0.3, 0.7]}).tolist()
    ([0, 3], ['a', 'b'])

    Distances are sqrt(Σ d²), d being the share of a number's range, 0 or 1 of labels, 1 where a cell is missing. As
    long as no row is accepted, ib3 asks one drawn by rank; predictions then ask all. `partial_fit` goes on with more
    rows. A weight of 2 shows a row twice; fractions are taken relative to the smallest weight.

    {settings}

    Attributes: `kept_`, the numbers of the rows kept, counted over all rows shown to `fit` and `partial_fit`;
    `n_kept_`; `accepted_`, which of these may answer; `accuracy_`, how often each was right when asked (NaN: never
    asked); `n_seen_`, rows so far.

    Reference: D. Aha, D. Kibler, M. Albert, Instance-based learning algorithms, Machine Learning 6, 1991.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent", "pairwise"})
    whole = COMPARES_ROWS
    fit_cost = 30.0
    simplicity = 25.0
    search_space: ClassVar[dict[str, Any]] = {"policy": ("ib1", "ib2", "ib3")}

    policy: Any = setting(OneOf("ib1", "ib2", "ib3"), 'which rows are kept: "ib1", "ib2" or "ib3"', default="ib3")
    random_state: Any = setting(Seed(), "seed of what ib3 draws", default=0)

    n_seen_: int = attribute()
    _instances: Instances = attribute()
    _extent: Extent = attribute()
    _class_seen: Array = attribute()
    _shown: int = attribute()
    _seed: int = attribute()

    # Learning

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more rows. The first call fixes columns, categories and classes (`classes` lists them all).

        Ranges grow with the rows: the result is that of `fit` on all of them where the first rows span the ranges.
        """
        return self._fit_more(X, y, sample_weight, classes)

    def _continue(self, training: Training, earlier: Self | None) -> Plan:
        if earlier is not None:
            self._instances, self._extent, self.n_seen_ = earlier._instances, earlier._extent, earlier.n_seen_
            self._class_seen, self._shown, self._seed = earlier._class_seen.copy(), earlier._shown, earlier._seed
        yield from self._plan(training)

    def _learn(self, rows: WholeTable) -> None:
        n_rows, rows = rows.rows, rows.unpacked().of_positive_weight()
        table, y, w, places = rows.table, rows.target, rows.uneven_weights, rows.numbers
        extent = Extent.of(table)
        first = "_instances" not in self.__dict__
        if first:
            self._seed, self._shown, self.n_seen_ = seed_from(self.random_state), 0, 0
            self._class_seen, self._extent = np.zeros(len(self.classes_)), extent
            number, tried, right = (np.zeros(0, np.int64) for _ in range(3))
            labels, whole = y, table
        else:
            before, self._extent = self._instances, self._extent + extent
            number, tried, right = before.number, before.tried, before.right
            labels, whole = np.concatenate([before.label, y]), join_tables([before.rows.table, table])
        n, m = table.n_rows, len(number)
        shown = showings(n, w)
        measure = self._extent.measure(whole.schema)
        cells, labels = cells_of(whole), np.ascontiguousarray(labels, np.int32)
        start = np.arange(m, dtype=np.int64), tried, right
        kept, tried, right = _core.show_instances(
            cells,
            labels,
            *scaling(measure),
            str(self.policy),
            shown + m,
            self._seed,
            self._shown,
            self._class_seen,
            *start,
        )
        numbers = np.concatenate([number, self.n_seen_ + places])
        self._instances = Instances(KeptRows.of(whole.take(kept), None), labels[kept], numbers[kept], tried, right)
        self._shown += len(shown)
        self.n_seen_ += n_rows
        _ = self._by_class  # asking changes nothing any more
        report("rows kept", learner=type(self).__name__, iteration=self.n_seen_, kept=self.n_kept_)

    def _renumber(self, numbers: Array, n_rows: int) -> None:
        """Speak of rows by their numbers in a larger table, of which only these were fitted."""
        self._instances = replace(self._instances, number=numbers[self._instances.number])

    # What is kept

    @property
    def kept_(self) -> Array:
        return self._instances.number

    @property
    def n_kept_(self) -> int:
        return len(self._instances.number)

    @property
    def accuracy_(self) -> Array:
        """How often each row kept was right when it was asked; NaN if it never was."""
        found = self._instances
        none = np.full(len(found.tried), np.nan)
        return np.asarray(np.divide(found.right, found.tried, out=none, where=found.tried > 0))

    @property
    def accepted_(self) -> Array:
        """Which of the rows kept may answer; all of them, if the policy is not "ib3" or none is accepted."""
        found = self._instances
        share = _wilson(self._class_seen, np.full(len(self._class_seen), self._class_seen.sum()), +1)
        good: Array = _wilson(found.right, found.tried, -1) > share[found.label]
        return good if self.policy == "ib3" and good.any() else np.ones(len(good), dtype=bool)

    # Answering

    @cached_property
    def _by_class(self) -> list[tuple[Index, Array] | None]:
        """For each class an index of its rows that may answer, and their places among those kept."""
        found, able, measure = self._instances, self.accepted_, self._measure
        indexes: list[tuple[Index, Array] | None] = []
        for c in range(len(self.classes_)):
            some = np.flatnonzero(able & (found.label == c))
            table = found.rows.table.take(some)
            indexes.append((build_index(table, measure, index="scan"), some) if len(some) else None)
        return indexes

    @property
    def _measure(self) -> Measure:
        return self._extent.measure(self._schema)

    def _class_distances(self, table: Table) -> Array:
        far = np.full((table.n_rows, len(self.classes_)), np.inf)
        for c, found in enumerate(self._by_class):
            if found is not None:
                far[:, c] = found[0].query(table, 1)[0][:, 0]
        return far

    def _parts(self, row: Table, answer: int) -> tuple[float, Array, list[str], str, str]:
        found = self._by_class[answer]
        assert found is not None
        place = int(found[1][found[0].query(row, 1)[1][0, 0]])
        kept = self._instances.rows.table.rows(place, place + 1)
        weights = self._measure.column_weights
        assert weights is not None
        parts = weights * np.array([part[0, 0] for part in self._measure.parts(row, kept)])
        words = [f"against {label(column.labels()[0])}" for column in kept.columns]
        return 0.0, parts, words, "", f"row {self._instances.number[place]} at squared distance"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        found, k = self._instances, len(self.classes_)
        found.rows.check(self._schema)
        self._extent.check(self._schema)
        n = found.rows.n_rows
        counts = (found.number, found.tried, found.right)
        if any(a.shape != (n,) or a.dtype != np.int64 or a.min() < 0 for a in counts) or found.label.shape != (n,):
            raise SavedModelError("The records do not fit the rows kept.")
        if np.any(found.right > found.tried):
            raise SavedModelError("A row kept was right more often than it was asked.")
        if found.label.dtype != np.int32 or found.label.min() < 0 or found.label.max() >= k:
            raise SavedModelError("The rows kept are of classes that are not there.")
        seen = self._class_seen
        if seen.shape != (k,) or seen.dtype != np.float64 or not np.all((seen >= 0) & np.isfinite(seen)):
            raise SavedModelError("The counts of the classes do not fit them.")
        if self._shown < 0 or self.n_seen_ < 0 or not 0 <= self._seed < 2**64:
            raise SavedModelError("The counts of the rows shown make no sense.")
        _ = self._by_class


def scaling(measure: Measure) -> tuple[Array, Array, int]:
    assert measure.ranges is not None
    assert measure.column_weights is not None
    return measure.ranges, measure.column_weights, measure.power


def _wilson(right: Array, tried: Array, sign: int) -> Array:
    """Wilson's limit of a share at the 5 % level; 0 or 1 if nothing was tried."""
    n = np.where(tried > 0, tried, 1)
    f, zz = right / n, Z_ACCEPT**2 / n
    limit = (f + zz / 2 + sign * Z_ACCEPT * np.sqrt(f * (1 - f) / n + zz / (4 * n))) / (1 + zz)
    limit = np.where(tried > 0, limit, 0.0 if sign < 0 else 1.0)
    return np.asarray(limit)
