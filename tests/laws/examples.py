"""Every statistic of the package, as the passes make it from rows, ready to be cut and added again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from learnt import Table
from learnt.baseline import MajorityClassifier, MeanRegressor
from learnt.bayes import MultinomialNB, NaiveBayesClassifier
from learnt.bayes.decision.hypotheses import WeighHypotheses
from learnt.bayes.discriminant.class_products import StandardView, TakeClassProducts
from learnt.bayes.discriminant.expected_products import ExpectProducts, Gaussians
from learnt.bayes.estimate import Counts, Moments
from learnt.bayes.naive.counting import counting_design
from learnt.bayes.naive.joint_table import CountJointly
from learnt.bayes.naive.likelihoods import chosen
from learnt.cluster.kmeans.lloyd import AssignAndSum, FindOutliers
from learnt.cluster.kmeans.sample import TakeSample
from learnt.cluster.mixture.columns import ColumnComponents, ColumnRound
from learnt.cluster.mixture.full import FullComponents, FullRound
from learnt.cluster.mixture.start import TakeRows
from learnt.cluster.mixture.view import MixtureView
from learnt.data.design import Design
from learnt.data.texts import encoded_terms
from learnt.data.tokens import Tokens
from learnt.engine.passes import Batch, Pass
from learnt.engine.survey import TakeSurvey, survey
from learnt.ensemble.boosting.batch_rows import BatchRows, NodeSums
from learnt.ensemble.boosting.bins import bin_edges
from learnt.ensemble.boosting.growth_in_parts import gradient_size, leaf_sums, quantise
from learnt.ensemble.boosting.passes import StatisticTuple
from learnt.ensemble.boosting.quantile_search import Search
from learnt.ensemble.boosting.target_statistics import Counter
from learnt.ensemble.forest.calibration import Said
from learnt.ensemble.forest.codes import Coding
from learnt.ensemble.forest.codes import TakeSample as TakeForestSample
from learnt.ensemble.forest.growth import CodeRows
from learnt.graphical.structure.counting import CountTables, Groups, PackRows
from learnt.kernel.features.landmarks import TakeDistinctSample
from learnt.kernel.linear.held_out import HeldOut
from learnt.kernel.space import TakeStoredWeight
from learnt.learner.fitting import Summarize
from learnt.learner.text.word_sums import SumWords, WordSums
from learnt.linear.encoded import TakeSparseSums
from learnt.linear.gathered_rows import GatherRows
from learnt.linear.least_squares.conjugate_gradients import _Gradient, _Moments
from learnt.linear.least_squares.cross_products import TakeCrossProducts
from learnt.linear.least_squares.residual_sums import TakeResidualSums
from learnt.linear.least_squares.triangle import TakeTriangle
from learnt.linear.logistic.margins import TakeMargins
from learnt.linear.logistic.passes import TakeCurvature, TakeGradient
from learnt.linear.logistic.problem import Problem, View
from learnt.linear.ordinal.margins import TakeOrdinalMargins
from learnt.linear.ordinal.passes import Point, TakeOrdinalCurvature, TakeOrdinalGradient
from learnt.linear.penalised.choice import TakeFoldProducts
from learnt.linear.penalised.leave_one_out import LeaveEachOut, Spectrum
from learnt.linear.several.multi_response import TakeMemberships, TakeMembershipTriangle
from learnt.neighbors.exemplars.class_sums import TakeClassSums, TakeSpread
from learnt.neural.descent import Course, Schedule
from learnt.neural.inputs import NetInputs
from learnt.neural.net import Net
from learnt.neural.streaming import EncodeBatch, HoldOut, LookAtRows, LossOfHeldOut, TakeFewRows
from learnt.neural.target import TargetSums
from learnt.prepare import StandardScaler
from learnt.prepare.cell_counts import CountCells
from learnt.prepare.missing.fills import FillByClass
from learnt.prepare.numbers.discretizer import FindEnds
from learnt.prepare.vectors.phrases import count_pairs
from learnt.prepare.vectors.word_numbers import plain_numbers
from learnt.prepare.words.term_counts import CountDocuments, CountTerms, texts_in
from learnt.reduce.contrasts import TakeContrast
from learnt.reduce.passes import Multiply, TakeRowTriangle
from learnt.reduce.scatter import TakeScatter
from learnt.statistics.moments import Moments as ThreeMoments
from learnt.statistics.sketch import TakeSketch, sketch
from learnt.tree.grow.windowing import Pick

N = 60


def table() -> Table:
    rng = np.random.default_rng(7)
    towns = [["Bern", "Basel", None, "Genève"][i] for i in rng.integers(4, size=N)]
    far = rng.normal(1e6, 3.0, N)
    far[::7] = np.nan
    sizes = [["S", "M", "L"][i] for i in rng.integers(3, size=N)]
    cells = {"far": far, "small": rng.normal(size=N).astype(np.float32), "town": towns, "size": sizes}
    return Table(cells, ordinal={"size": ["S", "M", "L"]})


def batch(*, target: str = "numbers", weights: bool = True, first_row: int = 1000) -> Batch:
    rng = np.random.default_rng(8)
    y: Any = rng.normal(50, 2, N) if target == "numbers" else rng.integers(3, size=N).astype(np.int32)
    w = rng.integers(0, 4, N).astype(np.float64) if weights else None
    return Batch(table(), first_row, y, w)


def dense_design() -> Design:
    return Design.of(survey(table()), drop_reference=True)


def sparse_design() -> Design:
    design = dense_design()
    return Design(design.schema, design.fill, np.zeros(4), design.scale, design.reference, sparse=True)


def _majority() -> Pass:
    twin = MajorityClassifier()
    twin.classes_ = np.arange(3)
    return Summarize(twin)


def _naive_bayes() -> Pass:
    twin = NaiveBayesClassifier()
    twin.classes_ = np.arange(3)
    twin._remember_columns(table().schema)
    twin.likelihoods_ = chosen(table().schema, {"far": "gaussian", "small": "kernel"}, "")
    twin.edges_ = {}
    return Summarize(twin)


def _multinomial() -> Pass:
    twin = MultinomialNB()
    twin.classes_ = np.arange(3)
    schema = table().select(["far", "town", "size"]).schema
    twin._remember_columns(schema)
    twin._design = counting_design(schema)
    return _Selected(twin, ["far", "town", "size"])


class _Selected(Summarize):
    """The pass of a learner on some of the columns."""

    def __init__(self, learner: Any, names: list[str]):
        super().__init__(learner)
        self.names = names

    def summarize(self, batch: Batch) -> Any:
        return self.learner.summarize(Batch(batch.table.select(self.names), 0, batch.target, batch.weights))


class _SayTargets(Pass):
    """Four sums of each row, one row after another, as trees that did not draw it are asked."""

    def summarize(self, batch: Batch) -> Any:
        return Said(batch.n_rows, np.outer([1.0, 2.0, 3.0, 4.0], batch.target))


class _HoldOut(Pass):
    """Scores of rows by machines of two folds, of which each row is in one."""

    def summarize(self, batch: Batch) -> Any:
        x = batch.table["small"].values.astype(np.float64)[:, None]
        fold = (batch.first_row + np.arange(batch.n_rows)) % 2
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        machines = {f: (np.array([[1.0 + f]]), np.array([0.5])) for f in range(2)}
        return HeldOut.of(x, batch.target, w, fold, machines)


class _CountFamilies(Pass):
    """Tables laid out and hashed, of rows packed just before."""

    def summarize(self, batch: Batch) -> Any:
        _, packed = _pack_rows()(batch, None)
        cells = np.array([3, 3, 4, 4], np.int32)
        groups = Groups([((0, 1), (2, 3)), ((2,), ())])
        return CountTables(cells, groups, 9 * 8 + 4, [(3, 2, 1, 0)])(batch, packed)[0]


def _pack_rows() -> PackRows:
    edges = {"far": np.array([0.0, 1e6, 2e6]), "small": np.array([-9.0, 0.0, 9.0])}
    return PackRows(edges, np.array([2, 2, 3, 3], np.int32))


class _OfSparseMatrix(Pass):
    """A pass over sparse tables, on the rows as a sparse design encodes them."""

    def __init__(self, inner: Pass):
        self.inner = inner

    def summarize(self, batch: Batch) -> Any:
        return self.inner.summarize(replace(batch, table=Table(sparse_design().encode(batch.table))))


class _Observe(Pass):
    """What the estimates of `learnt.bayes.estimate` keep of a column of labels, or of one or more of numbers."""

    def __init__(self, *names: str):
        self.names = names

    def summarize(self, batch: Batch) -> Any:
        columns = [batch.table[name] for name in self.names]
        if columns[0].kind != "numeric":
            return Counts.of(columns[0].values, len(columns[0].categories), batch.weights)
        numbers = np.column_stack([c.values for c in columns]) if columns[1:] else columns[0].values
        return Moments.of(numbers, batch.weights)


class _Describe(Pass):
    """What a description keeps of a column of numbers."""

    def summarize(self, batch: Batch) -> Any:
        return ThreeMoments.of(batch.table["far"].values, batch.weights)


class _StatisticTuple(Pass):
    """Sums of different kinds, as the passes of boosting return them."""

    def summarize(self, batch: Batch) -> Any:
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        return StatisticTuple(batch.n_rows, (np.bincount(batch.target, w, 3), np.array([w.sum()])))


class _FromZero:
    """Distances of the rows from three classes, by a column of theirs."""

    def __call__(self, some: Table) -> Any:
        return np.abs(some["small"].values.astype(np.float64))[:, None] * [1.0, 2.0, 3.0]


class _BoostedGradients(Pass):
    """Gradients as boosting sums them: how large they are, their histograms, and their sums by node."""

    def __init__(self, wanted: str):
        self.wanted = wanted

    def summarize(self, batch: Batch) -> Any:
        g, h, w = batch.target - 50, np.ones(batch.n_rows), batch.weights
        if self.wanted == "size":
            return gradient_size(g, h, weights=w)
        scale = gradient_size(np.full(N, 100.0), np.ones(N), weights=None if w is None else np.full(N, 4.0)).scale()
        node = ((batch.first_row + np.arange(batch.n_rows)) % 3 - 1).astype(np.int32)
        if self.wanted == "leaves":
            return leaf_sums(g, h, w, node, 2, scale)
        edges = bin_edges(sketch(table()), 4)
        packed = quantise(g, h, scale, 0, 0, batch.first_row, w)
        sums = NodeSums(edges, np.array([0]), fine=True)
        sums.add(BatchRows.at_root(packed, node == 0), edges.encode(batch.table), packed)
        return sums.found()


class _CategoriesAtPlaces(Pass):
    """Targets of a column's categories, counted as boosting does where categories are many."""

    def summarize(self, batch: Batch) -> Any:
        edges = bin_edges(sketch(table()), 4)
        counter = Counter(edges, tuple(table().names), (2,), (3,), (0, 10), seed=1)
        return counter.count(batch.table, batch.target, batch.weights, np.ones(batch.n_rows, bool))


