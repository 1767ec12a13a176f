"""Greedy ensemble selection: members are added one by one, each time the one that helps the mean most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learnt.data.table import Array

#: Members that are drawn in all, copies counted: weights are whole numbers of this part, at the finest.
ROUNDS = 50
#: Of the loss: what rounding may feign as a gain.
NO_GAIN = 1e-12
#: The least probability that counts, as in the log loss of `learnt.evaluate.metrics`.
LEAST = float(np.finfo(np.float64).eps)

#: Mean losses of several means at once: … × rows → ….
Loss = Callable[[Array], Array]


def greedy_weights(answers: Array, loss: Loss, rounds: int = ROUNDS) -> Array:
    """Weights that sum to 1, of the members' answers, members × rows, by what the mean of the chosen ones loses.

        choose m₁ = argmin loss(a_m),  then  m_k = argmin loss((Σ_{i<k} a_{m_i} + a_m) / k),  members again and again;

    and of all these means the first that lost least is kept. Of equal members the first is taken.

    Reference: R. Caruana, A. Niculescu-Mizil, G. Crew, A. Ksikes, Ensemble selection from libraries of models, 2004.
    """
    counts = np.zeros(len(answers), dtype=np.int64)
    best, least = counts, np.inf
    total = np.zeros(answers.shape[1])
    for k in range(1, rounds + 1):
        losses = loss((total + answers) / k)
        chosen = int(np.flatnonzero(losses <= losses.min() * (1 + NO_GAIN))[0])
        counts = counts.copy()
        counts[chosen] += 1
        total = total + answers[chosen]
        if losses[chosen] < least * (1 - NO_GAIN):
            best, least = counts, float(losses[chosen])
    weights: Array = best / best.sum()
    return weights


def log_loss_of_truth(weights: Array | None) -> Loss:
    """−Σ w·log p / Σ w, of probabilities of the classes that rows have."""

    def loss(p: Array) -> Array:
        return _mean_over_rows(-np.log(np.maximum(p, LEAST)), weights)

    return loss


def squared_loss(truth: Array, weights: Array | None) -> Loss:
    """Σ w·(f − y)² / Σ w. Errors are taken as shares of the largest target, so that squares exist."""
    scale = float(np.abs(truth).max(initial=0.0)) or 1.0

    def loss(f: Array) -> Array:
        with np.errstate(over="ignore"):
            return _mean_over_rows(((f - truth) / scale) ** 2, weights)

    return loss


def _mean_over_rows(losses: Array, weights: Array | None) -> Array:
    mean: Array = losses.mean(axis=-1) if weights is None else losses @ (weights / weights.sum())
    return mean
