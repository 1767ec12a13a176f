"""`resolve`: from a metric's name and rows to a metric that can measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Table, unknown_column
from learnt.distance.metric import Metric
from learnt.distance.mixed_cells import column_ranges
from learnt.distance.own import OwnMetric
from learnt.distance.space import NORMS
from learnt.distance.sparse_rows import sparse_ranges
from learnt.distance.value_difference import value_tables
from learnt.engine.target import class_codes
from learnt.engine.training import checked_weights
from learnt.errors import InputError, ParameterError

NAMES = ("auto", "mixed", "levenshtein", *NORMS)


def resolve(
    metric: Any,
    X: Any,
    y: Any = None,
    *,
    p: float = 2.0,
    power: int = 1,
    column_weights: Any = None,
    inverse_covariance: Any = None,
    nominal: Literal["match", "value_difference"] = "match",
    text_columns: Sequence[str] = (),
    sample_weight: Any = None,
) -> Metric | OwnMetric:
    """The metric of a name, with what it takes from the rows X: ranges, inverse covariance, distances of labels.

    >>> metric = resolve("mixed", {"age": [20, 70, None], "town": ["Bern", "Basel", "Bern"]})
    >>> metric.ranges
    array([50.,  0.])

    | setting | default | meaning |
    |---|---|---|
    | `p` | 2 | of "minkowski", at least 1 |
    | `power` | 1 | of "mixed": 1 adds the parts of columns, 2 is the root of their squares |
    | `column_weights` | all 1 | what a column's part counts: one number of at least 0 each |
    | `inverse_covariance` | that of X | of "mahalanobis" |
    | `nominal` | "match" | of "mixed": 0 or 1, or by what labels say about y: "value_difference" |
    | `text_columns` | none | of "mixed": columns compared by edits, as a share of the longer text |
    | `sample_weight` | all 1 | what a row counts in covariances and in distances of labels |

    "auto" is "mixed" with power 2. A metric that is resolved already is returned as it is; a function of two
    rows becomes an `OwnMetric`, to which the settings mean nothing.
    """
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        return OwnMetric(metric)
    if metric not in NAMES:
        raise ParameterError(f"There is no metric {metric!r}. Expected one of {', '.join(map(repr, NAMES))}.")
    table = X if isinstance(X, Table) else Table(X)
    weights = None if sample_weight is None else checked_weights(sample_weight, table.n_rows)
    power = 2 if metric == "auto" else power
    found = for_table(
        metric, table, p=p, power=power, weights=weights, text=tuple(text_columns), square=inverse_covariance
    )
    if nominal == "value_difference":
        found = _by_value_differences(found, table, y, weights)
    elif nominal != "match":
        raise ParameterError(f"nominal is {nominal!r}. Expected 'match' or 'value_difference'.")
    if column_weights is None:
        return found
    own = np.asarray(column_weights, dtype=np.float64)
    if own.shape != (table.n_columns,):
        raise ParameterError(f"column_weights has the shape {own.shape}. Expected {table.n_columns} numbers.")
    return found.weighted(own)


def for_table(
    metric: str,
    table: Table,
    *,
    p: float = 2.0,
    power: int = 1,
    weights: Array | None = None,
    text: tuple[str, ...] = (),
    square: Any = None,
) -> Metric:
    """The metric of that name for these rows, labels matched."""
    for name in text:
        if name not in table:
            raise ParameterError(f"text_columns: {unknown_column(name, table.names)}")
        if table[name].kind not in ("nominal", "ordinal"):
            raise ParameterError(
                f"text_columns names {name!r}, which is {table[name].kind}. Expected a column of text."
            )
    if metric == "levenshtein":
        other = next((c for c in table.schema if c.kind not in ("nominal", "ordinal")), None)
        if other is not None:
            raise InputError(
                f"Column {other.name!r} is {other.kind}, but the metric 'levenshtein' compares texts. "
                "Take metric='auto' and name the columns of text in text_columns."
            )
        return Metric("levenshtein", text=tuple(range(table.n_columns)))
    if metric in ("auto", "mixed"):
        return _mixed(table, power, tuple(j for j, n in enumerate(table.names) if n in text))
    if text:
        raise ParameterError(f"text_columns needs metric='auto', 'mixed' or 'levenshtein', not {metric!r}.")
    if metric == "mahalanobis":
        inverse = _inverse_covariance(table, weights) if square is None else np.asarray(square, dtype=np.float64)
        return Metric(metric, inverse_covariance=inverse)
    return Metric(metric, p=float(p))


def _mixed(table: Table, power: int, text: tuple[int, ...]) -> Metric:
    if table.sparse is not None:
        ranges = sparse_ranges(table)
        return Metric("mixed", power=power, ranges=ranges, column_weights=(ranges > 0).astype(np.float64))
    ranges, varies = column_ranges(table), np.ones(table.n_columns)
    ranges[list(text)] = 0.0
    for j, column in enumerate(table.columns):
        there = column.values[~column.missing]
        varies[j] = float(len(there) > 0 and (len(there) < len(column) or bool(there.min() < there.max())))
    # A column that is the same in all rows is equally far from all of them: it would only blur their distances.
    return Metric("text" if text else "mixed", power=power, ranges=ranges, column_weights=varies, text=text)


def _inverse_covariance(table: Table, weights: Array | None) -> Array:
    x: Any = np.array(table, dtype=np.float64) if table.schema.all_numeric else None
    if x is None or np.isnan(x).any():
        raise InputError("The metric 'mahalanobis' needs numbers without gaps. Take metric='auto' or fill the gaps.")
    w = np.ones(len(x)) if weights is None else weights
    center = np.average(x, axis=0, weights=w)
    spread = (x - center) * np.sqrt(w / w.sum())[:, None]
    # The pseudo-inverse, so that columns which depend on each other count once.
    return np.asarray(np.linalg.pinv(spread.T @ spread, hermitian=True))


def _by_value_differences(metric: Metric, table: Table, y: Any, weights: Array | None) -> Metric:
    if metric.name not in ("mixed", "text"):
        raise ParameterError(f"nominal='value_difference' needs metric='auto' or 'mixed', not {metric.name!r}.")
    if y is None:
        raise ParameterError("nominal='value_difference' compares labels by what they say about y. Give y.")
    target = to_vector(y)
    if len(target) != table.n_rows:
        raise InputError(f"X has {table.n_rows} rows, y has {len(target)}. Give one target per row.")
    if bool(target.missing.any()):
        raise InputError(f"y is missing in row {int(np.flatnonzero(target.missing)[0])}. Leave such rows out.")
    if target.kind == "numeric":
        tables = value_tables(table, target.values, 0, weights)
    else:
        codes, classes = class_codes(target)
        tables = value_tables(table, codes, len(classes), weights)
    return with_value_tables(metric, tables, table.names)


def with_value_tables(metric: Metric, tables: dict[str, Array], names: tuple[str, ...]) -> Metric:
    """The same with distances of labels; texts keep their own."""
    texts = {names[j] for j in metric.text}
    return replace(metric, value_tables={n: away for n, away in tables.items() if n not in texts}, names=names)
