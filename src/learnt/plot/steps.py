"""The course of an algorithm: one fact of its steps against the iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from learnt.errors import InputError
from learnt.show.words import spell

if TYPE_CHECKING:
    from learnt.watch import Step


def plot_steps(steps: Sequence[Step], what: str = "objective", ax: Any = None) -> Any:
    """One line per run (a restart begins a new one); returns the axes."""
    import matplotlib.pyplot as plt

    runs = _runs(steps, what)
    if not runs:
        raise InputError(f"No step has {spell(what)}. Watch an algorithm that reports it, or choose another fact.")
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
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
