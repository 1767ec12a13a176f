"""Calibration of the learners compared: how far what they say is from what is seen, and pictures of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.report.comparison.figures.calibration import Reliability, of_numbers, of_probabilities, picture
from learnt.show.numbers import number
from learnt.show.words import short_name

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome

MOST_PICTURES = 8


@dataclass
class Calibrations:
    """`errors` by learner; `pictures` are (name, SVG) of the best of them; `words` say what is drawn."""

    errors: dict[str, float] = field(default_factory=dict)
    pictures: list[tuple[str, Markup]] = field(default_factory=list)
    words: str = ""
    title: str = ""


def calibrations(comparison: Comparison) -> Calibrations:
    problem, found = comparison.problem, Calibrations()
    numbers = problem.classes is None
    curves = {o.name: curve for o in comparison.done if (curve := _curve(comparison, o)) is not None}
    if not curves:
        return found
    if numbers:
        found.title, axes = "Predicted and true", ("predicted", "true")
        found.words = (
            "Rows in tenths of what was predicted for them while they were held out: mean prediction against mean of "
            "the true values."
        )
        ends = [x for c in curves.values() for x in (*c.promised, *c.seen)]
        low, high = float(min(ends)), float(max(ends))
    else:
        found.title, axes, low, high = "Calibration", ("promised", "seen"), 0.0, 1.0
        whose = (
            f"the class ‘{short_name(problem.classes[1], 40)}’"
            if problem.task == "binary" and problem.classes is not None
            else "the class answered"
        )
        found.words = (
            f"Rows in ten bins by the probability promised to {whose} while they were held out, against how often it "
            "was true."
        )
        found.errors = {name: curve.error for name, curve in curves.items()}
    for name in [o.name for o in comparison.done if o.name in curves and not o.baseline][:MOST_PICTURES]:
        far = number(round(curves[name].error, 4))
        words = f"{found.title} of {short_name(name, 40)}; mean distance from the diagonal {far}"
        found.pictures.append((name, picture(curves[name], low, high, words, axes)))
    return found


def _curve(comparison: Comparison, outcome: Outcome) -> Reliability | None:
    problem = comparison.problem
    answer, probabilities = comparison.out_of_fold(outcome.name)
    values: Array = answer if problem.classes is None else probabilities if probabilities is not None else np.empty(0)
    if not len(values):
        return None
    rows = np.isfinite(values if values.ndim == 1 else values.sum(axis=1))
    if not rows.any():
        return None
    weights = None if problem.weights is None else problem.weights[rows]
    make: Callable[..., Any] = of_numbers if problem.classes is None else of_probabilities
    curve: Reliability = make(problem.target[rows], values[rows], weights)
    return curve
