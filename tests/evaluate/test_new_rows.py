"""Figures of a fitted model on labelled rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import learnt
from learnt.evaluate import METRICS, mean_error_interval, pearson_interval, r2_interval
from learnt.evaluate.new_rows import judge
from learnt.evaluate.problem import problem

LINE = np.arange(10.0)
MODEL = learnt.LinearRegression().fit({"x": LINE}, LINE)


def figures(answer, truth, *names, **more):
    judged = judge(MODEL, problem({"x": answer}, truth, **more), [METRICS[name] for name in names])
    return [(figure.low, figure.high) for figure in judged.figures]


def test_errors_of_few_rows_have_the_intervals_of_their_own():
    answer, error = np.random.default_rng(1).normal(size=(2, 30))
    truth = answer + error
    mae, mse, rmse, r2, pearson = figures(answer, truth, "mae", "mse", "rmse", "r2", "pearson")
    assert mae == pytest.approx(tuple(mean_error_interval(truth, answer)), rel=1e-9)
    assert mse == pytest.approx(tuple(mean_error_interval(truth, answer, of="squared")), rel=1e-9)
    assert rmse == pytest.approx(tuple(map(math.sqrt, mse)))
    assert r2 == pytest.approx(tuple(r2_interval(truth, answer)), rel=1e-9)
    assert pearson == pytest.approx(tuple(pearson_interval(truth, answer)), rel=1e-9)


def test_two_rows_and_weighted_rows_have_intervals_too():
    assert all(low <= high for low, high in figures([1.0, 2.0], [1.5, 1.0], "mae", "rmse"))
    answer, error = np.random.default_rng(2).normal(size=(2, 30))
    (low, high), *_ = figures(answer, answer + error, "mae", sample_weight=np.full(30, 2.0))
    assert low < np.abs(error).mean() < high


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_rows_beyond_all_numbers_have_figures_without_intervals():
    x = np.arange(10.0)
    model = learnt.LinearRegression().fit({"x": x}, 3 * x)
    new = problem({"x": [1.0, 2.0, 1.7e308, 3.0]}, np.array([3.0, 6.0, 1.0, 9.0]))
    judged = judge(model, new, [METRICS[name] for name in ("rmse", "mae", "r2", "max_error")])
    for figure in judged.figures:
        assert not np.isfinite(figure.score)
        assert np.isnan(figure.low)
        assert np.isnan(figure.high)
