"""Label propagation and label spreading: classes that flow along a graph of neighbours."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Real, Whole
from learnt.neighbors import KNeighborsClassifier
from learnt.semi_supervised.graph import neighbor_weights, propagate, spread, symmetric_graph
from learnt.semi_supervised.labels import partly_labelled
from learnt.show.numbers import number
from learnt.show.words import count_of
from learnt.storable import Numbers


class LabelGraph(Classifier, abstract=True):
    """Rows with and without a class, joined to their nearest neighbours; members write `_flow`."""

    abilities = frozenset({"missing", "nominal", "probabilities"})
    fit_cost = 60.0
    simplicity = 60.0

    n_neighbors: int = setting(Whole(1), "edges of each row", default=10)
    metric: str = setting(
        None, 'the distance, as that of `KNeighborsClassifier`; "auto": mixed columns', default="auto"
    )

    neighbors_: Any = attribute()
    label_distributions_: Numbers = attribute()
    labels_: Array = attribute()
    _scale: Numbers = attribute()

    def _flow(self, graph: Any, given: Array, labelled: Array) -> Array:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`, those without a class included.

        `y` is an array or the name of a column; where it is missing, the class is unknown.
        """
        self._check_parameters()
        given = partly_labelled(X, y, sample_weight, type(self).__name__)
        n, k = given.table.n_rows, min(self.n_neighbors, given.table.n_rows - 1)
        whole = np.zeros((n, len(given.classes)))
        whole[given.labelled, given.codes[given.labelled]] = 1.0
        knn = KNeighborsClassifier(n_neighbors=max(1, k), metric=self.metric).fit(given.table, np.zeros(n, np.int64))
        scale = np.ones(n)
        if k:
            distances, neighbors = knn.kneighbors()
            scale = distances[:, -1]
            whole = self._flow(symmetric_graph(neighbors, distances), whole, given.labelled)
        sums = whole.sum(axis=1, keepdims=True)
        lost = int((sums <= 0).sum())
        if lost:
            warnings.warn(
                f"{type(self).__name__}: {count_of(lost, 'row')} joined to no row with a class: only the shares of the "
                "classes are known there. More neighbours may join them.",
                UserWarning,
                stacklevel=2,
            )
        prior = np.bincount(given.codes[given.labelled], minlength=len(given.classes)) / len(given.labelled)
        twin = self._twin(given.schema, given.classes)
        twin.neighbors_, twin._scale = knn, scale
        twin.label_distributions_ = np.where(sums > 0, whole / np.where(sums > 0, sums, 1), prior)
        twin.labels_ = given.classes[twin.label_distributions_.argmax(axis=1)]
        return self._become(twin)

    def _near(self, table: Table) -> tuple[Array, Array, Array]:
        """The neighbours of new rows among those fitted, their distances, and their shares of the say."""
        distances, rows = self.neighbors_.kneighbors(table)
        weights = neighbor_weights(distances, distances[:, -1], self._scale[rows])
        total = weights.sum(axis=1, keepdims=True)
        even = np.full(weights.shape, 1 / weights.shape[1])
        return rows, distances, np.divide(weights, total, out=even, where=total > 0)

    def _probabilities(self, table: Table) -> Array:
        rows, _, shares = self._near(table)
        found: Array = np.einsum("nk,nkc->nc", shares, self.label_distributions_[rows])
        return np.asarray(found / found.sum(axis=1, keepdims=True))  # sums of rounded shares are not quite 1

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """What each neighbour adds to the probability of the class answered."""
        rows, distances, shares = (part[0] for part in self._near(row))
        chances = shares @ self.label_distributions_[rows]
        best = int(chances.argmax())
        parts = shares * self.label_distributions_[rows, best]
        told = tuple(
            Evidence(f"row {r}", self.labels_[r], float(part), f"distance {number(float(d))}")
            for r, part, d in zip(rows.tolist(), parts, distances, strict=True)
        )
        others = sorted(((c, float(p)) for c, p in zip(self.classes_, chances, strict=True)), key=lambda pair: -pair[1])
        return Explanation(
            self.classes_[best],
            "votes",
            0.0,
            "no neighbour",
            told,
            float(parts.sum()),
            "probability",
            tuple(others[1:]),
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shares, knn = self.label_distributions_, self.neighbors_
        if not isinstance(knn, KNeighborsClassifier) or knn._schema != self._schema:
            raise SavedModelError("The neighbours do not fit the columns.")
        n = knn._rows.n_fitted
        fits = shares.shape == (n, len(self.classes_)) and self._scale.shape == (n,) and self.labels_.shape == (n,)
        if not fits or not np.isfinite(shares).all() or not np.isfinite(self._scale).all():
            raise SavedModelError("The labels do not fit the rows.")


class LabelPropagation(LabelGraph, listed=False):
    """Give every unlabelled row the weighted mean of its neighbours' classes; labelled rows keep theirs.

    >>> table = {"x": [1.0, 1.2, 1.4, 1.6, 5.0, 5.2, 5.4, 5.6]}
    >>> model = LabelPropagation(n_neighbors=2).fit(table, ["low", None, None, None, None, None, None, "high"])
    >>> model.labels_.tolist()
    ['low', 'low', 'low', 'low', 'high', 'high', 'high', 'high']

    Rows are joined to their nearest neighbours with weights w = exp(−d²/(s·s')), s being the distance to a row's last
    neighbour. The solution F_u = (D_uu − W_uu)⁻¹ W_ul Y_l is found by conjugate gradients, not by repeating the step.
    Rows whose target is missing are the unlabelled ones. Use `LabelSpreading` where labels may be wrong.

    {settings}

    Attributes: `labels_`, the class of every row; `label_distributions_`, the shares of classes of every row;
    `neighbors_`; `classes_`.

    Reference: X. Zhu, Z. Ghahramani, J. Lafferty, Semi-supervised learning using Gaussian fields and harmonic
    functions, 2003.
    """

    def _flow(self, graph: Any, given: Array, labelled: Array) -> Array:
        return propagate(graph, given, labelled)


class LabelSpreading(LabelGraph, listed=False):
    """Let classes spread along a graph of neighbours; labelled rows may be overruled by what surrounds them.

    >>> table = {"x": [1.0, 1.2, 1.4, 1.6, 5.0, 5.2, 5.4, 5.6]}
    >>> model = LabelSpreading(n_neighbors=2).fit(table, ["low", None, None, None, None, None, None, "high"])
    >>> model.predict({"x": [2.0, 4.9]}).tolist()
    ['low', 'high']

    The graph is that of `LabelPropagation`. F = (1 − α)(I − α S)⁻¹ Y, S = D^−½ W D^−½.

    {settings}

    Attributes: as those of `LabelPropagation`.

    Reference: D. Zhou et al., Learning with local and global consistency, 2004.
    """

    alpha: float = setting(Real(above=0, below=1), "how much a row listens to its neighbours", default=0.5)

    def _flow(self, graph: Any, given: Array, labelled: Array) -> Array:
        return spread(graph, given, float(self.alpha))
