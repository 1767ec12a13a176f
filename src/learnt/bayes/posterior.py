"""From log p(c) + log p(x | c) to probabilities, and to the odds that explain them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute
from learnt.learner.output import framed_classes
from learnt.show.numbers import number
from learnt.show.words import label
from learnt.storable import Numbers, are_shares

#: Rows worked on at a time: classes × rows of these stay in the cache.
BLOCK_ROWS = 4096


class JointClassifier(Classifier, abstract=True):
    """Classifies by the joint probability of class and row.

    Members write `_joint(table)`, log p(c, x) as classes × rows, and `_evidence(row)`: of a table of one row, for
    each column its name, cell, log p(x_j | c) by class, and words for the cell (or "").
    """

    class_log_prior_: Numbers = attribute()

    def _joint(self, table: Table) -> Array:
        raise NotImplementedError

    def _evidence(self, row: Table) -> Sequence[tuple[str, Any, Array, str]]:
        raise NotImplementedError

    def _base(self, row: Table) -> tuple[Array, str]:
        """Where the sum of an explanation begins, by class, and what that is called."""
        return self.class_log_prior_, "prior odds"

    def _log_posterior(self, table: Table) -> Array:
        parts = [
            log_posterior(self._joint(table.rows(start, start + BLOCK_ROWS)), self.class_log_prior_)
            for start in range(0, table.n_rows, BLOCK_ROWS)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _probabilities(self, table: Table) -> Array:
        return np.exp(self._log_posterior(table))

    def predict_log_proba(self, X: Any) -> Any:
        """Natural logarithms of `predict_proba`, exact also where that underflows to 0."""
        return framed_classes(self, self._over(X, self._log_posterior), X)

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        posterior = self._log_posterior(row)[0]
        best = int(np.exp(posterior).argmax())
        base, words = self._base(row)
        return log_odds(self.classes_.tolist(), best, posterior, base, words, self._evidence(row))

    def _class_parts(self, row: Table) -> ClassParts | None:
        told = self._evidence(row)
        if [column for column, _, _, _ in told] != list(row.names):
            return None
        return ClassParts(self._base(row)[0], np.array([logs for _, _, logs, _ in told]), "score")

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self.class_log_prior_.shape != (len(self.classes_),) or len(self.classes_) == 0:
            raise SavedModelError("The priors do not fit the classes.")
        with np.errstate(over="ignore"):
            if not are_shares(np.exp(self.class_log_prior_)):
                raise SavedModelError("The priors are no probabilities.")


def log_posterior(joint: Array, log_prior: Array) -> Array:
    """log p(c | x), rows × classes, of log p(c, x), classes × rows.

    A row that no class can have given, of density 0 in all, tells nothing: it keeps the priors. Sums go class by
    class, so that the bits of a row do not depend on the rows around it.
    """
    highest = joint.max(axis=0)
    impossible = np.isneginf(highest)
    if impossible.any():
        joint = np.where(impossible, log_prior[:, None], joint)
        highest = joint.max(axis=0)
    certain = np.isposinf(highest)  # sums that overflowed: those classes share alike
    if certain.any():
        joint = np.where(certain, np.where(np.isposinf(joint), 0.0, -np.inf), joint)
        highest = joint.max(axis=0)
    apart = joint - highest
    total = np.zeros(joint.shape[1])
    for of_class in np.exp(apart):
        total += of_class
    apart -= np.log(total)
    return np.ascontiguousarray(apart.T)


def log_odds(
    classes: Sequence[Any],
    best: int,
    posterior: Array,
    base: Array,
    base_words: str,
    evidence: Sequence[tuple[str, Any, Array, str]],
) -> Explanation:
    """The log of the odds for the predicted class against the runner-up: those of the prior, plus the log of each
    column's likelihood ratio. With one class there are no odds, and nothing to add."""
    order = [int(c) for c in np.argsort(-posterior, kind="stable") if c != best]
    if not order:
        told = tuple(Evidence(column, value, 0.0) for column, value, _, _ in evidence)
        return Explanation(classes[best], "log-odds", 0.0, "the only class", told, 0.0, "log-odds")
    other = order[0]
    possible = all(logs[best] > -math.inf for _, _, logs, _ in evidence)
    told = tuple(
        Evidence(column, value, float(logs[best] - logs[other]), _ratio(logs[best], logs[other], words))
        if possible
        else Evidence(column, value, 0.0, "no class can have given this row")
        for column, value, logs, words in evidence
    )
    start = float(base[best] - base[other])
    return Explanation(
        prediction=classes[best],
        kind="log-odds",
        base=start,
        base_words=f"{base_words} {number(_exp(start))}",
        evidence=told,
        total=math.fsum([start, *(e.contribution for e in told)]),
        total_words=f"log-odds against {label(classes[other])}",
        alternatives=tuple((classes[c], float(posterior[c] - posterior[best])) for c in order),
    )


def _ratio(best: float, other: float, words: str) -> str:
    if words:
        return words
    return f"{number(_exp(best))} against {number(_exp(other))}, ratio {number(_exp(best - other))}"


def _exp(log: float) -> float:
    return math.exp(log) if log < 700 else math.inf
