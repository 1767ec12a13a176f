"""Policies in words: a line for each state, or a map of arrows."""

from __future__ import annotations

from collections.abc import Mapping

from learnt.control.grid import ARROWS, WALL, Grid
from learnt.control.process import Action, MarkovDecisionProcess, State
from learnt.errors import InputError
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import label

MOST_LINES = 40


def policy_lines(
    process: MarkovDecisionProcess, values: Mapping[State, float], policy: Mapping[State, Action]
) -> list[str]:
    """The drawing of a grid world, or a table of states with their values and best actions."""
    if process.grid is not None:
        return drawn_policy(process, policy).splitlines()
    shown = process.states[:MOST_LINES]
    rows = [("state", "value", "best")]
    rows += [(label(s), number(values[s]), label(policy[s]) if s in policy else "(an end)") for s in shown]
    more = len(process.states) - len(shown)
    return [*aligned_lines(rows, left=(0, 2)), *([f"… and {more:,} more states"] if more else [])]


def drawn_policy(process: MarkovDecisionProcess, policy: Mapping[State, Action]) -> str:
    grid = process.grid
    if not isinstance(grid, Grid):
        raise InputError("Only grid worlds can be drawn as a map. print() shows a table of the states.")
    return "\n".join(" ".join(_letter(grid, (i, j), policy) for j in range(grid.n_columns)) for i in range(grid.n_rows))


def _letter(grid: Grid, cell: tuple[int, int], policy: Mapping[State, Action]) -> str:
    if cell in grid.walls:
        return WALL
    if cell in grid.ends:
        return "+" if grid.ends[cell] > 0 else "-"
    return ARROWS[str(policy[cell])]
