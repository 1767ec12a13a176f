"""Explanations in combinations of columns told in the columns themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from learnt.data.schema import Schema
from learnt.data.table import Table
from learnt.explain import Evidence, Explanation, Explanations
from learnt.tree.oblique.combinations import Combinations


def in_columns(
    sums: Combinations, table: Table, schema: Schema, explain: Callable[[Table], Explanations]
) -> Explanations:
    """What `explain` says of tables with a column for each combination, which `schema` names; the contribution of a
    combination is divided among its columns by the sizes of its terms in the row."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        told = explain(sums.spread(row, schema))[0]
        p = row.n_columns
        own, added = told.evidence[:p], told.evidence[p:]
        shares = sums.shares(row)
        change = [e.contribution for e in own]
        words = [[e.words] if e.words else [] for e in own]
        for k, e in enumerate(added):
            if not e.contribution and not e.words:
                continue
            for j in sorted({term.column for term, _ in sums.sums[k]}):
                change[j] += e.contribution * float(shares[k, j])
                words[j].append(f"{e.column}: {e.words}" if e.words else e.column)
        evidence = tuple(Evidence(e.column, e.value, change[j], "; ".join(words[j])) for j, e in enumerate(own))
        return replace(told, evidence=evidence)

    return Explanations(table.n_rows, explain_row)
