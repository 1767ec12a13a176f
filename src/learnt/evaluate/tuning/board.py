"""What is known of the candidates while a search runs, and which is best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.problem import Problem
from learnt.evaluate.scores import score_of
from learnt.evaluate.tuning.spaces import Settings, in_words
from learnt.evaluate.tuning.trials import Trial, TrialResult


@dataclass
class Candidate:
    """Settings, and how they did on the inner folds.

    | field | meaning |
    |---|---|
    | `scores` | by repeat and number of a fold; of halving those of the last round it took part in |
    | `rows` | how many rows it was judged on |
    | `error` | the first error of a fit, if one failed |
    """

    settings: Settings
    scores: dict[tuple[int, int], float] = field(default_factory=dict)
    rows: int = 0
    error: str = ""

    @property
    def mean(self) -> float:
        """The mean score over the folds where it is defined; NaN for a candidate that failed or was not tried."""
        known = [score for score in self.scores.values() if not math.isnan(score)]
        return math.nan if self.error or not known else sum(known) / len(known)


class Board:
    """The candidates, those still `alive`, and the work done, counted in rows fitted."""

    def __init__(self, settings: Sequence[Settings], metric: Metric, problem: Problem) -> None:
        self.candidates = [Candidate(one) for one in settings]
        self.alive = list(range(len(settings)))
        self.metric = metric
        self.work = 0
        self.full = 0  # the work of trying every candidate on all folds of all rows
        self.notices: list[str] = []
        self.out_of_time = False
        self._problem = problem
        self._first = True

    def keep(self, trials: Sequence[Trial], results: Sequence[TrialResult], rows: int) -> None:
        """Take in the results of a round of trials on so many rows; `alive` are then those who passed it.

        Where time ran out, candidates with all their trials of the first round count; a later round that was cut off
        does not, lest those who happened to be first win.
        """
        self.work += sum(result.n_train for result in results)
        if len(results) < len(trials) and not self._first:
            return
        self._first = False
        wanted = Counter(trial.candidate for trial in trials)
        done = Counter(result.candidate for result in results)
        for result in sorted(results, key=lambda r: (r.candidate, r.repeat, r.number)):
            candidate = self.candidates[result.candidate]
            if done[result.candidate] < wanted[result.candidate]:
                continue
            if candidate.rows != rows:
                candidate.rows, candidate.scores = rows, {}
            candidate.error = candidate.error or result.error
            score = math.nan if result.error else score_of(self.metric, self._problem, result)
            candidate.scores[result.repeat, result.number] = score
        self.alive = [i for i in self.alive if not math.isnan(self.candidates[i].mean)]

    def matrix(self) -> Array:
        """Scores of those alive, folds × candidates, the folds where all have one."""
        columns = [self.candidates[i].scores for i in self.alive]
        scores = np.array([[column[fold] for column in columns] for fold in columns[0]])
        whole: Array = scores[~np.isnan(scores).any(axis=1)]
        return whole

    def ranked(self) -> list[int]:
        """Those alive, best first; of equal ones the first."""
        sign = -1.0 if self.metric.higher_is_better else 1.0
        return sorted(self.alive, key=lambda i: sign * self.candidates[i].mean)

    @property
    def best(self) -> Candidate:
        if self.alive:
            return self.candidates[self.ranked()[0]]
        failed = [c for c in self.candidates if c.error]
        if failed:
            raise InputError(
                f"No candidate could be fitted ({len(self.candidates)} tried). The first, "
                f"{in_words(failed[0].settings)}, failed with {failed[0].error}"
            )
        raise InputError(
            f"The metric {self.metric.name!r} is undefined for every candidate: no inner fold has the rows it needs. "
            "Use fewer folds, or another metric."
        )

    def in_order(self) -> list[Candidate]:
        """All of them: those alive best first, then those given up, the longest alive first, then those that failed."""
        sign = -1.0 if self.metric.higher_is_better else 1.0
        alive = self.ranked()

        def key(i: int) -> tuple[Any, ...]:
            c = self.candidates[i]
            mean = math.inf if math.isnan(c.mean) else sign * c.mean
            return math.isnan(c.mean), not c.error, -c.rows, -len(c.scores), mean

        rest = sorted((i for i in range(len(self.candidates)) if i not in alive), key=key)
        return [self.candidates[i] for i in [*alive, *rest]]

    @property
    def saved(self) -> float:
        """The share of the full work that was not needed."""
        return max(0.0, 1 - self.work / self.full) if self.full else 0.0
