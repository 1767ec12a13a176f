"""Trials: one candidate on one fold, here or in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.evaluate.folds import Fold, FoldResult, run_fold
from learnt.evaluate.foreign import fresh
from learnt.evaluate.problem import Problem
from learnt.show.words import shorten_text


class Candidates:
    """A learner and the settings to try on it; a worker gets all of them once."""

    def __init__(self, learner: Any, settings: Sequence[Mapping[str, Any]]) -> None:
        self.learner, self.settings = learner, settings

    def __getitem__(self, candidate: int) -> Any:
        return fresh(self.learner).set_params(**self.settings[candidate])


@dataclass(frozen=True, eq=False)
class Trial(Fold):
    """A fold for one of the `Candidates`."""

    candidate: int = 0

    def run(self, learner: Candidates, problem: Problem) -> TrialResult:
        """A candidate that fails is a result too: it must not end the search."""
        try:
            result = run_fold(learner[self.candidate], problem, self)
        except Exception as error:
            words = shorten_text(f"{type(error).__name__}: {' '.join(str(error).split())}", 500)
            nothing = np.empty(0)
            return TrialResult(
                *(self.repeat, self.number, self.test, nothing, None, 0.0, 0.0, None, len(self.train)),
                candidate=self.candidate,
                error=words,
            )
        return TrialResult(**vars(result), candidate=self.candidate)


@dataclass(frozen=True, eq=False)
class TrialResult(FoldResult):
    """What a candidate answered, or why it failed."""

    candidate: int = 0
    error: str = ""


def trials(candidates: Sequence[int], folds: Sequence[Fold]) -> list[Trial]:
    """Each candidate on each fold, a candidate's folds one after the other."""
    return [
        Trial(fold.repeat, fold.number, fold.train, fold.test, fold.seed, candidate=candidate)
        for candidate in candidates
        for fold in folds
    ]
