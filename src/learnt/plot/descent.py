"""Gradient descent: the loss pass by pass, and the way down the error surface of two coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from learnt.linear.online.trace import Trace

Array = np.ndarray[Any, Any]


def plot_trace(trace: Trace, ax: Any = None) -> Any:
    """The loss against the pass; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    ax.plot(trace.iteration, trace.loss, marker="o", ms=3)
    ax.set_xlabel("pass")
    ax.set_ylabel("mean loss")
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def plot_surface(error: Callable[[Array, Array], Array], path: Array, names: tuple[str, str], ax: Any = None) -> Any:
    """Contours of `error(a, b)` around the path (steps × 2) of two weights, its start and its end marked."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    low, high = path.min(axis=0), path.max(axis=0)
    room = np.maximum(0.35 * (high - low), 0.05 * np.maximum(np.abs(path[-1]), 1e-12))
    (a0, b0), (a1, b1) = low - room, high + room
    a, b = np.meshgrid(np.linspace(a0, a1, 90), np.linspace(b0, b1, 90))
    values = error(a, b)
    least = float(values.min())
    levels = least + (float(values.max()) - least) * np.linspace(0, 1, 14)[1:] ** 2.5  # closer together at the bottom
    ax.contourf(a, b, values, levels=[least, *np.unique(levels)], cmap="Blues", alpha=0.55, extend="both")
    ax.contour(a, b, values, levels=np.unique(levels), colors="0.55", linewidths=0.6)
    ax.plot(path[:, 0], path[:, 1], color="#c0392b", lw=1.1, marker="o", ms=2.5, label="descent")
    ax.plot(*path[0], "o", color="0.1", ms=6, label="start")
    ax.plot(*path[-1], "*", color="0.1", ms=11, label="end")
    ax.set_xlabel(names[0], parse_math=False)
    ax.set_ylabel(names[1], parse_math=False)
    ax.legend()
    return ax
