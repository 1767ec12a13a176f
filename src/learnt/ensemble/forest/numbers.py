"""Forests that predict a number: the mean of the leaves, and quantiles of the targets in them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.forest.explain import explain_means
from learnt.ensemble.forest.growth import Coded
from learnt.ensemble.forest.leaf_targets import LeafTargets, checked_levels
from learnt.ensemble.forest.learner import ForestLearner
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Regressor
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf, Real, check_parameters


class ForestRegressor(ForestLearner, Regressor, abstract=True):
    """Averages the means of the leaves a row comes to; with `quantiles` it keeps their targets too."""

    abilities: ClassVar[frozenset[str]] = frozenset({"missing", "nominal", "weights", "sparse", "passes"})
    search_space: ClassVar[dict[str, Any]] = {"min_samples_leaf": (1, 5, 20), "max_features": (1.0, 1 / 3, "sqrt")}

    criterion: str = setting(OneOf("squared_error"), "what tests lower", default="squared_error", before="max_depth")
    max_features: Any = setting(default=1.0)
    oob_score: bool = setting(meaning="estimate R² from the rows each tree did not draw", default=False)
    quantiles: bool = setting(
        Flag(),
        "keep the targets in the leaves, for `predict_quantiles` and `predict_interval`",
        default=False,
        before="warm_start",
    )

    def _keep_targets(self, kept: LeafTargets | None, before: Any) -> None:
        if not self.quantiles:
            return
        if before is None:
            self._leaf_targets = kept
            return
        earlier = getattr(before, "_leaf_targets", None)
        if earlier is None:
            raise InputError(
                f"{type(self).__name__}: warm_start goes on with trees whose targets were not kept. Fit from the start "
                "with quantiles=True."
            )
        self._leaf_targets = earlier if kept is None else earlier.joined(kept)

    def _keep_out_of_bag(self, said: Array, coded: Coded, covered: Array) -> None:
        self.oob_prediction_ = said[:, 0]
        weights = None if coded.weights is None else coded.weights[covered]
        truth, answer = coded.target[covered], said[covered, 0]
        variance = np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights)
        residual = np.average((truth - answer) ** 2, weights=weights)
        self.oob_score_ = float(1 - residual / variance) if variance > 0 else float(residual == 0)

    def _predict(self, table: Table) -> Array:
        return self.trees_.means(table)[:, 0]

    def predict_quantiles(self, X: Any, q: Any = 0.5) -> Array:
        """The quantiles `q` of the target expected for each row: one per row, or for a list rows × quantiles.

        The training targets in the leaves a row comes to stand for what it may be, each with its share of its leaf,
        averaged over the trees. Needs `quantiles=True` at fitting.
        """
        still = self._still()
        still._fitted_schema()
        levels = checked_levels(q, f"{type(self).__name__}.predict_quantiles")
        kept = getattr(still, "_leaf_targets", None)
        if kept is None:
            raise InputError(
                f"This {type(self).__name__} kept no targets in its leaves, so it knows no quantiles. Fit it with "
                "quantiles=True."
            )
        found: Array = still._over(X, lambda table: kept.quantiles(still.trees_, table, levels))
        return found[:, 0] if np.ndim(q) == 0 else found

    def predict_interval(self, X: Any, level: float = 0.9) -> Array:
        """Low and high end, rows × 2, of an interval meant to hold the target of a new row with probability `level`.

        Too narrow with small leaves: `min_samples_leaf=10` comes close.
        """
        check_parameters("predict_interval", {"level": Real(above=0, below=1)}, {"level": level})
        return self.predict_quantiles(X, [(1 - level) / 2, (1 + level) / 2])

    def _explain(self, table: Table) -> Explanations:
        return explain_means(self.trees_, table)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self.trees_.n_outputs != 1:
            raise SavedModelError("The leaves of the trees hold several numbers. A forest of numbers predicts one.")
        kept = getattr(self, "_leaf_targets", None)
        if kept is not None:
            kept.check_forest(self.trees_)
