"""Bias and variance of four models that are fitted to six points, again and again."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.theory.experiments.experiment import Experiment, draw_bars


def bias_variance_of_six_points(*, repeats: int = 2000, noise: float = 0.2, random_state: int = 0) -> Experiment:
    """Two fixed lines, and a cubic and a line fitted to six noisy points of a curve: what their errors are made of."""
    rng = np.random.default_rng(random_state)
    grid = np.linspace(-1, 1, 101)
    truth = _curve(grid)
    x = rng.uniform(-1, 1, (repeats, 6))
    y = _curve(x) + noise * rng.normal(size=x.shape)
    fits = {
        "fixed line, poor": np.tile(0.5 + 0 * grid, (repeats, 1)),
        "fixed line, better": np.repeat(0.9 * grid[None], repeats, axis=0),
        "cubic, fitted": _polynomials(x, y, grid, 3),
        "line, fitted": _polynomials(x, y, grid, 1),
    }
    rows = []
    for name, found in fits.items():
        middle = found[0] + (found - found[0]).mean(axis=0)  # exact where all are the same
        bias, variance = float(np.mean((middle - truth) ** 2)), float(((found - middle) ** 2).mean())
        rows.append((name, bias, variance, noise**2, bias + variance + noise**2))
    best = min(rows, key=lambda row: row[4])[0]
    return Experiment(
        "bias_variance_of_six_points",
        "Four models of six noisy points of a curve: how far is each off on average (bias²), and how much does it "
        "turn with the points (variance)?",
        "Models that look at no data have no variance, and are as wrong as they were made. The cubic has the least "
        f"bias and the most variance, the line is between. The smallest error of the four has: {best}. With more "
        "points variance goes, bias stays.",
        ("model", "bias²", "variance", "noise", "expected error"),
        tuple(rows),
        draw_bars(
            [r[0] for r in rows], {"bias²": [r[1] for r in rows], "variance": [r[2] for r in rows]}, "part of the error"
        ),
    )


def _curve(x: Array) -> Array:
    return np.asarray(1.2 * x**3 + 0.3 * x)


def _polynomials(
    x: Array,
    y: Array,
    grid: Array,
    degree: int,
) -> Array:
    """Least squares with a little ridge: six points that lie close together fit a cubic in many ways."""
    powers = x[:, :, None] ** np.arange(degree + 1)
    normal = powers.transpose(0, 2, 1) @ powers + 1e-3 * np.eye(degree + 1)
    weights = np.linalg.solve(normal, powers.transpose(0, 2, 1) @ y[:, :, None])[:, :, 0]
    return np.asarray(weights @ (grid[:, None] ** np.arange(degree + 1)).T)
