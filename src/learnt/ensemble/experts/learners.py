"""Mixtures of experts: classifiers or regressors, each trusted in its part of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.ensemble.experts.base import LEAST_NOISE, Experts
from learnt.ensemble.experts.course import Expert
from learnt.ensemble.experts.explain import explain_classes, explain_numbers, mixed_class_parts
from learnt.ensemble.members import CLASSIFIER, REGRESSOR, aligned_probabilities, fitted_member
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier, Regressor
from learnt.learner.fields import setting
from learnt.linear import LogisticRegression, Ridge
from learnt.tree import DecisionTreeClassifier, DecisionTreeRegressor

#: A probability below this counts as this: one sure expert that errs must not end the likelihood.
LEAST_PROBABILITY = 1e-12


class MixtureOfExpertsClassifier(Experts, Classifier):
    """Let a gate say, by the columns of a row, how far to trust each of several classifiers, and learn all of them.

        p(c | x) = Σ_k g_k(x)·p_k(c | x),        g(x) = softmax(V·x)

    >>> table = {"x": [-2.0, -1.5, -1.0, 1.0, 1.5, 2.0] * 2, "y": [1.0] * 6 + [-1.0] * 6}
    >>> model = MixtureOfExpertsClassifier().fit(table, ["a"] * 3 + ["b"] * 6 + ["a"] * 3)
    >>> model.predict({"x": [-1.2, -1.2], "y": [1.0, -1.0]}).tolist()
    ['a', 'b']

    At first a row is mostly of the expert of its leaf in a tree of as many leaves. Then experts and gate are fitted in
    turn, each expert with weights that say how far each row is its own. The log-likelihood, less the gate's penalty,
    never falls.

    {settings}

    Attributes: `estimators_`, the experts; `gate_`, a weighted sum of the columns that says how far each is trusted;
    `objective_`, the log-likelihood less penalties before the first step and after each; `log_likelihood_`, the last
    without; `n_iter_`, `converged_`; `classes_`.

    References: R. Jacobs, M. Jordan, S. Nowlan, G. Hinton, Adaptive mixtures of local experts, 1991; M. Jordan,
    R. Jacobs, Hierarchical mixtures of experts and the EM algorithm, 1994.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})

    estimator: Any = setting(
        CLASSIFIER, "any classifier that takes weights; None for a `LogisticRegression`", default=None, kw_only=False
    )

    def _default(self) -> Classifier:
        return LogisticRegression(standardize=True, C=10.0)

    def _leaves(self, batch: Batch, n_leaves: int) -> Array:
        tree = fitted_member(DecisionTreeClassifier(max_leaf_nodes=n_leaves), batch, self.classes_)
        leaves: Array = tree.apply(batch.table)
        return leaves

    def _expert(self, member: Any, batch: Batch, weights: Array) -> Expert:
        shares = aligned_probabilities(member, batch.table, self.classes_)
        assert batch.target is not None
        own = shares[np.arange(batch.n_rows), batch.target]
        return Expert(member, np.log(np.maximum(own, LEAST_PROBABILITY)), 0.0)

    def _probabilities(self, table: Table) -> Array:
        return self._mixed(table, lambda member, rows: aligned_probabilities(member, rows, self.classes_))

    def _explain(self, table: Table) -> Explanations:
        return explain_classes(self, table)

    def _class_parts(self, row: Table) -> ClassParts | None:
        return mixed_class_parts(self, row)


class MixtureOfExpertsRegressor(Experts, Regressor):
    """Let a gate say, by the columns of a row, how far to trust each of several regressors, and learn all of them.

        p(y | x) = Σ_k g_k(x)·N(y; f_k(x), σ_k²),    g(x) = softmax(V·x),    f(x) = Σ_k g_k(x)·f_k(x)

    >>> table = {"x": [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]}
    >>> model = MixtureOfExpertsRegressor(Ridge(alpha=0.01), penalty=0.01).fit(table, [4.0, 3, 2, 1, 0, 1, 2, 3, 4])
    >>> model.predict({"x": [-3.5, 3.5]}).round(1).tolist()
    [3.5, 3.5]

    At first a row is mostly of the expert of its leaf in a tree of as many leaves. Then experts and gate are fitted in
    turn, each expert with weights that say how far each row is its own. The log-likelihood, less the gate's penalty,
    never falls.

    {settings}

    Attributes: `estimators_`, the experts; `noise_`, the σ of each; `gate_`, a weighted sum of the columns that says
    how far each is trusted; `objective_`, the log-likelihood less penalties before the first step and after each;
    `log_likelihood_`, the last without; `n_iter_`, `converged_`.

    References: R. Jacobs, M. Jordan, S. Nowlan, G. Hinton, Adaptive mixtures of local experts, 1991; M. Jordan,
    R. Jacobs, Hierarchical mixtures of experts and the EM algorithm, 1994.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})

    estimator: Any = setting(
        REGRESSOR, "any regressor that takes weights; None for a `Ridge`", default=None, kw_only=False
    )

    def _default(self) -> Regressor:
        return Ridge(standardize=True)

    def _leaves(self, batch: Batch, n_leaves: int) -> Array:
        tree = fitted_member(DecisionTreeRegressor(max_leaf_nodes=n_leaves), batch, None)
        leaves: Array = tree.apply(batch.table)
        return leaves

    def _expert(self, member: Any, batch: Batch, weights: Array) -> Expert:
        """The noise of largest likelihood, σ² = Σ w·(y − f)² / Σ w, but for the least."""
        assert batch.target is not None
        off = (np.asarray(batch.target, dtype=np.float64) - member.predict(batch.table)) / self._unit(batch)
        total = float(weights.sum())
        variance = max(float(weights @ off**2) / total if total > 0 else 1.0, LEAST_NOISE**2)
        logs = -0.5 * (off**2 / variance + np.log(2 * np.pi * variance)) - np.log(self._unit(batch))
        return Expert(member, logs, float(np.sqrt(variance)) * self._unit(batch))

    def _unit(self, batch: Batch) -> float:
        """The standard deviation of the target, in which squares neither overflow nor vanish."""
        target = np.asarray(batch.target, dtype=np.float64)
        span = float(np.ptp(target))
        if span == 0:
            return max(abs(float(target[0])), 1.0)
        mean = np.average(target / span, weights=batch.weights)
        return span * float(np.sqrt(np.average((target / span - mean) ** 2, weights=batch.weights)))

    def _predict(self, table: Table) -> Array:
        return self._mixed(table, lambda member, rows: np.asarray(member.predict(rows))[:, None])[:, 0]

    def _explain(self, table: Table) -> Explanations:
        return explain_numbers(self, table)
