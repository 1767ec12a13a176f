"""The dual solved, against a general solver of SciPy's."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from learnt import Kernel
from learnt.errors import InputError
from learnt.kernel.functions import FunctionKernel
from learnt.kernel.machines.solving import MOST_ROWS, KernelRows, Problems, solve

X = np.random.default_rng(0).normal(size=(20, 2))
KERNEL = Kernel("rbf", gamma=0.7)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_the_objective_is_that_of_a_general_solver(epsilon):
    z = np.sin(X[:, 0])
    n, cost = len(z), 0.8
    problem = Problems(np.array([0, n]), np.arange(n), z, np.full(n, -cost), np.full(n, cost), np.zeros(n), epsilon)
    found = solve(KernelRows.of(KERNEL, X, "it"), problem, tolerance=1e-10, rounds=1000)
    K = KERNEL(X)

    def objective(ab):  # β = a − b, both from 0 on, so that |β| has a derivative
        beta = ab[:n] - ab[n:]
        return 0.5 * beta @ K @ beta - z @ beta + epsilon * ab.sum()

    even = LinearConstraint(np.concatenate([np.ones(n), -np.ones(n)]), 0, 0)
    best = minimize(objective, np.zeros(2 * n), bounds=[(0, cost)] * (2 * n), constraints=[even], method="SLSQP")
    assert found.objectives[0] == pytest.approx(-best.fun, abs=1e-5)
    assert found.beta.sum() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(found.values, K @ found.beta, atol=1e-12)


def test_sums_are_those_of_the_kernel():
    rows = KernelRows.of(KERNEL, X, "it")
    weights = np.random.default_rng(1).normal(size=(20, 3))
    asked = np.array([3, 7])
    np.testing.assert_allclose(rows.sums(weights, asked), KERNEL(X)[asked] @ weights, atol=1e-12)


def test_a_function_of_too_many_rows_is_refused_before_it_is_called():
    kernel = FunctionKernel(lambda a, b: pytest.fail("called"), 1.0)
    with pytest.raises(InputError, match=f"Expected at most {MOST_ROWS}"):
        KernelRows.of(kernel, np.zeros((MOST_ROWS + 1, 1)), "SVC")
