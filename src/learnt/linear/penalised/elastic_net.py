"""The elastic net: between the lasso, which leaves columns out, and ridge, which shares among related ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from learnt.learner.parameters import Domain, Real
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

    | setting | default | meaning |
    |---|---|---|
    | `alpha` | 1.0 | the penalty, above 0; "cv": chosen by cross-validation among 100 values, down to 0.001 \
of the largest (0.01 with fewer rows than columns) |
    | `l1_ratio` | 0.5 | how much of it is absolute, above 0 and at most 1; the rest is squared |
    | `fit_intercept` | True | whether b₀ is learnt; False fixes it at 0 |
    | `standardize` | False | penalise as if columns had been divided by their standard deviations |
    | `positive` | False | no coefficient below 0 |
    | `adaptive` | False | divide each absolute penalty by the coefficient of a ridge fit |
    | `group` | False | the indicators of one nominal column enter together or not at all |
    | `folds` | 5 | of the cross-validation, from 2 on |
    | `rule` | "1se" | "1se": the largest alpha within one standard error of the best; "min": the best |
    | `tol` | 1e-6 | duality gap at which descent ends, relative to the objective at b = 0 |
    | `max_iter` | 10,000 | rounds of descent at most |

    Attributes: as `Lasso`.

    Reference: H. Zou, T. Hastie, Regularization and variable selection via the elastic net, 2005.
    """

    domains: ClassVar[dict[str, Domain]] = SparseRegressor.domains | {"l1_ratio": Real(above=0, high=1)}
    search_space: ClassVar[Mapping[str, Sequence[Any]]] = {
        "alpha": (0.001, 0.01, 0.1, 1.0),
        "l1_ratio": (0.1, 0.5, 0.9),
        "standardize": (True,),
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        standardize: bool = False,
        positive: bool = False,
        adaptive: bool = False,
        group: bool = False,
        folds: int = 5,
        rule: str = "1se",
        tol: float = 1e-6,
        max_iter: int = 10_000,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.adaptive = adaptive
        self.group = group
        self.folds = folds
        self.rule = rule
        self.tol = tol
        self.max_iter = max_iter

    def _share_of_absolute(self) -> float:
        return float(self.l1_ratio)
