"""Linear support vector regression."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.engine.training import Training
from learnt.errors import ParameterError
from learnt.kernel.linear.asks import AskedRows
from learnt.kernel.linear.in_memory import MachineRows
from learnt.kernel.linear.losses import MachineLoss
from learnt.kernel.linear.machine import LinearMachine
from learnt.kernel.linear.solved import Solved
from learnt.kernel.linear.summary import MachineSummary, machine_summary
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf, Real
from learnt.linear import Encoded, LinearRegressor, Scaling, center_and_spread
from learnt.statistics.sums import ArraySums

_UNIT = np.zeros(1, np.int32)


class LinearSVR(LinearMachine, LinearRegressor):
    """The flattest plane within a tube around the targets; rows outside of the tube cost C each unit.

        minimise  ½|w|² + C Σ c_i max(0, |y_i − w·x_i − b| − ε)

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0, 4.0]}
    >>> model = LinearSVR(C=100.0, epsilon=0.0).fit(table, [1.0, 3.0, 5.0, 7.0, 90.0])
    >>> model.predict({"x": [10.0]}).round(3).tolist()
    [21.0]

    The intercept is not penalised: the plane is that of `SVR(kernel="linear")`. Labels, missing cells and weights as in
    `LinearSVC`. The target is measured by its spread (`standardize`), so that C and ε mean the same whatever its unit.
    Files larger than memory: `loss="squared_epsilon_insensitive"` learns in passes over a `scan`; the other loss needs
    the rows in memory and says so.

    {settings}

    Attributes: `coef_` and `intercept_` in the units of the table, `coefficient_names_`; `gap_`, `objective_`,
    `violation_`, `n_iter_` and `converged_` as those of `LinearSVC`. `summary()` tells them.

    Reference: C.-H. Ho, C.-J. Lin, Large-scale linear support vector regression, 2012.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    fit_cost = 8.0
    simplicity = 14.0
    search_space: ClassVar[dict[str, Any]] = {"C": (0.01, 0.1, 1.0, 10.0, 100.0), "epsilon": (0.0, 0.1, 0.3)}

    epsilon: float = setting(
        Real(0),
        "half the width of the tube, in standard deviations of the target (in its units if not `standardize`)",
        default=0.1,
    )
    loss: str = setting(
        OneOf("epsilon_insensitive", "squared_epsilon_insensitive"),
        "of a row outside of the tube: by how far, or by the square of it",
        default="epsilon_insensitive",
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        wrong = {"newton": "epsilon_insensitive", "interior": "squared_epsilon_insensitive"}.get(str(self.solver))
        if self.loss == wrong:
            raise ParameterError(
                f'LinearSVR: solver={self.solver!r} cannot have loss={self.loss!r}. Use solver="auto", which chooses.'
            )

    def _loss_kind(self) -> MachineLoss:
        return MachineLoss(False, self.loss == "squared_epsilon_insensitive", float(self.epsilon))

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        if self._in_passes(training):
            yield from self._plan_passes(training)
            return
        found, scaling, z = yield from self._gathered(training)
        y, w = np.asarray(found.target, dtype=np.float64), found.weights
        mean, spread = 0.0, 1.0
        if self.standardize:
            mean, spread = center_and_spread(y, w, bool(self.fit_intercept))
        cost = np.full(len(y), float(self.C)) if w is None else float(self.C) * w
        rows = MachineRows.of(z, (y - mean) / spread, cost)
        solved, _ = self._solver().solve(rows, _UNIT)
        self._keep_machine(found, scaling, solved, mean, spread)

    def _plan_passes(self, training: Training) -> Generator[Pass, Any, None]:
        found, scaling, _ = yield from self._looked_at(training)
        mean, spread = 0.0, 1.0
        if self.standardize:
            weight, total = (yield _TargetSums(0.0)).arrays
            mean = float(total[0] / weight[0]) if self.fit_intercept else 0.0
            weight, _, squares = (yield _TargetSums(mean, squared=True)).arrays
            spread = float(np.sqrt(squares[0] / weight[0]))
            spread = spread if spread > 1e-14 * abs(mean) else 1.0
        rows = AskedRows(self._loss_kind(), float(self.C), None, scaling.shift, mean, spread)
        solved = yield from self._by_passes(found, scaling, rows, [(0, -1)])
        self._keep_machine(found, scaling, solved, mean, spread)

    def _keep_machine(self, found: Encoded, scaling: Scaling, solved: Solved, mean: float, spread: float) -> None:
        coef, intercept = scaling.in_units(solved.coef * spread, solved.intercept * spread + mean)
        self._keep_coefficients(found.design, np.ascontiguousarray(coef[0]), float(intercept[0]), found.mean)
        self._keep_end(solved)

    def summary(self) -> MachineSummary:
        """How it ended and the coefficients, largest first; `str` of it is a table to read."""
        self._fitted_schema()
        return machine_summary(self, "LinearSVR", ["prediction"])


class _TargetSums(Pass):
    """Weight and weighted sum of the target, and with `squared` the sum of squares about a center."""

    def __init__(self, center: float, squared: bool = False):
        self.center, self.squared = center, squared

    def summarize(self, batch: Batch) -> ArraySums:
        assert batch.target is not None
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        found: list[Array] = [np.array([w.sum()]), np.array([w @ batch.target])]
        if self.squared:
            found.append(np.array([w @ (batch.target - self.center) ** 2]))
        return ArraySums(batch.n_rows, tuple(found))
