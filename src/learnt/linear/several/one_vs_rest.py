"""Many classes by learners of two: each class against all others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.training import Training
from learnt.errors import SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.explain.turning import turned
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted, is_foreign
from learnt.learner.parameters import Domain
from learnt.learner.text.counting import TextUse, text_use
from learnt.linear.several.retarget import member_plan


class TableClassifier(Domain):
    words = "None or a classifier of learnt that reads tables, or one of scikit-learn"

    def __contains__(self, value: object) -> bool:
        own = isinstance(value, Classifier) and "text" not in value.abilities
        return value is None or own or is_foreign(value, "classification")


class OneVsRestClassifier(Classifier):
    """Fit one learner per class, that class against all others, and answer with the class that is surest.

        p(c | x) = p_c(x) / Σ_d p_d(x),   p_c(x) by the learner of class c

    >>> from learnt import NaiveBayesClassifier
    >>> model = OneVsRestClassifier(NaiveBayesClassifier())
    >>> model = model.fit({"x": [1.0, 1.2, 5.0, 5.2, 9.0, 9.1]}, ["low", "low", "mid", "mid", "top", "top"])
    >>> model.predict({"x": [1.1, 5.1, 9.2]}).tolist()
    ['low', 'mid', 'top']

    Of two classes one learner decides, for the second. `explain` shows the arithmetic of the learner whose class is
    answered.

    {settings}

    Attributes: `classes_`; `members_`, the fitted learners in the order of `classes_` (of two classes only that of the
    second, of one class none). Where all learners are sure of "rest", the classes get equal probabilities.

    Reference: R. Rifkin, A. Klautau, In Defense of One-Vs-All Classification, JMLR 5, 2004.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse", "many classes"})
    fit_cost = 6.0
    simplicity = 25.0

    learner: Any = setting(
        TableClassifier(),
        "a classifier, cloned for every class; None for a `LogisticRegression`",
        default=None,
        kw_only=False,
    )

    members_: list[Any] = attribute()

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use(self.learner, "counts")

    def _plan(self, training: Training) -> Plan:
        k = len(self.classes_)
        codes = range(k) if k > 2 else range(1, k)
        self.members_ = []
        for code in codes:
            self.members_.append((yield from member_plan(default_or_clone(self.learner), training, code)))

    def _probabilities(self, table: Table) -> Array:
        if not self.members_:
            return np.ones((table.n_rows, 1))
        if len(self.classes_) == 2:
            both: Array = np.asarray(self.members_[0].predict_proba(table))
            return both
        sure = np.column_stack([np.asarray(member.predict_proba(table))[:, 1] for member in self.members_])
        total = sure.sum(axis=1, keepdims=True)
        equal = np.full_like(sure, 1 / len(self.classes_))
        shares: Array = np.divide(sure, total, out=equal, where=total > 0)
        return shares

    def _explain(self, table: Table) -> Explanations:
        shares = self._probabilities(table)
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1), shares[i]))

    def _explain_row(self, row: Table, shares: Array) -> Explanation:
        labels, best = self.classes_.tolist(), int(shares.argmax())
        if not self.members_:
            return Explanation(labels[0], "member", 1.0, "the only class", (), 1.0, "probability")
        member, place = (self.members_[0], 1) if len(labels) == 2 else (self.members_[best], best)
        others = [c for c in np.argsort(-shares, kind="stable").tolist() if c != best]
        return replace(
            explanation_for(member.explain(row)[0], member.classes_[int(place == best)]),
            prediction=labels[best],
            alternatives=tuple((labels[c], float(shares[c])) for c in others),
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        expected = k if k > 2 else k - 1
        if len(self.members_) != expected or any(
            not isinstance(m, Classifier) or len(m.classes_) != 2 or m._schema != self._schema for m in self.members_
        ):
            raise SavedModelError("The members do not fit the classes and columns.")


def default_or_clone(learner: Any) -> Any:
    """The learner of each member, with nothing learnt yet."""
    if learner is not None:
        return adopted(learner)
    from learnt.linear.logistic.logistic_regression import LogisticRegression

    return LogisticRegression()


def explanation_for(told: Explanation, side: Any) -> Explanation:
    """The explanation of a learner of two classes, turned to speak for one of them.

    The surest learner may still find its class less likely than the rest: its sum then speaks for the rest.
    """
    if told.prediction == side or told.kind == "risk":
        return replace(told, kind="member")
    return replace(turned(told), kind="member")
