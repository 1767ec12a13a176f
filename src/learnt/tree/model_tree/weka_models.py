"""Linear models as Weka's model trees have them: a touch of ridge, no term of a large standardised coefficient, and
terms left out by Akaike's criterion, the one of the smallest standardised coefficient first."""

from __future__ import annotations

import math

import numpy as np

from learnt.data.table import Array
from learnt.tree.model_tree.linear_models import LinearModel

RIDGE, LARGE = 1e-8, 1.5


def fit_like_weka(x: Array, y: Array, w: Array) -> LinearModel:
    """The model of the columns of `x` (rows × terms).

    With n the weight of the rows, v the coefficients of the first model, the intercept among them, and its squared
    residuals as unit, a model of u coefficients costs (n − v) · squared residuals + 2u.
    """
    weight, mean_y = float(w.sum()), float(np.average(y, weights=w))
    mean = np.average(x, axis=0, weights=w) if x.shape[1] else np.zeros(0)
    free = max(weight - 1, 1e-300)
    scale = np.sqrt((w[:, None] * (x - mean) ** 2).sum(axis=0) / free)
    scale_y = math.sqrt(float((w * (y - mean_y) ** 2).sum()) / free)
    varies = scale > 0
    z = (x - mean) / np.where(varies, scale, 1.0)
    gram, right = (z * w[:, None]).T @ z, z.T @ (w * (y - mean_y))

    def solve(terms: Array) -> tuple[Array, float]:
        """The standardised coefficients, and the squared residuals."""
        b = np.linalg.solve(gram[np.ix_(terms, terms)] + RIDGE * np.eye(len(terms)), right[terms])
        return b, float((w * (y - mean_y - z[:, terms] @ b) ** 2).sum())

    terms = np.flatnonzero(varies)
    b, rest = solve(terms)
    while len(terms) and scale_y > 0 and np.abs(b).max() / scale_y > LARGE:
        terms = np.delete(terms, int(np.abs(b).argmax()))
        b, rest = solve(terms)
    first, first_rest = len(terms) + 1, rest
    cost = (weight - first) + 2.0 * first
    while len(terms) and first_rest > 0:
        fewer = np.delete(terms, int(np.abs(b).argmin()))
        fewer_b, fewer_rest = solve(fewer)
        fewer_cost = fewer_rest / first_rest * (weight - first) + 2.0 * (len(fewer) + 1)
        if not fewer_cost < cost:
            break
        terms, b, rest, cost = fewer, fewer_b, fewer_rest, fewer_cost
    coef = b / scale[terms]
    return LinearModel(terms, coef, mean_y - float(coef @ mean[terms]), math.sqrt(rest / weight))


def weka_error(rmse: float, weight: float, n_parameters: int) -> float:
    """Weka's estimate: (n + 2v)/(n − v) times the residuals' root mean square, ten times where v reaches n."""
    return rmse * 10.0 if weight <= n_parameters else rmse * (weight + 2 * n_parameters) / (weight - n_parameters)
