"""A model made ready for questions: its factors as flat arrays, its junction trees, made once and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.graphical.factors.factor import Factor
from learnt.show.numbers import number
from learnt.show.words import count_of

MEMORY = 2**30  # bytes that an answer may take, unless another limit is given
TRIES = 3  # ways to break ties, for each of the three rules
BUSY = 2000  # variables from which on one way must do
KEPT = 8  # trees kept: of the model, and of joint questions that no clique of it holds


@dataclass(frozen=True)
class Width:
    """What an exact answer takes: found before any memory is."""

    order: Array
    width: int  # of the variable with the most neighbours when it is summed out
    largest: float  # entries of the largest table
    entries: float  # of all tables

    @property
    def bytes(self) -> float:
        """Tables, their working copies on each thread, and maps of places."""
        return self.entries * 8 * (1 + _core.get_threads()) + self.entries * 4

    def __str__(self) -> str:
        return (
            f"The width is {self.width}: the largest table has {number(self.largest)} entries, all together "
            f"{number(self.entries)}, which take {memory_words(self.bytes)}."
        )


def memory_words(size: float) -> str:
    """Bytes in the unit that suits them.

    >>> memory_words(2048), memory_words(3e9)
    ('2 kB', '2.794 GB')
    """
    units = ("bytes", "kB", "MB", "GB", "TB")
    power = min(max(int(np.log2(max(size, 1)) // 10), 0), len(units) - 1)
    value = size / 1024**power
    return f"{number(value)} {units[power]}" if value < 1e6 else f"{value:.1e} {units[power]}"


class Compiled:
    """The factors of a model as the kernels take them. Nothing in it changes once made, but trees are added."""

    def __init__(
        self,
        states: Mapping[str, Sequence[Any]],
        factors: Sequence[Factor],
        cuts: Mapping[str, Array] | None = None,
    ):
        self.names = tuple(states)
        self.states = tuple(tuple(s) for s in states.values())
        self.place = {name: v for v, name in enumerate(self.names)}
        self.counts = np.array([len(s) for s in self.states], np.int32)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)
        self.scopes = [tuple(self.place[name] for name in factor.variables) for factor in factors]
        #: Of variables that are intervals of numbers, where those are cut.
        self.cuts = {self.place[name]: cut for name, cut in (cuts or {}).items()}
        #: What was taken off the logarithms of factors, whose exponentials might be no numbers.
        self.log_scale = 0.0
        self.values = [self._scaled_values(factor) for factor in factors]
        self._codes = [{state: code for code, state in enumerate(s)} for s in self.states]
        self._trees: dict[frozenset[int], Any] = {}
        self._widths: dict[frozenset[int], Width] = {}

    def _scaled_values(self, factor: Factor) -> Array:
        if not factor.logs:
            return factor.values
        top = float(factor.values.max())
        if not np.isfinite(top):
            return factor.exp().values
        self.log_scale += top
        values: Array = np.exp(factor.values - top)
        return values

    def code(self, variable: int, state: Any) -> int | None:
        """The number of a state, None where the variable has no such state."""
        try:
            return self._codes[variable].get(state)
        except TypeError:
            return None

    def width(self, joint: Sequence[int] = ()) -> Width:
        """What exact answers take, if a clique is to hold the variables of `joint`."""
        extra = frozenset(joint)
        if extra not in self._widths:
            start, members = flat_sets([*self.scopes, tuple(sorted(extra))])
            tries = TRIES if len(self.names) < BUSY else 1
            order, width, largest, entries = _core.elimination_order(self.counts, start, members, tries)
            self._widths[extra] = Width(np.array(order, np.int32), int(width), float(largest), float(entries))
        return self._widths[extra]

    def tree(self, joint: Sequence[int] = (), memory: float = MEMORY) -> Any:
        """The junction tree, refused in words if it would take more than `memory` bytes."""
        whole = self._trees.get(frozenset())
        if whole is None or (joint and not whole.holds(np.array(joint, np.int32))):
            return self._new_tree(joint if len(joint) > 1 else (), memory)
        return whole

    def _new_tree(self, joint: Sequence[int], memory: float) -> Any:
        extra = frozenset(joint)
        if extra in self._trees:
            return self._trees[extra]
        found = self.width(joint)
        if found.bytes > memory or found.largest >= 2**31:
            raise InputError(
                f"{found} More than {memory_words(memory)} are not taken. infer() answers approximately with "
                "method='loopy', 'weighting' or 'gibbs'. Or ask for fewer variables together, or allow more by memory=."
            )
        start, members = flat_sets([*self.scopes, tuple(sorted(extra))])
        tree = _core.JunctionTree(self.counts, start, members, found.order)
        ones = np.ones(int(np.prod(self.counts[sorted(extra)], dtype=np.float64)))
        tree.set_factors(np.concatenate([*(v.reshape(-1) for v in self.values), ones]))
        if len(self._trees) >= KEPT:
            del self._trees[next(key for key in self._trees if key)]
        self._trees[extra] = tree
        return tree

    def with_values(self, values: Sequence[Array]) -> Compiled:
        """The same variables and scopes with other tables: the order of elimination is kept."""
        twin = Compiled.__new__(Compiled)
        twin.__dict__.update(self.__dict__)
        twin.values, twin._trees = list(values), {}
        return twin

    def posteriors(
        self, codes: Array, likelihood: Array | None, targets: Sequence[Sequence[int]], memory: float = MEMORY
    ) -> tuple[list[Array], Array]:
        """The distribution of each target for each row of codes, rows × entries; and log p(evidence) of each row."""
        joint = next((t for t in targets if len(t) > 1), ())
        tree = self.tree(joint, memory)
        start, members = flat_sets(targets)
        sizes = [
            int(np.prod(self.counts[list(t)], dtype=np.int64)) if len(t) != 1 else int(self.counts[t[0]])
            for t in targets
        ]
        out, log_evidence = np.empty((len(codes), sum(sizes))), np.empty(len(codes))
        tree.posteriors(codes, likelihood, start, members, out, log_evidence)
        log_evidence += self.log_scale
        if len(targets) == 1:
            return [out], log_evidence
        return np.split(out, np.cumsum(sizes)[:-1], axis=1), log_evidence

    def most_probable(self, codes: Array, likelihood: Array | None, memory: float = MEMORY) -> tuple[Array, Array]:
        """The most probable states of all variables together for each row of codes, and the log of their product."""
        found, log_joint = np.empty_like(codes), np.empty(len(codes))
        self.tree((), memory).most_probable(codes, likelihood, found, log_joint)
        return found, log_joint + self.log_scale

    def __repr__(self) -> str:
        return f"Compiled({count_of(len(self.names), 'variable')}, {count_of(len(self.scopes), 'factor')})"


def flat_sets(sets: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Where each set begins, and the members of all."""
    start = np.zeros(len(sets) + 1, np.int64)
    members: list[int] = []
    for i, s in enumerate(sets):
        members.extend(s)
        start[i + 1] = len(members)
    return start, np.array(members, np.int32)
