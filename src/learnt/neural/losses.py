"""Losses of a net's scores, as NumPy writes them: for rows held out, for tests, and for the textbook's steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learnt.data.table import Array

#: What users call a loss → what the core does for one score, or for several.
OF_CLASSES = {"cross_entropy": ("logistic", "softmax"), "squared_error": ("sigmoid_squared", "sigmoid_squared")}
#: Of scores and targets: losses, and gradients by the scores.
LossFunction = Callable[[Array, Array], tuple[Array, Array]]
OF_NUMBERS = ("squared_error", "absolute_error", "huber", "poisson")


def sigmoid(f: Array) -> Array:
    """1/(1 + e^−f), without overflow."""
    with np.errstate(over="ignore"):
        found: Array = np.where(f >= 0, 1 / (1 + np.exp(-np.abs(f))), np.exp(-np.abs(f)) / (1 + np.exp(-np.abs(f))))
    return found


def both_sigmoids(f: Array) -> Array:
    """1/(1 + e^f) and 1/(1 + e^−f), rows × 2: both exact, however near to 0."""
    small = np.exp(-np.abs(f))
    large = 1 / (1 + small)
    small /= 1 + small
    up = f >= 0
    return np.column_stack([np.where(up, small, large), np.where(up, large, small)])


def log_softmax(f: Array) -> Array:
    """Logarithms of the shares that e^f has in each row."""
    apart = _below_largest(f)
    apart -= np.log(np.exp(apart).sum(axis=0))
    return apart.T


def softmax(f: Array) -> Array:
    """The shares that e^f has in each row."""
    shares = _below_largest(f)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=0)
    return shares.T


def _below_largest(f: Array) -> Array:
    """Scores without the largest of their row, turned: NumPy's sums over few columns are slow along rows."""
    turned: Array = np.array(f.T, order="C")
    turned -= turned.max(axis=0)
    return turned


def row_losses(loss: str | LossFunction, f: Array, y: Array) -> Array:
    """The loss of each row: scores f (rows × scores) against numbers or codes y."""
    if not isinstance(loss, str):
        return loss(f, y)[0]
    with np.errstate(over="ignore", invalid="ignore"):
        r = f[:, 0] - y
        size = np.abs(r)
        found: Array
        if loss == "squared_error":
            found = 0.5 * r**2
        elif loss == "absolute_error":
            found = size
        elif loss == "huber":
            found = np.where(size <= 1, 0.5 * r**2, size - 0.5)
        elif loss == "poisson":
            found = np.exp(f[:, 0]) - y * f[:, 0]
        elif loss == "logistic":
            found = np.logaddexp(0, f[:, 0]) - y * f[:, 0]
        elif loss == "softmax":
            found = -log_softmax(f)[np.arange(len(f)), y.astype(np.int64)]
        else:
            found = 0.5 * ((sigmoid(f) - indicators(y, f.shape[1])) ** 2).sum(axis=1)
    return found


def score_deltas(loss: str | LossFunction, f: Array, y: Array) -> Array:
    """∂ loss / ∂ f of each row and score."""
    if not isinstance(loss, str):
        return loss(f, y)[1]
    r = f[:, 0] - y
    if loss == "squared_error":
        found = r
    elif loss == "absolute_error":
        found = np.sign(r)
    elif loss == "huber":
        found = np.clip(r, -1, 1)
    elif loss == "poisson":
        found = np.exp(f[:, 0]) - y
    elif loss == "logistic":
        found = sigmoid(f[:, 0]) - y
    elif loss == "softmax":
        return np.asarray(np.exp(log_softmax(f)) - np.eye(f.shape[1])[y.astype(np.int64)])
    else:
        o = sigmoid(f)
        return np.asarray((o - indicators(y, f.shape[1])) * o * (1 - o))
    return np.asarray(found)[:, None]


def indicators(y: Array, n_scores: int) -> Array:
    """What sigmoid units should answer: 0 or 1, one unit of two classes, or one for each."""
    return y[:, None] if n_scores == 1 else np.eye(n_scores)[y.astype(np.int64)]
