"""What is in a table: one call, and the sample statistics behind it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.files.read import read
from learnt.data.files.scan import Scan
from learnt.data.schema import Kind, Label
from learnt.data.table import Column, Table, unknown_column
from learnt.describe.sample import (
    confidence_limits,
    correlation,
    covariance,
    frequencies_of,
    mean,
    outliers,
    variance,
)
from learnt.errors import InputError, KindError, ParameterError
from learnt.show.words import spell
from learnt.watch import report, watching

if TYPE_CHECKING:
    from learnt.describe.description import Description
    from learnt.describe.summaries import Summary

__all__ = ["confidence_limits", "correlation", "covariance", "describe", "mean", "outliers", "variance"]

Array = np.ndarray[Any, Any]

WORTH_THREADS = 100_000  # cells; below, starting threads costs more than they save


def describe(
    data: Any,
    target: str | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    ordinal: Mapping[str, Sequence[Label]] | None = None,
    sample_weight: Any = None,
    level: float = 0.95,
) -> Description:
    """Describe every column of a table, a file or a scan, and what in it deserves a second look.

    >>> d = describe({"age": [31, 45, None, 62], "town": ["Bern", "Basel", "Bern", None]})
    >>> d["age"].mean, d["age"].median, d["age"].missing
    (46.0, 45.0, 1)
    >>> d["town"].counts
    {'Basel': 1, 'Bern': 2}

    | setting | default | meaning |
    |---|---|---|
    | `target` | the table's | the column whose relation to the others is shown |
    | `kinds`, `ordinal` | from the types | as in `Table` |
    | `sample_weight` | 1 for each row | how often each row counts: numbers ≥ 0, or a column's name |
    | `level` | 0.95 | probability of the confidence limits of means, between 0 and 1 |

    Variances divide by n − 1. Statistics of numeric columns are over their finite cells. Of a scan,
    which may be larger than memory, counts, missing cells, means, variances, minima and maxima are
    exact; quantiles, outliers, histograms, numbers of distinct values and relations come from a
    sample of its rows, and the description says so.
    """
    if not 0 < level < 1:
        raise ParameterError(f"level is {spell(level)}. Expected a probability between 0 and 1, such as 0.95.")
    from learnt.engine.blas import one_blas_thread
    from learnt.engine.cluster.context import as_scan

    # Blocks are small: BLAS threads would wait for each other longer than they work.
    data, _, sample_weight = as_scan(data, None, sample_weight)
    with one_blas_thread():
        if isinstance(data, Scan):
            from learnt.describe.scanned import describe_scan

            if kinds is not None or ordinal is not None:
                raise ParameterError("A scan has its kinds already. Give kinds= and ordinal= to learnt.scan.")
            weight = data.weight if sample_weight is None else sample_weight
            return describe_scan(data, target if target is not None else data.target, weight, level)
        if isinstance(data, (str, os.PathLike)):
            data = read(data)
        table = Table(data, kinds=kinds, ordinal=ordinal, target=target)
        sample_weight = table.weight if sample_weight is None else sample_weight
        if isinstance(sample_weight, str):
            table, sample_weight = without_weights(table, sample_weight)
        return describe_table(table, sample_weight, level)


def describe_table(table: Table, sample_weight: Any, level: float, rows: Array | None = None) -> Description:
    """`rows` are the numbers of the table's rows, where it is a part of a larger one."""
    from learnt.describe.description import Description
    from learnt.describe.notices import notices
    from learnt.describe.pairs import correlate, relate
    from learnt.describe.summaries import renumber_examples
    from learnt.describe.suspects import suspects

    weights = None
    if sample_weight is not None:
        weights = frequencies_of(sample_weight, table.n_rows, "sample_weight")
        if not weights.all():  # a row of weight 0 does not count
            kept = np.flatnonzero(weights)
            table, weights, rows = table.take(kept), weights[kept], kept if rows is None else rows[kept]
    columns = table.columns
    summaries = summarize(columns, weights, level)
    if rows is not None:
        summaries = {name: renumber_examples(summary, rows) for name, summary in summaries.items()}
    correlations = correlate(columns, summaries, weights)
    relations = [] if table.target is None else relate(table[table.target], columns, weights)
    return Description(
        summaries=summaries,
        n_rows=table.n_rows,
        weight=table.n_rows if weights is None else float(weights.sum()),
        target=table.target,
        level=level,
        correlations=correlations,
        relations=tuple(relations),
        notices=notices(summaries, correlations, table.target),
        suspects=() if table.target is None or table.sparse is not None else suspects(columns, table.target),
        notes=table.notes,
    )


def summarize(columns: Sequence[Column], weights: Array | None, level: float) -> dict[str, Summary]:
    """Summaries of all columns; large ones side by side, since sorting lets go of the interpreter."""
    from concurrent.futures import ThreadPoolExecutor

    from learnt.describe.summaries import summarize_column
    from learnt.threads import threads

    def one(column: Column) -> Summary:
        return summarize_column(column, weights, level)

    found = {}
    large = sum(map(len, columns)) >= WORTH_THREADS
    with ThreadPoolExecutor(threads() if large else 1) as pool:  # starts no thread before it is given work
        for summary in pool.map(one, columns) if large else map(one, columns):
            found[summary.name] = summary
            if watching():
                report("describe", iteration=len(found), total=len(columns), column=summary.name)
    return found


def without_weights(table: Table, name: str) -> tuple[Table, Array]:
    """The table without the column of weights, and that column."""
    if name not in table:
        raise InputError(unknown_column(name, table.names))
    column = table[name]
    if column.kind != "numeric":
        raise KindError(
            f"Column {name!r} is {column.kind}. Weights are numbers. Name a numeric column as sample_weight."
        )
    return table.drop(name), np.asarray(column.values, dtype=np.float64)
