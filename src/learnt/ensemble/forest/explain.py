"""Why a forest answered what it did: the average, and what each column of the row adds to it.

The parts are Shapley values: each column's is its mean effect over all orders in which the columns of the row could be
made known, with the training weights at the nodes standing for what is not known yet. They add up to the answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.ensemble.trees.forest import Forest
from learnt.explain import Explanation, Explanations
from learnt.explain.columns import column_evidence


def explain_shares(trees: Forest, table: Table, labels: list[Any]) -> Explanations:
    """The probability of the class predicted."""
    average = trees.expected(shares=True)

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        shares = trees.mean_shares(row)[0]
        best = int(shares.argmax())
        others = [c for c in np.argsort(-shares, kind="stable").tolist() if c != best]
        return Explanation(
            prediction=labels[best],
            kind="attribution",
            base=float(average[best]),
            base_words="average",
            evidence=column_evidence(row, trees.contributions(row, shares=True)[0, :, best]),
            total=float(shares[best]),
            total_words="probability",
            alternatives=tuple((labels[c], float(shares[c])) for c in others),
        )

    return Explanations(table.n_rows, explain_row)


def explain_means(trees: Forest, table: Table) -> Explanations:
    """The number predicted."""
    average = float(trees.expected(mean=True)[0])

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        total = float(trees.means(row)[0, 0])
        evidence = column_evidence(row, trees.contributions(row, mean=True)[0, :, 0])
        return Explanation(total, "sum", average, "average", evidence, total, "prediction")

    return Explanations(table.n_rows, explain_row)
