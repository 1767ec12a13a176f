"""Planning: the best choice in every state of a process that is known, by value iteration or policy iteration."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.control.process import Action, MarkovDecisionProcess, State
from learnt.control.texts import drawn_policy, policy_lines
from learnt.data.table import Array
from learnt.errors import ConvergenceWarning, InputError
from learnt.learner.parameters import Real, Whole, check_parameters
from learnt.show.words import count_of, list_of, spell

#: Policies of so many states are valued by solving equations, of more by sweeps.
MOST_SOLVED = 1000
#: A choice is better than the policy's only if by more than this share of the largest value: rounding changes nothing.
_BETTER = 1e-12


@dataclass(frozen=True, eq=False)
class Solution:
    """What states and choices are worth, and the best choice in each state.

    | attribute | meaning |
    |---|---|
    | `values` | by state: the discounted rewards to come, on average |
    | `policy` | by state: the action with the largest worth, of equal ones the first; ends have none |
    | `q_values` | by state and action: what is gained by it and by the best choices ever after |
    | `sweeps` | how often all states were looked at |
    | `error_bound` | no value is further from the true one; None without discount, where nothing bounds it |
    | `changes` | the largest change of a value in each sweep, or the choices changed in each round of policies |
    """

    process: MarkovDecisionProcess
    method: str
    sweeps: int
    error_bound: float | None
    changes: tuple[float, ...]
    _values: Array
    _worths: Array

    @property
    def values(self) -> dict[State, float]:
        return dict(zip(self.process.states, self._values.tolist(), strict=True))

    @property
    def q_values(self) -> dict[State, dict[Action, float]]:
        return worths_by_name(self.process, self._worths)

    @property
    def policy(self) -> dict[State, Action]:
        return policy_by_name(self.process, self._worths)

    def drawing(self) -> str:
        """The policy of a grid world as arrows, one letter a cell."""
        return drawn_policy(self.process, self.policy)

    def __str__(self) -> str:
        bound = "" if self.error_bound is None else f", no value off by more than {self.error_bound:.2g}"
        head = f"{self.method}: {count_of(self.sweeps, 'sweep')}{bound}"
        return "\n".join([head, *policy_lines(self.process, self.values, self.policy)])

    def plot(self, ax: Any = None) -> Any:
        """Draw values and best choices: the cells of a grid world with arrows, else a bar for each state."""
        from learnt.plot.control import plot_solution

        return plot_solution(self.process, self.values, self.policy, ax)


def value_iteration(process: MarkovDecisionProcess, *, tol: float = 1e-8, max_sweeps: int = 100_000) -> Solution:
    """Make each state worth its best choice, again and again, until no value is off by more than `tol`.

        V(s) ← max_a Σ_s' P(s' | s, a) · (R + γ V(s'))

    After a sweep that changes values by Δ at most, no value is further than γ/(1−γ)·Δ from the true one. Without
    discount there is no such bound, and it stops when values change by less than `tol`.
    """
    check_parameters(
        "value_iteration", {"tol": Real(above=0), "max_sweeps": Whole(1)}, {"tol": tol, "max_sweeps": max_sweeps}
    )
    values, bound, changes = _swept(process, None, np.zeros(process.n_states), tol, max_sweeps)
    if bound > tol:
        _warn(f"Values are still off by up to {bound:.2g} after {max_sweeps} sweeps. Raise max_sweeps or tol.", process)
    known = bound if process.discount < 1 else None
    return Solution(process, "value iteration", len(changes), known, tuple(changes), values, _worths(process, values))


def policy_iteration(process: MarkovDecisionProcess, *, tol: float = 1e-10, max_rounds: int = 1000) -> Solution:
    """Value a policy, take the best choice by these values everywhere, and so on until no choice changes.

    Policies of up to 1,000 states are valued exactly, by solving equations; of more by sweeps until no value is off by
    more than `tol`.
    """
    check_parameters(
        "policy_iteration", {"tol": Real(above=0), "max_rounds": Whole(1)}, {"tol": tol, "max_rounds": max_rounds}
    )
    chosen = process._arrays[0][:-1].copy()
    if process.discount == 1:  # a first policy that never ends has no value: begin with one that gets there
        chosen = _ending_policy(process)
    changed, values = [], np.zeros(process.n_states)
    for _ in range(max_rounds):
        values = _policy_values(process, chosen, values, tol)
        worths = _worths(process, values)
        margin = _BETTER * max(1.0, float(np.abs(values).max(initial=0.0)))
        best = best_choices(process, worths)
        inner = _inner(process)
        better = np.zeros(process.n_states, bool)
        better[inner] = worths[best[inner]] > worths[chosen[inner]] + margin
        changed.append(float(better.sum()))
        if not better.any():
            break
        chosen = np.where(better, best, chosen)
    else:
        _warn(f"Choices still change after {max_rounds} rounds. Raise max_rounds.", process)
    exact = process.n_states <= MOST_SOLVED
    after = np.empty_like(values)
    least, largest = _core.sweep_states(*process._arrays, process.discount, None, values, after)
    known = None if process.discount == 1 else _bound(process.discount, least, largest) + (0.0 if exact else tol)
    return Solution(process, "policy iteration", len(changed), known, tuple(changed), values, worths)


def evaluate_policy(
    process: MarkovDecisionProcess, policy: Mapping[State, Action], *, tol: float = 1e-10
) -> dict[State, float]:
    """What states are worth to somebody who always follows `policy`, an action for each state that is no end."""
    places = []
    for s, (state, actions) in enumerate(zip(process.states, process.actions, strict=True)):
        first = int(process._arrays[0][s])
        if not actions:
            places.append(first)
        elif state not in policy:
            raise InputError(f"The policy has no action for state {spell(state)}.")
        elif policy[state] not in actions:
            offered = list_of([spell(action) for action in actions], "or", most=6)
            raise InputError(f"The policy takes {spell(policy[state])} in state {spell(state)}. Expected {offered}.")
        else:
            places.append(first + actions.index(policy[state]))
    chosen = np.array(places, np.int64)
    values = _policy_values(process, chosen, np.zeros(process.n_states), tol)
    return dict(zip(process.states, values.tolist(), strict=True))


def worths_by_name(process: MarkovDecisionProcess, worths: Array) -> dict[State, dict[Action, float]]:
    first = process._arrays[0]
    return {
        state: dict(zip(actions, worths[first[s] : first[s + 1]].tolist(), strict=True))
        for s, (state, actions) in enumerate(zip(process.states, process.actions, strict=True))
    }


def policy_by_name(process: MarkovDecisionProcess, worths: Array) -> dict[State, Action]:
    best, first = best_choices(process, worths), process._arrays[0]
    return {
        state: actions[int(best[s] - first[s])]
        for s, (state, actions) in enumerate(zip(process.states, process.actions, strict=True))
        if actions
    }


def best_choices(process: MarkovDecisionProcess, worths: Array) -> Array:
    """The choice with the largest worth in each state, of nearly equal ones the first."""
    first = process._arrays[0]
    inner = _inner(process)
    best = first[:-1].copy()
    if not len(inner):
        return best
    top = np.maximum.reduceat(worths, first[inner])
    margin = _BETTER * max(1.0, float(np.abs(worths).max()))
    owner = np.repeat(np.arange(len(inner)), np.diff(first)[inner])
    close = np.flatnonzero(worths >= top[owner] - margin)
    owners, places = np.unique(owner[close], return_index=True)
    best[inner[owners]] = close[places]
    return best


def _inner(process: MarkovDecisionProcess) -> Array:
    """The states that are no ends."""
    return np.flatnonzero(np.diff(process._arrays[0]))


def _worths(process: MarkovDecisionProcess, values: Array) -> Array:
    out = np.empty(process.n_choices)
    _core.choice_worths(*process._arrays, process.discount, values, out)
    return out


def _bound(discount: float, least: float, largest: float) -> float:
    return discount / (1 - discount) * max(-least, largest)


def _swept(
    process: MarkovDecisionProcess, chosen: Array | None, values: Array, tol: float, max_sweeps: int
) -> tuple[Array, float, list[float]]:
    """Values after as many sweeps as it takes, how far off they may be, and the largest change of each sweep."""
    changes: list[float] = []
    after, bound = np.empty_like(values), math.inf
    while bound > tol and len(changes) < max_sweeps:
        least, largest = _core.sweep_states(*process._arrays, process.discount, chosen, values, after)
        values, after = after, values
        changes.append(max(-least, largest))
        bound = changes[-1] if process.discount == 1 else _bound(process.discount, least, largest)
        if not math.isfinite(changes[-1]):
            raise InputError("Values grow beyond all numbers. Give smaller rewards, or a discount below 1.")
    return values, bound, changes


def _policy_values(process: MarkovDecisionProcess, chosen: Array, values: Array, tol: float) -> Array:
    if process.n_states > MOST_SOLVED:
        found, bound, _ = _swept(process, chosen, values, tol, 1_000_000)
        if bound > tol:
            _warn(f"The values of a policy are still off by up to {bound:.2g}.", process)
        return found
    _, moves, nexts, chances, rewards = process._arrays
    n = process.n_states
    matrix, gains = np.eye(n), np.zeros(n)
    for s in _inner(process).tolist():
        part = slice(moves[chosen[s]], moves[chosen[s] + 1])
        np.subtract.at(matrix[s], nexts[part], process.discount * chances[part])
        gains[s] = float(chances[part] @ rewards[part])
    try:
        return np.asarray(np.linalg.solve(matrix, gains))
    except np.linalg.LinAlgError:
        raise InputError(
            "Without discount, a policy that never comes to an end has no value. Give a discount below 1."
        ) from None


def _ending_policy(process: MarkovDecisionProcess) -> Array:
    """A policy that comes to an end from everywhere: in each state a choice that may lead one move nearer to it."""
    first, moves, nexts, _, _ = process._arrays
    chosen = first[:-1].copy()
    reached = np.diff(first) == 0
    while not reached.all():
        found = False
        for s in np.flatnonzero(~reached).tolist():
            for c in range(int(first[s]), int(first[s + 1])):
                if reached[nexts[moves[c] : moves[c + 1]]].any():
                    chosen[s], found = c, True
                    break
        newly = [
            s
            for s in np.flatnonzero(~reached).tolist()
            if reached[nexts[moves[chosen[s]] : moves[chosen[s] + 1]]].any()
        ]
        reached[newly] = True
        if not found:
            raise InputError("Without discount, every state must have a way to an end. Give a discount below 1.")
    return chosen


def _warn(words: str, process: MarkovDecisionProcess) -> None:
    hint = " Without discount, values may grow for ever." if process.discount == 1 else ""
    warnings.warn(ConvergenceWarning(words + hint), stacklevel=3)
