"""The joint table: every combination of cells and class, counted."""

from __future__ import annotations

import math
from collections.abc import Generator
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnt.bayes.naive.draw import generator
from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.engine.sizes import check_columns
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.errors import SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Real, Whole
from learnt.show.numbers import number
from learnt.statistics.counts import weigh_pairs
from learnt.storable import Shares

#: More combinations than this are counted as so many: their weights must stay finite.
MANY = 1e200


@dataclass(frozen=True)
class JointCounts(Statistic):
    """The distinct rows of codes, in lexical order, and the weight of each class among them."""

    rows: int
    cells: Array
    counts: Array

    def _shape(self) -> tuple[int, ...]:
        return (self.cells.shape[1], self.counts.shape[1])

    def _merge(self, other: JointCounts) -> JointCounts:
        cells, place = distinct_rows(np.vstack([self.cells, other.cells]))
        counts = np.zeros((len(cells), self.counts.shape[1]))
        np.add.at(counts, place, np.vstack([self.counts, other.counts]))
        return JointCounts(self.rows + other.rows, cells, counts)


class CountJointly(Pass):
    """Counts classes by the combination of all cells; numbers are cut into intervals first."""

    def __init__(self, cuts: Array, n_classes: int):
        self.cuts, self.n_classes = cuts, n_classes

    def summarize(self, batch: Batch) -> JointCounts:
        assert batch.target is not None
        codes = cell_codes(batch.table, self.cuts)
        target, weights = batch.target, batch.weights
        if weights is not None:  # a row of weight 0 is none: it must not add a combination
            codes, target, weights = codes[weights > 0], target[weights > 0], weights[weights > 0]
        cells, place = distinct_rows(codes)
        counts = weigh_pairs(place, len(cells), target, self.n_classes, weights)
        return JointCounts(batch.n_rows, cells, counts)


