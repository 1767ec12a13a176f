"""The lead of the class answered over the runner-up, as a sum over columns and over what else adds to the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Evidence, Explanation
from learnt.explain.class_parts import ClassParts
from learnt.explain.columns import column_evidence
from learnt.show.words import label

#: A member that does not tell of columns: its name, what it answers, and what it adds to each score.
Line = tuple[str, Any, Array]


def explain_lead(row: Table, labels: list[Any], best: int, sums: ClassParts, lines: Sequence[Line]) -> Explanation:
    """Why class `best` is answered for a table's only row: the difference of two scores is that of their parts."""
    if len(labels) == 1:
        none = column_evidence(row, np.zeros(row.n_columns))
        return Explanation(labels[0], "log-odds", 0.0, "the only class", none, 0.0, "log-odds")
    scores = sums.total + sum((part for _, _, part in lines), start=np.zeros(len(labels)))
    others = [c for c in np.argsort(-scores, kind="stable").tolist() if c != best]
    other = others[0]
    columns = column_evidence(row, sums.parts[:, best] - sums.parts[:, other])
    return Explanation(
        prediction=labels[best],
        kind="log-odds",
        base=float(sums.base[best] - sums.base[other]),
        base_words="average",
        evidence=(*columns, *(line_evidence(line, line[2][best] - line[2][other]) for line in lines)),
        total=float(scores[best] - scores[other]),
        total_words=f"log-odds against {label(labels[other])}",
        alternatives=tuple((labels[c], float(scores[c] - scores[best])) for c in others),
    )


def line_evidence(line: Line, part: float) -> Evidence:
    return Evidence(f"member {line[0]}", line[1], float(part))
