"""What clusterers have in common that keep their rows and place new ones by the nearest of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.medoids.nearest_medoid import words_of_base
from learnt.cluster.row_space import RowIndex, RowSpace
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.distance.precomputed import check_distances
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.errors import InputError, SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.lazy import cached_property
from learnt.learner.base import Clusterer
from learnt.learner.fields import attribute
from learnt.learner.matching import with_unseen_texts
from learnt.learner.saved_settings import check_settings
from learnt.learner.text.counting import TextUse, text_use_by_metric
from learnt.neighbors import KeptRows
from learnt.show.words import label

#: Distances that are held at a time.
CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class TakenRows:
    """The rows that count, their weights (None: ones) and numbers; the whole table, and given distances.

    `others` are the distances of rows without weight to those that count, where distances are given.
    """

    rows: Table
    weights: Array | None
    numbers: Array
    whole: Table
    square: Array | None
    others: Array | None = None

    @property
    def weight(self) -> float:
        return float(len(self.numbers) if self.weights is None else self.weights.sum())


def check_not_sparse(table: Table, owner: str) -> None:
    if table.sparse is not None:
        raise InputError(
            f"{owner} was given a sparse matrix, which it does not take: it compares all cells. "
            "Pass X.toarray() if that fits into memory, or distances with metric='precomputed'."
        )


def taken_rows(rows: WholeTable, owner: str, given: bool) -> TakenRows:
    """The rows of a fit; those without weight are left out. `given` says that they hold distances."""
    table = rows.table
    check_not_sparse(table, owner)
    some = rows.of_positive_weight()
    numbers = some.numbers
    square, others = check_distances(table) if given else None, None
    if square is not None and len(numbers) < table.n_rows:
        others = square[np.ix_(np.setdiff1d(rows.numbers, numbers), numbers)]
        square = square[np.ix_(numbers, numbers)]
    return TakenRows(some.table, some.uneven_weights, numbers, table, square, others)


class NearestRowClusterer(Clusterer, abstract=True):
    """Members set the attributes below in `_learn`, by `_keep`."""

    whole = COMPARES_ROWS

    labels_: Array = attribute()
    _rows: KeptRows | None = attribute()  # None where distances were given
    _design: Design | None = attribute()
    _metric: Metric | None = attribute()

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use_by_metric(getattr(self, "metric", "auto"))

    @property
    def _is_precomputed(self) -> bool:
        metric = getattr(self, "metric", None)
        return isinstance(metric, str) and metric == "precomputed"

    @property
    def _space(self) -> RowSpace:
        if self._metric is not None or self._design is not None:
            return RowSpace(self._design, self._metric or Metric("euclidean"))
        own: Any = getattr(self, "metric", None)  # a function; OwnMetric refuses anything else
        return RowSpace(None, OwnMetric(own))

    def _keep(self, taken: TakenRows, clusters: Array) -> None:
        """Keep the rows and their clusters; rows without weight get theirs as new rows do."""
        weights = None
        if len(taken.numbers) < taken.whole.n_rows:
            weights = np.zeros(taken.whole.n_rows)
            weights[taken.numbers] = 1
        self._rows = None if taken.square is not None else KeptRows.of(taken.whole, weights)
        _ = self._lazy
        self.labels_ = np.full(taken.whole.n_rows, -1, np.int32)
        self.labels_[taken.numbers] = clusters
        if weights is None:
            return
        others = np.flatnonzero(weights == 0)
        if taken.others is not None:
            self.labels_[others] = self._placed(taken.others, clusters)
        else:
            self.labels_[others] = self._predict(taken.whole.take(others))

    def _placed(self, away: Array, clusters: Array) -> Array:
        """The clusters of rows that are so far from those that count."""
        found: Array = clusters[away.argmin(axis=1)]
        return found

    def _kept_rows(self) -> KeptRows:
        if self._rows is None:
            raise InputError(
                f"This {type(self).__name__} was fitted on distances (metric='precomputed') and never saw rows. It "
                "knows labels_, but cannot place new rows. Fit it on the table, with a metric."
            )
        return self._rows

    @property
    def _row_labels(self) -> Array:
        """The clusters of the kept rows."""
        rows = self._kept_rows()
        found: Array = self.labels_ if rows.numbers is None else self.labels_[rows.numbers]
        return found

    @cached_property
    def _lazy(self) -> dict[str, Any]:
        """What is made when it is first asked for; here, so that asking does not change the learner itself."""
        return {}

    def _make_once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._lazy:
            self._lazy[name] = make()
        return self._lazy[name]

    @property
    def _index(self) -> RowIndex:
        found: RowIndex = self._make_once("index", lambda: self._space.index(self._kept_rows()))
        return found

    def _matched(self, X: Any) -> Table:
        same = super()._matched(X)
        if self._design is not None:
            return same
        # A function sees labels, also those that fitting never saw.
        return with_unseen_texts(X, same, range(same.n_columns) if self._metric is None else self._metric.text)

    def _predict(self, table: Table) -> Array:
        labels = self._row_labels  # that distances were given is told before anything else
        found: Array = labels[self._index.query(table, 1)[1][:, 0]]
        return found

    def distances(self, X: Any) -> Array:
        """How far each row is from the nearest fitted row of each cluster, rows × clusters."""
        still = self._still()
        found: Array = still._over(X, still._to_clusters)
        return found

    def _speaking(self) -> Array:
        """The kept rows that stand for their clusters."""
        return np.arange(self._kept_rows().n_rows)

    def _to_clusters(self, table: Table) -> Array:
        rows, speaking = self._kept_rows(), self._speaking()
        labels, some = self._row_labels[speaking], rows.table.take(speaking)
        k = int(self.labels_.max(initial=-1)) + 1
        order = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[order], np.arange(k))
        out = np.empty((table.n_rows, k))
        step = max(1, CELLS // max(1, len(speaking)))
        for i in range(0, table.n_rows if k else 0, step):
            away = self._space.distances(table.rows(i, min(table.n_rows, i + step)), some)[:, order]
            out[i : i + step] = np.minimum.reduceat(away, starts, axis=1)
        return out

    # Explaining

    def _explain(self, table: Table) -> Explanations:
        self._kept_rows()
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """What each column adds to the distance from the nearest row of the cluster."""
        answer = int(self._predict(row)[0])
        away = self._to_clusters(row)[0]
        near = int(self._index.query(row, 1)[1][0, 0])
        base, evidence, words = self._parts(row, near, float(away[answer]))
        power = 2 if words == "squared distance" else 1
        total = base + float(sum(e.contribution for e in evidence))
        order = [int(c) for c in np.argsort(away, kind="stable") if c != answer]
        told = f"{words} from row {int(self._kept_rows().named(np.array([near]))[0])}, the nearest one"
        others = tuple((c, float(away[c] ** power)) for c in order)
        return Explanation(answer, "nearest", base, words_of_base(base, row), evidence, total, told, others)

    def _parts(self, row: Table, near: int, distance: float) -> tuple[float, tuple[Evidence, ...], str]:
        other = self._kept_rows().table.rows(near, near + 1)
        base, parts, words = self._space.parts(row, other, distance)
        evidence = tuple(
            Evidence(column.name, column.labels()[0], float(part), f"there {label(its.labels()[0])}")
            for column, its, part in zip(row.columns, other.columns, parts, strict=True)
        )
        return base, evidence, words

    # Saving

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        labels = self.labels_
        if labels.ndim != 1 or labels.dtype != np.int32 or len(labels) == 0 or labels.min() < -1:
            raise SavedModelError("The labels are not numbers of clusters.")
        if len(np.unique(labels[labels >= 0])) != labels.max() + 1:
            raise SavedModelError("There are clusters without rows.")
        if (self._rows is None) != self._is_precomputed:
            raise SavedModelError("The rows are missing.")
        if self._rows is None:
            return
        self._rows.check(self._schema)
        if self._rows.n_fitted != len(labels):
            raise SavedModelError("There are not as many labels as rows.")
        if self._design is not None and self._design.schema != self._schema:
            raise SavedModelError("The design does not fit the columns.")
        if self._metric is not None:
            self._metric.check(self._rows.table)
        elif self._design is None:
            raise SavedModelError("The metric is missing.")
        _ = self._index  # what can be loaded can be asked
