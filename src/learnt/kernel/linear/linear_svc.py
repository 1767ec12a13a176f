"""Linear support vector classification."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, ParameterError
from learnt.kernel.linear.asks import AskedRows
from learnt.kernel.linear.held_out import (
    CountFolds,
    HeldOut,
    Machines,
    TakeHeldOut,
    fold_counts,
    folds_for,
    useful_folds,
)
from learnt.kernel.linear.in_memory import MachineRows, Start
from learnt.kernel.linear.losses import MachineLoss
from learnt.kernel.linear.machine import LinearMachine
from learnt.kernel.linear.solved import Solved
from learnt.kernel.linear.summary import MachineSummary, machine_summary
from learnt.learner.class_weights import CLASS_WEIGHTS, class_factors
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf
from learnt.linear import CountWeights, Encoded, Scaling, ScoreClassifier, steepness

#: One number is learnt from machines that end here.
_ROUGHLY = 1e-3
#: The score that a class without rows keeps.
_NEVER = -1.0


class LinearSVC(LinearMachine, ScoreClassifier):
    """The plane between two classes with the widest margin; rows on its wrong side cost C each. Of several classes, one
    plane for each against all others.

        minimise  ½|w|² + C Σ c_i max(0, 1 − y_i (w·x_i + b))²

    >>> table = {"a": [1.0, -1.0, -1.0, 3.0], "b": [2.0, 2.0, -2.0, 1.0]}
    >>> model = LinearSVC(C=1e3, loss="hinge", standardize=False, tol=1e-9).fit(table, ["-", "-", "+", "+"])
    >>> model.coef_.round(4).tolist(), model.predict({"a": [0.0], "b": [-1.0]}).tolist()
    ([[-0.6, 0.8]], ['+'])

    The intercept is not penalised: with the hinge loss the plane is that of `SVC(kernel="linear")`. Labels become
    indicators, numbers are centred and scaled (`standardize`), missing cells are the mean or the most frequent label.
    A weight of 2 is a row that stands there twice. Files larger than memory: squared hinge loss and L2 penalty learn in
    passes over a `scan`; the others need the rows in memory and say so.

    {settings}

    Attributes: `coef_`, in the units of the columns, `intercept_`, `coefficient_names_`; `gap_`, by how much the
    objective may still fall, `objective_`, `violation_` of the optimality conditions, `n_iter_`, `converged_`;
    `steepness_` of the probabilities. `summary()` tells them.

    Reference: C.-J. Hsieh et al., A dual coordinate descent method for large-scale linear SVM, 2008; G.-X. Yuan et al.,
    A comparison of optimization methods for large-scale L1-regularized linear classification, 2010.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "probabilities", "sparse"})
    fit_cost = 8.0
    simplicity = 14.0
    search_space: ClassVar[dict[str, Any]] = {"C": (0.01, 0.1, 1.0, 10.0, 100.0)}

    penalty: str = setting(
        OneOf("l2", "l1"), '½|w|², or "l1" |w|₁, which leaves few coefficients; never on intercepts', default="l2"
    )
    loss: str = setting(
        OneOf("squared_hinge", "hinge"),
        "of a row beyond its margin: by how far, or by the square of it",
        default="squared_hinge",
    )
    class_weight: Any = setting(CLASS_WEIGHTS, 'factors of C: {class: factor}, or "balanced"', default=None)
    probability: bool = setting(
        Flag(),
        "learn probabilities from rows held out: five folds up to 2,000 rows, some 3,500 rows beyond. Without it "
        "`predict_proba` is refused",
        default=True,
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.penalty == "l1" and (self.loss != "squared_hinge" or self.solver not in ("auto", "coordinate")):
            raise ParameterError(
                f'LinearSVC: penalty="l1" cannot have loss={self.loss!r} with solver={self.solver!r}. '
                'Use loss="squared_hinge" and solver="auto".'
            )
        wrong = {"newton": "hinge", "interior": "squared_hinge"}.get(str(self.solver))
        if self.loss == wrong:
            raise ParameterError(
                f'LinearSVC: solver={self.solver!r} cannot have loss={self.loss!r}. Use solver="auto", which chooses.'
            )

    def _loss_kind(self) -> MachineLoss:
        return MachineLoss(True, self.loss == "squared_hinge")

    def _is_l1(self) -> bool:
        return self.penalty == "l1"

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        self.steepness_ = 1.0
        if self._in_passes(training):
            yield from self._plan_passes(training)
            return
        found, scaling, z = yield from self._gathered(training)
        codes, k = np.asarray(found.target), len(self.classes_)
        weights = np.ones(len(codes)) if found.weights is None else found.weights
        counts = np.bincount(codes, weights, k)
        factors = class_factors(self.class_weight, self.classes_, counts, "LinearSVC")
        cost = float(self.C) * (weights if factors is None else weights * factors[codes])
        there = self._classes_there(counts, factors)
        if len(there) < 2:
            return self._keep_one_class(found, there)
        rows = MachineRows.of(z, codes, cost)
        units = self._units(there)
        solver = self._solver()
        solved, start = solver.solve(rows, units)
        self._keep_machines(found, scaling, solved, units)
        if self.probability:
            shifts = scaling.shift * scaling.scale
            self.steepness_ = self._held_out_steepness(rows, units, start, factors, shifts, float(weights.sum()))

    def _plan_passes(self, training: Training) -> Generator[Pass, Any, None]:
        counts = (yield CountWeights(len(self.classes_))).weight
        factors = class_factors(self.class_weight, self.classes_, counts, "LinearSVC")
        found, scaling, n = yield from self._looked_at(training)
        there = self._classes_there(counts, factors)
        if len(there) < 2:
            return self._keep_one_class(found, there)
        units = self._units(there)
        rows = AskedRows(self._loss_kind(), float(self.C), factors, scaling.shift)
        solved = yield from self._by_passes(found, scaling, rows, [(int(u), -1) for u in units])
        self._keep_machines(found, scaling, solved, units)
        if not self.probability:
            return
        k = len(self.classes_)
        rows = replace(rows, folds=folds_for(float(counts.sum()), n, scaling.scale))
        seen = (yield CountFolds(rows, found.design, k)).arrays[0]
        used = useful_folds(seen)[: rows.folds.used if rows.folds else 0]
        if not used:
            return
        solved = yield from self._by_passes(found, scaling, rows, [(int(u), f) for f in used for u in units])
        coef, intercept = scaling.in_units(solved.coef, solved.intercept)
        machines = self._machines_of(used, coef, intercept, units)
        held: HeldOut = yield TakeHeldOut(rows, found.design, machines)
        self.steepness_ = steepness(held.scores, held.codes, held.weights, k)

    def _machines_of(self, used: list[int], coef: Array, intercept: Array, units: Array) -> Machines:
        """Of the machines of folds, one after the other."""
        m = len(units)
        parts = {f: slice(i * m, (i + 1) * m) for i, f in enumerate(used)}
        return {f: self._all_classes(coef[part], intercept[part], units) for f, part in parts.items()}

    def _classes_there(self, counts: Array, factors: Array | None) -> Array:
        return np.flatnonzero(counts if factors is None else counts * factors)

    def _units(self, there: Array) -> Array:
        """Of two classes one machine, for the second; else one for each class that has rows."""
        return np.array([1], np.int32) if len(self.classes_) == 2 else there.astype(np.int32)

    def _all_classes(self, coef: Array, intercept: Array, units: Array) -> tuple[Array, Array]:
        """With the classes that have no rows: they score less than any row on a margin."""
        k = len(self.classes_)
        if k <= 2 or len(units) == k:
            return coef, intercept
        lowest = min(_NEVER, float(intercept.min())) - 1e6
        whole, base = np.zeros((k, coef.shape[1])), np.full(k, lowest)
        whole[units], base[units] = coef, intercept
        return whole, base

    def _keep_machines(self, found: Encoded, scaling: Scaling, solved: Solved, units: Array) -> None:
        coef, intercept = scaling.in_units(solved.coef, solved.intercept)
        self._keep_coefficients(found.design, *self._all_classes(coef, intercept, units), found.mean)
        self._keep_end(solved)

    def _keep_one_class(self, found: Encoded, there: Array) -> None:
        """All rows that count are of one class: no column says anything."""
        k, only = len(self.classes_), int(there[0]) if len(there) else 0
        base = np.where(np.arange(k) == only, 1.0, -1.0)
        if k <= 2:
            base = np.array([1.0 if only == 1 else -1.0]) if k == 2 else np.zeros(1)
        self._keep_coefficients(found.design, np.zeros((len(base), found.design.n_columns)), base, found.mean)
        self.n_iter_, self.gap_, self.violation_, self.objective_, self.converged_ = 0, 0.0, 0.0, 0.0, True

    def _held_out_steepness(
        self,
        rows: MachineRows,
        units: Array,
        start: Start | None,
        factors: Array | None,
        shifts: Array,
        weight: float,
    ) -> float:
        """How steeply scores turn into probabilities, from machines that had not seen the rows."""
        codes, k, solver = rows.target.astype(np.int64), len(self.classes_), self._solver()
        solver = replace(solver, tol=max(solver.tol, _ROUGHLY))
        weights = rows.cost / float(self.C)
        if factors is not None:
            weights = weights / np.where(factors > 0, factors, 1.0)[codes]
        folds = folds_for(weight, rows.z.shape[0], np.ones(rows.z.shape[1]))
        fold = folds.of(rows.z + shifts if isinstance(rows.z, np.ndarray) else rows.z)
        used = useful_folds(fold_counts(fold, codes, rows.cost, folds, k))[: folds.used]
        machines: Machines = {}
        for f in used:
            solved, _ = solver.solve(rows.without(fold == f), units, start)
            machines |= self._machines_of([f], solved.coef, solved.intercept, units)
        if not machines:
            return 1.0
        held = HeldOut.of(rows.z, codes, weights, fold, machines)
        return steepness(held.scores, held.codes, held.weights, k)

    def _probabilities(self, table: Table) -> Array:
        if not self.probability:
            raise InputError("This LinearSVC was fitted with probability=False. Fit it with probability=True first.")
        return super()._probabilities(table)

    def predict(self, X: Any) -> Array:
        """The class with the highest score; of two classes the second if its score is above 0."""
        still = self._still()
        scores: Array = still._over(X, still._class_scores)
        labels: Array = still.classes_[scores.argmax(axis=1)]
        return labels

    def summary(self) -> MachineSummary:
        """How it ended and the coefficients, largest first; `str` of it is a table to read."""
        self._fitted_schema()
        return machine_summary(self, "LinearSVC", self._names_of_scores())
