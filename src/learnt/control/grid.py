"""Grid worlds: a map in letters becomes a Markov decision process that can be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from learnt.control.process import Action, MarkovDecisionProcess, Move, State
from learnt.errors import InputError, ParameterError
from learnt.show.words import spell

Cell = tuple[int, int]

#: Ways to go: what each adds to row and column.
WAYS: dict[str, Cell] = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
ARROWS = {"up": "↑", "right": "→", "down": "↓", "left": "←"}
WALL = "#"


@dataclass(frozen=True)
class Grid:
    """Where the cells of a grid world lie; walls are in no state."""

    n_rows: int
    n_columns: int
    walls: frozenset[Cell]
    ends: Mapping[Cell, float]
    start: Cell | None


def grid_world(
    drawing: str,
    *,
    rewards: Mapping[str, float] | None = None,
    step: float = -0.04,
    slip: float = 0.2,
    discount: float = 0.95,
) -> MarkovDecisionProcess:
    """A world of cells to walk in, of a map in letters.

    `#` is a wall, `S` where to start, `.` a free cell; other letters are ends with the reward that `rewards` gives
    them (`+` 1 and `-` −1 unless it says otherwise). Each step costs `step`. With chance `slip` one goes astray, half
    of it to either side; who walks into a wall stays. States are (row, column), counted from 0 at the top left.

    >>> from learnt.control import value_iteration
    >>> world = grid_world('''
    ... ...+
    ... .#.-
    ... S...
    ... ''')
    >>> print(value_iteration(world).drawing())
    → → → +
    ↑ # ↑ -
    ↑ ← ↑ ←
    """
    lines = [line.strip() for line in drawing.strip().splitlines()]
    if not lines or len({len(line) for line in lines}) != 1 or not lines[0]:
        raise InputError("The lines of the map differ in length, or there are none. Expected a rectangle of letters.")
    if not 0 <= slip <= 1:
        raise ParameterError(f"slip is {spell(slip)}. Expected a number from 0 to 1.")
    gains = {"+": 1.0, "-": -1.0} | {str(letter): float(gain) for letter, gain in (rewards or {}).items()}
    letters = {(i, j): letter for i, line in enumerate(lines) for j, letter in enumerate(line)}
    unknown = sorted({letter for letter in letters.values() if letter not in {WALL, "S", "."} | gains.keys()})
    if unknown:
        raise InputError(f"The map has {spell(unknown[0])}, and rewards= says nothing of it.")
    ends = {cell: gains[letter] for cell, letter in letters.items() if letter in gains}
    walls = frozenset(cell for cell, letter in letters.items() if letter == WALL)
    starts = [cell for cell, letter in letters.items() if letter == "S"]
    if len(starts) > 1:
        raise InputError(f"The map has {len(starts)} cells 'S'. Expected one place to start, or none.")
    free = [cell for cell in letters if cell not in walls]

    def gone(cell: Cell, way: str) -> Cell:
        to = (cell[0] + WAYS[way][0], cell[1] + WAYS[way][1])
        return to if to in letters and to not in walls else cell

    moves: dict[State, dict[Action, list[Move]]] = {}
    for cell in free:
        moves[cell] = {}
        for way in WAYS if cell not in ends else ():
            chances: dict[Cell, float] = {}
            for turn, chance in ((0, 1 - slip), (1, slip / 2), (3, slip / 2)):
                names = list(WAYS)
                to = gone(cell, names[(names.index(way) + turn) % 4])
                chances[to] = chances.get(to, 0.0) + chance
            moves[cell][way] = [(p, to, step + ends.get(to, 0.0)) for to, p in chances.items() if p > 0]
    grid = Grid(len(lines), len(lines[0]), walls, ends, starts[0] if starts else None)
    return MarkovDecisionProcess(moves, discount, grid)
