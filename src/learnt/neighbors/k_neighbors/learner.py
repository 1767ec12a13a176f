"""What the classifier and the regressor by nearest neighbours have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.value_difference import value_tables
from learnt.engine.whole import InMemory, WholeTable, uneven
from learnt.errors import ParameterError, SavedModelError
from learnt.explain import Explanations
from learnt.learner.fields import attribute, setting
from learnt.learner.matching import with_unseen_texts
from learnt.learner.parameters import Domain, OneOf, Real, Whole
from learnt.learner.text.counting import TextUse, text_use_by_metric
from learnt.neighbors import measure as measures
from learnt.neighbors.index.build import KINDS
from learnt.neighbors.k_neighbors.explanations import explain_by_neighbors
from learnt.neighbors.k_neighbors.feature_weights import (
    ColumnWeights,
    column_parts,
    given_weights,
    stretch_columns,
    update_weights,
)
from learnt.neighbors.k_neighbors.leave_one_out import leave_one_out, most_neighbors
from learnt.neighbors.k_neighbors.questions import NeighborQuestions
from learnt.neighbors.k_neighbors.weights import NAMES as WEIGHTS
from learnt.neighbors.k_neighbors.weights import change_with_k, neighbor_weights
from learnt.neighbors.kept_rows import KeptRows
from learnt.neighbors.measure import Measure, measure_of
from learnt.neighbors.search import Near, Pieces, Search


class Function(Domain):
    words = "a function"

    def __contains__(self, value: object) -> bool:
        return callable(value) and not isinstance(value, type)


class ResolvedMetric(Domain):
    """A metric with all it needs, as `learnt.distance.resolve` makes it."""

    words = "a Metric"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Measure)


class Names(Domain):
    """A list of column names."""

    words = "a list of names of columns"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, list | tuple) and bool(value) and all(isinstance(name, str) for name in value)


class KNeighbors(NeighborQuestions, abstract=True):
    """Keeps the rows; members say what neighbours answer: `_answer` of their weights, and the `_losses` of answers."""

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    whole = InMemory("answers from the rows themselves")
    fit_cost = 3.0
    simplicity = 20.0
    search_space: ClassVar[Mapping[str, Any]] = {
        "n_neighbors": (1, 3, 5, 10, 20),
        "weights": ("uniform", "distance", "tricube"),
        "feature_weights": (None, "loo"),
    }

    n_neighbors: Any = setting(
        Whole(1) | OneOf("all", "loo"),
        'how many neighbours; "all"; "loo": the number that is best when each row is left out in turn',
        default=5,
    )
    weights: Any = setting(
        OneOf(*WEIGHTS) | Function(),
        'of neighbours: "uniform", "distance" 1/d, "distance2" 1/d² (exact matches then take all the '
        'weight), "gaussian", "tricube", "epanechnikov" (which end at the first row that is no '
        "neighbour), or a function of distances",
        default="uniform",
    )
    ties: Any = setting(
        OneOf("all", "first"),
        'of rows as near as the last neighbour: "all" count, whatever their order; only the "first" ones',
        default="all",
    )
    radius: float | None = setting(
        OneOf(None) | Real(above=0),
        "take all rows within it instead; a row that has none there asks the `n_neighbors` nearest",
        default=None,
    )
    metric: Any = setting(
        OneOf(*measures.NAMES) | ResolvedMetric() | Function(),
        '"auto": Euclid\'s of columns divided by their range, labels 0 or 1 apart, missing cells far from '
        'all; "mixed": the same, added without squares; of numbers as they are: "euclidean", '
        '"manhattan", "chebyshev", "minkowski", "hamming", "cosine", "mahalanobis"; of texts: '
        '"levenshtein"; or a function of two rows',
        default="auto",
    )
    p: float = setting(Real(1), 'the power of "minkowski", at least 1', default=2.0)
    nominal: Any = setting(
        OneOf("match", "value_difference"),
        'labels are 0 or 1 apart, or, by "value_difference", by how much their class shares differ',
        default="match",
    )
    text_columns: Any = setting(
        OneOf(None) | Names(), "names of columns compared by edits, as a share of the longer text", default=None
    )
    feature_weights: Any = setting(
        OneOf(None, "loo", "online") | ColumnWeights(),
        'how much columns count: numbers, a dict by name, "loo": stretched so that rows are best '
        'answered by the others, "online": changed after right and wrong neighbours',
        default=None,
    )
    index: Any = setting(OneOf(*KINDS), "how neighbours are found; see `index_`", default="auto")

    n_neighbors_: int = attribute()
    feature_weights_: Array = attribute()
    _target: Array = attribute()
    _row_weights: Array | None = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        self._rows = KeptRows.of(rows.table, rows.weights)
        numbers = slice(None) if self._rows.numbers is None else self._rows.numbers
        self._target = rows.target[numbers].copy()
        w = uneven(None if rows.weights is None else rows.weights[numbers])
        self._row_weights = None if w is None else w.copy()
        self._measure = self._fitted_measure()
        self.feature_weights_ = np.ones(self._rows.table.n_columns)
        if self.feature_weights is not None:
            self._weigh_columns()
        self._choose_k()
        _ = self._search  # an index that does not suit the metric is told now

    def _fitted_measure(self) -> Measure | None:
        if isinstance(self.metric, Measure):
            return self._given_metric(self.metric)
        if not isinstance(self.metric, str):
            if self._rows.sparse is not None:
                raise ParameterError(
                    f"{type(self).__name__}: metric is a function of two rows with all their cells, but these rows are "
                    "sparse. Take metric='cosine' or 'euclidean', or pass X.toarray() if that fits into memory."
                )
            if self.feature_weights is not None or self.text_columns or self.nominal != "match":
                raise ParameterError(
                    f"{type(self).__name__}: metric is a function, which alone knows its columns. feature_weights, "
                    "text_columns and nominal need a metric by name."
                )
            return None
        table, w = self._rows.table, self._row_weights
        found = measure_of(self.metric, self.p, table, w, tuple(self.text_columns or ()))
        if self.nominal == "value_difference":
            if found.name not in ("mixed", "text"):
                raise ParameterError(f"nominal='value_difference' needs metric='auto' or 'mixed', not {self.metric!r}.")
            tables = value_tables(table, self._target, len(getattr(self, "classes_", ())), w)
            texts = {table.names[j] for j in found.text}
            tables = {name: away for name, away in tables.items() if name not in texts}
            found = measures.with_value_tables(found, tables, table.names)
        return found

    def _given_metric(self, metric: Measure) -> Measure:
        if self.text_columns or self.nominal != "match":
            raise ParameterError("text_columns and nominal go with a metric by name; this one was made with its own.")
        try:
            metric.check(self._rows.table)
        except SavedModelError as error:
            raise ParameterError(f"The metric does not suit these rows. {error}") from None
        return metric

    def _weigh_columns(self) -> None:
        assert self._measure is not None
        plain, name = self._measure, type(self).__name__
        if not isinstance(self.feature_weights, str):
            self.feature_weights_ = given_weights(self.feature_weights, self._rows.table)
            self._measure = plain.weighted(self.feature_weights_)
            return
        if self._rows.sparse is not None:
            raise ParameterError(
                f"feature_weights={self.feature_weights!r} compares all cells of all columns, but the rows are sparse. "
                "Give the weights, or pass X.toarray() if that fits into memory."
            )
        if self._rows.n_rows < 3:
            return
        parts, rows = column_parts(plain, self._rows.table, self.feature_weights)
        w = np.ones(len(rows)) if self._row_weights is None else self._row_weights[rows]
        y, same = self._target[rows], self._alike(self._target[rows])
        if self.feature_weights == "loo":
            found = stretch_columns(parts, same if self.needs == "classes" else None, y.astype(np.float64), w, name)
        else:
            found = update_weights(parts, same, name)
        # What was learnt by soft neighbours of a sample must prove itself on the neighbours that will answer.
        before, after = self._left_out(plain), self._left_out(plain.weighted(found))
        self.feature_loss_ = np.array([before, after])
        if after <= before:
            self.feature_weights_, self._measure = found, plain.weighted(found)

    def _left_out(self, measure: Measure) -> float:
        """The least mean loss of answering each row by the others, among the numbers of neighbours in question."""
        search, n = Search(self._rows, measure, "auto"), self._rows.n_rows
        k = self.n_neighbors if isinstance(self.n_neighbors, int | np.integer) else most_neighbors(n)
        k = min(int(k), n - 1)
        curve = leave_one_out(search, self._row_weights, self, k, self.ties == "all")
        return float(curve.min() if self.n_neighbors == "loo" else curve[-1])

    def _choose_k(self) -> None:
        n = self._rows.n_rows
        if self.n_neighbors == "all":
            self.n_neighbors_ = n
        elif self.n_neighbors == "loo" and n > 1:
            most = most_neighbors(n)
            self.loo_errors_ = leave_one_out(self._search, self._row_weights, self, most, self.ties == "all")
            self.n_neighbors_ = int(np.argmin(self.loo_errors_)) + 1
        else:
            self.n_neighbors_ = 1 if self.n_neighbors == "loo" else int(self.n_neighbors)

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use_by_metric(self.metric, self.text_columns)

    # Finding neighbours

    @property
    def _k(self) -> float:
        """The weight up to which neighbours are taken."""
        return float("inf") if self.n_neighbors == "all" else self.n_neighbors_

    def _matched(self, X: Any) -> Table:
        same = super()._matched(X)
        # A function sees labels, also those that fitting never saw.
        return with_unseen_texts(X, same, range(same.n_columns) if self._measure is None else self._measure.text)

    def _near(self, table: Table) -> Pieces:
        """The neighbours of the rows of a table, in pieces: which rows, and their neighbours."""
        k, w, ties = self._k, self._row_weights, self.ties == "all"
        if self.radius is not None:
            return self._search.within(table, self.radius, k, w, ties)
        return self._search.nearest(table, k, w, ties)

    def _weights_of(self, near: Near) -> Array:
        """The weight of each neighbour in the answer; those of a row add up to 1."""
        found = neighbor_weights(self.weights, near.distances, near.share, near.reach)
        # Added from the nearest on: empty places at the end change no bit of the sum.
        total = np.cumsum(found, axis=1)[:, -1:]
        if not (total > 0).all():  # all rows are infinitely far
            found = np.where(total > 0, found, 1.0)
            total = np.cumsum(found, axis=1)[:, -1:]
        shares: Array = found / total
        return shares

    def _answers(self, table: Table) -> Array:
        found = [(places, self._answer(near)) for places, near in self._near(table)]
        if len(found) == 1:
            return found[0][1]
        joined: Array = np.concatenate([answer for _, answer in found])
        return joined[np.argsort(np.concatenate([places for places, _ in found]))]

    def _answer(self, near: Near) -> Array:
        raise NotImplementedError

    def _losses(self, near: Near, rows: Array) -> Array:
        raise NotImplementedError

    def _losses_by_k(self, near: Near, rows: Array) -> Array | None:
        if change_with_k(self.weights):
            return None
        weights = neighbor_weights(self.weights, near.distances, near.share, near.reach)
        return self._running_losses(weights, near.rows, rows)

    def _running_losses(self, weights: Array, neighbors: Array, rows: Array) -> Array:
        """Losses for the first 1, 2, … neighbours."""
        raise NotImplementedError

    def _alike(self, target: Array) -> Array:
        """Which rows are right neighbours of each other, rows × rows."""
        raise NotImplementedError

    # Explaining, saving

    def _explain(self, table: Table) -> Explanations:
        return explain_by_neighbors(self, table)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        try:
            self._check_parameters()
        except ParameterError as error:
            raise SavedModelError(str(error)) from None
        self._rows.check(self._schema)
        n, w = self._rows.n_rows, self._row_weights
        if self._target.shape != (n,) or self.n_neighbors_ < 1:
            raise SavedModelError("The targets do not fit the rows kept.")
        if w is not None and not (w.shape == (n,) and w.dtype == np.float64 and np.all((w > 0) & np.isfinite(w))):
            raise SavedModelError("The weights do not fit the rows kept.")
        if self._measure is None or self.feature_weights_.shape != (len(self._schema),):
            raise SavedModelError("The metric is missing, or the weights of columns do not fit them.")
        self._measure.check(self._rows.table)
        _ = self._search  # what can be loaded can be asked
