"""AdaBoost: many weak classifiers, each looking hardest at the rows that those before it got wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.training import prepare
from learnt.engine.whole import WholeTable
from learnt.ensemble.adaboost.explain import explain_votes
from learnt.ensemble.adaboost.rounds import Boosted, LearnerSource, ListSource, Source, Votes, boost, hypothesis_codes
from learnt.ensemble.adaboost.stumps import StumpSource, add_stump_votes, is_plain_stump, stump_classes
from learnt.ensemble.members import CLASSIFIER, MEMBERS_DRAW, answer_codes, mean_importances, rows_to_draw
from learnt.ensemble.trees.forest import Forest
from learnt.ensemble.vote_margins import VotesHaveMargins
from learnt.ensemble.weak_learner import StressesRows
from learnt.errors import ParameterError, SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Classifier, Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.learner.text.counting import TextUse
from learnt.tree import DecisionStumpClassifier, Pruned


class _Hypotheses(Domain):
    words = "None or a list of fitted classifiers and functions of a table"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, list | tuple):
            return value is None
        return len(value) > 0 and all(
            h.__sklearn_is_fitted__() if isinstance(h, Classifier) else callable(h) for h in value
        )


class AdaBoostClassifier(StressesRows, VotesHaveMargins, Classifier):
    """Let weak classifiers vote, each learnt from the rows that those before it got wrong, each heard by its error.

        α_t = ½·ln((1 − e_t)/e_t)        f(x) = Σ_t α_t·h_t(x), h = ±1        (two classes)

    >>> table = {"x": [1, 2, 3, 4, 5, 6, 7, 8, 9]}
    >>> middle = ["out", "out", "out", "in", "in", "in", "out", "out", "out"]
    >>> model = AdaBoostClassifier(n_estimators=20).fit(table, middle)
    >>> model.score(table, middle)
    1.0

    Of K > 2 classes α has ln(K − 1) more for twice as much (SAMME) and each class counts its votes. A hypothesis that
    makes no mistake outvotes those before it and ends boosting; one no better than guessing is dropped and ends it
    too: `stopped_` says so. Stumps, the default, are found by sorting the columns once.

    {settings}

    A sample from which nothing better than guessing is learnt is drawn again, up to 20 times.

    Attributes: `estimators_`, the hypotheses; per round `estimator_errors_` (e), `estimator_weights_` (α),
    `training_error_` of the vote so far and `bound_`, which it stays below: ∏ 2·√(e(1 − e)) at full rate; `stopped_`,
    why rounds ended early, or ""; `classes_`; `feature_importances_` of stumps.

    Reference: Y. Freund, R. Schapire, A decision-theoretic generalization of on-line learning, 1997; J. Zhu et al.,
    Multi-class AdaBoost, 2009.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})
    whole = MEMBERS_DRAW
    fit_cost = 40.0
    simplicity = 60.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (20, 100, 400), "learning_rate": (1.0, 0.3)}

    estimator: Any = setting(
        CLASSIFIER,
        "the weak learner, any classifier; None for a `DecisionStumpClassifier`",
        default=None,
        kw_only=False,
    )
    n_estimators: int = setting(Whole(1), "rounds at most", default=50)
    learning_rate: float = setting(Real(above=0), "multiplies every α", default=1.0)
    by: str = setting(
        OneOf("weights", "resampling"),
        'how a round stresses rows: by "weights", or by "resampling" as many rows in proportion',
        default="weights",
    )
    hypotheses: Any = setting(
        _Hypotheses(),
        "a list to choose from instead: fitted classifiers, or functions from a table to labels",
        default=None,
    )
    random_state: Any = setting(Seed(), "seed of resampling", default=0)

    forest_: Forest | None = attribute()
    members_: list[Any] = attribute()
    picked_: Array = attribute()
    estimator_weights_: Array = attribute()
    estimator_errors_: Array = attribute()
    bound_: Array = attribute()
    training_error_: Array = attribute()
    stopped_: str = attribute()

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return "labels" if self.hypotheses is not None else super().takes_text

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.hypotheses is not None and self.estimator is not None:
            raise ParameterError(
                f"{type(self).__name__}: estimator={self.estimator!r} came with hypotheses. A round either fits the "
                "estimator or chooses among the hypotheses. Give one of them."
            )

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        batch = rows_to_draw(rows)
        assert batch.target is not None
        start = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        found = boost(
            self._source(batch, start),
            batch.target,
            start,
            len(self.classes_),
            n_rounds=int(self.n_estimators),
            rate=float(self.learning_rate),
            owner=type(self).__name__,
        )
        self._keep(found)

    def _source(self, batch: Batch, start: Array) -> Source:
        assert batch.target is not None
        if self.hypotheses is not None:
            return ListSource(self.hypotheses, batch.table, batch.target, self.classes_)
        learner = DecisionStumpClassifier() if self.estimator is None else adopted(self.estimator)
        learner._check_parameters()
        if self.by == "weights" and is_plain_stump(learner):
            return StumpSource(learner, batch.table, batch.target, float(start.sum()), len(self.classes_))
        resampling, seed = self.by == "resampling", seed_from(self.random_state)
        return LearnerSource(learner, batch, self.classes_, resampling=resampling, seed=seed)

    def _keep(self, found: Boosted) -> None:
        listed, learnt = self.hypotheses is not None, isinstance(found.members[0], Learner)
        self.forest_ = None if listed or learnt else Forest.of(found.members)
        self.members_ = found.members if learnt else []
        self.picked_ = np.array(found.members if listed else [], dtype=np.int64)
        self.estimator_weights_, self.estimator_errors_ = np.array(found.alphas), np.array(found.errors)
        self.bound_, self.training_error_ = np.array(found.bounds), np.array(found.training_errors)
        self.stopped_ = found.stopped

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        rounds = len(self.estimator_weights_)
        held = (0 if self.forest_ is None else len(self.forest_)) + len(self.members_) + len(self.picked_)
        alike = all(len(a) == rounds for a in (self.estimator_errors_, self.bound_, self.training_error_))
        if rounds == 0 or held != rounds or not alike or not np.isfinite(self.estimator_weights_).all():
            raise SavedModelError(f"There are {held} hypotheses with {rounds} votes. Expected one finite vote each.")
        if len(self.picked_) and not ((self.picked_ >= 0) & (self.picked_ < len(self.hypotheses or ()))).all():
            raise SavedModelError("A hypothesis is chosen that is not in the list.")
        if self.forest_ is not None:
            self.forest_.check_columns(self._schema)
            if self.forest_.n_outputs != len(self.classes_) or (np.diff(self.forest_.tree_start) > 3).any():
                raise SavedModelError("The stumps do not fit the classes.")
        known = set(self.classes_.tolist())
        for member in self.members_:
            if not isinstance(member, Classifier) or not known >= set(member.classes_.tolist()):
                raise SavedModelError("The members do not fit the classes.")

    # Looking at it

    @property
    def estimators_(self) -> list[Any]:
        """The hypotheses in the order of the rounds."""
        self._fitted_schema()
        if self.forest_ is not None:
            return [self._stump(i) for i in range(len(self.forest_))]
        return [self.hypotheses[i] for i in self.picked_.tolist()] if len(self.picked_) else list(self.members_)

    def _stump(self, i: int) -> DecisionStumpClassifier:
        assert self.forest_ is not None
        stump = DecisionStumpClassifier() if self.estimator is None else clone(self.estimator)
        stump._remember_columns(self._schema)
        stump.classes_ = self.classes_
        found = Pruned(self.forest_[i], ())
        stump.tree_, stump.cuts_, stump._n_labels = found.tree, found.cuts, len(self.classes_)
        return stump

    @property
    def feature_importances_(self) -> Array:
        """The share of each column in all votes of stumps; the means of the members' importances, by vote, else."""
        self._fitted_schema()
        alpha = self.estimator_weights_ / self.estimator_weights_.sum()
        if self.forest_ is not None:
            feature = self.forest_.feature[self.forest_.tree_start[:-1]]
            shares = np.bincount(feature[feature >= 0], alpha[feature >= 0], self.n_features_in_)
            return shares / shares.sum() if shares.any() else shares
        return mean_importances(self.estimators_, alpha)

    # Answering

    def _scores(self, table: Table) -> Array:
        """The votes of all rounds: of two classes one signed number a row, else a column per class."""
        k = len(self.classes_)
        if self.forest_ is None:
            votes = Votes(table.n_rows, k)
            for answers, alpha in zip(self._answers(table), self.estimator_weights_.tolist(), strict=True):
                votes.add(answers, alpha)
            return votes.sums
        answer, alpha = stump_classes(self.forest_), self.estimator_weights_[:, None]
        out = np.zeros((table.n_rows, 1 if k == 2 else k))
        if k == 2:
            answer, alpha = np.zeros_like(answer), np.where(answer == 1, alpha, -alpha)
        add_stump_votes(self.forest_, table, answer, np.broadcast_to(alpha, answer.shape), out)
        return out[:, 0] if k == 2 else out

    def _answers(self, table: Table) -> Iterator[Array]:
        """What each hypothesis answers, as class codes."""
        if len(self.picked_):
            codes = {i: hypothesis_codes(self.hypotheses[i], table, self.classes_) for i in set(self.picked_.tolist())}
            yield from (codes[i] for i in self.picked_.tolist())
        else:
            members = self.members_ if self.forest_ is None else self.estimators_
            yield from (answer_codes(member, table, self.classes_) for member in members)

    def decision_function(self, X: Any) -> Array:
        """Σ α·h: of two classes the votes for the second minus those for the first, else votes per class."""
        still = self._still()
        still._fitted_schema()
        scores: Array = still._over(X, still._scores)
        return scores

    def predict(self, X: Any) -> Array:
        """The class with most votes; of equal ones the first in `classes_`."""
        still = self._still()
        scores = still.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: Array = still.classes_[best]
        return labels

    def _probabilities(self, table: Table) -> Array:
        """1/(1 + e^−2f) for the second of two classes, e^votes / Σ e^votes for more: as exponential loss has it."""
        scores = self._scores(table)
        logs = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        logs = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares: Array = logs / logs.sum(axis=1, keepdims=True)
        return shares

    def _vote_shares(self, table: Table) -> Array:
        shares = self._scores(table) / self.estimator_weights_.sum()
        return np.column_stack([1 - shares, 1 + shares]) / 2 if shares.ndim == 1 else shares

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What is answered after each round."""
        still = self._still()
        table = still._matched(X)
        votes = Votes(table.n_rows, len(still.classes_))
        for answers, alpha in zip(still._answers(table), still.estimator_weights_.tolist(), strict=True):
            votes.add(answers, alpha)
            yield still.classes_[votes.decided_classes()]

    def staged_score(self, X: Any, y: Any = None, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after each round."""
        test = prepare(X, y, sample_weight, "classes", type(self).__name__)
        (batch,) = test.batches()
        assert test.classes is not None
        assert batch.target is not None
        truth = test.classes[batch.target]
        for answer in self.staged_predict(batch.table):
            yield float(np.average(answer == truth, weights=batch.weights))

    def _explain(self, table: Table) -> Explanations:
        return explain_votes(self, table)
