"""How a learner measures distance: a metric by name, with what it takes from the fitted rows."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.metric import TEXT_METRICS, Metric
from learnt.distance.resolving import NAMES, for_table, with_value_tables

__all__ = ["NAMES", "TEXT_METRICS", "Measure", "measure_of", "of_numbers", "with_value_tables"]

#: Its name in this family.
Measure = Metric

#: Squares of ranges beyond these would overflow or vanish.
SMALLEST_RANGE, LARGEST_RANGE = 1e-140, 1e140


def measure_of(metric: str, p: float, table: Table, weights: Array | None, text: tuple[str, ...]) -> Measure:
    """The metric of that name for these rows."""
    return for_table(metric, table, p=p, power=2 if metric == "auto" else 1, weights=weights, text=text)


def of_numbers(measure: Measure) -> Measure | None:
    """The mixed metric without gaps and labels is Euclid's, or Manhattan's, of columns divided by their ranges.

    None if a range is so small or large that its square is not to be trusted. Beyond the range these go on growing.
    """
    assert measure.ranges is not None
    assert measure.column_weights is not None
    there = measure.ranges > 0
    scale = np.where(there, measure.ranges, 1.0)
    if measure.name != "mixed" or np.any((scale < SMALLEST_RANGE) | (scale > LARGEST_RANGE)):
        return None
    weights = np.where(there, measure.column_weights / scale**measure.power, 0.0)
    return Measure("manhattan" if measure.power == 1 else "euclidean", column_weights=weights)
