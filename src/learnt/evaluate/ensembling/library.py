"""The answers of all finished learners to rows they had not seen, side by side, to choose from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.comparison.comparison import Comparison
from learnt.evaluate.comparison.outcome import Outcome
from learnt.evaluate.ensembling.greedy import greedy_weights, log_loss_of_truth, squared_loss
from learnt.evaluate.ensembling.mean_results import known_probabilities
from learnt.evaluate.folds import FoldResult


@dataclass(frozen=True, eq=False)
class Library:
    """Members × answers, with the row and the fold of each answer.

    An answer is the number predicted, or the probability of the class that the row has, which is all a log loss asks.
    """

    outcomes: list[Outcome]
    answers: Array
    rows: Array
    folds: Array
    target: Array | None  # numbers; None for classes
    weights: Array | None  # of all rows of the problem
    in_order: bool

    @classmethod
    def of(cls, comparison: Comparison) -> Library:
        problem = comparison.problem
        outcomes = [o for o in comparison.done if problem.classes is None or _gives_probabilities(o)]
        if not outcomes:
            what = "" if problem.classes is None else " that gives probabilities"
            raise InputError(f"No learner{what} finished, so there is nothing to choose an ensemble from.")
        tested = [r.test for r in outcomes[0].results]
        for outcome in outcomes:
            if not all(np.array_equal(r.test, t) for r, t in zip(outcome.results, tested, strict=True)):
                raise InputError(f"{outcome.name} was tested on other rows than {outcomes[0].name}. Compare them anew.")

        def said(result: FoldResult) -> Array:
            if problem.classes is None:
                return result.answer
            return known_probabilities(result)[np.arange(len(result.test)), problem.target[result.test]]

        return cls(
            outcomes,
            np.array([np.concatenate([said(r) for r in o.results]) for o in outcomes], dtype=np.float64),
            np.concatenate(tested),
            np.repeat(np.arange(len(tested)), [len(t) for t in tested]),
            problem.target if problem.classes is None else None,
            problem.weights,
            comparison.splitting.in_order,
        )

    def weights_for_all(self) -> Array:
        """Chosen by every answer."""
        return self._chosen(np.ones(len(self.rows), dtype=bool))

    def weights_for_fold(self, fold: int) -> Array:
        """Chosen without any answer to a row of this fold; of folds in order of time, by the earlier ones alone."""
        inside = self.folds == fold
        if self.in_order:
            return self._chosen(self.folds < fold)
        return self._chosen(~np.isin(self.rows, self.rows[inside]))

    def _chosen(self, usable: Array) -> Array:
        rows = self.rows[usable]
        w = None if self.weights is None else self.weights[rows]
        if len(rows) == 0 or (w is not None and not w.any()):  # nothing is known yet: all count the same
            return self._of_members(np.full(len(self.outcomes), 1 / len(self.outcomes)))
        loss = log_loss_of_truth(w) if self.target is None else squared_loss(self.target[rows], w)
        return self._of_members(greedy_weights(self.answers[:, usable], loss))

    def _of_members(self, weights: Array) -> Array:
        """The same ensemble without votes: what a vote weighs is shared by its members, which stand there too."""
        place, shared = {o.name: m for m, o in enumerate(self.outcomes)}, weights.copy()
        for m, outcome in enumerate(self.outcomes):
            if outcome.members:
                shared[m] = 0.0
                for name in outcome.members:
                    shared[place[name]] += weights[m] / len(outcome.members)
        return shared


def _gives_probabilities(outcome: Outcome) -> bool:
    return bool(outcome.results) and all(r.probabilities is not None for r in outcome.results)
