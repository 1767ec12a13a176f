"""Classes by a multilayer perceptron."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.class_weights import CLASS_WEIGHTS, class_factors
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf, Real
from learnt.learner.partial import in_fitted_classes
from learnt.losses import Loss
from learnt.neural.attribution import Question, explain_row, only_class
from learnt.neural.given_loss import GivenLoss, LossOf
from learnt.neural.losses import OF_CLASSES, both_sigmoids, log_softmax, softmax
from learnt.neural.mlp import MultilayerPerceptron
from learnt.neural.net import NetRows
from learnt.neural.target import TargetSums


class MLPClassifier(MultilayerPerceptron, Classifier):
    """Layers of units, each a bent sum of those before; weights are found by backpropagation.

        a₀ = z,   a_l = h(b_l + a_{l−1} W_l),   scores f = b + a W,   p = softmax(f),   z the scaled row

    >>> table = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}
    >>> MLPClassifier().fit(table, ["same", "other", "other", "same"]).predict(table).tolist()
    ['same', 'other', 'other', 'same']

    Of two classes there is one score, and p = 1/(1 + e^−f) is that of the second: without hidden layers, one sigmoid
    unit. Any table goes in: numbers are scaled, categories are indicators or, where there are many, learnt vectors, and
    missing cells have an indicator of their own.

    {settings}

    Attributes: `coefs_`, `intercepts_`; `loss_curve_`, `validation_curve_`, epoch by epoch; `n_iter_`, `best_iter_`,
    `converged_`.

    Reference: D. Rumelhart, G. Hinton, R. Williams, Learning representations by back-propagating errors, 1986.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "passes"})

    loss: Any = setting(
        OneOf(*OF_CLASSES) | LossOf("margin"),
        '"cross_entropy", "squared_error" of sigmoid units, as in older textbooks; or a `Loss` of `learnt.losses`',
        default="cross_entropy",
        before="hidden_layer_sizes",
    )
    label_smoothing: float = setting(
        Real(0, below=1), "the share of each label that all classes share", default=0.0, before="early_stopping"
    )
    class_weight: Any = setting(
        CLASS_WEIGHTS, 'weights by class, or "balanced": all classes weigh the same', default=None, before="warm_start"
    )

    def _n_scores(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _given_loss(self) -> GivenLoss | None:
        return GivenLoss(self.loss) if isinstance(self.loss, Loss) else None

    def _core_loss(self) -> str:
        if isinstance(self.loss, Loss):
            return "given"
        return OF_CLASSES[self.loss][self._n_scores() > 1]

    def _smoothing(self) -> float:
        return float(self.label_smoothing) if self.loss == "cross_entropy" else 0.0

    def _truth(self, y: Array) -> Array:
        return np.asarray(y, dtype=np.float64)

    def _target_codes(self, training: Training) -> Array:
        return np.asarray(in_fitted_classes(training, self.classes_).target)

    def _class_factors(self, sums: TargetSums) -> Array | None:
        return class_factors(self.class_weight, self.classes_, sums.weight, type(self).__name__)

    def _first_bias(self, sums: TargetSums) -> Array:
        """The log-odds of the classes, or their logarithms."""
        if self._given_loss() is not None:
            return np.zeros(self._n_scores())
        factors = self._class_factors(sums)
        counts = sums.weight if factors is None else sums.weight * factors
        shares = np.log((counts + 1e-3 * counts.sum()) / counts.sum())
        if len(shares) == 1:
            return np.zeros(1)
        return np.asarray(shares if len(shares) > 2 else shares[1:] - shares[:1])

    def _log_probabilities(self, table: Table) -> Array:
        """Rows × classes."""
        if len(self.classes_) == 1:
            return np.zeros((table.n_rows, 1))
        f = self._scores(table)
        if f.shape[1] == 1:
            return np.asarray(-np.logaddexp(0, np.column_stack([f, -f])))
        if self.loss == "cross_entropy":
            return log_softmax(f)
        return log_softmax(-np.logaddexp(0, -f))  # shares of what the sigmoid units answer

    def _probabilities(self, table: Table) -> Array:
        if len(self.classes_) == 2:
            return both_sigmoids(self._scores(table)[:, 0])
        if len(self.classes_) > 2 and self.loss == "cross_entropy":
            return softmax(self._scores(table))
        return np.exp(self._log_probabilities(table))

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """The log-odds of the answer against the runner-up."""
        logs = self._log_probabilities(row)[0]
        best = int(self._probabilities(row)[0].argmax())
        if len(logs) == 1:
            return only_class(self.classes_[0])
        others = [c for c in np.argsort(-logs, kind="stable").tolist() if c != best]
        total, second = float(logs[best] - logs[others[0]]), others[0]
        question = Question(1.0 if best == 1 else -1.0, None)
        if len(logs) > 2:
            question = Question(1.0, (best, second), sigmoids=self.loss != "cross_entropy")
        rows = NetRows(*self._inputs.encode(row))
        told = explain_row(self._net, self._inputs, self._average, rows, row, question, total)
        alternatives = tuple((self.classes_[c].item() if hasattr(self.classes_[c], "item") else self.classes_[c],
                              float(logs[c] - logs[best])) for c in others)  # fmt: skip
        return told.of(self.classes_[best], "log-odds", total, "log-odds", alternatives)
