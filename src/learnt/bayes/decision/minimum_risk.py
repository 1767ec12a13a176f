"""A classifier that answers with the least expected loss: what `with_loss` returns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import numpy as np

from learnt.bayes.decision.decisions import RULES, Decision, decide, label_array
from learnt.bayes.priors import Priors
from learnt.data.files.scan import Scan
from learnt.data.table import Array
from learnt.engine.engines import Plan
from learnt.engine.training import Training, prepare
from learnt.errors import ParameterError, SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted, is_foreign
from learnt.learner.loss_matrix import LossMatrix, loss_matrix
from learnt.learner.output import framed_classes
from learnt.learner.parameters import Domain, OneOf, Real
from learnt.learner.settings import clone
from learnt.learner.text.counting import TextUse, text_use
from learnt.prepare import column_names_of
from learnt.show.numbers import number
from learnt.show.words import spell


class _Loss(Domain):
    words = "None, a dict of costs by (truth, answer), a matrix with a row per true class, or the name of a file"

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        if isinstance(value, str | os.PathLike):
            return os.fspath(value).lower().endswith((".csv", ".json"))
        if isinstance(value, LossMatrix | Mapping) or hasattr(value, "columns"):
            return not isinstance(value, Mapping) or len(value) > 0
        try:
            return np.asarray(value, dtype=np.float64).ndim == 2
        except (TypeError, ValueError, OverflowError):
            return False


class _Probabilistic(Domain):
    words = "None or a classifier of learnt, or one of scikit-learn"

    def __contains__(self, value: object) -> bool:
        return value is None or isinstance(value, Classifier) or is_foreign(value, "classification")


class MinimumRiskClassifier(Classifier):
    """Answer so that the expected loss is least, by the probabilities of another classifier.

        answer(x) = argmin_a Σ_c p(c | x) · loss(c, a)

    >>> from learnt import MajorityClassifier
    >>> loss = {("ill", "well"): 50, ("well", "ill"): 1}
    >>> model = MajorityClassifier().with_loss(loss).fit({"age": [30, 40, 50]}, ["well", "ill", "well"])
    >>> model.predict({"age": [35]}).tolist()
    ['ill']

    `classifier.with_loss(loss)` makes one, already fitted where the classifier is.

    {settings}

    Attributes: `classifier_`, fitted; `loss_`, costs with a row per class and a column per action; `actions_`.

    Reference: R. O. Duda, P. E. Hart, D. G. Stork, Pattern Classification, 2001, section 2.2.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse", "loss"})
    fit_cost = 3.0
    simplicity = 13.0

    classifier: Any = setting(
        _Probabilistic(), "whose probabilities are used; None for a `NaiveBayesClassifier`", default=None, kw_only=False
    )
    loss: Any = setting(
        _Loss(),
        "costs by (truth, answer), a matrix (rows truth, columns answer), or a file; None: 1 per error",
        default=None,
        kw_only=False,
    )
    rule: str = setting(OneOf(*RULES), '"map", "ml", "risk" or "reject", see `decide`', default="risk")
    reject_cost: float | None = setting(
        OneOf(None) | Real(), 'cost of refusing an answer, for the rule "reject", which then answers None', default=None
    )
    priors: Any = setting(
        OneOf(None) | Priors(),
        'for the rule "ml": class probabilities; None for the classifier\'s `class_prior_`',
        default=None,
    )

    classifier_: Classifier = attribute()
    loss_: Array = attribute()
    actions_: Array = attribute()

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use(self.classifier, "presence")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if (self.rule == "reject") != (self.reject_cost is not None):
            raise ParameterError(
                f"MinimumRiskClassifier: rule={self.rule!r} came with reject_cost={spell(self.reject_cost)}. The rule "
                "'reject' needs the cost of refusing an answer, and no other rule has one."
            )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the classifier inside, on all that it takes: a table, an array, a `scan`, or texts."""
        if not takes_texts(self.classifier):
            return super().fit(X, y, sample_weight)
        self._check_parameters()
        settings = {"rule": self.rule, "reject_cost": self.reject_cost, "priors": self.priors}
        made = type(self).around(clone(self.classifier).fit(X, y, sample_weight), self.loss, **settings)
        twin = self._twin()
        twin.__dict__.update((k, v) for k, v in made.__dict__.items() if k not in self._defaults())
        return self._become(twin)

    def _plan(self, training: Training) -> Plan:
        inner = self._inner()
        inner._check_parameters()
        self._keep_loss(self.classes_)  # a loss that does not fit is found before the work
        twin = inner._twin(training.schema, self.classes_)
        yield from twin._plan(training)
        self.classifier_ = twin
        self._priors()

    def _inner(self) -> Classifier:
        from learnt.bayes.naive.naive_bayes import NaiveBayesClassifier

        return NaiveBayesClassifier() if self.classifier is None else adopted(self.classifier)

    def _keep_loss(self, classes: Array) -> None:
        if self.loss is not None:
            matrix = loss_matrix(self.loss, classes.tolist())
            self.loss_, self.actions_ = matrix.costs, label_array(matrix.actions)
        else:
            self.loss_, self.actions_ = 1 - np.eye(len(classes)), classes

    @classmethod
    def around(cls, fitted: Classifier, loss: Any, **settings: Any) -> MinimumRiskClassifier:
        """One around a classifier, fitted if that is."""
        model = cls(clone(fitted), loss, **settings)
        if not fitted.__sklearn_is_fitted__():
            return model
        model._check_parameters()
        if "_schema" in fitted.__dict__:  # hypotheses weighted without data have seen no columns
            model._remember_columns(fitted._given_schema())
        model.classes_ = fitted.classes_
        model._keep_loss(fitted.classes_)
        model.classifier_ = fitted
        model._priors()
        return model

    def _priors(self) -> Any:
        if self.rule != "ml":
            return None
        priors = self.priors
        if priors is None:
            logs = getattr(self.classifier_, "class_log_prior_", None)
            priors = getattr(self.classifier_, "class_prior_", None) if logs is None else np.exp(logs)
        if priors is None:
            raise ParameterError(
                f"MinimumRiskClassifier: the rule 'ml' divides priors out, and {type(self.classifier_).__name__} does "
                "not tell them. Give priors=, a probability for each class."
            )
        return priors

    def decide(self, X: Any) -> Decision:
        """The answer to each row, with the expected loss of every action."""
        one = copy(self)  # of one fit: another thread may be fitting anew
        return one._decide(one._class_shares(X))

    def _decide(self, proba: Array) -> Decision:
        matrix = LossMatrix(tuple(self.classes_.tolist()), tuple(self.actions_.tolist()), self.loss_)
        rule: Any = "map" if self.loss is None and self.rule == "risk" else self.rule
        return decide(
            proba,
            matrix,
            rule=rule,
            classes=self.classes_.tolist(),
            priors=self._priors(),
            reject_cost=self.reject_cost,
        )

    def predict(self, X: Any) -> Array:
        """The action chosen for each row; None where an answer is refused."""
        return self.decide(X).answers

    def cost(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean loss that was realised, by weight: what the answers cost when the truth is known."""
        test = prepare(self._columns(X), y, sample_weight, "classes", type(self).__name__)
        assert test.classes is not None
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in test.classes.tolist() if label not in known]
        if unknown:
            raise ParameterError(f"The class {unknown[0]!r} was not there when fitting, so its costs are not known.")
        rows = np.array([known[label] for label in test.classes.tolist()])
        total = seen = 0.0
        for batch in test.batches():
            assert batch.target is not None
            made = self.decide(batch.table)
            lost = made.loss.costs[rows[batch.target], made.chosen]
            total += float(lost.sum() if batch.weights is None else batch.weights @ lost)
            seen += float(batch.n_rows if batch.weights is None else batch.weights.sum())
        return total / seen

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows, by weight, whose class is predicted right."""
        return super().score(self._columns(X), y, sample_weight)

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the classifier inside; an array, or the frame chosen by `set_output`."""
        return framed_classes(self, self._class_shares(X), X)

    def _class_shares(self, X: Any) -> Array:
        if not self.__sklearn_is_fitted__():
            self._fitted_schema()
        # Texts are matched by words, and hypotheses weighted without data have no columns.
        as_it_is = isinstance(X, Scan) or takes_texts(self.classifier_) or "_schema" not in self.__dict__
        return np.asarray(self.classifier_.predict_proba(X if as_it_is else self._matched(X)))

    def __sklearn_is_fitted__(self) -> bool:
        return "classifier_" in self.__dict__

    def _columns(self, X: Any) -> Any:
        """Texts as a table of one column, which has room for a target; all else as it is."""
        if not takes_texts(self.classifier) or isinstance(X, Scan) or column_names_of(X):
            return X
        return {"text": X}

    def explain(self, X: Any) -> Explanations:
        """The expected loss of the answer to each row: the probability of each class times its cost."""
        one = copy(self)
        proba = one._class_shares(X)
        return Explanations(len(proba), lambda i: one._explain_risk(proba[i : i + 1])).like(X)

    def _explain_risk(self, proba: Array) -> Explanation:
        made = self._decide(proba)
        best = int(made.chosen[0])
        terms = zip(proba[0].tolist(), made.loss.costs[:, best].tolist(), strict=True)
        sum_ = " + ".join(f"{number(p)} × {number(cost)}" for p, cost in terms if p > 0) or "0"
        risk = float(made.risk[0])
        others = sorted((float(loss), a) for a, loss in enumerate(made.expected_loss[0]) if a != best)
        return Explanation(
            prediction=made.answers[0],
            kind="risk",
            base=risk,
            base_words=f"{sum_} (probability of each class × cost of this answer)",
            evidence=(),
            total=risk,
            total_words="expected loss",
            alternatives=tuple((made.actions[a], loss) for loss, a in others),
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        if (
            self.loss_.shape != (k, len(self.actions_))
            or not np.isfinite(self.loss_).all()
            or self.classifier_.classes_.tolist() != self.classes_.tolist()
            or self.classifier_._given_schema() != self._schema
        ):
            raise SavedModelError("The losses or the classifier inside do not fit the classes and columns.")


def takes_texts(classifier: Any) -> bool:
    return "text" in getattr(classifier, "abilities", ())
