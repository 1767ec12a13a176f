"""The answer of a comparison: the most accurate learner, the most readable one within reach, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnt.evaluate.comparison.field import is_strong

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome
    from learnt.evaluate.metrics.scoring import Metric

#: Metrics that show what a learner knows even where its answers are no better than the commonest one.
REVEALING = {"binary": ("auc", "log_loss"), "multiclass": ("auc", "log_loss"), "regression": ("mae", "rmse")}


@dataclass(frozen=True, eq=False)
class Verdict:
    """Two names and a price.

    | field | meaning |
    |---|---|
    | `accurate` | the most accurate learner: the best score, of equal ones the better probabilities |
    | `readable` | the same if it can be read, else of the readable learners within reach (those that may be the best)
    the simplest that is close to it, else the one with the best score; None where none is within reach |
    | `nearest` | where none is within reach: the readable learner with the best score |
    | `unproven` | whether that one is within reach, but not shown to be better than the baseline |
    | `reach` | how far from the best score is close: one standard error of it; a margin that is set bounds reach too |
    | `learnt` | whether something is shown to have been learnt, by `revealed` if not by the metric that ranks |
    | `revealed` | another metric by which learners beat the baseline, where that which ranks shows nothing |
    """

    accurate: Outcome
    readable: Outcome | None
    nearest: Outcome | None
    reach: float
    learnt: bool
    revealed: Metric | None = None
    unproven: bool = False


def verdict(comparison: Comparison, margin: float | None = None) -> Verdict:
    """Who is to be used, and who is to be read."""
    done, baseline, metric = comparison.done, comparison.baseline, comparison.metric
    learnt, revealed = _something_learnt(comparison)
    judged = metric if revealed is None else revealed
    standing = {row.name: row for row in comparison.leaderboard()}
    if revealed is not None and not comparison.top.baseline:
        judged = metric  # its score may be chance, but it is the best there is, and something was learnt
    ranked = done if judged is metric else comparison.ranked_by(judged)
    others = [o for o in ranked if o is not baseline] if learnt else ranked
    top = (others or ranked)[0]
    reach = standing[top.name].standard_error if margin is None else margin
    reach = reach if np.isfinite(reach) else 0.0
    ahead = set() if baseline is None or revealed is not None else comparison.better_than(baseline.name)

    def is_close(outcome: Outcome) -> bool:
        return abs(outcome.mean(judged.name) - top.mean(judged.name)) <= reach

    def is_within_reach(outcome: Outcome) -> bool:
        return standing[outcome.name].may_be_best and (margin is None or is_close(outcome))

    def is_proven(outcome: Outcome) -> bool:
        return not ahead or outcome.name in ahead or top.name not in ahead

    within = [o for o in others if is_within_reach(o) and is_proven(o)]
    close = [o for o in within if is_close(o)]
    accurate = top if is_strong(top) else next((o for o in close if is_strong(o) and o is not baseline), top)
    readable = [o for o in within if o.readable and o is not baseline] if learnt else []
    # Simplicity decides between those that are close; of those that only may be the best, the better one is read.
    first = next(iter(readable), None)
    chosen = accurate if accurate in readable else _simplest([o for o in readable if o in close]) or first
    nearest = next((o for o in others if o.readable and o is not baseline), None) if chosen is None else None
    unproven = nearest is not None and learnt and is_within_reach(nearest)
    return Verdict(accurate, chosen, nearest, reach, learnt, revealed, unproven)


def _simplest(readable: Sequence[Outcome]) -> Outcome | None:
    """The simplest to read; a strong one rather than one of historical interest, of equal ones the better."""
    return min(readable, key=lambda o: (not is_strong(o), o.simplicity), default=None)


def _something_learnt(comparison: Comparison) -> tuple[bool, Metric | None]:
    """Whether anybody beats the baseline, and by which other metric if not by the one that ranks."""
    baseline = comparison.baseline
    if baseline is None or comparison.ties is None:
        return True, None
    if comparison.better_than(baseline.name) or baseline.name not in comparison.ties.with_best:
        return True, None
    for name in REVEALING[comparison.problem.task]:
        metric = next((m for m in comparison.metrics if m.name == name), None)
        if metric is None or metric is comparison.metric:
            continue
        ties = comparison.ties_by(metric)
        if ties is not None and baseline.name in ties.names and ties.better_than(baseline.name):
            return True, metric
    return False, None
