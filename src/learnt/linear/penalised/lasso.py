"""The lasso: least squares that leaves columns out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from learnt.linear.penalised.sparse_regressor import SparseRegressor


class Lasso(SparseRegressor):
    """Predict a number as a weighted sum of a few columns: a penalty on the size of coefficients makes most zero.

        b = argmin 1/(2W) Σ_i w_i (y_i − b₀ − b·x_i)² + alpha Σ_j |b_j|,   W = Σ_i w_i

    >>> table = {"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "b": [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]}
    >>> model = Lasso(alpha=0.5).fit(table, [1.1, 1.9, 3.2, 3.9, 5.1, 5.9])
    >>> dict(zip(model.coefficient_names_, model.coef_.round(3).tolist()))
    {'a': 0.809, 'b': 0.0}

    Columns enter as in `LinearRegression`. The penalty counts in the units of the columns: with columns of different
    units use `standardize=True`. `alpha` as in scikit-learn.

    Solved by coordinate descent with working sets and extrapolation, then exactly for the coefficients that are not
    zero; `gap_` is how far, at most, the objective lies above its minimum. Up to 2,000 columns of the design and more
    rows than columns: one pass for cross products, O(n·p²), whatever the data's size. Otherwise the encoded rows are
    held in memory, by columns.

    {settings}

    Attributes: `coef_`, `coefficient_names_`, `intercept_`; `alpha_`; `gap_`; `n_iter_`; `converged_`; with
    alpha="cv" `choice_`, which prints and plots the errors of all penalties.

    Reference: R. Tibshirani, Regression shrinkage and selection via the lasso, 1996.
    """

    search_space: ClassVar[Mapping[str, Sequence[Any]]] = {"alpha": (0.001, 0.01, 0.1, 1.0), "standardize": (True,)}

    def _share_of_absolute(self) -> float:
        return 1.0
