"""The interior point method against SciPy's solver of the same dual."""

import numpy as np
import pytest
from scipy.optimize import minimize

from learnt.kernel.linear.interior import interior_point
from learnt.kernel.linear.losses import MachineLoss


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [True, False])
def test_it_ends_at_the_least_of_the_dual(classes, intercept):
    rng = np.random.default_rng(0)
    x, cost = rng.normal(size=(40, 3)), rng.uniform(0.1, 2, 40)
    y = np.where(x @ [1, -1, 0.5] + rng.normal(size=40) > 0.3, 1.0, -1.0) if classes else x @ [1, -1, 0.5] + 1
    epsilon = 0.0 if classes else 0.2
    beta, _, steps = interior_point(x, y, cost, MachineLoss(classes, False, epsilon), intercept)
    assert steps < 40
    assert (np.abs(beta) <= cost * (1 + 1e-12)).all()
    if classes:
        assert (beta * y >= 0).all()
    if intercept:
        assert beta.sum() == pytest.approx(0, abs=1e-6)

    def dual(b):
        w = b @ x
        return 0.5 * w @ w - y @ b + epsilon * np.abs(b).sum()

    low = np.where(y > 0, 0.0, -cost) if classes else -cost
    high = np.where(y > 0, cost, 0.0) if classes else cost
    balanced = [{"type": "eq", "fun": np.sum}] if intercept else []
    # A start at the answer: no direction leads further down.
    other = minimize(dual, beta, bounds=list(zip(low, high, strict=True)), constraints=balanced, method="SLSQP")
    assert dual(beta) <= other.fun + 1e-6 * (1 + abs(other.fun))
