"""For two classes: a slider for the costs of the two errors, which moves threshold, confusion matrix and cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.report.comparison.section import filled
from learnt.report.comparison.words import label
from learnt.wording import number

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparing.comparison import Comparison

STEPS = 400  # thresholds told apart
REACH = 20  # tenths of a power of ten on either side: costs of 1 : 100 to 100 : 1


def loss_slider(comparison: Comparison, name: str) -> Markup | None:
    """The slider for one learner; None unless there are two classes and it gives probabilities."""
    problem = comparison.problem
    _, probabilities = comparison.out_of_fold(name)
    if problem.classes is None or len(problem.classes) != 2 or probabilities is None:
        return None
    rows = ~np.isnan(probabilities[:, 1])
    weights = np.ones(int(rows.sum())) if problem.weights is None else problem.weights[rows]
    positives, negatives = counts_from(probabilities[rows, 1], problem.target[rows], weights)
    start = _start(comparison)
    return filled(
        "loss_slider.html.j2",
        name=name,
        positive=label(problem.classes[1]),
        negative=label(problem.classes[0]),
        data={"steps": STEPS, "positives": positives.tolist(), "negatives": negatives.tolist()},
        start=start,
        reach=REACH,
        out=at_ratio(positives, negatives, 10 ** (start / 10)),
    )


def counts_from(probabilities: Array, truth: Array, weights: Array) -> tuple[Array, Array]:
    """Weight of positive and of negative rows with a probability of at least t / STEPS, for t = 0 … STEPS + 1."""
    # A row belongs to the largest step it reaches; rounding must not push it below a step it stands on.
    reached = np.floor(probabilities * STEPS + 1e-9).astype(np.int64)
    found = []
    for side in (truth == 1, truth != 1):
        tally = np.bincount(reached[side], weights[side], minlength=STEPS + 2)
        found.append(np.round(np.cumsum(tally[::-1])[::-1], 6))
    return found[0], found[1]


def at_ratio(positives: Array, negatives: Array, ratio: float) -> dict[str, Any]:
    """What the slider shows where a missed positive costs `ratio` times a false alarm; the script does the same."""
    miss, alarm = max(ratio, 1.0), max(1 / ratio, 1.0)
    threshold = alarm / (alarm + miss)
    step = min(STEPS, math.ceil(threshold * STEPS - 1e-9))
    hits, alarms = float(positives[step]), float(negatives[step])
    missed, passed = float(positives[0]) - hits, float(negatives[0]) - alarms
    rows = float(positives[0] + negatives[0])
    return {
        "miss": number(miss),
        "alarm": number(alarm),
        "threshold": f"{threshold:.3f}",
        "tp": f"{hits:.0f}",
        "fp": f"{alarms:.0f}",
        "fn": f"{missed:.0f}",
        "tn": f"{passed:.0f}",
        "cost": number((missed * miss + alarms * alarm) / rows),
        "idle": number(min(positives[0] * miss, negatives[0] * alarm) / rows),
    }


def _start(comparison: Comparison) -> int:
    """Where the slider stands first: at the costs of the comparison, or at equal ones."""
    if comparison.loss is None:
        return 0
    (right0, alarm), (miss, right1) = comparison.loss.costs.tolist()
    if not (miss > right1 and alarm > right0):
        return 0
    return max(-REACH, min(REACH, round(10 * math.log10((miss - right1) / (alarm - right0)))))
