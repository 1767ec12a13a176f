"""Penalties: the path of coefficients along them, and the errors that chose one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.show.words import number, printable, shortened

if TYPE_CHECKING:
    from learnt.linear.penalised.choice import PenaltyChoice
    from learnt.linear.penalised.path import PenaltyPath

#: Coefficients named and coloured; the others are thin and grey.
NAMED = 10


def _axes(ax: Any) -> Any:
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xscale("log")
    ax.set_xlabel("penalty alpha, from strong to weak")
    return ax


def plot_path(path: PenaltyPath, ax: Any = None) -> Any:
    """Each coefficient against a falling penalty, the largest ones named at the end; returns the axes."""
    ax = _axes(ax)
    order = np.argsort(-np.abs(path.coefs).max(axis=1), kind="stable")
    order = order[np.abs(path.coefs[order]).max(axis=1) > 0]
    for j in order[NAMED:]:
        ax.plot(path.alphas, path.coefs[j], color="0.75", lw=0.6, zorder=1)
    names = []
    for rank, j in enumerate(order[:NAMED]):
        (line,) = ax.plot(path.alphas, path.coefs[j], lw=1.8, color=f"C{rank}", zorder=2)
        names.append((path.coefs[j, -1], shortened(printable(path.names[j]), 24), line.get_color()))
    ax.axhline(0, color="0.45", lw=0.8, zorder=1)
    if len(path.alphas) > 1:
        ax.set_xlim(path.alphas[0], path.alphas[-1])
    ax.set_ylabel("coefficient")
    _name_at_the_end(ax, sorted(names))
    return ax


def _name_at_the_end(ax: Any, names: list[tuple[float, str, Any]]) -> None:
    """At the right margin, moved apart where lines end close to each other."""
    low, high = ax.get_ylim()
    places = [(value - low) / (high - low) for value, _, _ in names]
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + 0.045)
    over = max(places, default=0.0) - 1.0
    for place, (_, name, color) in zip(places, names, strict=True):
        y = place - max(over, 0.0)
        ax.text(1.01, y, name, transform=ax.transAxes, va="center", fontsize=8, color=color, parse_math=False)


def plot_choice(choice: PenaltyChoice, ax: Any = None) -> Any:
    """The mean error of each penalty with its standard error, the best and the chosen one marked; returns the axes."""
    ax = _axes(ax)
    mean, error = choice.mean, choice.standard_error
    ax.fill_between(choice.alphas, mean - error, mean + error, color="C0", alpha=0.2, lw=0)
    ax.plot(choice.alphas, mean, color="C0", lw=2, label="mean over folds ± standard error")
    ax.axvline(choice.alphas[choice.best], color="0.45", ls=":", label="smallest error")
    label = f"chosen: alpha {number(choice.alpha)}"
    ax.axvline(choice.alpha, color="C1", ls="--", label=label)
    ax.set_xlim(choice.alphas[0], choice.alphas[-1])
    ax.set_ylabel("squared error on left-out rows")
    ax.legend(frameon=False)
    return ax
