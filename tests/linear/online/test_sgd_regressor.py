"""Numbers by gradient steps: they end where solvers of the whole problem end, in any units."""

import numpy as np
import pytest
from scipy.optimize import minimize

from learnt import Ridge, SGDRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)) * [1, 10, 0.1] + [0, 5, 1]
Y = 100 * (X @ [1.0, -0.1, 10.0]) + 20 * RNG.normal(size=300) + 500


def least_squares(x, y):
    found = np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), y, rcond=None)[0]
    return found[0], found[1:]


def test_squared_errors_lead_to_the_ridge_of_standardised_columns():
    model = SGDRegressor(alpha=0.1, tol=1e-8, average=True, max_iter=300).fit(X, Y)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    scale = Y.std()
    ridge = Ridge(alpha=0.1 * len(Y)).fit(z, Y / scale)  # Σ e² + α|w|² there, mean ½e² + α/2 |w|² here
    np.testing.assert_allclose(model.coef_ * X.std(axis=0) / scale, ridge.coef_, atol=5e-3)


def test_absolute_errors_lead_to_medians():
    y = Y + np.where(RNG.random(300) < 0.1, 2000, 0)  # a tenth of the rows is off by far
    model = SGDRegressor(loss="absolute_error", alpha=0, average=True, tol=1e-7, max_iter=300).fit(X, y)

    def mean_error(w):
        return np.abs(w[0] + X @ w[1:] - y).mean()

    found = np.append(model.intercept_, model.coef_)
    best = minimize(mean_error, found, method="Nelder-Mead", options={"maxiter": 4000}).fun
    assert mean_error(found) < 1.03 * best  # steps end within a percent or two, by the order drawn
    assert mean_error(found) < 0.99 * mean_error(np.append(*least_squares(X, y)))


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_the_target_is_that_of_the_predictions(factor):
    model, other = SGDRegressor().fit(X, Y), SGDRegressor().fit(X, Y * factor)
    np.testing.assert_allclose(other.predict(X), model.predict(X) * factor, rtol=1e-6)
