"""The learner that the insights look at, and its models, each asked about rows it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError, LearntError
from learnt.evaluate.comparison.costs import cheapest
from learnt.evaluate.comparison.running.sampling import folds_of_sample, rows_compared
from learnt.evaluate.folds import Fold, FoldResult, ask
from learnt.evaluate.foreign import fit_on, quiet_blas, seeded
from learnt.evaluate.problem import Problem
from learnt.evaluate.scores import score_of
from learnt.lazy import cached_property
from learnt.report.comparison.reproduce import drawn_by_us
from learnt.report.comparison.understood import Understood
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome

LONGEST = 30.0  # seconds that one insight may be expected to take


class TooSlow(LearntError):
    """An insight was left out because of what it would cost."""


class Subject:
    """The most accurate learner or, where that looks at no column, the best one that does.

    One serves all insights of a page, so that a fold's model is fitted once.
    """

    def __init__(self, comparison: Comparison, understood: Understood | None = None, outcome: Outcome | None = None):
        self.comparison, self.problem = comparison, comparison.problem
        self.understood = understood or Understood(comparison.problem)
        candidates = [comparison.best, *comparison.done]
        self.outcome: Outcome = outcome or next((o for o in candidates if not o.baseline), candidates[0])
        self._models: dict[int, Any] = {}

    @property
    def name(self) -> str:
        return self.outcome.name

    @property
    def recommended(self) -> bool:
        return self.outcome is self.comparison.best

    @cached_property
    def readable(self) -> Subject | None:
        """The readable learner beside this one, which cannot be read; None where it can, or nobody can."""
        found = self.comparison.verdict
        other = found.readable or found.nearest
        if self.outcome.readable or other is None or not found.learnt:
            return None
        return Subject(self.comparison, self.understood, other)

    @cached_property
    def held_out(self) -> tuple[Array, Array | None]:
        """Answers and probabilities from when each row was held out; −1 or NaN for rows that never were."""
        return self.comparison.out_of_fold(self.name)

    @cached_property
    def folds(self) -> list[Fold]:
        """The folds of the first repeat."""
        comparison, n = self.comparison, self.problem.n_rows
        if drawn_by_us(comparison):
            rows = rows_compared(comparison)
            return list(folds_of_sample(self.problem, rows, comparison.cv, 1, comparison.random_state))
        found = []
        for r in self.outcome.results:
            if r.repeat == 0:
                if r.n_train != n - len(r.test):
                    raise InputError(
                        "The folds came from a splitter that does not train on all other rows, so which rows a fold "
                        "was trained on is not known any more"
                    )
                train = np.setdiff1d(np.arange(n), r.test)
                found.append(Fold(0, r.number, train, r.test, comparison.random_state))
        return found

    def model(self, place: int) -> Any:
        """The model of a fold, fitted again as it was; kept."""
        if place not in self._models:
            fold = self.folds[place]
            learner = seeded(self.outcome.learner, fold.seed)
            with quiet_blas(learner):
                self._models[place] = fit_on(learner, self.problem, fold.train)
        return self._models[place]

    def answers(self, model: Any, table: Table, target: Array, weights: Array | None = None) -> FoldResult:
        """What a model says of other rows of the same columns, decided by the loss where there is one."""
        problem = self.problem
        asked = Problem(table, target, problem.classes, problem.task, problem.target_name, weights)
        rows = np.arange(table.n_rows)
        with quiet_blas(model):
            answer, probabilities, _ = ask(model, asked, rows)
        result = FoldResult(0, 0, rows, answer, probabilities, 0.0, 0.0, None, 0)
        return result if self.comparison.loss is None else cheapest(result, self.comparison.loss)

    def score(self, model: Any, table: Table, target: Array, weights: Array | None = None) -> float:
        """The metric of the comparison on such rows."""
        problem = self.problem
        asked = Problem(table, target, problem.classes, problem.task, problem.target_name, weights)
        return score_of(self.comparison.metric, asked, self.answers(model, table, target, weights))

    def affordable(self, fits: float, predictions: float = 0.0) -> None:
        """Raise, with words, where so many fits and predictions of one fold would take too long."""
        o = self.outcome
        expected = fits * o.fit_seconds + predictions * o.predict_seconds
        if expected > LONGEST:
            raise TooSlow(
                f"it would take about {number(round(expected))} s with {self.name}, and the limit is {LONGEST:g} s"
            )
