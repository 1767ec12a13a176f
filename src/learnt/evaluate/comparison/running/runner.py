"""One learner on its way through the folds."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.outcome import Outcome, Status
from learnt.evaluate.comparison.running.order import CHOSEN_BY_HAND, turn
from learnt.evaluate.comparison.running.progress import Line
from learnt.evaluate.comparison.scoring import Scorer
from learnt.evaluate.folds import Fold, FoldResult
from learnt.evaluate.tuning.tuning import chosen_by_setting
from learnt.evaluate.workers.jobs import Job
from learnt.evaluate.workers.pool import Assignment
from learnt.show.words import shorten_text


@dataclass(eq=False)
class Runner:
    """What is known of a learner so far: where it stands, its finished folds, the workers that have others of them."""

    candidate: Candidate
    key: str
    n_folds: int = 0
    status: Literal["waiting", "running"] | Status = "waiting"
    why: str = ""
    results: dict[tuple[int, int], FoldResult] = field(default_factory=dict)
    scores: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)  # scores on a small sample
    warnings: list[str] = field(default_factory=list)
    job: Job | None = None
    folds: Iterator[Fold] | None = None  # those that no worker has had yet, among others
    again: list[Fold] = field(default_factory=list)  # those that a worker was stopped at
    at_work: list[Assignment] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # that finished folds took
    put_off: bool = False
    patience: float = math.inf  # seconds a fold may take while others wait
    begun: bool = False
    started: float = 0.0
    deadline: float = math.inf
    took: float = 0.0

    @property
    def running(self) -> bool:
        return self.status == "running"

    @property
    def waiting(self) -> bool:
        return self.status == "waiting"

    @property
    def strong(self) -> bool:
        """Whether it is worth all workers, if it needs them to be in time."""
        return turn(self.candidate)[0] <= CHOSEN_BY_HAND

    @property
    def over(self) -> bool:
        return not (self.running or self.waiting)

    @property
    def complete(self) -> bool:
        return len(self.results) == self.n_folds

    @property
    def left(self) -> int:
        """How many folds no worker has; none of a vote whose members are run."""
        return 0 if self.over or self.candidate.members else self.n_folds - len(self.results) - len(self.at_work)

    def fold_seconds(self, now: float) -> float:
        """What a fold takes, as far as is known: the quickest so far, or how long the first has taken already."""
        if self.seconds:
            return min(self.seconds)
        return max((now - assignment.started for assignment in self.at_work), default=0.0)

    def next_fold(self) -> Fold:
        """One that it has not finished yet and nobody is at; what the splitter raises."""
        if self.again:
            return self.again.pop()
        assert self.folds is not None
        return next(fold for fold in self.folds if (fold.repeat, fold.number) not in self.results)

    def start(self, limit: float = math.inf) -> None:
        """The clock runs from here, for so many seconds."""
        self.status, self.started, self.begun = "running", time.monotonic(), True
        self.deadline = self.started + limit - self.took

    def pause(self) -> None:
        """Back among those who wait, with the folds it has."""
        self.took += time.monotonic() - self.started
        self.status = "waiting"

    def end(self, status: Status, why: str = "") -> None:
        if self.running:
            self.took += time.monotonic() - self.started
        self.status, self.why = status, why

    def keep(self, result: FoldResult, scorer: Scorer) -> None:
        decided = scorer.decided_result(result)
        score = scorer.score(scorer.metrics[0], decided)
        self.results[result.repeat, result.number] = decided
        self.scores.append(score)

    def line(self) -> Line:
        """The learner at this moment."""
        seconds = self.took + (time.monotonic() - self.started if self.running else 0.0)
        mean, look = mean_of(self.scores), mean_of(self.looks)
        return Line(self.candidate.name, self.status, len(self.results), mean, seconds, self.why, look)

    def outcome(self, scorer: Scorer) -> Outcome:
        """What became of it, in the end."""
        results = [self.results[key] for key in sorted(self.results)]
        status: Any = self.status
        return Outcome(
            name=self.candidate.name,
            learner=self.candidate.learner,
            status=status,
            why=self.why,
            results=results,
            scores=scorer.table(results) if results else {},
            readable=self.candidate.readable,
            simplicity=self.candidate.simplicity,
            baseline=self.candidate.baseline,
            warnings=self.warnings,
            tuned=chosen_by_setting(results),
            members=self.candidate.members,
        )


def describe_error(type_name: str, message: str) -> str:
    """An error on one line."""
    return shorten_text(f"{type_name}: {' '.join(message.split())}", 500)


def mean_of(scores: Sequence[float]) -> float:
    known = [score for score in scores if not math.isnan(score)]
    return sum(known) / len(known) if known else math.nan
