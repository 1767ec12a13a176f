"""Machines with a squared loss by Newton's method: every step is a look at all rows, in memory or in files."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.kernel.linear.asks import Ask
from learnt.kernel.linear.solved import Solved
from learnt.linear import Scaling, solved

#: Up to so many columns their second derivatives are kept as a matrix.
FEW = 500
#: Steps are few and the last ones cheap: they go on to this part of the objective where `tol` asks for less.
_FINE = 1e-10
#: Steps that gained nothing but rounding, after which no more are taken.
_IDLE = 5

Answer = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Newton:
    """½|w|² + Σ c l(w·z + b)², z the scaled row: a quadratic between its kinks, so that few steps are many."""

    scaling: Scaling
    intercept: bool
    tol: float
    max_iter: int

    def machine(self, unit: int, without: int = -1) -> Generator[Ask, Answer, Solved]:
        """Steps to the least of the quadratic that touches the objective, halved while it would rise.

        At the slacks of a point lie coefficients of rows, whose dual value is away from the objective by ½|∇_w|²; the
        intercept's own derivative, which should be 0, adds what it could still be good for.
        """
        scaling = self.scaling
        p = len(scaling.scale)
        curved = p <= FEW
        point, step, before, derivative, length = np.zeros(p + 1), np.zeros(p + 1), np.inf, 0.0, 1.0
        objective = gap = violation = np.inf
        reached, idle = point, 0
        for iteration in range(1, self.max_iter + 1):
            at = self._ask(unit, point, curved=curved, without=without)
            loss, by_coef, by_intercept, *rest = yield at
            objective = float(loss[0]) + 0.5 * float(point[1:] @ point[1:])
            allowed = before + 1e-4 * length * derivative + 1e-14 * abs(before)
            if not objective <= allowed and length > 1e-9:
                length /= 2
                point = point - length * step
                continue
            gradient = self._gradient(by_coef, float(by_intercept[0])) + np.append(0.0, point[1:])
            slope = abs(float(gradient[0])) * (1 + abs(float(point[0])))
            with np.errstate(over="ignore"):
                gap, violation = 0.5 * float(gradient[1:] @ gradient[1:]) + slope, float(np.abs(gradient).max())
            if not np.isfinite(gap):
                raise InputError(
                    "Products of the columns with the target, or with costs, have squares that overflow. Scale them "
                    "down, or use standardize=True."
                )
            idle = idle + 1 if objective >= before - 1e-15 * abs(before) else 0
            reached = point
            if gap <= min(self.tol, _FINE) * objective or (idle and gap <= 1e-9 * objective) or idle > _IDLE:
                return self._solved(point, objective, gap, violation, iteration, gap <= self.tol * objective)
            before, length = objective, 1.0
            if curved:
                step = -self._solve(rest[0], gradient)
            else:
                step = yield from self._direction(at, gradient)
            derivative = float(gradient @ step)
            point = point + step
        return self._solved(reached, objective, gap, violation, self.max_iter, gap <= self.tol * objective)

    def _ask(self, unit: int, point: Array, **more: Any) -> Ask:
        coef, intercept = self.scaling.in_units(point[None, 1:], point[:1])
        return Ask(unit, np.ascontiguousarray(coef[0]), float(intercept[0]), **more)

    def _gradient(self, by_coef: Array, by_intercept: float) -> Array:
        """In scaled coordinates, the intercept's first."""
        own = (by_coef - by_intercept * self.scaling.shift) * self.scaling.scale
        return np.append(by_intercept if self.intercept else 0.0, own)

    def _solve(self, gram: Array, gradient: Array) -> Array:
        stretch = np.append(1.0, self.scaling.scale)
        hessian = gram * stretch[:, None] * stretch
        diagonal = np.arange(1, len(hessian))
        hessian[diagonal, diagonal] += 1
        if not self.intercept:
            hessian[0, :] = hessian[:, 0] = 0.0
            hessian[0, 0] = 1.0
        hessian[0, 0] = max(hessian[0, 0], 1e-12)  # no row is beyond its margin: the intercept is free
        return solved(hessian, gradient)

    def _direction(self, at: Ask, gradient: Array) -> Generator[Ask, Answer, Array]:
        """H d = −g by conjugate gradients, each of which is a look at the rows."""
        step, residual = np.zeros_like(gradient), -gradient
        direction, error = residual, float(residual @ residual)
        limit = error * min(0.01, np.sqrt(error) / (1 + float(np.abs(gradient).max())))
        for _ in range(200):
            if error <= limit:
                break
            coef, base = self.scaling.in_units(direction[None, 1:], direction[:1])
            along = np.ascontiguousarray(coef[0]), float(base[0])
            out, out0 = yield Ask(at.unit, at.coef, at.intercept, along, without=at.without)
            product = self._gradient(out, float(out0[0])) + np.append(0.0, direction[1:])
            bend = float(direction @ product)
            if bend <= 0:
                break
            step = step + error / bend * direction
            residual = residual - error / bend * product
            previous, error = error, float(residual @ residual)
            direction = residual + error / previous * direction
        return step

    def _solved(
        self, point: Array, objective: float, gap: float, violation: float, rounds: int, converged: bool
    ) -> Solved:
        end = np.array([[point[0], objective, gap, violation, rounds, converged]], dtype=np.float64)
        return Solved(point[None, 1:], end)


def side_by_side(
    machines: list[Generator[Ask, Answer, Solved]],
) -> Generator[tuple[Ask, ...], list[Answer], list[Solved]]:
    """Runs machines in step: what all of them ask is asked at once."""
    ended: dict[int, Solved] = {}
    asks: dict[int, Ask] = {}

    def go_on(m: int, answer: Answer | None) -> None:
        try:
            asks[m] = next(machines[m]) if answer is None else machines[m].send(answer)
        except StopIteration as stop:
            ended[m] = stop.value
            asks.pop(m, None)

    for m in range(len(machines)):
        go_on(m, None)
    while asks:
        asking = sorted(asks)
        answers = yield tuple(asks[m] for m in asking)
        for m, answer in zip(asking, answers, strict=True):
            go_on(m, answer)
    return [ended[m] for m in range(len(machines))]
