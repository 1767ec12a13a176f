"""Data and independent judgements of penalised least squares, shared by its tests."""

from __future__ import annotations

import numpy as np


def data(n=80, p=12, seed=0, noise=1.0):
    """Correlated columns off centre, five of which matter."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p)) @ (np.eye(p) + 0.3 * rng.standard_normal((p, p))) + 2
    beta = np.zeros(p)
    beta[: min(5, p)] = [3, -2, 1.5, 1, -1][: min(5, p)]
    return x, x @ beta + 4 + noise * rng.standard_normal(n)


def mixed(n=300, seed=1):
    """A number that matters, a town that does, and a number, a brand and a truth that do not."""
    rng = np.random.default_rng(seed)
    town, brand = rng.integers(5, size=n), rng.integers(6, size=n)
    table = {
        "area": rng.normal(50, 10, n),
        "town": [f"t{c}" for c in town],
        "brand": [f"b{c}" for c in brand],
        "age": rng.normal(size=n),
        "new": [bool(b) for b in rng.integers(2, size=n)],
    }
    y = 0.2 * table["area"] + np.array([0.0, 3, -2, 1, 4])[town] + rng.normal(size=n)
    return table, y


def centred(x, y, w=None, intercept=True):
    """Rows and targets times √share, as the objective sees them."""
    w = np.ones(len(y)) if w is None else np.asarray(w, float)
    s = w / w.sum()
    if intercept:
        x, y = x - s @ x, y - s @ y
    return np.sqrt(s)[:, None] * x, np.sqrt(s) * y


def objective(x, y, coef, alpha, l1_ratio=1.0, w=None, intercept=True):
    x, y = centred(x, y, w, intercept)
    left = y - x @ coef
    return left @ left / 2 + alpha * (l1_ratio * np.abs(coef).sum() + (1 - l1_ratio) / 2 * coef @ coef)


def duality_gap(x, y, coef, alpha, l1_ratio=1.0, w=None, intercept=True):
    """Primal minus dual of the lasso on the rows extended by √l2 · identity, by the textbook's formula."""
    z, t = centred(x, y, w, intercept)
    p = z.shape[1]
    z = np.vstack([z, np.sqrt(alpha * (1 - l1_ratio)) * np.eye(p)])
    t = np.append(t, np.zeros(p))
    left, l1 = t - z @ coef, alpha * l1_ratio
    theta = left * min(1.0, l1 / np.abs(z.T @ left).max())
    return left @ left / 2 + l1 * np.abs(coef).sum() - (t @ t - (t - theta) @ (t - theta)) / 2


def assert_optimal(x, y, coef, alpha, l1_ratio=1.0, w=None, intercept=True, positive=False, rtol=1e-8):
    """The conditions of Karush, Kuhn and Tucker: a zero is held by the penalty, any other balances it."""
    z, t = centred(x, y, w, intercept)
    pull, l1 = z.T @ (t - z @ coef) - alpha * (1 - l1_ratio) * coef, alpha * l1_ratio
    slack = rtol * max(l1, np.abs(z.T @ t).max())
    live = coef != 0
    np.testing.assert_allclose(pull[live], l1 * np.sign(coef[live]), rtol=0, atol=slack)
    assert (pull[~live] <= l1 + slack).all()
    assert positive or (pull[~live] >= -l1 - slack).all()
    assert not positive or (coef >= 0).all()
