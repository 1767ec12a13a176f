"""How far a comparison is: what is handed to whoever looks on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learnt.evaluate.comparison.outcome import Status


@dataclass(frozen=True)
class Line:
    """One learner at this moment; `mean` is that of the folds so far, NaN before the first."""

    name: str
    status: Literal["waiting", "running"] | Status
    folds: int
    mean: float
    seconds: float  # since it was started, 0.0 before
    why: str = ""


@dataclass(frozen=True)
class Progress:
    """All learners in the order in which they are run, and which of them changed."""

    lines: tuple[Line, ...]
    changed: int
    n_folds: int
    seconds: float
    metric: str
    higher_is_better: bool

    @property
    def line(self) -> Line:
        """The one that changed."""
        return self.lines[self.changed]
