"""Every fit of these tests is checked: what the core calls solved must meet the conditions of an optimum."""

from __future__ import annotations

import numpy as np
import pytest

from learnt.kernel.machines import machine

MOST_ROWS = 1000


def assert_optimal(rows, problems, solved, tolerance):
    """Of each problem that ended: bounds, the sum of the coefficients, and no two rows whose exchange would pay."""
    for m in np.flatnonzero(solved.converged):
        mine = slice(problems.starts[m], problems.starts[m + 1])
        ids, beta = problems.ids[mine], solved.beta[mine]
        if not 0 < len(ids) <= MOST_ROWS:
            continue
        K = rows.gram[np.ix_(ids, ids)] if rows.gram is not None else rows.kernel(rows.x[ids])
        rounding = 1e-11 * (1 + np.abs(K).max() * np.abs(beta).sum())
        F, low, high = K @ beta, problems.low[mine], problems.high[mine]
        np.testing.assert_allclose(solved.values[mine], F, atol=rounding)
        assert np.all((low <= beta) & (beta <= high))
        assert abs(beta.sum() - problems.start[mine].sum()) <= 1e-11 * (1 + np.abs(beta).sum()) * len(ids)
        gain, epsilon = problems.target[mine] - F, problems.epsilon
        up = np.where(beta < high, gain - np.where(beta >= 0, epsilon, -epsilon), -np.inf)
        down = np.where(beta > low, gain - np.where(beta > 0, epsilon, -epsilon), np.inf)
        assert up.max() - down.min() <= tolerance + rounding
        dual = problems.target[mine] @ beta - epsilon * np.abs(beta).sum() - beta @ F / 2
        assert abs(solved.objectives[m] - dual) <= rounding * (1 + np.abs(beta).sum())


@pytest.fixture(autouse=True)
def every_fit_is_optimal(monkeypatch):
    plain = machine.solve

    def checked(rows, problems, **limits):
        solved = plain(rows, problems, **limits)
        assert_optimal(rows, problems, solved, limits["tolerance"])
        return solved

    monkeypatch.setattr(machine, "solve", checked)
