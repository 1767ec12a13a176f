"""A variable of a network: its states, its parents, and its table of probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.graphical.factors.factor import check_entries, check_states, state_code
from learnt.show.numbers import number
from learnt.show.words import label, list_of, plain, spell
from learnt.storable import FiniteNumbers, Numbers, storable

TOLERANCE = 1e-6  # how far a row may be from adding up to 1: files round


@storable
@dataclass(frozen=True, eq=False)
class Node:
    """`table` has an axis for each parent, in their order, and a last one for its own states; None if unknown."""

    name: str
    states: tuple[Any, ...]
    parents: tuple[str, ...] = ()
    table: Numbers | None = None
    #: Where a numeric column is cut into the intervals that are its states.
    cuts: FiniteNumbers | None = None

    def __post_init__(self) -> None:
        check_states(self.name, self.states)
        if len(set(self.parents)) < len(self.parents):
            raise InputError(f"The variable {self.name!r} has a parent twice. Name each once.")
        if self.cuts is not None and (self.cuts.shape != (len(self.states) - 1,) or not (np.diff(self.cuts) > 0).all()):
            raise InputError(f"The cuts of {self.name!r} are not rising numbers, one fewer than its states.")


def checked_table(node: Node, table: Any, states_of: Mapping[str, Sequence[Any]]) -> Array:
    """Probabilities of the node's states for each combination of its parents' states, from lists, arrays or dicts."""
    counts = [len(states_of[p]) for p in node.parents]
    shape = (*counts, len(node.states))
    check_entries(shape)
    if isinstance(table, Mapping):
        given = _from_dict(node, table, states_of, shape)
    else:
        try:
            given = np.array(table, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"The table of {node.name!r} is not an array of numbers. Expected the shape {shape}, its states last."
            ) from None
    if given.shape != shape:
        if given.size != int(np.prod(shape)) or given.ndim > 2 or (given.ndim == 2 and given.shape[1] != shape[-1]):
            raise InputError(
                f"The table of {node.name!r} has the shape {given.shape}. Expected {shape}: "
                f"{'an axis for each of ' + list_of(list(map(repr, node.parents))) + ', then' if node.parents else ''} "
                f"one for its states.".replace("  ", " ")
            )
        given = given.reshape(shape)
    return _checked_rows(node, given, states_of)


def _checked_rows(node: Node, table: Array, states_of: Mapping[str, Sequence[Any]]) -> Array:
    bad = ~np.isfinite(table) | (table < 0)
    if bad.any():
        place = tuple(int(i[0]) for i in np.nonzero(bad))
        raise InputError(
            f"The table of {node.name!r} has {spell(float(table[place]))}{_where(node, place, states_of)}. "
            "Expected probabilities from 0 to 1."
        )
    sums = table.sum(axis=-1)
    off = np.abs(sums - 1) > TOLERANCE * table.shape[-1]
    if np.any(off):
        place = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(off)))[: table.ndim - 1]
        total = float(np.atleast_1d(sums)[place] if node.parents else sums)
        raise InputError(
            f"The probabilities of {node.name!r}{_where(node, place, states_of)} add up to {number(total)}. Expected 1."
        )
    made: Array = np.ascontiguousarray(table / sums[..., None])
    exact = np.abs(sums - 1) <= 4 * np.finfo(float).eps
    made[exact] = table[exact]  # what adds up stays as it was given, to the bit
    return made


def _where(node: Node, place: Sequence[int], states_of: Mapping[str, Sequence[Any]]) -> str:
    given = [f"{p} = {label(states_of[p][i])}" for p, i in zip(node.parents, place, strict=False)]
    return f" where {list_of(given)}" if given else ""


def _from_dict(
    node: Node, table: Mapping[Any, Any], states_of: Mapping[str, Sequence[Any]], shape: Sequence[int]
) -> Array:
    """Nested dicts by the states of the parents, then of its own; or tuples of the parents' states as keys."""
    made = np.full(shape, np.nan)

    def fill(part: Any, place: tuple[int, ...]) -> None:
        depth = len(place)
        if depth == len(shape):
            made[place] = _probability(node, part)
        elif not isinstance(part, Mapping):
            row = np.array(part, dtype=np.float64)
            if row.shape != tuple(shape[depth:]):
                raise InputError(
                    f"A part of the table of {node.name!r} has the shape {row.shape}, not {tuple(shape[depth:])}."
                )
            made[place] = row
        else:
            for key, rest in part.items():
                keys = key if isinstance(key, tuple) and depth < len(node.parents) else (key,)
                codes = []
                for k, state in enumerate(keys):
                    name = (*node.parents, node.name)[min(depth + k, len(shape) - 1)]
                    codes.append(state_code(name, node.states if name == node.name else states_of[name], state))
                fill(rest, (*place, *codes))

    fill(table, ())
    if np.isnan(made).any():
        place = tuple(int(i[0]) for i in np.nonzero(np.isnan(made)))
        last = f"{node.name} = {label(node.states[place[-1]])}"
        raise InputError(
            f"The table of {node.name!r} says nothing of {last}{_where(node, place, states_of)}. Give all of it."
        )
    return made


def _probability(node: Node, value: Any) -> float:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"The table of {node.name!r} has {spell(value)[:60]}. Expected numbers.")
    return float(value)
