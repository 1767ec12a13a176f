"""The course of a fit: losses pass by pass and round by round, the way down a surface, and the losses themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.losses import MARGIN, REGRESSION
from learnt.plot.axes import axes_for, several_axes

if TYPE_CHECKING:
    from learnt.linear.online.trace import Trace
    from learnt.watch import Step


def plot_trace(trace: Trace, ax: Any = None) -> Any:
    """The loss against the pass; returns the axes."""
    ax = axes_for(ax, without=())
    ax.plot(trace.iteration, trace.loss, marker="o", ms=3)
    ax.set_xlabel("pass")
    ax.set_ylabel("mean loss")
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def plot_surface(error: Callable[[Array, Array], Array], path: Array, names: tuple[str, str], ax: Any = None) -> Any:
    """Contours of `error(a, b)` around the path (steps × 2) of two weights, its start and its end marked."""
    ax = axes_for(ax, without=())
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


def plot_rounds(train: Array, validation: Array, kept: int, ax: Any = None) -> Any:
    """Mean losses against rounds, of rows learnt from and, if there are any, of rows held out; returns the axes."""
    ax = axes_for(ax, (6.4, 4.2))
    ax.plot(np.arange(len(train)), train, lw=1.8, label="rows learnt from")
    if len(validation):
        ax.plot(np.arange(len(validation)), validation, lw=1.8, label="rows held out")
        best = float(validation[kept])
        ax.plot(kept, best, "o", ms=7, mfc="none", mec="0.1", label=f"kept: {kept} rounds")
        ax.legend(frameon=False)
    ax.set_xlabel("round")
    ax.set_ylabel("mean loss")
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def plot_steps(steps: Sequence[Step], what: str = "objective", ax: Any = None) -> Any:
    """One line per run (a restart begins a new one); returns the axes."""
    runs = _runs(steps, what)
    if not runs:
        raise InputError(f"No step has {what!r}. Watch an algorithm that reports it, or choose another fact.")
    ax = axes_for(ax, without=())
    named: set[str] = set()
    for name, iterations, values in runs:
        ax.plot(iterations, values, marker="o", ms=3, label=None if name in named else name)
        named.add(name)
    ax.set_xlabel("iteration")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylabel(what, parse_math=False)
    if any(named):
        ax.legend()
    return ax


def _runs(steps: Sequence[Step], what: str) -> list[tuple[str, list[int], list[Any]]]:
    """Steps of one learner and kind with a growing iteration belong together."""
    runs: list[tuple[str, list[int], list[Any]]] = []
    current: dict[str, tuple[str, list[int], list[Any]]] = {}
    for step in steps:
        value = step.get(what)
        if value is None:
            continue
        name = f"{step.learner} {step.what}".strip()
        run = current.get(name)
        iteration = step.iteration if step.iteration is not None else (run[1][-1] + 1 if run else 0)
        if run is None or iteration <= run[1][-1]:
            run = current[name] = (name, [], [])
            runs.append(run)
        run[1].append(iteration)
        run[2].append(value)
    return runs


def plot_margins(values: Array, ax: Any = None, *, label: str | None = None) -> Any:
    """A rising stair: its height at 0 is the share of rows answered wrong. Returns the axes."""
    new, ax = ax is None, axes_for(ax, without=())
    if new:
        ax.axvline(0, color="0.6", linewidth=0.8)
        ax.set_xlim(-1.02, 1.02)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("margin: votes for the right class minus votes for the best wrong one")
        ax.set_ylabel("share of rows up to that margin")
    ax.ecdf(values, label=label)
    if label is not None:
        ax.legend(loc="upper left")
    return ax


def plot_losses(axes: Any = None) -> Any:
    """Two pictures, margins on the left and errors on the right; returns the two axes."""
    margins, errors = axes = several_axes(axes, 1, 2, (9, 3.6))
    for ax, losses, at, name in (
        (margins, MARGIN, np.linspace(-2, 2.5, 901), "margin z = y·f(x)"),
        (errors, REGRESSION, np.linspace(-3, 3, 601), "error r = prediction − truth"),
    ):
        for loss in losses.values():
            values = loss(at)
            if loss.name == "zero_one":  # its jump is not a gradient
                values = np.where(np.abs(at) < 1e-9, np.nan, values)
            ax.plot(at, values, label=f"{loss.name}: {loss.formula}", lw=2.2 if loss.name == "zero_one" else 1.5)
        ax.set_xlabel(name)
        ax.set_ylim(0, 4)
        ax.legend(fontsize=7)
    margins.plot(0, 1, "o", color="0.2", ms=4)
    margins.set_ylabel("loss")
    return axes
