"""Which way to the optimum: by the shape of the problem."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.linear.logistic.columns import by_columns
from learnt.linear.logistic.conjugate_gradients import by_newton_cg
from learnt.linear.logistic.margins import TakeMargins
from learnt.linear.logistic.newton import by_newton
from learnt.linear.logistic.passes import Curvature
from learnt.linear.logistic.problem import Problem, Solution, View
from learnt.linear.logistic.working_set import by_working_sets
from learnt.linear.separation import MORE_STEPS, STANDING, Margins, reach_of

#: Up to this many coefficients their second derivatives are kept as a matrix; without a penalty, up to twice as many.
FEW = 500
#: Below the square of this part of the objective all is rounding.
FINEST = 2e-8


@dataclass(frozen=True)
class Search:
    """The settings of a search. `zeros` says that the rows are in memory and mostly zeros.

    `rows` is their number where all weigh the same, and else infinite.
    """

    solver: str
    tol: float
    max_iter: int
    zeros: bool
    rows: float

    def solve(
        self, problem: Problem, view: View, point: Array, max_iter: int, first: Curvature | None
    ) -> Generator[Pass, Any, Solution]:
        tol = max(self.tol, FINEST)
        size = problem.n_scores * (problem.n_columns + 1)
        few = size <= (FEW if problem.l1 + problem.l2 > 0 else 2 * FEW)
        if self.solver == "newton" or (self.solver == "auto" and few):
            return (yield from by_newton(problem, view, point, tol, max_iter, first))
        if problem.l1 == 0:
            return (yield from by_newton_cg(problem, view, point, tol, max_iter))
        columns = by_columns if self.zeros else by_working_sets
        return (yield from columns(problem, view, point, tol, max_iter))

    def without_penalty(
        self, problem: Problem, view: View, point: Array, counts: Array, first: Curvature | None
    ) -> Generator[Pass, Any, tuple[Solution, Margins | None]]:
        """A few steps at a time, to see whether the last one still moves every row towards its own class.

        `counts` are the weights of the classes. After the end, steps go on while one moves some row.
        """
        done = more = 0
        while True:
            solution = yield from self.solve(problem, view, point, min(15, self.max_iter - done), first)
            done, more = done + solution.n_iter, more + solution.converged
            solution = replace(solution, n_iter=done)
            size = np.abs(solution.step).max(axis=0)
            if solution.converged and reach_of(size[0], size[1:], self.rows) <= STANDING:
                return solution, None
            margins: Margins = yield TakeMargins(problem, counts > 0, *view.to_user(solution.step))
            if margins.kind is not None:
                return solution, margins
            ended = solution.converged and (margins.reach <= STANDING or more > MORE_STEPS)
            if ended or done >= self.max_iter:
                return solution, None
            point, first = solution.point, None


def mostly_zeros(training: Training, design: Design) -> bool:
    """Whether the matrix is in memory and mostly zeros, so that walking down its columns is cheap."""
    table = training.source
    if not isinstance(table, Table):
        return False
    if table.sparse is None:
        return design.sparse
    return bool(table.sparse.nnz < 0.1 * table.n_rows * table.n_columns)
