"""An explanation that speaks for one of two classes, turned to speak for the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from learnt.errors import InputError
from learnt.explain.explanation import Explanation
from learnt.show.words import label, spell

#: Totals that are shares of an answer: the other has the rest of 1.
SHARES = frozenset({"frequency", "path", "attribution"})
#: Totals that are for one answer and against the other.
LEADS = frozenset({"log-odds", "score"})


def turned(told: Explanation) -> Explanation:
    """The same arithmetic for the other of two classes.

    Turning it round changes signs (log-odds and scores) or takes it from 1 (probabilities). How a part came about is
    left out where a sign has changed; what a tree asked of a column stays true.
    """
    if told.kind in SHARES:
        evidence = tuple(replace(e, contribution=-e.contribution) for e in told.evidence)
        return replace(told, base=1 - told.base, evidence=evidence, total=1 - told.total)
    what = "log-odds" if told.kind == "log-odds" else "score"
    return replace(
        told,
        base=-told.base,
        base_words="start",
        evidence=tuple(replace(e, contribution=-e.contribution, words="") for e in told.evidence),
        total=-told.total,
        total_words=f"{what} against {label(told.prediction)}",
    )


def speaking_for(told: Explanation, answer: Any) -> Explanation:
    """The explanation of a row's answer, or, where another of two classes was answered, turned to that one."""
    if told.prediction == answer:
        return told
    others = [other for other, _ in told.alternatives]
    if len(others) != 1 or others[0] != answer:
        known = " and ".join(spell(one) for one in [told.prediction, *others])
        raise InputError(
            f"A row was answered with {spell(told.prediction)}, and its explanation knows of {known}. Only of two "
            f"classes can what speaks for one be turned to {spell(answer)}. by_class() shows the rows of each answer."
        )
    if told.kind not in SHARES | LEADS:
        raise InputError(
            f"Explanations by {told.kind} are not for one class and against the other, so that they cannot be turned. "
            "by_class() shows the rows of each answer."
        )
    other = turned(told)
    return replace(other, prediction=answer, alternatives=((told.prediction, told.total),))
