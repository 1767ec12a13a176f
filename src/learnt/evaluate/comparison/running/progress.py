"""How far a comparison is: what is handed to whoever looks on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from learnt.evaluate.comparison.outcome import Status
from learnt.evaluate.comparison.words import name_on_one_line, seconds
from learnt.show.numbers import number


@dataclass(frozen=True)
class Line:
    """One learner at this moment; `mean` is that of the folds so far, NaN before the first.

    `first_look` is the mean on a small sample of a large table, NaN where there was none: enough for a first ranking
    while the folds are run, and no part of the result.
    """

    name: str
    status: Literal["waiting", "running"] | Status
    folds: int
    mean: float
    seconds: float  # it was worked at, 0.0 before
    why: str = ""
    first_look: float = math.nan

    @property
    def preliminary(self) -> bool:
        """Whether the first look is all that is known of it."""
        return math.isnan(self.mean) and not math.isnan(self.first_look)

    @property
    def best_known(self) -> float:
        """The mean of its folds; before the first, that of the first look."""
        return self.first_look if self.preliminary else self.mean


@dataclass(frozen=True)
class Progress:
    """All learners in the order in which they are run, and which of them changed.

    `look_rows` is the number of rows of the first look, 0 where there is none; `look_over` is True in the one
    `Progress` that ends it.
    """

    lines: tuple[Line, ...]
    changed: int
    n_folds: int
    seconds: float
    metric: str
    higher_is_better: bool
    look_rows: int = 0
    look_over: bool = False

    @property
    def line(self) -> Line:
        """The one that changed."""
        return self.lines[self.changed]

    @property
    def ranked(self) -> list[Line]:
        """Best scores first, full ones before preliminary ones; then those at work, then the rest."""
        return sorted(self.lines, key=self._rank)

    def _rank(self, line: Line) -> tuple[int, float]:
        group = {"done": 0, "running": 0, "stopped": 0, "waiting": 2, "failed": 3, "skipped": 4}[line.status]
        if not math.isnan(line.mean):
            return group, -line.mean if self.higher_is_better else line.mean
        if line.preliminary and group < 3:
            return 1, -line.first_look if self.higher_is_better else line.first_look
        return max(group, 2), 0.0


def line_words(line: Line, progress: Progress) -> tuple[str, str, str, str]:
    """Score, folds, time and state of a learner in words; a score of the first look alone is marked as such."""
    score = "" if math.isnan(line.best_known) else number(line.best_known)
    folds = f"{line.folds}/{progress.n_folds}" if line.folds or line.status == "running" else ""
    time = seconds(line.seconds) if line.seconds else ""
    word = line.status if line.status != "done" else ""
    told = f"{word}: {name_on_one_line(line.why, 60)}" if line.why else word
    if line.preliminary:
        score, told = f"~{score}", f"first look, {progress.look_rows:,} rows · {told}"
    return score, folds, time, told
