"""Why boosted trees answered what they did: the mean score, and what each column of the row adds to it.

The parts are Shapley values: each column's is its mean effect over all orders in which the columns of the row could be
made known, with the training weights at the nodes standing for what is not known yet. They add up to the score.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.boosting.losses import numbers_of, shares_of
from learnt.ensemble.trees.forest import Forest
from learnt.explain import Explanation, Explanations
from learnt.explain.class_parts import ClassParts, two_sided
from learnt.explain.columns import column_evidence
from learnt.show.numbers import number
from learnt.show.words import label

_AVERAGE = "average"


def explain_numbers(trees: Forest, start: Array, table: Table, link: str) -> Explanations:
    """A sum that is the prediction itself, or of a log link its logarithm."""
    base = float(start[0] + trees.expected()[0]) if len(trees) else float(start[0])

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        total = float(trees.sums(row, base=start)[0, 0])
        answer = float(numbers_of(np.array(total), link))
        if link == "log":
            words = f"logarithm of the prediction {number(answer)}"
            return Explanation(
                answer, "logarithm", base, _AVERAGE, column_evidence(row, _parts(trees, row)[:, 0]), total, words
            )
        return Explanation(
            answer, "sum", base, _AVERAGE, column_evidence(row, _parts(trees, row)[:, 0]), total, "prediction"
        )

    return Explanations(table.n_rows, explain_row)


def explain_leads(trees: Forest, start: Array, table: Table, labels: list[Any]) -> Explanations:
    """The lead of the predicted class over the runner-up, in log-odds."""
    k = len(start)
    mean = start + trees.expected(group=k) if len(trees) else start

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        if len(labels) == 1:
            none = column_evidence(row, np.zeros(row.n_columns))
            return Explanation(labels[0], "log-odds", 0.0, "the only class", none, 0.0, "log-odds")
        raw, parts, average = trees.sums(row, base=start, group=k), _parts(trees, row, k), mean
        shares = shares_of(raw)[0]
        if k == 1:  # of two classes the first scores 0
            zero = np.zeros((len(parts), 1))
            parts, average = np.hstack([zero, parts]), np.append(0.0, mean)
            raw = np.append(np.zeros((1, 1)), raw, axis=1)
        best = int(shares.argmax())
        others = [c for c in np.argsort(-raw[0], kind="stable").tolist() if c != best]
        other = others[0]
        base, total = float(average[best] - average[other]), float(raw[0, best] - raw[0, other])
        return Explanation(
            prediction=labels[best],
            kind="log-odds",
            base=base,
            base_words=_AVERAGE + _share(base, len(labels), ", {}"),
            evidence=column_evidence(row, parts[:, best] - parts[:, other]),
            total=total,
            total_words=f"log-odds against {label(labels[other])}{_share(total, len(labels), ' ({})')}",
            alternatives=tuple((labels[c], float(raw[0, c] - raw[0, best])) for c in others),
        )

    return Explanations(table.n_rows, explain_row)


def score_parts(trees: Forest, start: Array, row: Table, n_classes: int) -> ClassParts:
    """What each column of a row adds to the score of every class."""
    k = len(start)
    mean = start + trees.expected(group=k) if len(trees) else start
    found = ClassParts(mean, _parts(trees, row, k), "score")
    return two_sided(found) if k < n_classes else found


def _parts(trees: Forest, row: Table, group: int = 1) -> Array:
    """What each column adds to each score of a row, columns × scores."""
    parts: Array = trees.contributions(row, group=group)[0] if len(trees) else np.zeros((row.n_columns, group))
    return parts


def _share(lead: float, n_classes: int, form: str) -> str:
    """Of two classes, the log-odds as a probability too."""
    if n_classes != 2:
        return ""
    return form.format(f"probability {number(1 / (1 + math.exp(-lead)) if lead > -700 else 0.0)}")
