"""Markov decision processes: states, the choices in each, where they lead with what chance, and what is gained."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.show.words import count_of, plain, spell

State = Hashable
Action = Hashable
#: A chance, a next state and a reward.
Move = tuple[float, State, float]

#: Chances of a choice add up to 1, up to rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class MarkovDecisionProcess:
    """What may be done in each state, and what comes of it.

    `moves` gives for each state and each action the moves it may lead to, as (chance, next state, reward). A state
    without actions is an end. `discount` is what a reward is worth one move later.

    >>> weather = MarkovDecisionProcess(
    ...     {
    ...         "dry": {"walk": [(0.8, "dry", 2.0), (0.2, "wet", 2.0)], "wait": [(1.0, "dry", 0.5)]},
    ...         "wet": {"wait": [(0.5, "dry", 0.0), (0.5, "wet", 0.0)], "go home": [(1.0, "home", 1.0)]},
    ...         "home": {},
    ...     },
    ...     discount=0.9,
    ... )
    >>> weather
    <MarkovDecisionProcess: 3 states (1 of them an end), 4 choices, discount 0.9>
    """

    moves: Mapping[State, Mapping[Action, Sequence[Move]]]
    discount: float = 0.9
    grid: Any = field(default=None, repr=False)  # of a grid world: where its states lie

    states: tuple[State, ...] = field(init=False, repr=False)
    actions: tuple[tuple[Action, ...], ...] = field(init=False, repr=False)
    _arrays: tuple[Array, Array, Array, Array, Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.discount, bool) or not (isinstance(self.discount, int | float) and 0 <= self.discount <= 1):
            raise ParameterError(f"discount is {spell(self.discount)}. Expected a number from 0 to 1.")
        if not self.moves:
            raise InputError("The process has no states.")
        states = tuple(self.moves)
        place = {state: i for i, state in enumerate(states)}
        actions = tuple(tuple(self.moves[state]) for state in states)
        first_choice, first_move = [0], [0]
        chances, nexts, rewards = [], [], []
        for state in states:
            for action, moves in self.moves[state].items():
                moves = _checked(state, action, moves, place)
                chances += [chance for chance, _, _ in moves]
                nexts += [place[to] for _, to, _ in moves]
                rewards += [reward for _, _, reward in moves]
                first_move.append(len(nexts))
            first_choice.append(len(first_move) - 1)
        arrays = (
            np.array(first_choice, np.int64),
            np.array(first_move, np.int64),
            np.array(nexts, np.int32),
            np.array(chances, np.float64),
            np.array(rewards, np.float64),
        )
        for name, value in (("states", states), ("actions", actions), ("_arrays", arrays)):
            object.__setattr__(self, name, value)

    # Other ways to say it

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        state: str = "state",
        action: str = "action",
        next: str = "next",
        probability: str = "probability",
        reward: str = "reward",
        discount: float = 0.9,
    ) -> MarkovDecisionProcess:
        """A process of a table with a row for each move. States that only stand in `next` are ends.

        Probabilities that are left out are equal, of all rows of the same state and action; rows of a log, which come
        again and again, so become the shares that were seen.

        >>> log = {"state": ["a", "a", "a"], "action": ["go"] * 3, "next": ["a", "end", "end"], "reward": [0, 1, 1]}
        >>> MarkovDecisionProcess.from_table(log).moves["a"]["go"]
        [(0.3333333333333333, 'a', 0.0), (0.6666666666666666, 'end', 1.0)]
        """
        rows = Table(table)
        columns = [_cells(rows, name) for name in (state, action, next, reward)]
        given = _cells(rows, probability) if probability in rows.names else [1.0] * rows.n_rows
        sums: dict[State, dict[Action, dict[tuple[State, float], float]]] = {}
        for chance, here, doing, to, gain in zip(given, *columns, strict=True):
            moves = sums.setdefault(here, {}).setdefault(doing, {})
            moves[to, float(gain)] = moves.get((to, float(gain)), 0.0) + float(chance)
        if probability not in rows.names:
            for doings in sums.values():
                for moves in doings.values():
                    whole = sum(moves.values())
                    moves.update({move: count / whole for move, count in moves.items()})
        ends = dict.fromkeys(to for to in columns[2] if to not in sums)
        found: dict[State, dict[Action, list[Move]]] = {
            here: {doing: [(p, to, r) for (to, r), p in moves.items()] for doing, moves in doings.items()}
            for here, doings in sums.items()
        }
        return cls(found | {end: {} for end in ends}, discount)

    @classmethod
    def from_function(
        cls,
        states: Iterable[State],
        actions: Iterable[Action] | Callable[[Any], Iterable[Action]],
        step: Callable[[Any, Any], Iterable[Move]],
        discount: float = 0.9,
    ) -> MarkovDecisionProcess:
        """A process of a function that gives the moves of a state and an action; `actions` may be a function, too.

        >>> def step(n, way):  # a walk on a line with an end at either side
        ...     return [(1.0, n + way, 1.0 if n + way == 3 else 0.0)]
        >>> MarkovDecisionProcess.from_function(range(4), lambda n: () if n in (0, 3) else (-1, 1), step)
        <MarkovDecisionProcess: 4 states (2 of them ends), 4 choices, discount 0.9>
        """
        offered = actions if callable(actions) else _same(tuple(actions))
        return cls({here: {doing: list(step(here, doing)) for doing in offered(here)} for here in states}, discount)

    # What it knows of itself

    @property
    def n_states(self) -> int:
        return len(self.states)

    @property
    def n_choices(self) -> int:
        return int(self._arrays[0][-1])

    def is_terminal(self, state: State) -> bool:
        """Whether there is nothing to do in a state."""
        return not self.moves[state]

    def place_of(self, state: State) -> int:
        """The number of a state, in the order in which they were given."""
        try:
            return self.states.index(state)
        except ValueError:
            raise InputError(f"There is no state {spell(state)}.") from None

    def __repr__(self) -> str:
        ends = sum(not actions for actions in self.actions)
        own = f"{count_of(self.n_states, 'state')} ({ends} of them {'an end' if ends == 1 else 'ends'})"
        return f"<MarkovDecisionProcess: {own}, {count_of(self.n_choices, 'choice')}, discount {self.discount:g}>"


def _same(actions: tuple[Action, ...]) -> Callable[[Any], tuple[Action, ...]]:
    return lambda _: actions


def _cells(table: Table, name: str) -> list[Any]:
    cells = [plain(cell) for cell in table[name].labels()]
    if None in cells:
        raise InputError(f"Column {name!r} has a missing cell in row {cells.index(None)}.")
    return cells


def _checked(state: State, action: Action, moves: Iterable[Move], place: Mapping[State, int]) -> list[Move]:
    where = f"Action {spell(action)} of state {spell(state)}"
    found = []
    for move in moves:
        if not (isinstance(move, Sequence) and len(move) == 3):
            raise InputError(f"{where} has the move {spell(move)}. Expected (chance, next state, reward).")
        chance, to, reward = move
        if to not in place:
            raise InputError(f"{where} leads to {spell(to)}, which is no state. Ends are states without actions: {{}}.")
        if not (math.isfinite(chance) and chance >= 0 and math.isfinite(reward)):
            raise InputError(f"{where} has the chance {spell(chance)} and the reward {spell(reward)}.")
        found.append((float(chance), to, float(reward)))
    whole = math.fsum(chance for chance, _, _ in found)
    if abs(whole - 1) > _ROUNDING:
        raise InputError(f"{where}: its chances add up to {whole:g}. Expected 1.")
    return [(chance / whole, to, reward) for chance, to, reward in found if chance > 0]
