"""For two classes: a slider for the costs of the two errors, which moves threshold, confusion matrix and cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import label
from learnt.show.numbers import number

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison

MOST_STEPS = 512  # thresholds told apart
REACH = 20  # tenths of a power of ten on either side: costs of 1 : 100 to 100 : 1
RATIOS = (1.0, 5.0, 50.0)  # of a missed case to a false alarm, for those who cannot move the slider


def loss_slider(comparison: Comparison, name: str) -> Markup | None:
    """The slider for one learner; None unless there are two classes and it gives probabilities."""
    problem = comparison.problem
    _, probabilities = comparison.out_of_fold(name)
    if problem.classes is None or len(problem.classes) != 2 or probabilities is None:
        return None
    rows = ~np.isnan(probabilities[:, 1])
    weights = np.ones(int(rows.sum())) if problem.weights is None else problem.weights[rows]
    counts = counts_from(probabilities[rows, 1], problem.target[rows], weights)
    start = _start(comparison)
    return fill_template(
        "loss_slider.html.j2",
        name=name,
        positive=label(problem.classes[1]),
        negative=label(problem.classes[0]),
        data=dict(zip(("thresholds", "positives", "negatives"), (side.tolist() for side in counts), strict=True)),
        start=start,
        reach=REACH,
        out=at_costs(*counts, *costs_at(start)),
        table=[at_costs(*counts, ratio, 1.0) for ratio in RATIOS],
    )


def counts_from(probabilities: Array, truth: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Thresholds from 0 up, and by threshold the weight of positive and of negative rows at or above it.

    All different probabilities where they are few; otherwise as many of them, half by their ranks and half spread
    over their log-odds, so that both the crowd and the thin ends are told apart.
    """
    seen = np.unique(probabilities)
    if len(seen) > MOST_STEPS - 1:
        by_rank = np.quantile(probabilities, np.linspace(0, 1, MOST_STEPS // 2), method="higher")
        odds = np.log(np.clip(seen, 1e-9, 1 - 1e-9) / (1 - np.clip(seen, 1e-9, 1 - 1e-9)))
        spread = seen[np.searchsorted(odds, np.linspace(odds[0], odds[-1], MOST_STEPS // 2 - 1), side="left")]
        seen = np.unique(np.concatenate([by_rank, spread]))
    thresholds = np.unique(np.concatenate([[0.0], seen]))
    step = np.searchsorted(thresholds, probabilities, side="right") - 1
    found = []
    for side in (truth == 1, truth != 1):
        tally = np.bincount(step[side], weights[side], minlength=len(thresholds))
        found.append(np.round(np.cumsum(tally[::-1])[::-1], 6))
    return thresholds, found[0], found[1]


def costs_at(place: float) -> tuple[float, float]:
    """Costs of a missed case and of a false alarm where the slider stands: the smaller one is 1."""
    ratio = 10 ** (place / 10)
    return max(ratio, 1.0), max(1 / ratio, 1.0)


def at_costs(thresholds: Array, positives: Array, negatives: Array, miss: float, alarm: float) -> dict[str, Any]:
    """What the slider shows at these costs of a missed positive and of a false alarm; the script does the same."""
    threshold = alarm / (alarm + miss)
    step = int(np.searchsorted(thresholds, threshold - 1e-12))  # of 0.5 against 0.4999999999999999 nobody is told
    hits, alarms = (float(side[step]) if step < len(thresholds) else 0.0 for side in (positives, negatives))
    missed, passed = float(positives[0]) - hits, float(negatives[0]) - alarms
    rows = float(positives[0] + negatives[0])
    return {
        "miss": number(float(f"{miss:.3g}")),
        "alarm": number(float(f"{alarm:.3g}")),
        "threshold": f"{threshold:.3f}",
        "tp": f"{hits:.0f}",
        "fp": f"{alarms:.0f}",
        "fn": f"{missed:.0f}",
        "tn": f"{passed:.0f}",
        "cost": number(float(f"{(missed * miss + alarms * alarm) / rows:.3g}")),
        "idle": number(float(f"{min(positives[0] * miss, negatives[0] * alarm) / rows:.3g}")),
    }


def _start(comparison: Comparison) -> int:
    """Where the slider stands first: at the costs of the comparison, or at equal ones."""
    if comparison.loss is None:
        return 0
    (right0, alarm), (miss, right1) = comparison.loss.costs.tolist()
    if not (miss > right1 and alarm > right0):
        return 0
    return max(-REACH, min(REACH, round(10 * math.log10((miss - right1) / (alarm - right0)))))
