"""A search over candidates on one problem: what `tune` does on all rows, and `Tuned` inside every fit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from learnt.errors import ParameterError
from learnt.evaluate.folds import Fold, folds, n_folds
from learnt.evaluate.foreign import fit_on, fresh, quiet_blas, seeded
from learnt.evaluate.problem import Problem
from learnt.evaluate.scores import fitting_metric
from learnt.evaluate.tuning.board import Board
from learnt.evaluate.tuning.spaces import candidates, spaces_of
from learnt.evaluate.tuning.strategies import STRATEGIES
from learnt.evaluate.tuning.trials import Candidates, Trial, TrialResult
from learnt.evaluate.workers.running import evaluated_folds
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.watch import report

DOMAINS: dict[str, Domain] = {
    "search": OneOf(*STRATEGIES),
    "n": OneOf(None) | Whole(1),
    "random_state": Seed(),
    "time_budget": OneOf(None) | Real(above=0),
}


@dataclass(frozen=True)
class Search:
    """How a learner's settings are searched; see `tune` for the meaning of each."""

    learner: Any
    space: Any = None
    search: str = "grid"
    n: int | None = None
    metric: Any = None
    cv: Any = 5
    random_state: int = 0
    time_budget: float | None = None

    def run(self, problem: Problem, n_jobs: int | None = 1) -> Board:
        """Try the candidates on inner folds of the problem; an error if none of them can be fitted."""
        begun = time.monotonic()
        metric = fitting_metric(self.metric, problem)
        if metric.needs == "probabilities" and not hasattr(self.learner, "predict_proba"):
            raise ParameterError(
                f"The metric {metric.name!r} needs probabilities, and {type(self.learner).__name__} gives none. "
                "Choose a metric of its answers, such as 'accuracy'."
            )
        n_folds(problem, self.cv)
        settings = candidates(spaces_of(self.learner, self.space), self.search, self.n, self.random_state)
        board = Board(settings, metric, problem)
        fitted = sum(len(fold.train) for fold in folds(problem, self.cv, 1, self.random_state))
        board.full = len(settings) * fitted
        every = Candidates(self.learner, settings)
        deadline = None if self.time_budget is None else begun + self.time_budget
        for trials, rows in STRATEGIES[self.search](board, problem, self.cv, self.random_state):
            results = self._results(every, problem, trials, deadline, n_jobs, board)
            board.keep(trials, results, rows)
            if len(results) < len(trials):
                board.out_of_time = True
                break
        board.best  # noqa: B018 - raises where there is none
        return board

    def _results(
        self,
        every: Candidates,
        problem: Problem,
        trials: list[Trial],
        deadline: float | None,
        n_jobs: int | None,
        board: Board,
    ) -> list[TrialResult]:
        results: list[TrialResult] = []
        must = trials[0].candidate if trials and board.work == 0 else None  # one is tried, however short the time
        for result in evaluated_folds(every, problem, _in_time(trials, deadline, must), len(trials), n_jobs):
            assert isinstance(result, TrialResult)
            results.append(result)
            report("trials", learner=type(self.learner).__name__, iteration=len(results), total=len(trials))
        return results

    def fitted(self, board: Board, problem: Problem) -> Any:
        """The learner with the best settings, fitted on all rows of the problem."""
        chosen = fresh(self.learner).set_params(**board.best.settings)
        with quiet_blas(chosen):
            return fit_on(seeded(chosen, self.random_state % 2**32), problem)


def _in_time(trials: list[Trial], deadline: float | None, must: int | None) -> Iterator[Fold]:
    """The trials, until time is up."""
    for trial in trials:
        if deadline is not None and trial.candidate != must and time.monotonic() > deadline:
            return
        yield trial


def whole_seed(random_state: Any) -> int:
    """A seed that gives the same folds each time it is used."""
    return int(random_state) if random_state in Whole() else seed_from(random_state)