class _Digits(Pass):
    """A first look for the median of the targets of two groups of rows."""

    def summarize(self, batch: Batch) -> Any:
        groups = (batch.first_row + np.arange(batch.n_rows)) % 2
        return Search.of(0.5, 2).weigh(batch.target, groups, batch.weights)


class _OfOneColumn(Pass):
    """What `SumWords` finds in the first of its columns."""

    def __init__(self, of_columns: SumWords):
        self.of_columns = of_columns

    def summarize(self, batch: Batch) -> WordSums:
        return self.of_columns.summarize(batch).columns[0]


class _OfTowns(Pass):
    """A pass over documents: the towns."""

    def __init__(self, inner: Pass):
        self.inner = inner

    def summarize(self, batch: Batch) -> Any:
        return self.inner.summarize(Batch(batch.table.select(["town"]), batch.first_row))


class _CountPairs(Pass):
    """Neighbouring words of documents."""

    def summarize(self, batch: Batch) -> Any:
        texts, numbers = texts_in(batch, Tokens()), plain_numbers(*encoded_terms(["basel", "bern", "genève"]))
        return count_pairs(*numbers.sequences(texts, Tokens()), 3)


def _centers(design: Design) -> np.ndarray:
    return np.asarray(dense(design.encode(table().rows(0, 4))), dtype=np.float64)


