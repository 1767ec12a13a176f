"""The delta rule: its steps, where it ends, and its trace."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import learnt
from learnt import LinearRegression, LinearUnit
from learnt.errors import ConvergenceWarning, InputError


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + [5, -2, 0]
    return x, x @ [1.0, -2.0, 0.5] + 3 + rng.normal(size=n)


def test_one_step_is_the_delta_rule():
    x, t = rows()
    with pytest.warns(ConvergenceWarning):
        unit = LinearUnit(standardize=False, learning_rate=0.01, max_iter=1).fit(x, t)
    np.testing.assert_allclose(unit.coef_, 0.01 * (t @ x) / len(x), rtol=1e-12)
    assert unit.intercept_ == pytest.approx(0.01 * t.mean())
    assert unit.trace_.loss[0] == pytest.approx(0.5 * np.mean(t**2))


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
@pytest.mark.parametrize("standardize", [True, False])
def test_short_steps_end_at_least_squares(storage, standardize):
    x, t = rows()
    exact = LinearRegression().fit(x, t)
    unit = LinearUnit(tol=0, max_iter=200_000, standardize=standardize).fit(storage(x), t)
    np.testing.assert_allclose(unit.coef_, exact.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(unit.predict(x), exact.predict(x), rtol=1e-4, atol=1e-4)
    gradient = x.T @ (unit.predict(x) - t) / len(x)
    assert np.abs(gradient).max() < 1e-4


def test_the_error_of_batch_descent_only_falls():
    x, t = rows()
    with learnt.watch() as log:
        unit = LinearUnit().fit(x, t)
    errors = np.array(log["objective"])
    assert (np.diff(errors) <= 1e-12).all()
    assert unit.converged_
    assert unit.trace_.loss[-1] == pytest.approx(0.5 * np.mean((unit.predict(x) - t) ** 2), rel=1e-9)


@pytest.mark.parametrize("mode", ["stochastic", "mini-batch"])
def test_single_rows_and_small_batches_come_close(mode):
    x, t = rows(2000)
    unit = LinearUnit(mode=mode, decay=0.2).fit(x, t)
    assert unit.score(x, t) > LinearRegression().fit(x, t).score(x, t) - 1e-3


def test_momentum_gets_there_too():
    x, t = rows()
    unit = LinearUnit(momentum=0.9).fit(x, t)
    np.testing.assert_allclose(unit.coef_, LinearRegression().fit(x, t).coef_, atol=1e-3)


def test_steps_that_are_too_long_run_away_and_are_refused():
    x, t = rows()
    with pytest.raises(InputError, match="learning_rate"):
        LinearUnit(learning_rate=10.0, max_iter=10_000).fit(x, t)


def test_the_trace_keeps_the_beginning_and_the_end():
    x, t = rows()
    unit = LinearUnit(tol=0, max_iter=200_000, standardize=False).fit(x, t)
    trace = unit.trace_
    assert len(trace) <= 64 < unit.n_iter_
    assert trace.iteration[:10].tolist() == list(range(10))
    assert trace.iteration[-1] == unit.n_iter_
    np.testing.assert_allclose(trace.weights[-1], np.append(unit.intercept_, unit.coef_))
    assert trace.weights[0].tolist() == [0, 0, 0, 0]


def test_watching_single_steps_changes_nothing():
    x, t = rows(50)
    quiet = LinearUnit(mode="stochastic", max_iter=3, tol=0.1).fit(x, t)
    with learnt.watch() as log:
        watched = LinearUnit(mode="stochastic", max_iter=3, tol=0.1).fit(x, t)
    assert watched.coef_.tobytes() == quiet.coef_.tobytes()
    assert len(log) == 50 * watched.n_iter_


def test_the_surface_is_the_error_over_two_weights():
    import matplotlib as mpl

    mpl.use("Agg")
    x, t = rows()
    table = {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}
    unit = LinearUnit().fit(table, t)
    axes = unit.plot_descent(table, t, coefficients=("a", "c"))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("a", "c")
    (way,) = [line for line in axes.lines if line.get_label() == "descent"]
    np.testing.assert_allclose(way.get_xydata()[-1], unit.coef_[[0, 2]])
    with learnt.watch() as log:
        unit.fit(table, t)
    assert len(unit.plot_descent(table, t, log=log).lines[0].get_xdata()) == len(log) + 1
    assert unit.trace_.plot().get_xlabel() == "pass"
    with pytest.raises(InputError, match="'z'"):
        unit.plot_descent(table, t, coefficients=("a", "z"))
