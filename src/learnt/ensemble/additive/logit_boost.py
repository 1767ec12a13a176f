"""LogitBoost: additive logistic regression, a Newton step a round by any regressor."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.whole import WholeTable
from learnt.ensemble.adaboost.rounds import LEAST_WEIGHT
from learnt.ensemble.additive.base import AdditiveSum
from learnt.ensemble.additive.explain import class_parts, explain_classes
from learnt.ensemble.staged_classes import StagedClasses
from learnt.ensemble.weak_learner import StressesRows
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.fields import setting
from learnt.learner.parameters import Real
from learnt.show.words import count_of, label
from learnt.watch import report

#: Below this mean log loss every row is certain, and further rounds only raise the scores.
CERTAIN = 1e-9


class LogitBoostClassifier(AdditiveSum, StressesRows, StagedClasses):
    """Add up regressors into scores of the classes, each round a Newton step towards the largest likelihood.

        z_c = (1[y = c] − p_c) / w_c,    w_c = p_c·(1 − p_c),    f_c fitted to z_c with weights w_c
        F_c ← F_c + η·(K − 1)/K·(f_c − Σ_k f_k/K),    p = softmax F,    F = 0 at first

    Of two classes one regressor a round is enough, F₂ = −F₁ ← F₂ + η·f₂/2, and the log-odds are 2·F₂.

    >>> table = {"age": [22, 25, 47, 52, 46, 56], "town": ["Bern", "Bern", "Basel", "Basel", None, "Bern"]}
    >>> model = LogitBoostClassifier(n_estimators=10).fit(table, ["no", "no", "yes", "yes", "yes", "yes"])
    >>> model.predict({"age": [24, 50], "town": ["Bern", None]}).tolist()
    ['no', 'yes']

    `z_max` keeps z of rows that are far off small; their weight grows in turn, so that w·z remains the gradient.

    {settings}

    With `n_estimators=10, learning_rate=1` it is set as Weka's LogitBoost is.

    Attributes: `estimators_`, round after round, in each round one for every class (one of two classes); `n_iter_`;
    `train_score_`, minus the mean log loss before the first round and after each; `stopped_`, why rounds ended early,
    or ""; `classes_`; `feature_importances_` of members that have them.

    Reference: J. Friedman, T. Hastie, R. Tibshirani, Additive logistic regression: a statistical view of boosting,
    2000.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})
    fit_cost = 85.0
    simplicity = 64.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (10, 50, 200), "learning_rate": (1.0, 0.3)}

    z_max: float = setting(Real(1), "the largest |z|; 2 to 4 are advised", default=3.0, before="by")

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        batch, self._rate = self._rows(rows), float(self.learning_rate)
        assert batch.target is not None
        if len(self.classes_) == 1:
            self._keep([], [0.0], "")
            return
        k, total = self._n_scores(), int(self.n_estimators)
        one_of = batch.target[:, None] == np.arange(len(self.classes_))[None, -k:]
        raw = np.zeros((batch.n_rows, k))
        members, stopped, losses = [], "", [_log_loss(raw, batch)]
        for t in range(total):
            if losses[-1] < CERTAIN:
                stopped = f"Round {t}: every row is certain."
                break
            logs = _log_shares(raw)[:, -k:]
            for c in range(k):
                z, w = working_response(one_of[:, c], logs[:, c], float(self.z_max))
                member, said = self._member(batch, z, _scaled(w, batch.weights), t * k + c)
                members.append(member)
                raw[:, c] += self._scale() * said
            losses.append(_log_loss(raw, batch))
            report("round", learner=type(self).__name__, iteration=t + 1, total=total, objective=losses[-1])
        self._keep(members, [-loss for loss in losses], stopped)

    # Answering

    def _n_scores(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _start(self) -> Array:
        return np.zeros(self._n_scores())

    def _scale(self) -> float:
        """Of more than two classes Σ f_k/K is left out: it moves all scores alike, and no probability."""
        k = len(self.classes_)
        return self._rate if k <= 2 else self._rate * (k - 1) / k

    def _probabilities(self, table: Table) -> Array:
        return self._shares(self._raw(table))

    def decision_function(self, X: Any) -> Array:
        """The score of each class, whose softmax are the probabilities; of two classes the log-odds of the second."""
        still = self._still()
        still._fitted_schema()
        return _centred(still._over(X, still._raw))

    def _explain(self, table: Table) -> Explanations:
        return explain_classes(self, table)

    def _class_parts(self, row: Table) -> ClassParts | None:
        return class_parts(self, row)

    def _head(self) -> str:
        return f"scores: sums of {count_of(self.n_iter_, 'round')}"

    def _names_of_scores(self) -> list[str]:
        labels = [label(c) for c in self.classes_.tolist()]
        return [f"log-odds of {labels[-1]}"] if len(labels) <= 2 else [f"score of {name}" for name in labels]


def working_response(one_of: Array, log_share: Array, z_max: float) -> tuple[Array, Array]:
    """z and w of each row, by whether it is of the class, and the logarithm of the probability that it is.

    z = 1/p of a row of the class and −1/(1 − p) of another, cut at ±z_max, and w = (1[y = c] − p)/z.
    """
    share, rest = np.exp(log_share), -np.expm1(log_share)
    with np.errstate(divide="ignore"):
        z = np.where(one_of, np.minimum(1 / share, z_max), np.maximum(-1 / rest, -z_max))
    return z, np.where(one_of, rest, -share) / z


def _scaled(w: Array, weights: Array | None) -> Array:
    """With the weights of the rows, to the same sum: members may ask for a least weight of a leaf."""
    total = float(len(w)) if weights is None else float(weights.sum())
    w = np.maximum(w, LEAST_WEIGHT) * (1.0 if weights is None else weights)
    scaled: Array = w * (total / w.sum())
    return scaled


def _log_shares(raw: Array) -> Array:
    """Logarithms of the probabilities of all classes, near 0 to full precision."""
    scores = np.column_stack([np.zeros(len(raw)), raw]) if raw.shape[1] == 1 else raw
    apart = scores - scores.max(axis=1, keepdims=True)
    first = apart.argmax(axis=1)
    grown = np.exp(apart)
    grown[np.arange(len(raw)), first] = 0.0
    logs: Array = apart - np.log1p(grown.sum(axis=1, keepdims=True))
    return logs


def _log_loss(raw: Array, batch: Batch) -> float:
    assert batch.target is not None
    return float(np.average(-_log_shares(raw)[np.arange(len(raw)), batch.target], weights=batch.weights))


def _centred(raw: Array) -> Array:
    return raw[:, 0] if raw.shape[1] == 1 else raw - raw.mean(axis=1, keepdims=True)
