"""What linear machines share: rows as numbers, the choice of a solver, and how it ended."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.engine.encoded_rows import encoded_rows
from learnt.engine.first_look import first_look
from learnt.engine.passes import Batch, Pass
from learnt.engine.training import Training
from learnt.engine.whole import InMemory
from learnt.errors import SavedModelError, convergence_warning
from learnt.kernel.ends import check_ends
from learnt.kernel.linear.asks import AnswerAsks, AskedRows
from learnt.kernel.linear.in_memory import Solver
from learnt.kernel.linear.losses import MachineLoss
from learnt.kernel.linear.newton import Newton, side_by_side
from learnt.kernel.linear.solved import Solved
from learnt.learner.base import Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.linear import Encoded, Scaling, encode_training, plain_scaling, scaled_rows, standard_scaling
from learnt.show.numbers import number
from learnt.statistics.sums import ArraySums

_COORDINATES = InMemory(
    "goes to and fro between all rows with this loss, penalty or solver",
    'use penalty="l2" with a squared loss, which is learnt in passes',
)


class LinearMachine(Learner, abstract=True):
    """Coefficients by coordinates, by Newton's method, or from an interior point; the intercept is never penalised."""

    C: float = setting(Real(above=0, high=1e100), "what a unit of loss costs, against the penalty", default=1.0)
    tol: float = setting(
        Real(0), "ends when the objective is known to be within this part of its least: the duality gap", default=1e-4
    )
    max_iter: int = setting(Whole(1), "rounds over the rows, at most", default=1000)
    fit_intercept: bool = setting(Flag(), "whether an intercept is learnt; False fixes it at 0", default=True)
    standardize: bool = setting(Flag(), "centre numbers and divide them by their spread", default=True)
    solver: str = setting(
        OneOf("auto", "coordinate", "newton", "interior"),
        '"coordinate" descent of the dual, "newton" for squared losses, "interior" for the others; "auto": the latter '
        "two on up to 200 dense columns",
        default="auto",
    )
    random_state: Any = setting(Seed(), "seed of the order in which rows are met", default=0)

    n_iter_: Any = attribute()
    converged_: bool = attribute()
    gap_: Any = attribute()
    violation_: Any = attribute()
    objective_: Any = attribute()

    def _loss_kind(self) -> MachineLoss:
        raise NotImplementedError

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_ends(self.n_iter_, self.gap_, self.violation_, self.objective_)
        if np.asarray(self.n_iter_).dtype.kind != "i":
            raise SavedModelError("The number of rounds is no whole number.")

    def _is_l1(self) -> bool:
        return False

    def _solver(self) -> Solver:
        return Solver(
            self._loss_kind(),
            str(self.solver),
            self._is_l1(),
            bool(self.fit_intercept),
            float(self.tol),
            int(self.max_iter),
            seed_from(self.random_state),
        )

    def _in_passes(self, training: Training) -> bool:
        """Whether the rows stay where they are; for losses that need them in memory a scan is refused."""
        if training.in_memory:
            return False
        passes = self._loss_kind().squared and not self._is_l1() and self.solver in ("auto", "newton")
        if not passes:
            _COORDINATES.check(training.source, type(self).__name__)
        return True

    def _scaling_of(self, found: Encoded, dense: bool) -> Scaling:
        # Sparse rows are not centred; without an intercept nothing is, since that would be one.
        center = dense and bool(self.fit_intercept)
        return standard_scaling(found, center=center) if self.standardize else plain_scaling(found)

    def _gathered(self, training: Training) -> Generator[Pass, Any, tuple[Encoded, Scaling, Any]]:
        """The rows, how they are scaled, and the scaled rows."""
        found = yield from encode_training(training, drop_reference=False)
        scaling = self._scaling_of(found, isinstance(found.matrix, np.ndarray))
        unscaled = not scaling.shift.any() and bool((scaling.scale == 1).all())
        if unscaled and not isinstance(found.matrix, np.ndarray):
            return found, scaling, found.matrix
        with np.errstate(over="ignore"):
            z = scaled_rows(found.matrix, scaling)
        if isinstance(z, np.ndarray) and found.weights is not None:
            z[found.weights == 0] = 0.0  # whatever they hold
        return found, scaling, z

    def _looked_at(self, training: Training) -> Generator[Pass, Any, tuple[Encoded, Scaling, int]]:
        """The same of a scan, without its rows, and how many there are."""
        look = yield from first_look(training, drop_reference=False)
        stored: ArraySums = yield _CountStored(look.design)
        there, weight = stored.arrays
        mean, variance = look.moments
        nothing = np.zeros(0)
        found = Encoded(look.design, mean, variance, there / weight, None, nothing, None)
        return found, self._scaling_of(found, True), stored.rows

    def _by_passes(
        self, found: Encoded, scaling: Scaling, rows: AskedRows, machines: list[tuple[int, int]]
    ) -> Generator[Pass, Any, Solved]:
        """The machine of each unit without a fold, −1 for none."""
        newton = Newton(scaling, bool(self.fit_intercept), float(self.tol), int(self.max_iter))
        running = side_by_side([newton.machine(unit, fold) for unit, fold in machines])
        asks = next(running)
        while True:
            look = AnswerAsks(rows, found.design, asks)
            sums: ArraySums = yield look
            try:
                asks = running.send(look.split(sums))
            except StopIteration as stop:
                return Solved.join(stop.value)

    def _keep_end(self, solved: Solved) -> None:
        single = len(solved.ends) == 1
        self.n_iter_, self.gap_, self.violation_, self.objective_ = (
            a[0].item() if single else np.array(a)
            for a in (solved.rounds, solved.gap, solved.violation, solved.objective)
        )
        self.converged_ = bool(solved.converged.all())
        if not self.converged_:
            share = float((solved.gap / np.maximum(solved.objective, np.finfo(float).tiny))[~solved.converged].max())
            warnings.warn(
                convergence_warning(
                    f"{type(self).__name__} stopped after {int(solved.rounds.max())} rounds, when its objective might "
                    f"be above its least by {number(share)} of itself, and tol is {number(float(self.tol))}. "
                    "Use a larger max_iter, a larger tol, or a smaller C."
                ),
                stacklevel=2,
            )


class _CountStored(Pass):
    """The weight of the rows in which each column is not 0, and of all rows."""

    def __init__(self, design: Any):
        self.design = design

    def summarize(self, batch: Batch) -> ArraySums:
        there, weight = np.zeros(self.design.n_columns), 0.0
        for x, part in encoded_rows(batch, self.design):
            w = np.ones(part.n_rows) if part.weights is None else part.weights
            there += np.asarray((x != 0).T @ w).ravel()
            weight += float(w.sum())
        return ArraySums(batch.n_rows, (there, np.array([weight])))
