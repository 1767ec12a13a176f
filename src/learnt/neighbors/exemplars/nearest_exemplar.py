"""One exemplar for each class: its mean, its most central row, or the point nearest to all its rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.data.value_text import value_text
from learnt.distance.space import Space, space_of
from learnt.engine.engines import Plan
from learnt.engine.first_look import first_look
from learnt.engine.training import Training
from learnt.engine.whole import COMPARES_ROWS
from learnt.errors import SavedModelError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf
from learnt.learner.saved_settings import check_settings
from learnt.medians import geometric_median
from learnt.neighbors.exemplars.class_sums import (
    CELLS,
    ClassSums,
    Spread,
    TakeClassSums,
    TakeSpread,
    as_probabilities,
    dense,
    dense_blocks,
)
from learnt.neighbors.exemplars.nearest_class import NearestClass
from learnt.neighbors.measure import Measure
from learnt.statistics.quantiles import weighted_median


class NearestExemplar(NearestClass):
    """Answer with the class whose exemplar is nearest.

        "centroid"           the mean of its rows, which has the least Σ d²; by "manhattan" the medians, least Σ d
        "medoid"             the row with the least Σ d to the others
        "geometric_median"   the point with the least Σ d, d being Euclidean, by Weiszfeld's steps

    >>> table = {"x": [0.0, 1.0, 8.0, 9.0, 40.0]}
    >>> size = ["small", "small", "large", "large", "large"]
    >>> NearestExemplar().fit(table, size).predict({"x": [9.5]}).tolist()  # the mean of the large ones is 19
    ['small']
    >>> NearestExemplar(exemplar="medoid").fit(table, size).predict({"x": [9.5]}).tolist()
    ['large']

    Labels count as 0/1 columns, ordered ones as ranks; missing cells as the mean or the most frequent label.
    Probabilities are those of classes that are round Gaussians of equal width around their exemplars.

    {settings}

    Attributes: `exemplars_`, classes × columns, as `get_design_names` names them; `medoids_`, the numbers of the rows,
    of medoids only; `width_`, the variance of the Gaussians in each direction.

    Reference: P. Flach, Machine Learning, 2012, section 8.2.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})
    fit_cost = 3.0
    simplicity = 8.0
    search_space: ClassVar[dict[str, Any]] = {
        "exemplar": ("centroid", "medoid", "geometric_median"),
        "metric": ("euclidean", "manhattan"),
    }

    exemplar: Any = setting(
        OneOf("centroid", "medoid", "geometric_median"),
        'what stands for a class: "centroid", "medoid" or "geometric_median"',
        default="centroid",
    )
    metric: Any = setting(
        OneOf("euclidean", "manhattan", "chebyshev", "cosine", "mahalanobis"),
        'or "manhattan", "chebyshev", "cosine", "mahalanobis" (by the covariance of all rows)',
        default="euclidean",
    )
    standardize: Any = setting(
        OneOf("auto") | Flag(), 'divide numbers by their spread; "auto": if not all columns are numbers', default="auto"
    )

    exemplars_: Array = attribute()
    width_: float = attribute()
    _design: Design = attribute()
    _measure: Measure = attribute()

    # Fitting

    def _plan(self, training: Training) -> Plan:
        look = yield from first_look(training, drop_reference=False, standardize=self.standardize)
        self._design, (mean, variance) = look.design, look.moments
        self._measure = Measure(str(self.metric))
        if self.exemplar == "centroid" and self.metric not in ("manhattan", "mahalanobis"):
            sums: ClassSums = yield TakeClassSums(self._design, mean, len(self.classes_))
            self.exemplars_ = class_means(sums, mean)
        else:
            rows = (yield from COMPARES_ROWS.take(training, type(self).__name__)).unpacked().of_positive_weight()
            self._choose(dense(self._design.encode(rows.table)), rows.target, rows.uneven_weights, rows.numbers)
        spread: Spread = yield TakeSpread(self._class_distances)
        self.width_ = spread.squares / spread.weight / max(1, int(np.count_nonzero(variance)))

    def _choose(self, z: Array, y: Array, w: Array | None, numbers: Array) -> None:
        if self.metric == "mahalanobis":
            self._measure = Measure("mahalanobis", inverse_covariance=_inverse_covariance(z, w))
        found, medoids = np.full((len(self.classes_), z.shape[1]), np.nan), np.full(len(self.classes_), -1)
        for c in range(len(self.classes_)):
            some = np.flatnonzero(y == c)
            if not len(some):
                continue
            rows, weights = z[some], None if w is None else w[some]
            if self.exemplar == "medoid":
                best = _medoid(self._space, rows, weights)
                found[c], medoids[c] = rows[best], numbers[some[best]]
            elif self.exemplar == "geometric_median":
                found[c] = geometric_median(rows, weights)
            elif self.metric == "manhattan":
                found[c] = [weighted_median(column, weights) for column in rows.T]
            else:
                found[c] = np.average(rows, axis=0, weights=weights)
        self.exemplars_ = found
        if self.exemplar == "medoid":
            self.medoids_ = medoids

    @property
    def _space(self) -> Space:
        space = space_of(self._measure)
        assert space is not None
        return space

    # Answering

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns of `exemplars_`: `age`, `town=Bern`, …"""
        return self._design.names

    def _class_distances(self, table: Table) -> Array:
        far = np.full((table.n_rows, len(self.classes_)), np.inf)
        known = ~np.isnan(self.exemplars_).any(axis=1)
        if not known.any():
            return far
        for some, z in dense_blocks(self._design, table):
            far[some, known] = self._space.between(self.exemplars_[known], z).T  # rows fill the vectors
        return far

    def _probabilities(self, table: Table) -> Array:
        return as_probabilities(self._class_distances(table), self.width_)

    def _parts(self, row: Table, answer: int) -> tuple[float, Array, list[str], str, str]:
        z, center = dense(self._design.encode(row)), self.exemplars_[answer]
        gap, base, base_words, words = z[0] - center, 0.0, "", "distance"
        if self.metric == "cosine":
            base, base_words = 1.0, "at a right angle"
            space = self._space
            parts = -(space.rows(z)[0] * space.rows(center[None])[0])
            # A row of zeros has no direction; the metric says how far it is, no column does.
            base = float(self._class_distances(row)[0, answer]) - float(parts.sum())
        elif self.metric == "chebyshev":
            parts = np.where(np.arange(len(gap)) == np.abs(gap).argmax(), np.abs(gap), 0.0) if len(gap) else gap
        elif self.metric == "manhattan":
            parts = np.abs(gap)
        else:
            square = self._measure.inverse_covariance
            parts, words = gap * (gap if square is None else square @ gap), "squared distance"
        return base, self._design.fold(parts[None])[0], self._exemplar_words(center), base_words, words

    def _exemplar_words(self, center: Array) -> list[str]:
        """What stands for the class in each column of the table, in its own units."""
        design, words = self._design, []
        for j, column in enumerate(design.schema):
            at = int(design.starts[j])
            if column.kind == "numeric":
                own = float(center[at] / design.scale[j] + design.center[j])
                words.append(f"exemplar {value_text(column.form, own)}")
            else:
                words.append("")
        return words

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        shape, square = (len(self.classes_), self._design.n_columns), self._measure.inverse_covariance
        if self.exemplars_.shape != shape or self.exemplars_.dtype != np.float64 or self._design.schema != self._schema:
            raise SavedModelError("The exemplars do not fit the columns.")
        if self._measure.name != self.metric or not self.width_ >= 0 or np.isinf(self.exemplars_).any():
            raise SavedModelError("The metric or the exemplars make no sense.")
        if (square is not None) != (self.metric == "mahalanobis") or (
            square is not None and (square.shape != (shape[1], shape[1]) or not np.isfinite(square).all())
        ):
            raise SavedModelError("The inverse covariance does not fit the columns.")


def class_means(sums: ClassSums, shift: Array) -> Array:
    """The mean of each class; NaN for one without weight."""
    weight = sums.weight[:, None]
    mean = np.divide(sums.total, weight, out=np.full(sums.total.shape, np.nan), where=weight > 0)
    return np.asarray(mean + shift)


def _medoid(space: Space, rows: Array, weights: Array | None) -> int:
    """The row with the least total distance to the others; the first of equal ones."""
    total = np.zeros(len(rows))
    step = max(1, CELLS // max(len(rows), 1))
    for first in range(0, len(rows), step):
        away = space.between(rows[first : first + step], rows)
        total[first : first + step] = away.sum(axis=1) if weights is None else away @ weights
    return int(np.argmax(total <= total.min() * (1 + 1e-12)))


def _inverse_covariance(z: Array, w: Array | None) -> Array:
    center = np.average(z, axis=0, weights=w)
    share = np.full(len(z), 1 / len(z)) if w is None else w / w.sum()
    spread = (z - center) * np.sqrt(share)[:, None]
    return np.asarray(np.linalg.pinv(spread.T @ spread, hermitian=True))
