"""Why a vote came out as it did: what each column adds to it by way of the members, and what others say as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.members import aligned_probabilities
from learnt.ensemble.voting.parts import class_parts_of, number_parts_of
from learnt.explain import Evidence, Explanation, Explanations
from learnt.explain.class_parts import ClassParts
from learnt.explain.columns import column_evidence
from learnt.show.numbers import number
from learnt.show.words import label

if TYPE_CHECKING:
    from learnt.ensemble.voting.learners import VotingClassifier, VotingRegressor


def explain_classes(model: VotingClassifier, table: Table) -> Explanations:
    """The probability of the class answered; of votes that are counted, who gave them."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        shares, labels = model._probabilities(row)[0], model.classes_.tolist()
        c = int(shares.argmax())
        others = [a for a in np.argsort(-shares, kind="stable").tolist() if a != c]
        votes = np.array([model._answer(member, row)[0] for member in model.estimators_])
        agreeing = int((votes.argmax(axis=1) == c).sum())
        sums, lines = vote_parts(model, row) if model.vote == "soft" else (None, _lines(model, votes))
        evidence = () if sums is None else column_evidence(row, sums.parts[:, c])
        return Explanation(
            prediction=labels[c],
            kind="attribution" if model.vote == "soft" else "votes",
            base=0.0 if sums is None else float(sums.base[c]),
            base_words=f"average; {agreeing} of {len(votes)} members agree" if sums is not None else "",
            evidence=(*evidence, *(_line(name, said, c, w, labels) for name, said, w in lines)),
            total=float(shares[c]),
            total_words="probability" if model.vote == "soft" else "share of the votes",
            alternatives=tuple((labels[a], float(shares[a])) for a in others),
        )

    return Explanations(table.n_rows, explain_row)


def vote_parts(model: VotingClassifier, row: Table) -> tuple[ClassParts | None, list[tuple[str, Array, float]]]:
    """The weighted sum of what members tell of the columns, None if none does; and name, answer and weight of those
    who do not."""
    found, lines = None, []
    for name, member, w in zip(model.names_, model.estimators_, model.weights_.tolist(), strict=True):
        if w == 0:
            continue
        said = aligned_probabilities(member, row, model.classes_)[0]
        own = class_parts_of(member, row, said)
        if own is None:
            lines.append((name, said, w))
        elif found is None:
            found = ClassParts(w * own.base, w * own.parts, "probability")
        else:
            found = ClassParts(found.base + w * own.base, found.parts + w * own.parts, "probability")
    return found, lines


def _lines(model: VotingClassifier, votes: Array) -> list[tuple[str, Array, float]]:
    return list(zip(model.names_, votes, model.weights_.tolist(), strict=True))


def _line(name: str, said: Array, c: int, weight: float, labels: list[Any]) -> Evidence:
    words = f"{label(labels[c])}: {number(said[c])}, weight {number(weight)}"
    return Evidence(f"member {name}", labels[int(said.argmax())], weight * float(said[c]), words)


def explain_numbers(model: VotingRegressor, table: Table) -> Explanations:
    """The mean of the members' sums is the sum of their means."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        total, base, sums = float(model._predict(row)[0]), 0.0, np.zeros(row.n_columns)
        answers, lines = [], []
        for name, member, w in zip(model.names_, model.estimators_, model.weights_.tolist(), strict=True):
            said = float(member.predict(row)[0])
            answers.append(said)
            own = number_parts_of(member, row, said)
            if own is None:
                lines.append(Evidence(f"member {name}", said, w * said, f"weight {number(w)}"))
            else:
                base, sums = base + w * own[0], sums + w * own[1]
        columns = column_evidence(row, sums) if len(lines) < len(answers) else ()
        spread = f"{len(answers)} members from {number(min(answers))} to {number(max(answers))}"
        words = f"average; {spread}"
        return Explanation(total, "sum", base, words, (*columns, *lines), total, "prediction")

    return Explanations(table.n_rows, explain_row)