class JointTableClassifier(Classifier):
    """Classify by the rows fitted on that have the same cells.

        p(c | x) = (n(x, c) + α) / (n(x) + α k)

    >>> table = {"sky": ["sun", "sun", "rain", "rain"], "wind": ["low", "high", "low", "high"]}
    >>> model = JointTableClassifier().fit(table, ["play", "play", "play", "stay"])
    >>> model.predict_proba({"sky": ["rain", None], "wind": ["high", "high"]}).tolist()
    [[0.0, 1.0], [0.5, 0.5]]
    >>> model.n_parameters_
    7

    A cell missing when predicting is summed over: the rows that agree in all other columns count. Those fitted
    with a missing cell count wherever that column is not asked for. Where no row agrees, the class shares of
    all rows are the answer. Numbers are cut at the quantiles of a Gaussian with their mean and deviation.

    {settings}

    Attributes: `cells_`, the combinations seen, as codes; `counts_`, their weight by class; `class_prior_`;
    `cuts_`, per numeric column where it is cut; `n_parameters_`, free parameters of the whole table;
    `n_parameters_naive_`, of naive Bayes on the same columns.

    Reference: T. M. Mitchell, Machine Learning, 1997, chapter 6.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})
    fit_cost = 8.0
    simplicity = 40.0
    search_space: ClassVar[dict[str, Any]] = {"bins": (2, 4, 8), "alpha": (0, 1)}

    alpha: float = setting(Real(0), "added to every combination of cells and class", default=0)
    bins: int = setting(Whole(1, 1000), "intervals of a numeric column, at least 1", default=4)

    cells_: Array = attribute()
    counts_: Shares = attribute()
    class_prior_: Shares = attribute()
    cuts_: Array = attribute()
    _mean: Array = attribute()
    _deviation: Array = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        survey: Survey = yield TakeSurvey()
        check_columns(survey.schema.names, survey.mean, survey.variance)
        self._mean, self._deviation = survey.mean, np.sqrt(survey.variance)
        # A hair lower, so that cells which equal a cut but for rounding all lie above it.
        self.cuts_ = self._mean[:, None] + self._deviation[:, None] * (_normal_quantiles(int(self.bins)) - 1e-9)
        found: JointCounts = yield CountJointly(self.cuts_, len(self.classes_))
        self.cells_, self.counts_ = found.cells, found.counts
        weight = found.counts.sum(axis=0)
        self.class_prior_ = weight / weight.sum()

    @property
    def n_parameters_(self) -> int:
        """Free parameters of the joint table: one probability per combination, less one as they add up to 1."""
        return math.prod(self._sizes()) * len(self.classes_) - 1

    @property
    def n_parameters_naive_(self) -> int:
        """Free parameters if columns were independent given the class."""
        k = len(self.classes_)
        return k - 1 + k * sum(size - 1 for size in self._sizes())

    def _sizes(self) -> list[int]:
        """How many values each column can take."""
        return [max(len(c.categories), 1) if c.coded else int(self.bins) for c in self._fitted_schema()]

    def _probabilities(self, table: Table) -> Array:
        one = copy(self)  # of one fit: another thread may be fitting anew
        return one._shares(one._weights(table), table)

    def _shares(self, weights: Array, table: Table) -> Array:
        """Probabilities of rows, from the weight of each class among the fitted rows that agree."""
        weights = weights + float(self.alpha) * self._unseen(table)[:, None]
        total = np.zeros(len(weights))
        for c in range(weights.shape[1]):  # class by class: the bits of a row do not depend on the others
            total += weights[:, c]
        prior = np.broadcast_to(self.class_prior_, weights.shape)
        shares: Array = np.divide(weights, total[:, None], out=prior.copy(), where=total[:, None] > 0)
        return shares

    def _unseen(self, table: Table) -> Array:
        """How many combinations a row stands for: 1, or the product over the values of its missing columns."""
        found = np.ones(table.n_rows)
        if self.alpha == 0:
            return found
        for column, size in zip(table.columns, self._sizes(), strict=True):
            found[column.missing] = np.minimum(found[column.missing] * size, MANY)
        return found

    def _weights(self, table: Table) -> Array:
        """The weight of each class among the fitted rows that agree with a row in the cells it has."""
        codes = cell_codes(table, self.cuts_)
        found = np.zeros((len(codes), len(self.classes_)))
        kinds, kind_of = distinct_rows((codes >= 0).astype(np.int32))
        for number_, kind in enumerate(kinds.astype(bool)):
            rows = np.flatnonzero(kind_of == number_)
            known = (self.cells_[:, kind] >= 0).all(axis=1)
            both = np.vstack([self.cells_[known][:, kind], codes[rows][:, kind]])
            place = distinct_rows(both)[1]
            n_known = int(known.sum())
            totals = np.zeros((int(place.max(initial=-1)) + 1, found.shape[1]))
            np.add.at(totals, place[:n_known], self.counts_[known])
            found[rows] = totals[place[n_known:]]
        return found

    def sample(self, n: int = 1, random_state: Any = 0) -> tuple[Table, Array]:
        """Rows and their classes drawn from the table: combinations as often as they were seen, and by `alpha` others.

        Numbers are drawn within their interval, from the Gaussian that gave the cuts.
        """
        schema = self._fitted_schema()
        rng = generator(type(self).__name__, n, random_state)
        share = self.counts_.ravel() / self.counts_.sum()
        drawn = rng.choice(len(share), n, p=share / share.sum())
        cells, codes = self.cells_[drawn // len(self.classes_)], drawn % len(self.classes_)
        sizes = self._sizes()
        # The weight of all that alpha adds.
        added = float(self.alpha) * min(math.prod(sizes), int(MANY)) * len(self.classes_)
        if added > 0:  # its combinations are all equally probable
            smooth = np.flatnonzero(rng.random(n) < added / (added + self.counts_.sum()))
            cells[smooth] = rng.integers(sizes, size=(len(smooth), len(sizes)))
            codes[smooth] = rng.integers(len(self.classes_), size=len(smooth))
        columns = [self._drawn_column(schema, j, cells[:, j], rng) for j in range(len(schema))]
        return Table.of_columns(columns, n_rows=n, named=schema.named), self.classes_[codes]

    def _drawn_column(self, schema: Schema, j: int, cells: Array, rng: np.random.Generator) -> Column:
        from scipy.special import ndtri

        column = schema.columns[j]
        if column.coded:
            codes = np.minimum(cells, len(column.categories) - 1).astype(np.int32)  # missing where there are none
            return Column.like(column, codes)
        place = (cells + np.clip(rng.random(len(cells)), 1e-12, 1 - 1e-12)) / int(self.bins)
        values = self._mean[j] + self._deviation[j] * ndtri(np.clip(place, 1e-12, 1 - 1e-12))
        return Column.like(column, np.where(cells >= 0, values, np.nan))

    def _explain(self, table: Table) -> Explanations:
        labels = self.classes_.tolist()

        def explain_row(i: int) -> Explanation:
            row = table.rows(i, i + 1)
            weights = self._weights(row)
            shares = self._shares(weights, row)[0]
            order = np.argsort(-shares, kind="stable")
            best, seen = int(order[0]), float(weights.sum())
            words = f"{number(float(weights[0, best]))} of {number(seen)} rows with the same cells have it"
            if self.alpha > 0:
                words += f", and {number(float(self.alpha))} is added to each combination"
            elif seen == 0:
                words = "no row has these cells, and it has the largest share of all rows"
            others = tuple((labels[c], float(shares[c])) for c in order[1:])
            total = float(shares[best])
            return Explanation(labels[best], "frequency", total, words, (), total, "share of the class", others)

        return Explanations(table.n_rows, explain_row)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p, k = len(self._schema), len(self.classes_)
        if (
            self.cells_.ndim != 2
            or self.cells_.shape[1] != p
            or self.counts_.shape != (len(self.cells_), k)
            or self.class_prior_.shape != (k,)
            or self.cuts_.shape != (p, int(self.bins) - 1)
            or self._mean.shape != (p,)
            or self._deviation.shape != (p,)
            or (self.cells_ < -1).any()
            or (self.cells_ >= np.array([self._sizes()])).any()
        ):
            raise SavedModelError("The joint table does not fit the classes and columns.")


def cell_codes(table: Table, cuts: Array) -> Array:
    """Codes of all cells, rows × columns: intervals for numbers, −1 where missing."""
    codes = np.empty(table.shape, np.int32)
    for j, column in enumerate(table.columns):
        if column.kind == "numeric":
            codes[:, j] = np.where(column.missing, -1, np.searchsorted(cuts[j], column.values, side="right"))
        else:
            codes[:, j] = column.values
    return codes


def distinct_rows(codes: Array) -> tuple[Array, Array]:
    """The distinct rows in lexical order, and which of them each row is."""
    if len(codes) == 0 or codes.shape[1] == 0:
        return codes[:1], np.zeros(len(codes), np.int64)
    order = np.lexsort(codes.T[::-1])
    ordered = codes[order]
    new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    place = np.empty(len(codes), np.int64)
    place[order] = np.cumsum(new) - 1
    return ordered[new], place


def _normal_quantiles(bins: int) -> Array:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.arange(1, bins) / bins), dtype=np.float64)
