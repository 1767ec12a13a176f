"""Linear models: coefficients, whole columns, predictions, single rows and what the residuals say."""

from __future__ import annotations

import math

import numpy as np

from calibration import group, holds, one_by_one
from learnt import LinearRegression, LogisticRegression, OrdinalRegression, Table
from learnt.data.table import Column

ROBUST = ("HC0", "HC1", "HC2", "HC3")
HC3 = "too sure of few rows: HC3 is for them"
WALD = "cautious: Wald's approximation with few rows"


def _or_one(p: float) -> float:
    """A test without an answer rejects nothing."""
    return 1.0 if math.isnan(p) else float(p)


@group("y = 1 + x₁ + Gaussian noise; x₂ and a column of three categories have no effect")
@one_by_one
def least_squares(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x, y = rng.normal(size=(n + 1, 2)), rng.normal(size=n + 1)
    y += 1 + x[:, 0]
    kind = Column("kind", "nominal", (np.arange(n + 1) % 3).astype(np.int32), ("a", "b", "c"))
    whole = Table.of_columns([Column("x1", "numeric", x[:, 0]), Column("x2", "numeric", x[:, 1]), kind])
    table, new = whole.rows(0, n), whole.rows(n, n + 1)
    model = LinearRegression().fit(table, y[:n])
    summary = model.summary()
    c = summary.coefficients
    tests = {test.column: test.p_value for test in summary.column_tests}
    influence = model.influence(table, y[:n])
    mean, single = model.predict_interval(new, kind="confidence"), model.predict_interval(new)
    return {
        "LinearRegression.p_values_": float(c.p_values[2]),
        "LinearRegression.confidence_intervals": bool(c.low[1] <= 1 <= c.high[1]),
        "summary().column_tests": tests["kind"],
        "predict_interval(kind='confidence')": bool(mean.low[0] <= 1 + x[n, 0] <= mean.high[0]),
        "predict_interval": bool(single.low[0] <= y[n] <= single.high[0]),
        "influence().p_values, one row": float(influence.p_values[0]),
        "influence().outliers, any row": float(influence.outlier_p_values.min()),
    }


@group(
    "y = Gaussian noise; two columns without effect",
    known={"diagnostics().jarque_bera": "cautious: its χ² takes many rows; shapiro stands beside it"},
)
@one_by_one
def residuals(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    model = LinearRegression().fit(x, y)
    found = model.diagnostics(x, y)
    assert found.shapiro is not None
    return {
        "LinearRegression.f_p_value_": model.f_p_value_,
        "diagnostics().breusch_pagan": found.breusch_pagan.p_value,
        "diagnostics().white": found.white.p_value,
        "diagnostics().jarque_bera": found.jarque_bera.p_value,
        "diagnostics().shapiro": found.shapiro.p_value,
        "diagnostics().reset": found.reset.p_value,
    }


@group(
    "y = 1 + x₁ + noise whose spread grows with the size of x₂; x₂ has no effect on y itself",
    known={"p_values_, without robust": "too easy: what robust errors are for"}
    | {f"summary(robust='{r}'), {what}": HC3 for r in ROBUST[:3] for what in ("p", "interval")}
    | {
        f"summary(robust='HC3'), {what}": "too sure of 30 rows by little; the others are more so"
        for what in ("p", "interval")
    },
)
@one_by_one
def unequal_variances(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x = rng.normal(size=(n, 2))
    y = 1 + x[:, 0] + rng.normal(size=n) * (0.5 + np.abs(x[:, 1]))
    model = LinearRegression().fit(x, y)
    found: dict[str, float | bool] = {"p_values_, without robust": float(model.p_values_[1])}
    for robust in ROBUST:
        summary = model.summary(x, y, robust=robust)
        c = summary.coefficients
        found[f"summary(robust='{robust}'), p"] = float(c.p_values[2])
        found[f"summary(robust='{robust}'), interval"] = bool(c.low[2] <= 0 <= c.high[2])
    return found


@group(
    "log-odds .8·x₁ of two classes; x₂ has no effect",
    known=dict.fromkeys(("LogisticRegression.summary().p_values", "LogisticRegression.summary(), interval"), WALD),
)
@one_by_one
def logistic(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    x = rng.normal(size=(n, 2))
    y = rng.random(n) < 1 / (1 + np.exp(-0.8 * x[:, 0]))
    summary = LogisticRegression(penalty=None).fit(x, y).summary()
    return {
        "LogisticRegression.summary().p_values": _or_one(summary.p_values[2]),
        "LogisticRegression.summary(), interval": holds((summary.low[1], summary.high[1]), 0.8),
    }


@group("three ordered classes cut from .8·x₁ + logistic noise; x₂ has no effect")
@one_by_one
def ordinal(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    y = np.zeros(n, np.int64)
    while len(np.unique(y)) < 3:  # of thirty rows, one table in a hundred thousand lacks a class
        x = rng.normal(size=(n, 2))
        y = np.searchsorted([-1.0, 1.0], 0.8 * x[:, 0] + rng.logistic(size=n))
    summary = OrdinalRegression(alpha=0).fit(x, y).summary()
    return {
        "OrdinalRegression.summary().p_values": _or_one(summary.p_values[1]),
        "OrdinalRegression.summary(), interval": holds((summary.low[0], summary.high[0]), 0.8),
        "OrdinalRegression.summary(), threshold": holds((summary.low[3], summary.high[3]), 1.0),
    }
