"""Problems of logistic regression, and how far a model is from their optimum."""

import numpy as np

from learnt import LogisticRegression

PENALTIES = {"l2": (0.0, 1.0), "l1": (1.0, 0.0), "elasticnet": (0.4, 0.6), None: (0.0, 0.0)}


def problem(n=400, p=7, classes=2, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) * np.geomspace(1 / spread, spread, p) + rng.normal(size=p)
    b = rng.normal(size=(classes, p)) / np.geomspace(1 / spread, spread, p) / np.sqrt(p)
    y = ((x - x.mean(axis=0)) @ b.T + rng.gumbel(size=(n, classes))).argmax(axis=1)
    return x, y, rng.integers(1, 4, n).astype(float)


def gradient(model, x, y, w):
    """Of Σ w · loss, by coefficients and intercepts, from the definition."""
    scores = np.asarray(x @ model.coef_.T) + model.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    r = (shares - (np.arange(scores.shape[1]) == np.asarray(y)[:, None])) * w[:, None]
    r = r[:, 1:] if model.coef_.shape[0] == 1 else r
    return np.asarray(x.T @ r).T, r.sum(axis=0)


def violation(model, x, y, w, penalty, C):
    """How far the subgradient of the objective is from 0, relative to the penalty or the rows' weight."""
    l1, l2 = (share / C for share in PENALTIES[penalty])
    by_coef, by_intercept = gradient(model, x, y, w)
    by_coef = by_coef + l2 * model.coef_
    pull = np.where(model.coef_ == 0, np.maximum(np.abs(by_coef) - l1, 0), by_coef + l1 * np.sign(model.coef_))
    off = [np.abs(pull).max()] + ([np.abs(by_intercept).max()] if model.fit_intercept else [])
    return max(off) / w.sum()


def fitted(x, y, w, penalty, **settings):
    ratio = PENALTIES[penalty][0] if penalty == "elasticnet" else None
    return LogisticRegression(penalty=penalty, l1_ratio=ratio, **settings).fit(x, y, w)
