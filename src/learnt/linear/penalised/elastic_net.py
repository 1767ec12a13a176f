"""The elastic net: between the lasso, which leaves columns out, and ridge, which shares among related ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from learnt.learner.fields import setting
from learnt.learner.parameters import Real
from learnt.linear.penalised.sparse_regressor import SparseRegressor


class ElasticNet(SparseRegressor):
    """Predict a number as a weighted sum of some columns, related columns sharing their effect.

        b = argmin 1/(2W) Σ_i w_i (y_i − b₀ − b·x_i)² + alpha Σ_j (l1_ratio |b_j| + (1 − l1_ratio)/2 b_j²)

    >>> twins = {"a": [1.0, 2.0, 3.0, 4.0], "copy": [1.0, 2.0, 3.0, 4.0]}
    >>> model = ElasticNet(alpha=0.1).fit(twins, [1.1, 1.9, 3.2, 3.8])
    >>> model.coef_.round(3).tolist()
    [0.441, 0.441]

    Columns enter as in `LinearRegression`. `alpha` and `l1_ratio` as in scikit-learn; for `l1_ratio` = 1 this is
    `Lasso`, for 0 use `Ridge`. Computed as `Lasso` is.

    {settings}

    Attributes: as `Lasso`.

    Reference: H. Zou, T. Hastie, Regularization and variable selection via the elastic net, 2005.
    """

    search_space: ClassVar[Mapping[str, Sequence[Any]]] = {
        "alpha": (0.001, 0.01, 0.1, 1.0),
        "l1_ratio": (0.1, 0.5, 0.9),
        "standardize": (True,),
    }

    l1_ratio: float = setting(
        Real(above=0, high=1),
        "how much of it is absolute, above 0 and at most 1; the rest is squared",
        default=0.5,
        before="fit_intercept",
    )
    adaptive: bool = setting(
        SparseRegressor.domains["adaptive"],
        "divide each absolute penalty by the coefficient of a ridge fit",
        default=False,
    )

    def _share_of_absolute(self) -> float:
        return float(self.l1_ratio)
