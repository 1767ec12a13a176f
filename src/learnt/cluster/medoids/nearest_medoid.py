"""Rows beside medoids: which is nearest, and why."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.gapped_rows import distances_with_gaps
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.errors import InputError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.show.words import label

#: Distances that are held at a time.
_CELLS = 1 << 22


def distances_between(metric: Metric | OwnMetric, a: Table, b: Table) -> Array:
    """All distances; a function of two rows is given arrays where the table is one, else lists of cells."""
    if not isinstance(metric, OwnMetric):
        return distances_with_gaps(metric, a, b)
    arrays = a.matrix is not None and b.matrix is not None
    d = metric.distances(a.matrix, b.matrix) if arrays else metric.distances(a, b)
    wrong = ~((d >= 0) & (d < np.inf))
    if wrong.any():
        i, j = (int(places[0]) for places in np.nonzero(wrong))
        raise InputError(
            f"The metric {metric.name!r} says that two rows are {d[i, j]} apart (rows {i} and {j} of those compared). "
            "Expected a finite number of at least 0."
        )
    return d


def to_nearest(metric: Metric | OwnMetric, rows: Table, medoids: Table) -> tuple[Array, Array]:
    """The place of the nearest medoid of each row, the first of equals, and its distance."""
    labels, away = np.empty(rows.n_rows, np.int32), np.empty(rows.n_rows)
    step = max(1, _CELLS // medoids.n_rows)
    for first in range(0, rows.n_rows, step):
        some = slice(first, first + step)
        d = distances_between(metric, rows.rows(first, min(rows.n_rows, first + step)), medoids)
        labels[some] = d.argmin(axis=1)
        away[some] = d[np.arange(len(d)), labels[some]]
    return labels, away


def explain_by_medoid(metric: Metric | OwnMetric, table: Table, medoids: Table) -> Explanations:
    """What each column adds to the distance of a row to its medoid, and how far the other medoids are."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        distance = distances_between(metric, row, medoids)[0]
        answer = int(distance.argmin())
        base, parts, words = distance_parts(metric, row, medoids.rows(answer, answer + 1), float(distance[answer]))
        evidence = tuple(
            Evidence(column.name, column.labels()[0], float(part), f"medoid {label(other.labels()[answer])}")
            for column, other, part in zip(row.columns, medoids.columns, parts, strict=True)
        )
        total = base + float(np.sum(parts))
        power = 2.0 if words == "squared distance" else 1.0
        order = [int(c) for c in np.argsort(distance, kind="stable") if c != answer]
        others = tuple((c, float(distance[c] ** power)) for c in order)
        base_words = words_of_base(base, row)
        return Explanation(answer, "distances", base, base_words, evidence, total, words, others)

    return Explanations(table.n_rows, explain_row)


def words_of_base(base: float, row: Table) -> str:
    """What the part of a distance is that no column has."""
    if not base:
        return ""
    return "missing cells" if any(column.missing.any() for column in row.columns) else "distance as a whole"


def distance_parts(metric: Metric | OwnMetric, row: Table, medoid: Table, distance: float) -> tuple[float, Array, str]:
    """What each column adds to the distance, or to its square; a metric that does not add up is told as a whole."""
    if not (isinstance(metric, Metric) and metric.adds_up):
        return distance, np.zeros(row.n_columns), "distance"
    parts = np.array([float(part[0, 0]) for part in metric.parts(row, medoid)])
    if metric.column_weights is not None:
        parts = parts * metric.column_weights
    power = float(metric.power) if metric.name in ("mixed", "text") else 1.0
    power = 2.0 if metric.name in ("euclidean", "l2") else metric.p if metric.name == "minkowski" else power
    if np.isnan(parts).any():  # missing cells, which the metric has no part for
        parts = np.where(np.isnan(parts), 0.0, parts)
        power = 2.0 if power == 2 else 1.0
        return distance**power - float(parts.sum()), parts, "squared distance" if power == 2 else "distance"
    if power == 1:
        return 0.0, parts, "distance"
    if power == 2:
        return 0.0, parts, "squared distance"
    total = float(parts.sum())
    return 0.0, parts * (distance / total if total > 0 else 0.0), "distance"
