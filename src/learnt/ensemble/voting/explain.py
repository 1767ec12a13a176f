"""Why a vote came out as it did: what each column adds to it by way of the members, and what others say as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Table
from learnt.ensemble.weighed_members import Weighed, explain_mean_class, explain_mean_number, others_of, vote_line
from learnt.explain import Explanation, Explanations
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.ensemble.voting.base import Vote
    from learnt.ensemble.voting.learners import VotingClassifier, VotingRegressor


def weighed_members(model: Vote) -> Weighed:
    return list(zip(model.names_, model.estimators_, model.weights_.tolist(), strict=True))


def explain_classes(model: VotingClassifier, table: Table) -> Explanations:
    """The probability of the class answered; of votes that are counted, who gave them."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        shares, labels = model._probabilities(row)[0], model.classes_.tolist()
        c = int(shares.argmax())
        votes = np.array([model._answer(member, row)[0] for member in model.estimators_])
        agreeing = int((votes.argmax(axis=1) == c).sum())
        if model.vote == "soft":
            words = f"{agreeing} of {len(votes)} members agree"
            return explain_mean_class(weighed_members(model), row, model.classes_, shares, words)
        lines = zip(model.names_, votes, model.weights_.tolist(), strict=True)
        return Explanation(
            prediction=labels[c],
            kind="votes",
            base=0.0,
            base_words="",
            evidence=tuple(vote_line(name, said, c, w, labels) for name, said, w in lines),
            total=float(shares[c]),
            total_words="share of the votes",
            alternatives=tuple((labels[a], float(shares[a])) for a in others_of(shares, c)),
        )

    return Explanations(table.n_rows, explain_row)


def explain_numbers(model: VotingRegressor, table: Table) -> Explanations:
    """The mean of the members' sums is the sum of their means."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        answers = [float(member.predict(row)[0]) for member in model.estimators_]
        spread = f"{len(answers)} members from {number(min(answers))} to {number(max(answers))}"
        return explain_mean_number(weighed_members(model), row, float(model._predict(row)[0]), spread)

    return Explanations(table.n_rows, explain_row)