def dense(x: Any) -> Any:
    return x if isinstance(x, np.ndarray) else x.toarray()


def _shift(design: Design) -> np.ndarray:
    return design.moments(survey(table()))[0]


def _spectrum() -> Spectrum:
    whole = TakeCrossProducts(dense_design()).summarize(batch())
    return Spectrum(whole, np.ones(dense_design().n_columns), True)


class _SumTargets(Pass):
    def summarize(self, batch: Batch) -> Any:
        assert batch.target is not None
        return TargetSums.of(batch.target, batch.weights, 0)


def _held_out_loss() -> Pass:
    inputs = NetInputs.of(table(), None, scaling=True, most=16)
    net = Net.start(inputs, (3, 1), "tanh", "squared_error", dtype=np.float64)
    course = Course("", inputs, Schedule("constant", 0.1), {}, 1, False, 0, 0.0, 1)
    encode = EncodeBatch(inputs, np.asarray, None, 1.0)
    return LossOfHeldOut(course, encode, HoldOut(0, 0.5), net)


#: Name → the pass that makes the statistic, and the kind of target it reads.
PASSES: dict[str, tuple[Callable[[], Pass], str]] = {
    "Survey": (TakeSurvey, "numbers"),
    "FewRows": (lambda: TakeFewRows(10**6), "numbers"),
    "FewRows, too many": (lambda: TakeFewRows(0), "numbers"),
    "RowsLook": (lambda: LookAtRows(3, HoldOut(0, 0.5)), "codes"),
    "TargetSums": (_SumTargets, "numbers"),
    "LossSum": (_held_out_loss, "numbers"),
    "StatisticTuple": (_StatisticTuple, "codes"),
    "Sketch": (TakeSketch, "numbers"),
    "GradientSize": (lambda: _BoostedGradients("size"), "numbers"),
    "Histograms": (lambda: _BoostedGradients("histograms"), "numbers"),
    "LeafSums": (lambda: _BoostedGradients("leaves"), "numbers"),
    "PlaceTotals": (_CategoriesAtPlaces, "numbers"),
    "Sample of a forest": (lambda: TakeForestSample(20), "numbers"),
    "CodedRows": (lambda: CodeRows(_coding()), "numbers"),
    "DigitWeights": (_Digits, "numbers"),
    "Ends": (FindEnds, "numbers"),
    "ColumnSpread": (lambda: Summarize(StandardScaler()), "numbers"),
    "CellCounts": (CountCells, "numbers"),
    "ClassFills": (lambda: FillByClass(3), "codes"),
    "Window": (lambda: Pick(3, 20), "codes"),
    "ClassWeights": (_majority, "codes"),
    "TermCounts": (lambda: _OfTowns(CountTerms(Tokens())), "numbers"),
    "WordSums": (lambda: _OfOneColumn(SumWords(["town"], 0)), "numbers"),
    "WordSums by class": (lambda: _OfOneColumn(SumWords(["town"], 3)), "codes"),
    "ColumnWordSums": (lambda: SumWords(["town", "town"], 0), "numbers"),
    "PairCounts": (lambda: _OfTowns(_CountPairs()), "numbers"),
    "DocumentCounts": (lambda: _OfTowns(CountDocuments(Tokens(), 7, 7)), "numbers"),
    "ClassStatistics": (_naive_bayes, "codes"),
    "EventCounts": (_multinomial, "codes"),
    "Counts": (lambda: _Observe("town"), "numbers"),
    "Moments": (lambda: _Observe("far"), "numbers"),
    "Moments of a description": (_Describe, "numbers"),
    "Moments of rows": (lambda: _Observe("far", "small"), "numbers"),
    "TargetSum": (lambda: Summarize(MeanRegressor()), "numbers"),
    "CrossProducts": (lambda: TakeCrossProducts(dense_design()), "numbers"),
    "FoldProducts": (lambda: TakeFoldProducts(dense_design(), 3), "numbers"),
    "Rows": (lambda: GatherRows(dense_design()), "numbers"),
    "Rows, sparse": (lambda: GatherRows(sparse_design()), "numbers"),
    "Sums of errors left out": (lambda: LeaveEachOut(dense_design(), _spectrum()), "numbers"),
    "Triangle": (lambda: TakeTriangle(dense_design(), np.zeros(dense_design().n_columns + 1), True), "numbers"),
    "ResidualSums": (lambda: TakeResidualSums(dense_design(), _shift(dense_design()), 3.0, 50.0), "numbers"),
    "CrossProducts of memberships": (lambda: TakeMemberships(dense_design(), 3), "codes"),
    "Triangle of memberships": (lambda: TakeMembershipTriangle(dense_design(), 3, _beside(dense_design())), "codes"),
    "Sums of ordinal curvature": (lambda: _ordinal(TakeOrdinalCurvature, dense_design()), "codes"),
    "Sums of ordinal gradients": (lambda: _ordinal(TakeOrdinalGradient, sparse_design()), "codes"),
    "StoredWeight": (lambda: TakeStoredWeight(dense_design()), "numbers"),
    "StoredWeight, sparse": (lambda: TakeStoredWeight(sparse_design()), "numbers"),
    "DistinctSample": (lambda: _distinct(dense_design()), "numbers"),
    "DistinctSample, sparse": (lambda: _distinct(sparse_design()), "numbers"),
    "SparseSums": (lambda: _OfSparseMatrix(TakeSparseSums()), "numbers"),
    "Sums of moments": (lambda: _Moments(sparse_design()), "numbers"),
    "Sums of gradients": (lambda: _Gradient(sparse_design(), _shift(sparse_design()), 50.0), "numbers"),
    "Curvature": (lambda: TakeCurvature(_logistic(), *_coefficients_of_classes(), _shift(dense_design())), "codes"),
    "Margins of ordinal regression": (lambda: _ordinal(TakeOrdinalMargins, sparse_design()), "codes"),
    "Margins": (lambda: TakeMargins(_logistic(), np.ones(3, bool), *_coefficients_of_classes()), "codes"),
    "Sums of class gradients": (lambda: TakeGradient(_logistic(), *_coefficients_of_classes(), 1), "codes"),
    "Assigned": (lambda: _over(AssignAndSum, dense_design()), "numbers"),
    "Assigned, sparse": (lambda: _over(AssignAndSum, sparse_design()), "numbers"),
    "Outliers": (lambda: _over(FindOutliers, dense_design(), 5), "numbers"),
    "FullSums": (lambda: _full_round(), "numbers"),
    "ColumnSums": (lambda: _column_round(), "numbers"),
    "RowSample": (lambda: TakeRows(20, 3), "numbers"),
    "ClassSums": (lambda: TakeClassSums(dense_design(), np.zeros(dense_design().n_columns), 3), "codes"),
    "Spread": (lambda: TakeSpread(_FromZero()), "codes"),
    "ClassProducts": (lambda: TakeClassProducts(_view(), 3, gaps=True), "codes"),
    "ExpectedProducts": (lambda: ExpectProducts(_view(), _gaussians()), "codes"),
    "ClassProducts, no gaps": (lambda: TakeClassProducts(_view(), 3, gaps=False), "codes"),
    "JointCounts": (lambda: CountJointly(np.array([[1e6], [0.0], [1.0], [1.0]]), 3), "codes"),
    "FamilyCounts": (_CountFamilies, "numbers"),
    "Said": (_SayTargets, "numbers"),
    "HeldOut": (_HoldOut, "codes"),
    "StateWeights": (_pack_rows, "numbers"),
    "HypothesisLikelihoods": (lambda: WeighHypotheses([_says_one, _says_two], np.arange(3), 0.1), "codes"),
    "Scatter": (lambda: TakeScatter(dense_design()), "numbers"),
    "Scatter, sparse": (lambda: TakeScatter(sparse_design()), "numbers"),
    "Product": (lambda: Multiply(dense_design(), _shift(dense_design()), _block(dense_design())), "numbers"),
    "Product, sparse": (lambda: Multiply(sparse_design(), _shift(sparse_design()), _block(sparse_design())), "numbers"),
    "RowTriangle": (lambda: TakeRowTriangle(dense_design(), _shift(dense_design())), "numbers"),
    "Contrast": (lambda: _contrast(dense_design()), "numbers"),
    "Sample": (lambda: TakeSample(dense_design(), _shift(dense_design()), 20, 3), "numbers"),
    "Sample, sparse": (lambda: TakeSample(sparse_design(), _shift(sparse_design()), 20, 3), "numbers"),
}


