"""Ratings to try things on, and the objective as NumPy has it."""

import numpy as np

from learnt import MatrixFactorization


def planted(n_users=40, n_items=25, rank=2, share=0.5, noise=0.1, seed=0, biases=True):
    """A table of ratings whose factors are known, and the whole matrix without noise."""
    rng = np.random.default_rng(seed)
    whole = rng.normal(size=(n_users, rank)) @ rng.normal(size=(rank, n_items))
    if biases:
        whole = 3 + whole + rng.normal(0, 0.7, (n_users, 1)) + rng.normal(0, 0.7, (1, n_items))
    users, items = np.nonzero(rng.random((n_users, n_items)) < share)
    ratings = whole[users, items] + rng.normal(0, noise, len(users))
    return {"user": users, "item": items, "rating": ratings}, whole


def dense(rows, weights=None, shape=None):
    """Sums of w and of w·r by user and item."""
    shape = shape or (max(rows["user"]) + 1, max(rows["item"]) + 1)
    total, sums = np.zeros(shape), np.zeros(shape)
    w = np.ones(len(rows["user"])) if weights is None else np.asarray(weights, float)
    np.add.at(total, (rows["user"], rows["item"]), w)
    np.add.at(sums, (rows["user"], rows["item"]), w * np.asarray(rows.get("rating", np.ones(len(w))), float))
    return total, sums


def targets(model, rows, weights=None):
    """What the model is to meet, and with which weight, user by item."""
    total, sums = dense(rows, weights)
    if model.feedback == "implicit":
        return (sums > 0).astype(float), 1 + model.confidence / mean_size(rows, weights) * np.abs(sums), total
    there = total > 0
    met = np.where(there, np.divide(sums, total, out=np.zeros_like(sums), where=there) - model.mean_, 0) / model.scale_
    return met, total, total


def mean_size(rows, weights=None):
    """The mean of |r| where it is not 0."""
    sizes = np.abs(np.asarray(rows.get("rating", [1.0]), float))
    return np.average(sizes[sizes > 0], weights=None if weights is None or "rating" not in rows else weights[sizes > 0])


def parts(model):
    """x, y, b, c in double precision; biases 0 where there are none."""
    x, y = model.user_factors_.astype(float), model.item_factors_.astype(float)
    b = np.zeros(len(x)) if model.user_bias_ is None else model.user_bias_.astype(float)
    c = np.zeros(len(y)) if model.item_bias_ is None else model.item_bias_.astype(float)
    return x, y, b, c


def penalties(model, total):
    n_users, n_items = total.sum(axis=1), total.sum(axis=0)
    if not model.by_count:
        n_users, n_items = np.ones(len(n_users)), np.ones(len(n_items))
    else:
        n_users, n_items = n_users + model.prior_count, n_items + model.prior_count
    return model.regularization * n_users, model.regularization * n_items


def objective(model, rows, weights=None, at=None):
    """The sum that fitting makes small, by its definition."""
    t, w, total = targets(model, rows, weights)
    x, y, b, c = parts(model) if at is None else at
    lu, li = penalties(model, total)
    e = t - b[:, None] - c[None] - x @ y.T
    return (w * e**2).sum() + lu @ ((x**2).sum(axis=1) + b**2) + li @ ((y**2).sum(axis=1) + c**2)


def fitted(rows, rank=3, weights=None, **settings):
    """A model in double precision, to its end."""
    wanted = {"precision": "double", "tol": 1e-12, "max_iter": 3000} | settings
    return MatrixFactorization(rank, **wanted).fit(rows, sample_weight=weights)
