"""Forests that predict a number: the mean of the leaves, and quantiles of the targets in them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.ensemble.forest.calibration import AskTheUndrawn, Calibration, LeafMoments, Said, Units
from learnt.ensemble.forest.explain import explain_means
from learnt.ensemble.forest.growth import Coded, Drawn
from learnt.ensemble.forest.leaf_targets import checked_levels
from learnt.ensemble.forest.learner import ForestLearner
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanations
from learnt.lazy import cached_property
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

    def _keep_targets(self, kept: Drawn | None, coded: Coded, before: Any) -> Generator[Pass, Any, None]:
        if not self.quantiles:
            return
        earlier = None if before is None else getattr(before, "_leaf_targets", None)
        if before is not None and earlier is None:
            raise InputError(
                f"{type(self).__name__}: warm_start goes on with trees whose targets were not kept. Fit from the start "
                "with quantiles=True."
            )
        if kept is None:  # no tree was added
            names = ("_leaf_targets", "_calibration", "_undrawn_sums")
            self.__dict__.update({name: value for name, value in vars(before).items() if name in names})
            return
        self._leaf_targets = kept.leaves if earlier is None else earlier.joined(kept.leaves)
        self._calibration: Calibration | None = None
        if self.bootstrap:
            yield from self._calibrate(kept, coded, before)

    def _calibrate(self, kept: Drawn, coded: Coded, before: Any) -> Generator[Pass, Any, None]:
        """One more pass: what the trees say of rows that they did not draw."""
        given = coded.given or coded
        earlier = None if before is None else getattr(before, "_undrawn_sums", None)
        if before is not None and (earlier is None or earlier.shape[1] != len(given.target)):
            return  # of other rows: what their trees have not seen is not known any more
        units = Units.of(given.target, given.weights)
        moments = LeafMoments.of(kept.trees, kept.leaves, units)
        said: Said = yield AskTheUndrawn(moments, kept.rows, earlier, coded.stand_in_cells())
        sums = said.sums
        self._calibration = Calibration.of(sums, len(self.trees_), given.target, given.weights, units)
        if self.warm_start:
            self._undrawn_sums = sums

    @cached_property
    def _leaf_moments(self) -> LeafMoments:
        assert self._calibration is not None
        return LeafMoments.of(self.trees_, self._leaf_targets, self._calibration.units)

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
        """Low and high end, rows × 2, of an interval that holds the target of a new row with probability `level`.

        The prediction, and to both sides as much as the share `level` of the rows fitted was missed at most by the
        trees that had not drawn them, in units of how much the trees disagree about a row: wide where they do. On
        average over rows like those fitted it holds what it promises, whatever the leaves. Infinite if there were
        fewer than level / (1 − level) rows: so few promise nothing. Needs `quantiles=True` and `bootstrap=True`.
        """
        check_parameters("predict_interval", {"level": Real(above=0, below=1)}, {"level": level})
        still = self._still()
        still._fitted_schema()
        known: Calibration | None = getattr(still, "_calibration", None)
        if known is None:
            raise InputError(
                f"This {type(self).__name__} does not know how far it misses new rows. Fit it with quantiles=True and "
                "bootstrap=True, and more trees if each drew every row."
            )
        ends: Array = still._over(X, lambda table: known.intervals(still._leaf_moments, table, float(level)))
        return ends

    def _explain(self, table: Table) -> Explanations:
        return explain_means(self.trees_, table)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self.trees_.n_outputs != 1:
            raise SavedModelError("The leaves of the trees hold several numbers. A forest of numbers predicts one.")
        kept = getattr(self, "_leaf_targets", None)
        if kept is not None:
            kept.check_forest(self.trees_)
        known = getattr(self, "_calibration", None)
        if known is not None and (kept is None or not isinstance(known, Calibration)):
            raise SavedModelError("What intervals are made from does not fit the trees.")
