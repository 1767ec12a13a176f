"""What became of one learner in a comparison."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError

if TYPE_CHECKING:
    from learnt.evaluate.folds import FoldResult

Status = Literal["done", "stopped", "failed", "skipped"]
STATUSES: tuple[Status, ...] = ("done", "stopped", "failed", "skipped")


@dataclass
class Outcome:
    """A learner, unfitted, and how far it came.

    | field | meaning |
    |---|---|
    | `status` | "done" with all folds, "stopped" on the way, "failed" with an error, "skipped" before it began |
    | `why` | the reason, in words, unless it is done |
    | `results` | what each finished fold gave, in the order of the folds |
    | `scores` | by the name of a metric: a number per fold of the comparison, NaN where it was not run |
    | `readable` | whether its printed model is one that people read |
    | `simplicity` | how simple its model is; lower is simpler |
    | `baseline` | whether it is an answer that needs no columns |
    | `warnings` | what it warned of, each once |
    | `tuned` | what each fold's own search chose, by setting, where the learner was tuned |
    | `members` | of a vote that was not run, since it is the mean of these: their names |
    """

    name: str
    learner: Any
    status: Status
    why: str = ""
    results: list[FoldResult] = field(default_factory=list, repr=False)
    scores: dict[str, Array] = field(default_factory=dict, repr=False)
    readable: bool = False
    simplicity: float = 50.0
    baseline: bool = False
    warnings: list[str] = field(default_factory=list)
    tuned: dict[str, Any] | None = None
    members: tuple[str, ...] = ()
    refit: Callable[[str], Any] | None = field(default=None, repr=False, compare=False)

    def fit(self) -> Any:
        """The learner fitted on all rows of the comparison; if it was tuned, with settings searched on all of them."""
        if self.refit is None:
            raise InputError(f"{self.name} stands in no comparison, so there are no rows to fit it on.")
        return self.refit(self.name)

    def mean(self, metric: str) -> float:
        """The mean score over the folds that were run; NaN if there are none."""
        scores = self.scores.get(metric, np.empty(0))
        seen = scores[~np.isnan(scores)]
        return float(seen.mean()) if len(seen) else float("nan")

    @property
    def fit_seconds(self) -> float:
        """Of one fold, the median: the first fold also loads code; NaN without any."""
        return _median([r.fit_seconds for r in self.results])

    @property
    def predict_seconds(self) -> float:
        """Of one fold, the median; NaN without any."""
        return _median([r.predict_seconds for r in self.results])

    @property
    def model_bytes(self) -> int | None:
        """Size of the saved model, on average over folds; None where it cannot be saved."""
        sizes = [r.model_bytes for r in self.results if r.model_bytes is not None]
        return round(sum(sizes) / len(sizes)) if sizes else None


def _median(numbers: list[float]) -> float:
    return statistics.median(numbers) if numbers else float("nan")
