"""Double descent: the error of least squares on random features falls, peaks where it fits exactly, and falls again."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.theory.experiments.experiment import Experiment, draw_lines


def double_descent(
    sizes: tuple[int, ...] = (5, 10, 20, 40, 60, 80, 90, 100, 110, 120, 150, 200, 400, 800, 1600),
    *,
    n: int = 100,
    noise: float = 0.3,
    repeats: int = 10,
    random_state: int = 0,
) -> Experiment:
    """Least squares (of the smallest weights, where many fit) on more and more random ReLU features of n rows."""
    rng = np.random.default_rng(random_state)
    training, test = np.zeros((2, repeats, len(sizes)))
    for r in range(repeats):
        direction = rng.normal(size=4) / 2
        X, new = rng.normal(size=(n, 4)), rng.normal(size=(1000, 4))
        y, truth = np.sin(X @ direction) + noise * rng.normal(size=n), np.sin(new @ direction)
        for k, size in enumerate(sizes):
            weights = rng.normal(size=(4, size)) / 2
            offset = rng.normal(size=size)
            features, others = (np.maximum(0, rows @ weights + offset) / np.sqrt(size) for rows in (X, new))
            fitted = _smallest_fit(features, y)
            training[r, k] = float(np.mean((features @ fitted - y) ** 2))
            test[r, k] = float(np.mean((others @ fitted - truth) ** 2))
    training, test = np.median(training, axis=0), np.median(test, axis=0)
    training[training < 1e-12] = 0.0  # exact fits, up to rounding
    small = [k for k, size in enumerate(sizes) if size < n]
    dip = min(small, key=lambda k: test[k])
    peak = int(test.argmax())
    return Experiment(
        "double_descent",
        f"{n} rows, and a model of more and more random features: where is it worst on new rows?",
        f"It is best of the small ones with {sizes[dip]} features ({test[dip]:.2f}), worst with {sizes[peak]}, about "
        f"as many as there are rows ({test[peak]:.1f}), where it just fits all noise; with {sizes[-1]:,} it is at "
        f"{test[-1]:.2f}: of the many fits that are exact, the smallest weights are smooth.",
        ("features", "training error", "test error"),
        tuple((int(s), float(a), float(b)) for s, a, b in zip(sizes, training, test, strict=True)),
        draw_lines(
            list(sizes),
            {"training rows": np.maximum(training, 1e-6).tolist(), "new rows": test.tolist()},
            ("features", "mean squared error"),
            log="xy",
        ),
    )


def _smallest_fit(features: Array, y: Array) -> Array:
    """Least squares; where many weights fit exactly, the smallest."""
    n, size = features.shape
    if size <= n:
        return np.asarray(np.linalg.lstsq(features, y, rcond=None)[0])
    return np.asarray(features.T @ np.linalg.lstsq(features @ features.T, y, rcond=None)[0])
