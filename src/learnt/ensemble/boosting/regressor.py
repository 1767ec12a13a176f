"""Numbers by gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.training import Training
from learnt.ensemble.boosting.explain import explain_numbers
from learnt.ensemble.boosting.learner import GradientBoosting
from learnt.ensemble.boosting.losses import Loss, numbers_of
from learnt.ensemble.boosting.settings import DOMAINS
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real

_LOSSES = {
    "squared_error": "squared",
    "absolute_error": "absolute",
    "huber": "huber",
    "quantile": "quantile",
    "poisson": "poisson",
}


class GradientBoostingRegressor(GradientBoosting, Regressor):
    """Add up small trees, each grown to lower the loss that those before it have left.

        F(x) = F₀ + Σ_t f_t(x)      f_t at a leaf: −η Σg / (Σh + λ)

    with g and h the first and second derivative of the loss at the rows of the leaf; of the squared error their
    residuals' mean, drawn to 0 by λ rows.

    >>> table = {"rooms": [1, 2, 3, 4], "town": ["Bern", "Bern", "Basel", None]}
    >>> model = GradientBoostingRegressor(min_samples_leaf=1).fit(table, [500.0, 700.0, 900.0, 1300.0])
    >>> model.predict({"rooms": [4], "town": [None]}).round().tolist()
    [1299.0]

    Numbers are put into at most `max_bins` bins first; categories are split into two sets, those of
    columns that have very many by the mean target of each; missing cells go to the side where they lower the loss
    most; categories never seen go where missing cells go. A `scan` of files larger than memory gives the same trees.

    {settings}

    Attributes: `trees_`; `n_iter_`; `train_score_` and `validation_score_`, minus the mean loss before the first round
    and after each; `feature_importances_`.

    Reference: J. H. Friedman, Greedy function approximation: a gradient boosting machine, 2001.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})

    loss: str = setting(
        OneOf(*_LOSSES),
        'for the mean; "absolute_error": the median; "huber": between the two; "quantile"; "poisson": '
        "counts, as the exponential of the sum of trees",
        default="squared_error",
        before="learning_rate",
    )
    quantile: float = setting(
        Real(above=0, below=1), 'which quantile, with loss="quantile"', default=0.5, before="learning_rate"
    )
    huber_width: float | None = setting(
        OneOf(None) | Real(above=0),
        'with loss="huber", errors beyond it count by their size, no longer by their square; None: where '
        "a tenth of the targets lies farther from their median",
        default=None,
        before="learning_rate",
    )
    l2_regularization: float = setting(
        DOMAINS["l2_regularization"],
        "λ: leaves of few rows take small steps; not where they take quantiles",
        default=1.0,
    )
    monotonic_cst: Any = setting(
        DOMAINS["monotonic_cst"], "by column 1: predictions never fall as it rises, −1: never rise", default=None
    )

    _link: str = attribute()

    # Fitting

    def _plan(self, training: Training) -> Plan:
        parameter = {"quantile": self.quantile, "huber": self.huber_width or 0.0}.get(self.loss, 0.0)
        self._link = "log" if self.loss == "poisson" else "identity"
        yield from self._boosted(training, self._task(training, Loss(_LOSSES[self.loss], 1, float(parameter))))

    # Using

    def _predict(self, table: Table) -> Array:
        return numbers_of(self._raw(table)[:, 0], self._link)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round."""
        still = self._still()
        return (numbers_of(raw[:, 0], still._link) for raw in still._staged_raw(X))

    def _explain(self, table: Table) -> Explanations:
        return explain_numbers(self.trees_, self._start, table, self._link)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if len(self._start) != 1 or self._link not in ("identity", "log"):
            raise SavedModelError("A regressor has one score, and the link is 'identity' or 'log'.")
