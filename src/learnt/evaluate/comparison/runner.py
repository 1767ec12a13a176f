"""One learner on its way through the folds."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.outcome import Outcome, Status
from learnt.evaluate.comparison.progress import Line
from learnt.evaluate.comparison.scoring import Scorer
from learnt.evaluate.folds import FoldResult
from learnt.evaluate.tuning.tuning import chosen_by_setting
from learnt.evaluate.workers.workers import Worker
from learnt.show.words import shortened


@dataclass(eq=False)
class Runner:
    """What is known of a learner so far: where it stands, its finished folds, the process that works for it."""

    candidate: Candidate
    key: str
    status: Literal["waiting", "running"] | Status = "waiting"
    why: str = ""
    results: dict[tuple[int, int], FoldResult] = field(default_factory=dict)
    scores: list[float] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    worker: Worker | None = None
    started: float = 0.0
    deadline: float = math.inf
    took: float = 0.0

    @property
    def running(self) -> bool:
        return self.status == "running"

    @property
    def waiting(self) -> bool:
        return self.status == "waiting"

    def start(self, limit: float = math.inf) -> None:
        """The clock runs from here, for so many seconds."""
        self.status, self.started = "running", time.monotonic()
        self.deadline = self.started + limit

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
        return Line(self.candidate.name, self.status, len(self.results), mean_of(self.scores), seconds, self.why)

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
        )


def describe_error(type_name: str, message: str) -> str:
    """An error on one line."""
    return shortened(f"{type_name}: {' '.join(message.split())}", 500)


def mean_of(scores: Sequence[float]) -> float:
    known = [score for score in scores if not math.isnan(score)]
    return sum(known) / len(known) if known else math.nan
