"""The influence of a row against what happens when the row is given a little more weight."""

from __future__ import annotations

import numpy as np
import pytest

from learnt.evaluate.metrics.delong import auc_interval, delong_test
from learnt.evaluate.metrics.influence import influences, row_losses
from learnt.evaluate.metrics.scoring import METRICS

WITHOUT = {"average_precision", "median_absolute_error", "max_error", "spearman"}


def rows_for(metric, rng, n=60):
    if "regression" in metric.tasks:
        truth = rng.normal(size=n) + 3
        return truth, truth + rng.normal(size=n), None, None
    classes = 2 if metric.name in ("f1", "precision", "recall") else 3
    truth = rng.integers(0, classes, n)
    probabilities = rng.dirichlet(np.ones(classes), n) + 0.5 * np.eye(classes)[truth]
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return truth, probabilities.argmax(axis=1), probabilities, classes


@pytest.mark.parametrize("name", [name for name in METRICS if name not in WITHOUT])
@pytest.mark.parametrize("weighted", [False, True])
def test_an_influence_is_the_derivative_by_the_weight_of_a_row(name, weighted):
    metric, rng = METRICS[name], np.random.default_rng(7)
    truth, answer, probabilities, classes = rows_for(metric, rng)
    weights = rng.uniform(0.5, 2, len(truth)) if weighted else np.ones(len(truth))
    found = influences(metric, truth, answer, probabilities, weights if weighted else None, classes)
    assert found @ weights == pytest.approx(0, abs=1e-8 * len(truth))
    step = 1e-4
    for row in range(0, len(truth), 7):
        up, down = weights.copy(), weights.copy()
        up[row] += step
        down[row] -= step
        moved = (
            metric.score(truth, answer, probabilities, up, classes)
            - metric.score(truth, answer, probabilities, down, classes)
        ) / (2 * step)
        assert found[row] == pytest.approx(moved * weights.sum(), rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_what_has_no_influence_says_so(name):
    truth, answer, probabilities, classes = rows_for(METRICS[name], np.random.default_rng(7))
    assert influences(METRICS[name], truth, answer, probabilities, None, classes) is None


def test_the_mean_of_row_losses_is_the_score():
    rng = np.random.default_rng(1)
    for name in ("accuracy", "log_loss", "brier", "mae", "mse", "mape"):
        truth, answer, probabilities, classes = rows_for(METRICS[name], rng)
        losses = row_losses(METRICS[name], truth, answer, probabilities)
        assert losses.mean() == pytest.approx(METRICS[name].score(truth, answer, probabilities, None, classes))


def test_variances_of_areas_are_delongs():
    rng = np.random.default_rng(2)
    truth = (rng.random(200) < 0.3).astype(int)
    scores = [np.clip(0.5 + 0.2 * (truth - 0.5) + rng.normal(0, 0.2, 200), 0, 1) for _ in range(2)]
    found = np.column_stack(
        [influences(METRICS["auc"], truth, truth, np.column_stack([1 - s, s]), None, 2) for s in scores]
    )
    # DeLong divides by one less than the rows of each class, the influence function by the rows.
    error = np.sqrt((found[:, 0] ** 2).sum()) / 200
    interval = auc_interval(truth, scores[0], method="delong")
    assert error == pytest.approx((interval.high - interval.estimate) / 1.959964, rel=0.02)
    test = delong_test(truth, *scores)
    gap = np.sqrt(((found[:, 0] - found[:, 1]) ** 2).sum()) / 200
    assert gap == pytest.approx((test.interval.high - test.interval.low) / (2 * 1.959964), rel=0.02)
