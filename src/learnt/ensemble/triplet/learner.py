"""Boosting as it began: a hypothesis, one that learns from its mistakes, and one that settles where they disagree."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.whole import InMemory, WholeTable, uneven, unpacked
from learnt.ensemble.adaboost.rounds import drawn_by_weight, error_of
from learnt.ensemble.members import (
    CLASSIFIER,
    aligned_probabilities,
    answer_codes,
    fitted_member,
    rows_in_order,
    rows_to_draw,
)
from learnt.ensemble.weak_learner import StressesRows
from learnt.ensemble.weighed_members import Weighed, explain_mean_class, mean_class_parts
from learnt.errors import SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier, Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import OneOf, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.show.numbers import number
from learnt.storable import Numbers
from learnt.tree import DecisionStumpClassifier, DecisionTreeClassifier
from learnt.watch import report


class TripletBoostClassifier(StressesRows, Classifier):
    """Let three hypotheses answer: where the first two agree, that is the answer, and elsewhere the third decides.

        h₁ from all rows,   h₂ from rows of which h₁ gets half the weight wrong,   h₃ from rows where h₁ ≠ h₂
        three errors of at most ε < ½ on their rows make one of at most 3ε² − 2ε³ on all

    >>> table = {"x": [1, 2, 3, 4, 5, 6, 7, 8, 9]}
    >>> model = TripletBoostClassifier().fit(table, list("aaabbbaaa"))
    >>> model.score(table, list("aaabbbaaa"))
    1.0

    With `depth` 2 each of the three is made of three in turn, and so on: 3^depth weak hypotheses.

    {settings}

    Where the three together err more on the rows than the first alone, the first is kept alone: `stopped_` says so.

    Attributes: `estimators_`, three, or fewer where the first errs nowhere, or the second never disagrees with it;
    `errors_`, of each on its rows; `bound_`, 3ε² − 2ε³ of the largest of them; `training_error_`; `stopped_`, why there
    are fewer than three, or ""; `classes_`.

    Reference: R. Schapire, The strength of weak learnability, 1990.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})
    whole = InMemory("fits each hypothesis to what those before it get wrong")
    fit_cost = 35.0
    simplicity = 55.0
    search_space: ClassVar[dict[str, Any]] = {"depth": (1, 2, 3)}

    estimator: Any = setting(
        CLASSIFIER,
        "the weak learner, any classifier; None for a `DecisionStumpClassifier`, or with more than two classes a "
        "`DecisionTreeClassifier` just deep enough for them",
        default=None,
        kw_only=False,
    )
    depth: int = setting(Whole(1, 6), "how often three are made of three; 1: once", default=1)
    by: str = setting(
        OneOf("weights", "resampling"),
        'how rows are stressed: by "weights", or by "resampling" as many in proportion',
        default="weights",
    )
    random_state: Any = setting(Seed(), "seed of resampling", default=0)

    estimators_: list[Any] = attribute()
    errors_: Numbers = attribute()
    bound_: float = attribute()
    training_error_: float = attribute()
    stopped_: str = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        batch = rows_in_order(rows)[0] if self.by == "resampling" else rows_to_draw(rows)
        assert batch.target is not None
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        members, errors, answers = list[Any](), list[float](), list[Array]()
        for m in range(3):
            weights = (
                w if m == 0 else halved(w, answers[0] != batch.target) if m == 1 else w * (answers[0] != answers[1])
            )
            if not weights.any():
                break
            member = self._hypothesis(batch, weights, m)
            members.append(member)
            answers.append(answer_codes(member, batch.table, self.classes_))
            errors.append(error_of(answers[m] != batch.target, weights))
            report("member", learner=type(self).__name__, iteration=m + 1, total=3, error=errors[m])
            if errors[0] == 0:
                break
        self._keep(members, errors, answers, batch.target, w)

    def _hypothesis(self, batch: Batch, weights: Array, m: int) -> Any:
        learner = self._part(m)
        there = np.flatnonzero(weights)
        table = batch.table if len(there) == batch.n_rows else batch.table.take(there)
        assert batch.target is not None
        own = Batch(table, 0, batch.target[there], weights[there])
        if self.by == "resampling" and self.depth == 1 and not (m == 0 and uneven(weights) is None):
            own = drawn_by_weight(learner, own, seed_from(self.random_state) + m)
        elif uneven(own.weights) is None:
            own = Batch(own.table, 0, own.target)
        return fitted_member(learner, own, self.classes_)

    def _part(self, m: int) -> Learner:
        """What each of the three is: the weak learner, or three of them."""
        if self.depth > 1:
            depth = int(self.depth)
            seed = (seed_from(self.random_state) + 3**depth * (m + 1)) % 2**32
            return clone(self).set_params(depth=depth - 1, random_state=seed)
        if self.estimator is not None:
            learner: Learner = adopted(self.estimator)
            return learner
        n_classes = len(self.classes_)
        if n_classes <= 2:
            return DecisionStumpClassifier()
        return DecisionTreeClassifier(max_depth=(n_classes - 1).bit_length())

    def _keep(self, members: list[Any], errors: list[float], answers: list[Array], target: Array, w: Array) -> None:
        first = error_of(answers[0] != target, w)
        error = error_of(settled(answers) != target, w)
        self.stopped_ = ""
        if error > first:
            self.stopped_ = f"The three err on {number(error)} of the rows, and the first alone on {number(first)}."
        elif len(members) < 3:
            self.stopped_ = (
                "The first errs nowhere." if len(members) == 1 else "The second never disagrees with the first."
            )
        kept = 1 if error > first else len(members)
        self.estimators_, self.errors_ = members[:kept], np.array(errors[:kept])
        self.training_error_ = min(error, first)
        self.bound_ = three_hypotheses_bound(max(errors)) if kept > 1 else first

    # Answering

    def _probabilities(self, table: Table) -> Array:
        """Those of the first two on average; where their likeliest classes differ, those of the third."""
        table = unpacked(table)
        shares = [aligned_probabilities(member, table, self.classes_) for member in self.estimators_]
        if len(shares) == 1:
            return shares[0]
        mean: Array = (shares[0] + shares[1]) / 2
        if len(shares) == 3:
            agree = [np.argmax(said, axis=1) for said in shares[:2]]
            mean = np.where((agree[0] == agree[1])[:, None], mean, shares[2])
        return mean

    def _weighed(self, row: Table) -> tuple[Weighed, str]:
        """Who answers for a row, and why."""
        named = [(f"hypothesis {m}", member) for m, member in enumerate(self.estimators_)]
        if len(named) == 1:
            return [(*named[0], 1.0)], "the first alone"
        said = [int(aligned_probabilities(member, row, self.classes_)[0].argmax()) for member in self.estimators_[:2]]
        if said[0] == said[1] or len(named) == 2:
            return [(*named[0], 0.5), (*named[1], 0.5)], "the first two agree"
        return [(*named[2], 1.0)], "the first two disagree, and the third decides"

    def _explain(self, table: Table) -> Explanations:
        def explain_row(i: int) -> Explanation:
            row = table.rows(i, i + 1)
            weighed, words = self._weighed(row)
            return explain_mean_class(weighed, row, self.classes_, self._probabilities(row)[0], words)

        return Explanations(table.n_rows, explain_row)

    def _class_parts(self, row: Table) -> ClassParts | None:
        found, others = mean_class_parts(self._weighed(row)[0], row, self.classes_)
        return None if others else found

    # Looking at it

    def __str__(self) -> str:
        if "estimators_" not in self.__dict__:
            return repr(self)
        lines = []
        for m, (member, error) in enumerate(zip(self.estimators_, self.errors_.tolist(), strict=True)):
            lines += [f"hypothesis {m}, error {number(error)}", *(f"  {line}" for line in str(member).splitlines())]
        return "\n".join(lines)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if not 1 <= len(self.estimators_) <= 3 or self.errors_.shape != (len(self.estimators_),):
            raise SavedModelError(
                f"There are {len(self.estimators_)} hypotheses. Expected one to three, with their errors."
            )
        known = set(self.classes_.tolist())
        for member in self.estimators_:
            if not isinstance(member, Classifier) or member._schema != self._schema:
                raise SavedModelError("A hypothesis does not fit the columns.")
            if not known >= set(member.classes_.tolist()):
                raise SavedModelError("A hypothesis knows other classes than the three together.")


def halved(w: Array, wrong: Array) -> Array:
    """The weights with half of their sum on the wrong rows: factors of 1/(2ε) and 1/(2(1 − ε))."""
    error = error_of(wrong, w)
    if error in (0.0, 1.0):
        return w
    found: Array = w * np.where(wrong, 0.5 / error, 0.5 / (1 - error))
    return found


def settled(answers: list[Array]) -> Array:
    """What the hypotheses answer together, as codes."""
    if len(answers) < 3:
        return answers[0]
    found: Array = np.where(answers[0] == answers[1], answers[0], answers[2])
    return found


def three_hypotheses_bound(error: float) -> float:
    """3ε² − 2ε³: the most that three err together, each of which errs on at most ε < ½ of its rows."""
    return 3 * error**2 - 2 * error**3
