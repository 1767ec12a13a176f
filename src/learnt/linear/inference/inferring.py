"""Regressors that can say how sure they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.files.scan import Scan
from learnt.data.table import Array
from learnt.engine.encoded_rows import dense
from learnt.engine.passes import Batch
from learnt.engine.survey import check_finite
from learnt.engine.whole import InMemory
from learnt.errors import InputError, SavedModelError
from learnt.linear.inference.coefficients import (
    Coefficients,
    coefficients,
    column_tests,
    covariance,
    overall_f,
)
from learnt.linear.inference.collinearity import Collinearity, collinearity_of
from learnt.linear.inference.diagnostics import Diagnostics, diagnose
from learnt.linear.inference.fitted_rows import Robust, design_chunks, fitted_rows
from learnt.linear.inference.footing import Footing
from learnt.linear.inference.influence import Influence, influence_of
from learnt.linear.inference.intervals import IntervalKind, Intervals, check_kind, check_level, half_widths
from learnt.linear.inference.summary import QUANTILES, Summary, cautions, information_criteria
from learnt.linear.least_squares.residual_sums import weighted_sums
from learnt.linear.least_squares.tally import incomplete_rows
from learnt.linear.weighted_sum import LinearRegressor
from learnt.show.numbers import number, percent
from learnt.show.words import count_of

NO_ROWS = (
    "robust={!r} needs the residuals of the fitted rows, which a model does not keep. "
    "Give X and y (and sample_weight) as they were given to fit."
)


class InferringRegressor(LinearRegressor, abstract=True):
    """A member fits by least squares and keeps a `Footing` as `_footing`; everything here follows from that.

    | attribute | meaning |
    |---|---|
    | `standard_errors_`, `t_values_`, `p_values_` | as `coef_`; NaN where the rows do not determine one |
    | `sigma_` | residual standard error |
    | `r2_`, `adjusted_r2_` | share of variance explained; without an intercept, of squares about 0 |
    | `f_statistic_`, `f_p_value_` | of all columns together |
    | `aic_`, `bic_` | information criteria; σ is not counted as a parameter |
    """

    # What it found

    def summary(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        robust: Robust | None = None,
    ) -> Summary:
        """Coefficients with errors, t, p and intervals, tests of nominal columns, R², F, AIC, BIC.

        Given the fitted rows again, the quantiles of their residuals too, and with `robust` ("HC0" to "HC3")
        errors that hold where variances are unequal.
        """
        check_level("summary", level)
        footing = self._need_footing()
        rows, middle = self._look_again(X, y, sample_weight, robust)
        f, p = overall_f(footing, self.coef_, middle)
        aic, bic = information_criteria(footing)
        return Summary(
            title=f"{type(self).__name__} of {_observations(footing)} on {len(self._schema)} columns",
            coefficients=self._coefficients(level, middle),
            column_tests=column_tests(footing, self._design, self.coef_, middle),
            n=footing.n,
            rows=footing.rows,
            df_model=footing.rank,
            df_residual=footing.freedom,
            sigma=footing.sigma,
            r2=footing.r2,
            adjusted_r2=footing.adjusted_r2,
            f_statistic=f,
            f_p_value=p,
            log_likelihood=footing.log_likelihood,
            aic=aic,
            bic=bic,
            intercept=footing.intercept,
            residual_quantiles=None if rows is None else rows.quantiles(np.array(QUANTILES)),
            robust=robust,
            cautions=cautions(footing, self._names(), footing.weight != footing.rows),
        )

    def confidence_intervals(self, level: float = 0.95) -> Intervals:
        """Between which values each coefficient lies with this confidence, the intercept first.

        For robust ones see `summary(X, y, robust=…).coefficients`.
        """
        check_level("confidence_intervals", level)
        c = self._coefficients(level, None)
        title = f"{percent(level)} confidence intervals of coefficients"
        return Intervals(title, c.names, c.estimates, c.low, c.high, level)

    def covariance(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, robust: Robust | None = None
    ) -> Array:
        """The covariance matrix of the coefficients, the intercept first; `robust` needs the fitted rows."""
        return covariance(self._need_footing(), self._look_again(X, y, sample_weight, robust)[1])

    def predict_interval(self, X: Any, level: float = 0.95, kind: IntervalKind = "prediction") -> Intervals:
        """Predictions with intervals: where a new target lies ("prediction"), or the mean of many ("confidence").

        Where weights are precisions, a new target is taken to have the weight 1. Rows that the fitted ones say nothing
        about (collinear columns out of step) get infinite intervals.
        """
        check_level("predict_interval", level)
        check_kind("predict_interval", kind)
        footing = self._need_footing()
        tables = X.with_schema(self._schema).batches() if isinstance(X, Scan) else [X]
        parts, gaps = [], 0
        for table in map(self._matched, tables):
            check_finite(table)
            gaps += int(incomplete_rows(table).sum())
            parts += [
                (weighted_sums(x, self.coef_, self.intercept_), half_widths(footing, x, level, kind))
                for x, _ in design_chunks(self, Batch(table))
            ]
        answer, reach = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        what = "prediction intervals" if kind == "prediction" else "confidence intervals of the mean"
        names = tuple(map(str, range(len(answer))))
        mind = f"{gaps} rows have missing cells, which were filled in; their intervals are too narrow."
        title = f"{percent(level)} {what}"
        bounded = ~np.isinf(reach)
        low, high = (answer + sign * np.where(bounded, reach, 0.0) for sign in (-1, 1))
        low, high = np.where(bounded, low, -np.inf), np.where(bounded, high, np.inf)
        return Intervals(title, names, answer, low, high, level, (mind,) if gaps else ())

    # What the rows say about it

    def influence(self, X: Any, y: Any = None, sample_weight: Any = None) -> Influence:
        """Leverage, Cook's distance, studentised residuals, DFFITS and the outlier test of each fitted row."""
        self._need_matrix("influence")
        return influence_of(fitted_rows(self, X, y, sample_weight)[0])

    def diagnostics(self, X: Any, y: Any = None, sample_weight: Any = None) -> Diagnostics:
        """Tests of the residuals of the fitted rows: equal variances, normality, order, straightness."""
        InMemory("looks at all rows at once").check(X, "diagnostics")
        footing = self._need_matrix("diagnostics")
        rows, _ = fitted_rows(self, X, y, sample_weight)
        matrix = np.vstack([dense(x) for x, _ in design_chunks(self, Batch(self._matched(X)))])
        size = np.where(footing.size > 0, footing.size, np.inf)
        return diagnose(rows, (matrix - footing.mean) / size)

    def collinearity(self) -> Collinearity:
        """Variance inflation of each column, the condition number, and which columns say the same."""
        return collinearity_of(self._need_matrix("collinearity"), self._design)

    # Attributes

    @property
    def standard_errors_(self) -> Array:
        return self._own_coefficients().standard_errors[self._first :]

    @property
    def t_values_(self) -> Array:
        return self._own_coefficients().t_values[self._first :]

    @property
    def p_values_(self) -> Array:
        return self._own_coefficients().p_values[self._first :]

    @property
    def sigma_(self) -> float:
        return self._need_footing().sigma

    @property
    def r2_(self) -> float:
        return self._need_footing().r2

    @property
    def adjusted_r2_(self) -> float:
        return self._need_footing().adjusted_r2

    @property
    def f_statistic_(self) -> float:
        return overall_f(self._need_footing(), self.coef_, None)[0]

    @property
    def f_p_value_(self) -> float:
        return overall_f(self._need_footing(), self.coef_, None)[1]

    @property
    def aic_(self) -> float:
        return information_criteria(self._need_footing())[0]

    @property
    def bic_(self) -> float:
        return information_criteria(self._need_footing())[1]

    # Helpers

    @property
    def _first(self) -> int:
        """Where the coefficients of columns begin: after the intercept, if there is one."""
        return int(self._need_footing().intercept)

    def _own_coefficients(self) -> Coefficients:
        return self._coefficients(0.95, None)

    def _coefficients(self, level: float, middle: Array | None) -> Coefficients:
        footing = self._need_footing()
        estimates = np.append(self.intercept_, self.coef_) if footing.intercept else self.coef_
        return coefficients(footing, self._names(), estimates, level, middle)

    def _names(self) -> tuple[str, ...]:
        return ("intercept", *self.coefficient_names_) if self._need_footing().intercept else self.coefficient_names_

    def _look_again(self, X: Any, y: Any, sample_weight: Any, robust: Robust | None) -> tuple[Any, Array | None]:
        if X is None:
            if robust is not None:
                raise InputError(NO_ROWS.format(robust))
            return None, None
        return fitted_rows(self, X, y, sample_weight, robust)

    def _need_matrix(self, asked: str) -> Footing:
        footing = self._need_footing()
        if footing.root is None:
            raise InputError(
                f"The design has {self._design.n_columns} columns and was solved without a matrix of columns × "
                f"columns, which {asked} needs. Fit fewer columns or categories."
            )
        return footing

    def _need_footing(self) -> Footing:
        self._fitted_schema()
        footing = self.__dict__.get("_footing")
        if footing is None:
            raise InputError("This model was saved by a version that kept nothing for inference. Fit it again.")
        assert isinstance(footing, Footing)
        return footing

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        footing = self.__dict__.get("_footing")
        if footing is None:
            return
        if not isinstance(footing, Footing) or footing.size.shape != self.coef_.shape:
            raise SavedModelError("What was kept for inference does not fit the coefficients.")


def _observations(footing: Footing) -> str:
    """How many rows, and what their weights add up to."""
    rows = count_of(footing.rows, "row")
    if footing.weight == footing.rows:
        return rows
    return f"{rows} weighing {number(footing.weight)} ({'as precisions' if footing.precision else 'as copies'})"
