"""Linear machines solved from rows in memory, by the solver that suits the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.kernel.distinct_rows import distinct_rows
from learnt.kernel.linear.asks import AskedRows
from learnt.kernel.linear.interior import NARROW, interior_point
from learnt.kernel.linear.losses import MachineLoss
from learnt.kernel.linear.newton import Newton, side_by_side
from learnt.kernel.linear.solved import Solved
from learnt.linear import Scaling, kernel_csr

#: Up to so many cells equal rows become one, in an order of their own; larger tables are taken as they came.
FEW_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class MachineRows:
    """Scaled rows, what is asked of them (codes of classes, or values), and what a unit of loss costs in each."""

    z: Any  # dense or CSR
    target: Array
    cost: Array

    @classmethod
    def of(cls, z: Any, target: Array, cost: Array) -> MachineRows:
        """Equal rows of equal targets as one, where the table is not large; few sparse columns are written out."""
        if not isinstance(z, np.ndarray) and z.shape[1] <= NARROW and z.shape[0] * z.shape[1] <= 4 * FEW_CELLS:
            z = z.toarray().astype(np.float64)
        cells = z.size if isinstance(z, np.ndarray) else z.nnz
        if cells > FEW_CELLS:
            return cls(z, target, cost)
        kinds, groups = np.unique(target, return_inverse=True)
        found = distinct_rows(z, groups.astype(np.int64), cost, len(kinds))
        first = found.first
        return cls(
            np.ascontiguousarray(z[first]) if isinstance(z, np.ndarray) else z[first], target[first], found.weights
        )

    def without(self, held: Array) -> MachineRows:
        cost = self.cost.copy()
        cost[held] = 0.0
        return replace(self, cost=cost)

    @property
    def narrow(self) -> bool:
        return isinstance(self.z, np.ndarray) and self.z.shape[1] <= NARROW


@dataclass(frozen=True)
class Solver:
    """`method`: "auto", "coordinate", "newton" or "interior"; `l1`: the penalty is |w|₁ instead of ½|w|²."""

    loss: MachineLoss
    method: str
    l1: bool
    intercept: bool
    tol: float
    max_iter: int
    seed: int

    def chosen(self, rows: MachineRows) -> str:
        if self.l1:
            return "coordinate"
        if self.method != "auto":
            return self.method
        if not rows.narrow:
            return "coordinate"
        return "newton" if self.loss.squared else "interior"

    def solve(self, rows: MachineRows, units: Array, start: Start | None = None) -> tuple[Solved, Start | None]:
        """A machine for each unit, and from where another may begin."""
        method = self.chosen(rows)
        if self.l1:
            return self._by_columns(rows, units), None
        if method == "newton":
            return self._by_newton(rows, units), None
        if method == "interior":
            if not isinstance(rows.z, np.ndarray):
                raise InputError(
                    'solver="interior" was given sparse rows. It factorises a matrix of all columns. Use solver="auto".'
                )
            start = self._inner_start(rows, units)
        return self._by_rows(rows, units, start)

    def _settings(self) -> Any:
        return _core.MachineSettings(
            classes=self.loss.classes,
            squared=self.loss.squared,
            epsilon=float(self.loss.epsilon),
            tolerance=float(self.tol),
            rounds=int(self.max_iter),
            seed=int(self.seed),
            intercept=bool(self.intercept),
        )

    def _by_rows(self, rows: MachineRows, units: Array, start: Start | None) -> tuple[Solved, Start]:
        (n, p), k = rows.z.shape, len(units)
        beta = np.zeros((k, n)) if start is None else np.where(rows.cost > 0, start.beta, 0.0)
        coef, ends = np.zeros((k, p)), np.zeros((k, 6))
        if start is not None:
            ends[:, 0] = start.intercept
        values, codes = (None, rows.target.astype(np.int32, copy=False)) if self.loss.classes else (rows.target, None)
        rest: Any = values, codes, rows.cost, self._settings(), units, beta, coef, ends
        if isinstance(rows.z, np.ndarray):
            _core.solve_linear_duals(rows.z, *rest)
        else:
            _core.solve_linear_duals_csr(*kernel_csr(rows.z), *rest)
        if start is not None:
            ends[:, 4] += start.steps
        return Solved(coef, ends), Start(beta, ends[:, 0].copy(), np.zeros(k))

    def _by_columns(self, rows: MachineRows, units: Array) -> Solved:
        coef, ends = np.zeros((len(units), rows.z.shape[1])), np.zeros((len(units), 6))
        rest: Any = rows.target.astype(np.int32, copy=False), rows.cost, self._settings(), units, coef, ends
        if isinstance(rows.z, np.ndarray):
            _core.solve_linear_l1(np.ascontiguousarray(rows.z.T), *rest)
        else:
            turned = rows.z.tocsc()
            cells = turned.data.astype(np.float64, copy=False), turned.indices.astype(np.int32, copy=False)
            _core.solve_linear_l1_csc(*cells, turned.indptr, turned.shape[0], *rest)
        return Solved(coef, ends)

    def _by_newton(self, rows: MachineRows, units: Array) -> Solved:
        p = rows.z.shape[1]
        plain = Scaling(np.zeros(p), np.ones(p))
        newton = Newton(plain, self.intercept, self.tol, self.max_iter)
        asked = AskedRows(self.loss, 1.0, None, plain.shift)
        running = side_by_side([newton.machine(int(u)) for u in units])
        asks = next(running)
        while True:
            answers = [asked.answer(ask, rows.z, rows.target, rows.cost) for ask in asks]
            try:
                asks = running.send(answers)
            except StopIteration as stop:
                return Solved.join(stop.value)

    def _inner_start(self, rows: MachineRows, units: Array) -> Start:
        there = rows.cost > 1e-200 * rows.cost.max()  # rows of next to no weight are left to the end
        z, target, cost = rows.z[there], rows.target[there], rows.cost[there]
        beta, intercept, steps = np.zeros((len(units), len(there))), np.zeros(len(units)), np.zeros(len(units))
        for m, unit in enumerate(units):
            y = np.where(target == unit, 1.0, -1.0) if self.loss.classes else target
            beta[m, there], intercept[m], steps[m] = interior_point(z, y, cost, self.loss, self.intercept)
        return Start(beta, intercept, steps)


@dataclass(frozen=True, eq=False)
class Start:
    """Coefficients of rows, machines × rows, intercepts, and the steps that led there."""

    beta: Array
    intercept: Array
    steps: Array