def _full_round() -> Pass:
    view = MixtureView.of(survey(table()), np.array([0, 1, 3]))
    components = FullComponents(np.array([0.4, 0.6]), np.array([[0.0, 1.0, 0.5], [1.0, -1.0, 0.0]]), np.eye(3)[None])
    return FullRound(view, components, 0.01)


def _column_round() -> Pass:
    view = MixtureView.of(survey(table()), np.array([0, 1]))
    frequency = np.full(int(view.levels.sum()), 1 / 3)
    alike = ColumnComponents.neutral(2, view, frequency)
    apart = ColumnComponents(
        alike.weights, np.array([[0.0, 1.0], [1.0, -1.0]]), alike.variance, view.levels, alike.tables, alike.occurs
    )
    return ColumnRound(view, apart, 0.01)


def _coding() -> Coding:
    return Coding.of(TakeForestSample(20).summarize(batch()), table().schema)


def _block(design: Design) -> np.ndarray:
    """Three columns to be multiplied by; numbers far from 0 count less."""
    block = np.random.default_rng(4).normal(size=(design.n_columns, 3))
    scaled: np.ndarray = block / np.maximum(np.abs(_shift(design)), 1)[:, None]
    return scaled


def _distinct(design: Design) -> Pass:
    return TakeDistinctSample(design, np.ones(design.n_columns, dtype=bool), 20, 3)


