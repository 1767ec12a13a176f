"""Why an alternating tree answered what it did: the values of the prediction nodes that a row reaches, by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Evidence, Explanation, Explanations
from learnt.tree.alternating.arrays import AlternatingTree
from learnt.tree.alternating.words import value_text
from learnt.tree.show.conditions import word

MOST_WORDS = 4  # nodes of one column that are put into words


def parts_of(tree: AlternatingTree, row: Table) -> Array:
    """What the reached nodes behind tests of each column add to the score of a table's only row."""
    reached = tree.reached(row)[1:, 0]
    column = np.repeat(tree.column, 2)
    return np.bincount(column[reached], tree.value[1:][reached], row.n_columns)


def explain_scores(
    trees: Sequence[AlternatingTree], table: Table, labels: list[Any], decide: Callable[[Table], int]
) -> Explanations:
    """The score of the answer, of more than two classes its lead over the runner-up's; `decide` gives the number of
    the class that a row is answered with."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        if not trees:
            return Explanation(labels[0], "score", 0.0, "the only class", (), 0.0, "score")
        best = decide(row)
        scores = _class_scores(trees, row)
        others = [c for c in np.argsort(-scores, kind="stable").tolist() if c != best]
        if len(trees) == 1:
            told, sum_words = [(trees[0], 1 if best else -1, "")], "score"
        else:
            rival = word(labels[others[0]])
            told = [(trees[best], 1, ""), (trees[others[0]], -1, f"{rival}: ")]
            sum_words = f"lead over {rival}"
        parts = sum((sign * parts_of(tree, row) for tree, sign, _ in told), np.zeros(row.n_columns))
        cells, words = [column.labels()[0] for column in row.columns], _words(told, row)
        return Explanation(
            prediction=labels[best],
            kind="score",
            base=float(sum(sign * tree.value[0] for tree, sign, _ in told)),
            base_words="always",
            evidence=tuple(
                Evidence(name, cells[j], float(parts[j]) + 0.0, words[j]) for j, name in enumerate(row.names)
            ),
            total=float(scores[best] if len(trees) == 1 else scores[best] - scores[others[0]]),
            total_words=sum_words,
            alternatives=tuple((labels[c], float(scores[c])) for c in others),
        )

    return Explanations(table.n_rows, explain_row)


def _class_scores(trees: Sequence[AlternatingTree], row: Table) -> Array:
    if len(trees) == 1:
        score = float(trees[0].scores(row)[0])
        return np.array([-score, score])
    return np.array([tree.scores(row)[0] for tree in trees])


def _words(told: list[tuple[AlternatingTree, int, str]], row: Table) -> list[str]:
    """`(1) ≤ 75 +0.81; (4) > 60 −0.2`: the reached nodes of each column."""
    found: list[list[str]] = [[] for _ in range(row.n_columns)]
    for tree, sign, whose in told:
        for node in np.flatnonzero(tree.reached(row)[:, 0])[1:].tolist():
            t, side = divmod(node - 1, 2)
            short = tree.condition(t, row.schema, second=bool(side)).short()
            found[tree.column[t]].append(f"{whose}({t + 1}) {short} {value_text(sign * tree.value[node])}")
    return ["; ".join(w[:MOST_WORDS] + ([f"{len(w) - MOST_WORDS} more"] if len(w) > MOST_WORDS else [])) for w in found]
