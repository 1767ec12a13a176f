"""Why a weighted mean of members came out as it did: what each column adds by way of the members, and what those say
as a whole who do not tell of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.members import aligned_probabilities
from learnt.ensemble.voting.parts import class_parts_of, number_parts_of
from learnt.explain import Evidence, Explanation
from learnt.explain.class_parts import ClassParts
from learnt.explain.columns import column_evidence
from learnt.show.numbers import number
from learnt.show.words import label

#: Name, fitted member and weight; the weights add up to 1.
Weighed = Sequence[tuple[str, Any, float]]


def mean_class_parts(
    weighed: Weighed, row: Table, classes: Array
) -> tuple[ClassParts | None, list[tuple[str, Array, float]]]:
    """The weighted sum of what members tell of the columns, None if none does; and name, answer and weight of those
    who do not."""
    found, lines = None, []
    for name, member, w in weighed:
        if w == 0:
            continue
        said = aligned_probabilities(member, row, classes)[0]
        own = class_parts_of(member, row, said)
        if own is None:
            lines.append((name, said, w))
        elif found is None:
            found = ClassParts(w * own.base, w * own.parts, "probability")
        else:
            found = ClassParts(found.base + w * own.base, found.parts + w * own.parts, "probability")
    return found, lines


def explain_mean_class(weighed: Weighed, row: Table, classes: Array, shares: Array, words: str) -> Explanation:
    """The probability of the class answered; `shares` are those of all classes, `words` go after "average"."""
    labels, c = classes.tolist(), int(shares.argmax())
    sums, lines = mean_class_parts(weighed, row, classes)
    evidence = () if sums is None else column_evidence(row, sums.parts[:, c])
    return Explanation(
        prediction=labels[c],
        kind="attribution",
        base=0.0 if sums is None else float(sums.base[c]),
        base_words=f"average; {words}" if sums is not None else "",
        evidence=(*evidence, *(vote_line(name, said, c, w, labels) for name, said, w in lines)),
        total=float(shares[c]),
        total_words="probability",
        alternatives=tuple((labels[a], float(shares[a])) for a in others_of(shares, c)),
    )


def others_of(shares: Array, c: int) -> list[int]:
    """The other classes, the likeliest first."""
    return [a for a in np.argsort(-shares, kind="stable").tolist() if a != c]


def vote_line(name: str, said: Array, c: int, weight: float, labels: list[Any]) -> Evidence:
    words = f"{label(labels[c])}: {number(said[c])}, weight {number(weight)}"
    return Evidence(f"member {name}", labels[int(said.argmax())], weight * float(said[c]), words)


def explain_mean_number(weighed: Weighed, row: Table, total: float, words: str) -> Explanation:
    """The mean of the members' sums is the sum of their means; `words` go after "average"."""
    base, sums, told, lines = 0.0, np.zeros(row.n_columns), 0, []
    for name, member, w in weighed:
        said = float(member.predict(row)[0])
        own = number_parts_of(member, row, said)
        if own is None:
            lines.append(Evidence(f"member {name}", said, w * said, f"weight {number(w)}"))
        else:
            base, sums, told = base + w * own[0], sums + w * own[1], told + 1
    columns = column_evidence(row, sums) if told else ()
    return Explanation(total, "sum", base, f"average; {words}", (*columns, *lines), total, "prediction")
