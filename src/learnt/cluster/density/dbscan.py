"""DBSCAN: clusters are where rows lie dense, whatever their shape; what lies alone is noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.cluster.density.explanation import DensityExplanation
from learnt.cluster.density.pairs import Lists, density_clusters
from learnt.cluster.hierarchy.hierarchy import by_first_row
from learnt.cluster.nearest_rows import CELLS, NearestRowClusterer, TakenRows, taken_rows
from learnt.cluster.row_space import RowIndex
from learnt.data.row_keys import cells_of, row_keys
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.distance.precomputed import metric_for
from learnt.distance.resolving import NAMES
from learnt.engine.whole import WholeTable
from learnt.errors import SavedModelError
from learnt.learner.fields import attribute, setting
from learnt.learner.matching import unseen_cells
from learnt.learner.parameters import OneOf, Real
from learnt.neighbors import Function, KeptRows, ResolvedMetric
from learnt.show.numbers import number
from learnt.show.words import count_of, first_of
from learnt.watch import report

KINDS = ("noise", "border", "core")


@dataclass(frozen=True, eq=False)
class Copies:
    """The different rows among those kept: their sorted keys, the one each kept row has (`group`), and of each
    the first core with these cells (−1: none) and the weight of all rows that have them."""

    keys: Array
    group: Array
    cores: Array
    weights: Array


class DBSCAN(NearestRowClusterer):
    """Put rows into one cluster that a chain of dense places connects; rows in sparse places are noise.

        core     rows of a weight of at least min_samples lie within eps of it, itself and its copies counted
        border   no core, but within eps of one; if those are of several clusters, of the first
        noise    all others: label −1

    >>> heights = {"height": [1.0, 1.1, 1.2, 5.0, 5.1, 5.2, 9.0]}
    >>> model = DBSCAN(eps=0.15, min_samples=3).fit(heights)
    >>> model.labels_.tolist(), model.kind_.tolist()
    ([0, 0, 0, 1, 1, 1, -1], ['border', 'core', 'border', 'border', 'core', 'border', 'noise'])

    {settings}

    Attributes: `labels_` (clusters numbered by their first rows), `kind_` ("core", "border", "noise" of each row),
    `core_sample_indices_`, `n_clusters_`.

    Numbers need memory for the rows and a k-d tree of them, never for lists of neighbours; in few dimensions the time
    is nearly linear. A new row belongs to the cluster of the nearest core within eps, else it is noise.

    Reference: M. Ester, H.-P. Kriegel, J. Sander, X. Xu, A density-based algorithm for discovering clusters, KDD 1996.
    """

    abilities = frozenset({"missing", "nominal", "weights", "pairwise"})
    fit_cost = 20.0
    simplicity = 35.0
    readable = True

    eps: float = setting(
        Real(above=0),
        "how near a neighbour is; `suggest_eps` and its picture help to choose it",
        default=0.5,
        kw_only=False,
    )
    min_samples: float = setting(
        Real(above=0), "weight of neighbours that makes a core, the row itself counted", default=5
    )
    metric: Any = setting(
        OneOf(*NAMES, "precomputed") | ResolvedMetric() | Function(),
        'Euclid\'s for complete numbers, else "mixed"; any metric, or "precomputed": X holds distances',
        default="auto",
    )

    core_sample_indices_: Array = attribute()
    n_clusters_: int = attribute()
    _kept_core: Array = attribute()  # of the kept rows, by their places there
    _row_weights: Array | None = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        taken = taken_rows(rows, type(self).__name__, self._is_precomputed)
        self._design, self._row_weights = None, taken.weights
        metric = None if self._is_precomputed else metric_for(taken.rows, self.metric)
        self._metric = metric if isinstance(metric, Metric) else None
        report("clustering", learner=type(self).__name__, iteration=0, total=1)
        clusters, core = self._cluster_rows(taken)
        clusters = by_first_row(clusters)
        self.n_clusters_ = int(clusters.max(initial=-1)) + 1
        self._kept_core = np.flatnonzero(core)
        self.core_sample_indices_ = taken.numbers[self._kept_core]
        self._keep(taken, clusters)
        report("clustered", learner=type(self).__name__, iteration=1, total=1, clusters=self.n_clusters_)

    def _cluster_rows(self, taken: TakenRows) -> tuple[Array, Array]:
        found = None if taken.square is not None else self._space.coordinates(taken.rows)
        n, least = len(taken.numbers), float(self.min_samples)
        if found is None:
            return density_clusters(lambda: self._lists(taken), n, least, taken.weights)
        labels, core, space = np.empty(n, np.int32), np.empty(n, np.uint8), found.space
        eps = float(space.search_radii(np.array([float(self.eps)]))[0]) * found.scale
        _core.dbscan(found.x, space.norm, space.power, space.weights, eps, least, taken.weights, labels, core)
        return labels, core.astype(bool)

    def _lists(self, taken: TakenRows) -> Lists:
        """The rows within eps of each row, in blocks; a row and its copies are neighbours, also with missing cells."""
        n = len(taken.numbers)
        copies = (
            np.arange(n)
            if taken.square is not None
            else np.unique(_row_keys(taken.rows, taken.rows.schema), return_inverse=True)[1]
        )
        step = max(1, CELLS // n)
        for i in range(0, n, step):
            last = min(n, i + step)
            if taken.square is not None:
                away = taken.square[i:last]
            else:
                away = self._space.distances(taken.rows.rows(i, last), taken.rows)
            near = (away <= self.eps) | (copies[i:last, None] == copies[None, :])
            start = np.concatenate([[0], np.cumsum(near.sum(axis=1))]).astype(np.int64)
            yield i, start, np.nonzero(near)[1]

    def _placed(self, away: Array, clusters: Array) -> Array:
        if len(self._kept_core) == 0:
            return np.full(len(away), -1, np.int32)
        to_cores = away[:, self._kept_core]
        nearest = clusters[self._kept_core[to_cores.argmin(axis=1)]]
        return np.where(to_cores.min(axis=1) <= self.eps, nearest, np.int32(-1))

    # Using

    @property
    def kind_(self) -> Array:
        """What each fitted row is: "core", "border" or "noise"."""
        codes = (self.labels_ >= 0).astype(np.int64)
        codes[self.core_sample_indices_] = 2
        return np.array(KINDS)[codes]

    def _speaking(self) -> Array:
        return self._kept_core

    @property
    def _cores(self) -> RowIndex:
        """An index of the cores alone."""
        found: RowIndex = self._make_once("cores", lambda: self._space.index(_some(self._kept_rows(), self._kept_core)))
        return found

    def _exceptional(self) -> tuple[Array, Array]:
        """Fitted rows that their nearest core would put elsewhere, as sorted keys, and their clusters.

        They are at the border of several clusters, or missing cells hold them away from themselves.
        """
        rows, labels = self._kept_rows(), self._row_labels
        core = np.zeros(len(labels), bool)
        core[self._kept_core] = True
        asked = np.flatnonzero(labels >= 0 if rows.has_gaps else (labels >= 0) & ~core)
        table = rows.table.take(asked)
        odd = np.flatnonzero(self._by_cores(table) != labels[asked]) if len(asked) else asked
        keys, first = np.unique(_row_keys(table.take(odd), self._schema), return_index=True)
        return keys, labels[asked[odd[first]]]

    def _places_of_copies(self, table: Table) -> Array:
        """Of each row the place of its cells among the different ones of the kept rows; −1 if they are not there.

        Only rows that may be away from their own copies are looked up: where cells are missing, a function measures,
        or rows of zeros have no direction.
        """
        by_difference = self._metric is not None and self._metric.name != "cosine"
        if by_difference and not self._kept_rows().has_gaps:
            return np.full(table.n_rows, -1)
        keys, own = self._copies.keys, _row_keys(table, self._schema)
        place = np.minimum(np.searchsorted(keys, own), len(keys) - 1)
        return np.where(keys[place] == own, place, -1)

    @property
    def _copies(self) -> Copies:
        def make_copies() -> Copies:
            keys, group = np.unique(_row_keys(self._kept_rows().table, self._schema), return_inverse=True)
            cores = np.full(len(keys), -1)
            cores[group[self._kept_core[::-1]]] = self._kept_core[::-1]
            weights = np.bincount(group, self._row_weights, minlength=len(keys)).astype(np.float64)
            return Copies(keys, group, cores, weights)

        found: Copies = self._make_once("copies", make_copies)
        return found

    def _nearest_core(self, table: Table) -> tuple[Array, Array]:
        """The nearest core of each row, by its place among the kept rows, and how far it is; −1 if there is none.

        A copy of a core is at 0 from it, also where missing cells would hold them apart.
        """
        if len(self._kept_core) == 0:
            return np.full(table.n_rows, np.inf), np.full(table.n_rows, -1)
        away, places = self._cores.query(table, 1)
        away, cores, copied = away[:, 0], self._kept_core[places[:, 0]], self._places_of_copies(table)
        if np.any(copied >= 0):
            own = np.where(copied >= 0, self._copies.cores[copied], -1)
            away, cores = np.where(own >= 0, 0.0, away), np.where(own >= 0, own, cores)
        return away, cores

    def _by_cores(self, table: Table) -> Array:
        """The cluster of the nearest core within eps."""
        away, cores = self._nearest_core(table)
        labels: Array = self._row_labels[cores] if len(self._kept_core) else np.full(table.n_rows, -1, np.int32)
        return np.where(away <= self.eps, labels, np.int32(-1))

    def _predict(self, table: Table) -> Array:
        self._kept_rows()
        labels = self._by_cores(table)
        keys, clusters = self._make_once("exceptions", self._exceptional)
        if len(keys):  # copies of fitted rows stay where those are
            own = _row_keys(table, self._schema)
            place = np.minimum(np.searchsorted(keys, own), len(keys) - 1)
            same = keys[place] == own
            labels[same] = clusters[place[same]]
        return labels

    def neighbors_within(self, X: Any) -> Array:
        """The weight of the fitted rows within eps of each row: `min_samples` and more make a core of a fitted one.

        Copies of a row are within eps, also where missing cells hold them apart.
        """
        still = self._still()
        found: Array = still._over(X, still._around)
        return found

    def _around(self, table: Table) -> Array:
        self._kept_rows()
        out, copied = np.empty(table.n_rows), self._places_of_copies(table)
        step = max(1, CELLS // self._kept_rows().n_rows)
        for i in range(0, table.n_rows, step):
            start, rows, _ = self._index.radius(table.rows(i, min(table.n_rows, i + step)), float(self.eps))
            m, some = len(start) - 1, copied[i : i + step]
            own = np.repeat(np.arange(m), np.diff(start))
            heavy = None if self._row_weights is None else self._row_weights[rows]
            out[i : i + step] = np.bincount(own, heavy, minlength=m)
            if np.any(some >= 0):
                among = np.bincount(own, self._copies.group[rows] == some[own], minlength=m) > 0
                out[i : i + step] += np.where((some >= 0) & ~among, self._copies.weights[some], 0.0)
        return out

    def _explain_row(self, row: Table) -> DensityExplanation:
        answer, around = int(self._predict(row)[0]), float(self._around(row)[0])
        away, near = (v[0] for v in self._nearest_core(row))
        words = f"weight of rows within {number(self.eps)}"
        limits = (float(self.eps), float(self.min_samples))
        if near < 0:
            return DensityExplanation(answer, "density", around, "", (), around, words, (), around, *limits)
        core = int(self._kept_rows().named(np.array([near]))[0])
        to = self._to_clusters(row)[0]
        others = tuple((int(c), float(to[c])) for c in np.argsort(to, kind="stable") if c != answer)
        columns = self._parts(row, int(near), float(away))[1] if away > 0 else ()
        return DensityExplanation(
            answer, "density", around, "", (), around, words, others, around, *limits, core, float(away), columns
        )

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        sizes = np.bincount(self.labels_[self.labels_ >= 0], minlength=self.n_clusters_)
        shown = first_of([str(size) for size in sizes], 8)
        kinds = [int(np.sum(self.kind_ == kind)) for kind in ("core", "border", "noise")]
        found = count_of(self.n_clusters_, "cluster")
        return (
            f"{found}{f' of {shown} rows' if shown else ''}: {kinds[0]} cores, {kinds[1]} at borders, {kinds[2]} "
            f"noise\na core has a weight of {number(self.min_samples)} within {number(self.eps)}"
        )

    def _check_fitted_state(self) -> None:
        core, kept = self._kept_core, len(self.labels_) if self._rows is None else self._rows.n_rows
        for rows, most in ((core, kept), (self.core_sample_indices_, len(self.labels_))):
            fine = rows.ndim == 1 and rows.dtype == np.int64 and bool(np.all(np.diff(rows) > 0))
            if not fine or (len(rows) and (rows[0] < 0 or rows[-1] >= most)):
                raise SavedModelError("The cores are not among the rows.")
        super()._check_fitted_state()
        if len(core) != len(self.core_sample_indices_) or np.any(self.labels_[self.core_sample_indices_] < 0):
            raise SavedModelError("A core belongs to no cluster.")
        held = np.unique(self.labels_[self.core_sample_indices_])
        if len(held) != self.n_clusters_ or self.labels_.max() + 1 != self.n_clusters_:
            raise SavedModelError("A cluster has no core.")
        w = self._row_weights
        if w is not None and not (w.shape == (kept,) and w.dtype == np.float64 and np.all((w > 0) & np.isfinite(w))):
            raise SavedModelError("The weights do not fit the rows.")


def _row_keys(table: Table, schema: Schema) -> Array:
    """Rows as bytes, equal where all cells are: a missing cell is one too. Labels that `schema` lacks equal none."""
    same = table.matched(schema)
    cells = cells_of(same)
    for j, _, rows in unseen_cells(table, same):
        cells[j][rows] = -2.0  # no code
    return row_keys(cells)


def _some(rows: KeptRows, places: Array) -> KeptRows:
    return KeptRows.of(rows.table.take(places), None)
