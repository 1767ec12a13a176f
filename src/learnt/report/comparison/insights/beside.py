"""The readable learner beside the most accurate one: how often they differ, and who is right then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.report.comparison.insights.subject import Subject


@dataclass(frozen=True)
class Beside:
    """`rows` that both were asked while they were held out.

    Classes: `differ` of them were answered differently, of which `own` were right by the subject and `other` by the
    readable one. Numbers: `gaps` are the median and the ninth tenth of the distance between two predictions.
    """

    name: str
    score: float
    rows: int
    differ: int = 0
    own: int = 0
    other: int = 0
    gaps: tuple[float, float] = (float("nan"), float("nan"))


def beside(subject: Subject) -> Beside | None:
    """None where the learner spoken of can be read itself, or nobody can."""
    if subject.readable is None:
        return None
    one, two = subject.held_out[0], subject.readable.held_out[0]
    name, truth = subject.readable.name, subject.problem.target
    score = subject.readable.outcome.mean(subject.comparison.metric.name)
    if subject.problem.classes is None:
        gap = np.abs(one - two)[np.isfinite(one) & np.isfinite(two)]
        gaps = (float(np.quantile(gap, 0.5)), float(np.quantile(gap, 0.9))) if len(gap) else (np.nan, np.nan)
        return Beside(name, score, len(gap), gaps=gaps)
    asked = (one >= 0) & (two >= 0)
    differ = asked & (one != two)
    own, other = (int((differ & (answer == truth)).sum()) for answer in (one, two))
    return Beside(name, score, int(asked.sum()), int(differ.sum()), own, other)