def _contrast(design: Design) -> Pass:
    return TakeContrast(design, _shift(design), _block(design), np.eye(3)[:2], "logcosh")


def _beside(design: Design) -> np.ndarray:
    """The means of the design's columns, and a place for each class but the last."""
    return np.append(_shift(design), np.full(2, 1 / 3))


def _ordinal(take: Any, design: Design) -> Pass:
    mean, variance = design.moments(survey(table()))
    point = Point(np.array([-1.0, 0.5]), np.linspace(-1, 1, design.n_columns))
    made: Pass = take(design, View.of(mean, variance, intercept=True), point)
    return made


def _logistic() -> Problem:
    return Problem(dense_design(), 3, 0.0, 1.0, True)


def _coefficients_of_classes() -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and intercepts of three classes, small enough for columns far away."""
    rng = np.random.default_rng(9)
    coef = rng.normal(size=(3, dense_design().n_columns)) / np.maximum(np.abs(_shift(dense_design())), 1)
    return coef, rng.normal(size=3)


def _gaussians() -> Gaussians:
    p = len(_view().used)
    return Gaussians.of(np.linspace(-1, 1, 3 * p).reshape(3, p), np.array([np.eye(p) + 0.1]), 1e-8)


def _view() -> StandardView:
    design = dense_design()
    mean, variance = design.moments(survey(table()))
    used = np.flatnonzero(variance > 0)
    return StandardView(design, used, mean[used], np.sqrt(variance[used]))


def _says_one(rows: Table) -> Any:
    return np.full(rows.n_rows, 1)


def _says_two(rows: Table) -> Any:
    return np.where(rows["small"].values > 0, 2, 1)


def _over(cls: Any, design: Design, *settings: Any) -> Pass:
    made: Pass = cls(design, _shift(design), _centers(design), *settings)
    return made
