"""One front for methods of novelty detection, with a rate of false alarms that is held."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, WholeTable, unpacked
from learnt.errors import InputError, SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.novelty.cells import content_order
from learnt.novelty.detector import Detector
from learnt.novelty.held_out import HeldOut, fold_weights
from learnt.novelty.isolation_forest import IsolationForest
from learnt.novelty.kernel_sums import KernelDensityAround, OneClassBorder
from learnt.novelty.local_outlier_factor import LocalOutlierFactor
from learnt.novelty.mahalanobis import MahalanobisDistance
from learnt.novelty.neighbor_distance import NeighborDistance
from learnt.novelty.reconstruction import ReconstructionError
from learnt.novelty.sampled_rows import TakeRows, sampled_table
from learnt.show.numbers import number
from learnt.show.words import count_of
from learnt.statistics.sample import HashedSample

#: Up to this weight of all rows "auto" holds each out once; with more, a fold of them is enough.
CROSS_UP_TO = 2000
#: Of a split, rows held out beyond this would not make p-values better: a rate of 5 % is off by 3 % of itself.
HELD_OUT_AT_MOST = 20_000


class NoveltyDetector(Learner, listed=False):
    """Says which rows are unlike those that were fitted, with a rate of false alarms that is held.

        p(x) = (1 + Σ w_i [novelty of held-out row i ≥ novelty of x]) / (1 + Σ w_i),   novel: p(x) ≤ rate

    >>> table = {"x": [float(i % 10) for i in range(60)], "y": [float(i % 7) for i in range(60)]}
    >>> model = NoveltyDetector("distance", false_alarms=0.1).fit(table)
    >>> model.predict({"x": [5.0, 90.0], "y": [3.0, -40.0]}).tolist()
    [1, -1]

    {settings}

    Attributes: `n_held_out_`, the weight of the rows p-values are made of; `held_out_p_values_`, those of the fitted
    rows, by models that have not seen them (NaN of rows that no fold held out; none of a scan).

    Reference: S. Bates et al., Testing for outliers with conformal p-values, 2023.
    """

    task = "density"
    abilities = frozenset({"missing", "nominal", "weights", "passes"})
    whole = InMemory("compares rows with each other", 'take method="forest"')
    fit_cost = 5.0

    method: str = setting(
        OneOf("forest", "density", "distance", "one_class", "reconstruction"),
        "what makes a row novel: few random tests isolate it, rows are rare around it, it is far away, it lies outside "
        "of a one-class machine's border, or principal components lose much of it",
        default="forest",
        kw_only=False,
    )
    false_alarms: float = setting(
        Real(above=0, below=1), "the rate at which rows like the fitted ones are called novel", default=0.05
    )
    contamination: float | None = setting(
        OneOf(None) | Real(above=0, high=0.5),
        "instead: the share of the fitted rows that is to be called novel",
        default=None,
    )
    calibration: str = setting(
        OneOf("auto", "split", "cross"),
        "p-values by one fold that was held out of the model, or by all folds, each held out of a model like it; "
        '"auto": "cross" up to a weight of 2,000',
        default="auto",
    )
    folds: int = setting(
        Whole(2), "into which rows are cut; a split holds out one of them, 20,000 rows at most", default=5
    )
    n_estimators: int = setting(Whole(1), "trees of a forest", default=100)
    max_samples: int = setting(Whole(2), "rows of each tree, by weight", default=256)
    density: str = setting(
        OneOf("local", "kernel"), "the local outlier factor, or minus the log of a kernel density", default="local"
    )
    distance: str = setting(
        OneOf("neighbors", "mahalanobis", "robust"),
        "the mean of the nearest rows', or Mahalanobis's squared, by all rows or by the densest half (MCD)",
        default="neighbors",
    )
    n_neighbors: int = setting(Whole(1), "nearest rows looked at, by weight", default=20)
    nu: float = setting(Real(above=0, high=1), "the share of rows outside of the machine's border", default=0.1)
    n_components: Any = setting(
        Whole(0) | Real(above=0, below=1), "components kept, or the share of the variance they keep", default=0.9
    )
    standardize: bool = setting(Flag(), "divide numbers by their spread; forests need not", default=True)
    random_state: Any = setting(Seed(), "seed of folds, forests and starts", default=0)

    n_held_out_: float = attribute()
    held_out_p_values_: Array = attribute()
    _detector: Any = attribute()
    _held_out: HeldOut = attribute()

    # Fitting

    def _plan(self, training: Training) -> Generator[Any, Any, None]:
        """Forests draw rows anyway: of a scan, from a sample of it."""
        if training.in_memory or self.method != "forest":
            yield from super()._plan(training)
            return
        sample: HashedSample = yield TakeRows(seed_from(self.random_state))
        self._learn(sampled_table(sample))
        self.held_out_p_values_ = np.zeros(0)  # which rows they are, nobody knows

    def _learn(self, rows: WholeTable) -> None:
        if rows.table.sparse is not None:
            raise InputError("NoveltyDetector was given a sparse matrix, which it does not take. Pass X.toarray().")
        counted = rows.of_positive_weight()
        table, seed = counted.table, seed_from(self.random_state)
        order = content_order(table, seed)
        weights = np.ones(table.n_rows) if counted.weights is None else np.asarray(counted.weights, np.float64)[order]
        self.held_out_p_values_ = np.full(rows.rows, np.nan)
        total = float(weights.sum())
        crossed = self.calibration == "cross" or (self.calibration == "auto" and total <= CROSS_UP_TO)
        enough = 0 if crossed else int(min(total / HELD_OUT_AT_MOST, 2**31))
        folds = min(max(int(self.folds), enough), int(min(total, 2**31)))
        model: Detector | None = None
        places, novelty, shares = [], [], []
        for fold in range(folds if crossed else 1) if folds > 1 else ():
            out = fold_weights(weights, fold, folds)
            kept = weights - out
            inside, outside = np.flatnonzero(kept > 0), np.flatnonzero(out > 0)
            if not len(inside) or not len(outside):
                continue
            # All by the same draws: what rows held out of one say holds for another.
            detector = self._fitted(table, order[inside], kept[inside], seed)
            model = detector if model is None else model
            places.append(order[outside])
            novelty.append(_checked(detector.novelty(table.take(order[outside]))))
            shares.append(out[outside])
        # With too few rows to hold any out all are fitted, and nothing is novel.
        self._detector = self._fitted(table, order, weights, seed) if model is None else model
        found, own = np.concatenate([np.zeros(0), *novelty]), np.concatenate([np.zeros(0), *shares])
        self._held_out = HeldOut.of(found, own)
        self.n_held_out_ = self._held_out.total
        if len(found):
            judged = counted.numbers[np.concatenate(places)]
            self.held_out_p_values_[judged] = self._held_out.at_least(found) / self._held_out.total
        self._warn_of_few()

    def _fitted(self, table: Table, rows: Array, weights: Array, seed: int) -> Detector:
        if self.method == "forest":
            return IsolationForest.grown(table, rows, weights, int(self.n_estimators), int(self.max_samples), seed)
        some, scaled, k = table.take(rows), bool(self.standardize), int(self.n_neighbors)
        if self.method == "density" and self.density == "kernel":
            return KernelDensityAround.fitted(some, weights, standardize=scaled)
        if self.method == "density":
            return LocalOutlierFactor.fitted(some, weights, k, standardize=scaled)
        if self.method == "one_class":
            return OneClassBorder.fitted(some, weights, float(self.nu), standardize=scaled)
        if self.method == "reconstruction":
            return ReconstructionError.fitted(some, weights, self.n_components, standardize=scaled)
        if self.distance == "neighbors":
            return NeighborDistance.fitted(some, weights, k, standardize=scaled)
        return MahalanobisDistance.fitted(
            some, weights, robust=self.distance == "robust", standardize=scaled, seed=seed
        )

    def _warn_of_few(self) -> None:
        least = 1 / (1 + self.n_held_out_)
        if self.contamination is None and least > float(self.false_alarms):
            warnings.warn(
                f"p-values by {number(self.n_held_out_)} rows held out are {number(least)} at least, and false_alarms "
                f"is {number(float(self.false_alarms))}: no row will be called novel. Fit more rows, or ask for a "
                "larger rate.",
                UserWarning,
                stacklevel=4,
            )

    # Using

    def score_samples(self, X: Any) -> Array:
        """Minus the novelty of each row: the larger, the more it is like the fitted rows."""
        still = self._still()
        still._fitted_schema()
        novelty: Array = still._over(X, still._novelty)
        return np.asarray(-novelty)

    def p_values(self, X: Any) -> Array:
        """The share of rows like the fitted ones that are as novel, or more; small where a row is novel."""
        still = self._still()
        still._fitted_schema()
        at_least: Array = still._over(X, lambda table: still._held_out.at_least(still._novelty(table)))
        return np.asarray((1 + at_least) / (1 + still.n_held_out_))

    def predict(self, X: Any) -> Array:
        """1 for rows like the fitted ones, −1 for novel ones."""
        still = self._still()
        still._fitted_schema()
        labels: Array = still._over(X, lambda table: still._decided(still._novelty(table)))
        return labels

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit, and which of the fitted rows are novel (−1) by models that have not seen them; rows that no fold held
        out are judged by a model that has."""
        self.fit(X, y, sample_weight)
        shares = self.held_out_p_values_
        if not len(shares):
            return self.predict(X)
        rate = self.false_alarms if self.contamination is None else self.contamination
        found = np.where(shares <= float(rate) * (1 + 1e-12), -1, 1)
        seen = np.isnan(shares)
        return np.where(seen, self.predict(X), found) if seen.any() else found

    def _novelty(self, table: Table) -> Array:
        return _checked(self._detector.novelty(unpacked(table)))

    def _decided(self, novelty: Array) -> Array:
        at_least, total = self._held_out.at_least(novelty), self.n_held_out_
        if self.contamination is None:
            novel = 1 + at_least <= float(self.false_alarms) * (1 + total) * (1 + 1e-12)
        else:
            novel = (at_least <= float(self.contamination) * total * (1 + 1e-12)) & (total > 0)
        return np.where(novel, -1, 1)

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """What each column adds to the novelty."""
        row = unpacked(row)
        base, parts = self._detector.parts(row)
        novelty = self._novelty(row)
        p = float((1 + self._held_out.at_least(novelty)[0]) / (1 + self.n_held_out_))
        evidence = tuple(
            Evidence(c.name, c.labels()[0], float(part)) for c, part in zip(row.columns, parts[0], strict=True)
        )
        answer, total = int(self._decided(novelty)[0]), float(novelty[0])
        words = f"novelty (p-value {number(p)})"
        return Explanation(answer, "sum", float(base[0]), self._detector.base_words, evidence, total, words)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        rate, what = self.false_alarms, "false alarms"
        if self.contamination is not None:
            rate, what = self.contamination, "of the fitted rows novel"
        held = count_of(self.n_held_out_, "row")
        return f"{self.method}, {number(100 * float(rate))} % {what}, by {held} held out"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        detector = self._detector
        if not isinstance(detector, _CLASSES):
            raise SavedModelError("The detector is not one of the methods.")
        if not isinstance(self._held_out, HeldOut) or self.n_held_out_ != self._held_out.total:
            raise SavedModelError("The rows held out are not as many as are said.")
        width = len(detector.categories) if isinstance(detector, IsolationForest) else None
        schema = getattr(detector, "schema", None) or getattr(getattr(detector, "encoding", None), "schema", None)
        if (width is not None and width != len(self._schema)) or (schema is not None and schema != self._schema):
            raise SavedModelError("The model is not that of the columns.")


_CLASSES = (
    IsolationForest,
    KernelDensityAround,
    LocalOutlierFactor,
    MahalanobisDistance,
    NeighborDistance,
    OneClassBorder,
    ReconstructionError,
)


def _checked(novelty: Array) -> Array:
    """Novelty beyond all numbers is as large as any."""
    return np.nan_to_num(novelty, nan=np.finfo(float).max, posinf=np.finfo(float).max)
