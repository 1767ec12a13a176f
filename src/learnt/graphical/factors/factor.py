"""A factor: a number for every combination of the states of some variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import count_of, label, list_of, plain, short_name, spell

MOST_ENTRIES = 2**31 - 1  # of one table
SHOWN = 40  # entries of a factor that is printed
SUM, MAXIMUM, LOG_SUM = 0, 1, 2


class Factor:
    """Numbers over named variables with named states, one axis a variable.

    >>> rain = Factor({"rain": ["no", "yes"]}, [0.8, 0.2])
    >>> wet = Factor({"rain": ["no", "yes"], "grass": ["dry", "wet"]}, [[0.9, 0.1], [0.2, 0.8]])
    >>> print((rain * wet).sum_out("rain"))
    grass
    dry    0.76
    wet    0.24
    >>> (rain * wet).reduce({"grass": "wet"}).normalized()["yes"].round(4)
    np.float64(0.6667)

    | setting | meaning |
    |---|---|
    | `variables` | the states of each variable, by its name |
    | `values` | an array, or nested lists, with one axis a variable |
    | `logs` | whether `values` are logarithms; products are then sums, and sums are taken of exponentials |
    """

    __slots__ = ("_states", "logs", "values", "variables")

    def __init__(self, variables: Mapping[str, Sequence[Any]], values: Any, *, logs: bool = False):
        self.variables: tuple[str, ...] = tuple(variables)
        self._states: tuple[tuple[Any, ...], ...] = tuple(tuple(map(plain, s)) for s in variables.values())
        for name, states in zip(self.variables, self._states, strict=True):
            check_states(name, states)
        shape = tuple(map(len, self._states))
        given = _numbers(values, f"The factor over {list_of(list(map(repr, self.variables))) or 'no variables'}")
        if given.shape != shape and given.size != int(np.prod(shape)):
            raise InputError(
                f"The values of a factor have the shape {given.shape}. Expected {shape}, one axis a variable."
            )
        self.values: Array = np.array(given.reshape(shape), order="C")
        self.logs = bool(logs)
        if np.isnan(self.values).any() or np.isposinf(self.values).any() or (not logs and (self.values < 0).any()):
            raise InputError(
                "The values of a factor are below 0, infinite or missing somewhere. Expected numbers from 0."
            )

    @classmethod
    def _of(cls, variables: tuple[str, ...], states: tuple[tuple[Any, ...], ...], values: Array, logs: bool) -> Factor:
        """Parts that were checked before."""
        made = cls.__new__(cls)
        made.variables, made._states, made.values, made.logs = variables, states, values, logs
        return made

    def states(self, variable: str) -> tuple[Any, ...]:
        return self._states[self._axis(variable)]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)

    def _axis(self, variable: str) -> int:
        if variable not in self.variables:
            raise InputError(
                f"The factor has no variable {spell(variable)}. It has {list_of(self.variables) or 'none'}."
            )
        return self.variables.index(variable)

    # The algebra

    def __mul__(self, other: Factor) -> Factor:
        """The product, over the variables of both."""
        if not isinstance(other, Factor):
            return NotImplemented
        return product([self, other])

    def marginal(self, *kept: str) -> Factor:
        """All other variables summed out; the kept ones in this order."""
        return self._reduced(kept, LOG_SUM if self.logs else SUM)

    def max_marginal(self, *kept: str) -> Factor:
        """The maximum over all other variables."""
        return self._reduced(kept, MAXIMUM)

    def sum_out(self, *names: str) -> Factor:
        return self.marginal(*self._without(names))

    def max_out(self, *names: str) -> Factor:
        return self.max_marginal(*self._without(names))

    def _without(self, names: Iterable[str]) -> list[str]:
        gone = {self._axis(name) for name in names}
        return [name for i, name in enumerate(self.variables) if i not in gone]

    def _reduced(self, kept: Sequence[str], how: int) -> Factor:
        axes = np.array([self._axis(name) for name in kept], np.int32)
        states = tuple(self._states[i] for i in axes.tolist())
        out = np.empty(tuple(map(len, states)))
        own = np.arange(len(self.variables), dtype=np.int32)
        counts = np.array(self.shape, np.int32)
        _core.reduce_factor(counts, own, self.values.reshape(-1), axes, how, out.reshape(-1))
        return Factor._of(tuple(kept), states, out, self.logs)

    def reduce(self, evidence: Mapping[str, Any]) -> Factor:
        """The entries that agree with the states seen, without those variables; of other variables nothing is asked."""
        place: list[Any] = [slice(None)] * len(self.variables)
        for name, state in evidence.items():
            if name in self.variables:
                i = self.variables.index(name)
                place[i] = state_code(name, self._states[i], state)
        left = [i for i, p in enumerate(place) if isinstance(p, slice)]
        values = np.array(self.values[tuple(place)], order="C")
        names, states = tuple(self.variables[i] for i in left), tuple(self._states[i] for i in left)
        return Factor._of(names, states, values, self.logs)

    def transposed(self, *variables: str) -> Factor:
        """The same with its axes in this order."""
        if sorted(variables) != sorted(self.variables):
            raise InputError(f"The axes are {list_of(self.variables)}. {list_of(list(variables))} came.")
        axes = [self._axis(name) for name in variables]
        values = np.array(self.values.transpose(axes), order="C")
        return Factor._of(tuple(variables), tuple(self._states[i] for i in axes), values, self.logs)

    # What it amounts to

    def total(self) -> float:
        """The sum of all entries; of logarithms, the logarithm of the sum."""
        return float(self.marginal().values[()])

    def normalized(self) -> Factor:
        """Divided by its total, so that entries add up to 1."""
        total = self.total()
        if total == (-np.inf if self.logs else 0):
            raise InputError("All entries of the factor are 0, so that they cannot be made to add up to 1.")
        values = self.values - total if self.logs else self.values / total
        return Factor._of(self.variables, self._states, values, self.logs)

    def log(self) -> Factor:
        """The same in logarithms."""
        if self.logs:
            return self
        with np.errstate(divide="ignore"):
            return Factor._of(self.variables, self._states, np.log(self.values), True)

    def exp(self) -> Factor:
        """The same without logarithms."""
        return Factor._of(self.variables, self._states, np.exp(self.values), False) if self.logs else self

    def argmax(self) -> dict[str, Any]:
        """The states of the largest entry; of several the first."""
        places = np.unravel_index(int(self.values.argmax()), self.shape) if self.variables else ()
        return {n: s[int(p)] for n, s, p in zip(self.variables, self._states, places, strict=True)}

    def __getitem__(self, states: Any) -> Any:
        """The entry of a state, or of a tuple of states, one for each variable."""
        given = states if len(self.variables) != 1 and isinstance(states, tuple) else (states,)
        if len(given) != len(self.variables):
            raise InputError(
                f"{count_of(len(given), 'state')} came. Expected one for each of {list_of(self.variables)}."
            )
        codes = (state_code(n, s, v) for n, s, v in zip(self.variables, self._states, given, strict=True))
        return self.values[tuple(codes)]

    def __repr__(self) -> str:
        parts = (f"{short_name(n, 40)}: {len(s)}" for n, s in zip(self.variables, self._states, strict=True))
        return f"Factor({', '.join(parts)})"

    def __str__(self) -> str:
        rows = [[*(short_name(n, 28) for n in self.variables), ""]]
        for at in range(min(self.values.size, SHOWN)):
            codes = np.unravel_index(at, self.shape) if self.variables else ()
            cells = [short_name(s[int(c)], 28) for s, c in zip(self._states, codes, strict=True)]
            rows.append([*cells, number(float(self.values.flat[at]))])
        lines = aligned_lines(rows, left=range(len(self.variables)))
        more = self.values.size - SHOWN
        return "\n".join([*lines, *([f"and {more:,} more"] if more > 0 else [])])


def product(factors: Sequence[Factor]) -> Factor:
    """The product of all, over the variables of any; of none the number 1."""
    known: dict[str, tuple[Any, ...]] = {}
    for factor in factors:
        for name, states in zip(factor.variables, factor._states, strict=True):
            if known.setdefault(name, states) != states:
                raise InputError(
                    f"Two factors give {name!r} different states: {spell(list(known[name]))[:80]} and "
                    f"{spell(list(states))[:80]}. Make them the same, in the same order."
                )
    logs = {factor.logs for factor in factors}
    if len(logs) > 1:
        return product([factor.exp() for factor in factors])
    in_logs = logs == {True}
    shape = tuple(map(len, known.values()))
    check_entries(shape)
    out = np.full(shape, 0.0 if in_logs else 1.0)
    counts, own = np.array(shape, np.int32), np.arange(len(shape), dtype=np.int32)
    place = {name: i for i, name in enumerate(known)}
    for factor in factors:
        scope = np.array([place[name] for name in factor.variables], np.int32)
        _core.combine_factor(counts, scope, factor.values.reshape(-1), own, in_logs, out.reshape(-1))
    return Factor._of(tuple(known), tuple(known.values()), out, in_logs)


def check_entries(shape: Sequence[int]) -> None:
    """Raise for a table that no memory holds."""
    size = float(np.prod(np.array(shape, dtype=np.float64)))
    if size > MOST_ENTRIES:
        raise InputError(
            f"A table of {number(size)} entries ({count_of(len(shape), 'variable')}) is needed. At most "
            f"{MOST_ENTRIES:,} are possible. Leave out variables, or ask for approximate answers."
        )


def check_states(name: str, states: Sequence[Any]) -> None:
    """Raise unless a variable has states that can be told apart."""
    if not isinstance(name, str) or not name:
        raise InputError(f"A variable is called {spell(name)}. Expected a text that is not empty.")
    if not states:
        raise InputError(f"The variable {name!r} has no states. Expected at least one.")
    try:
        different = len(set(states))
    except TypeError:
        raise InputError(
            f"The states of {name!r} are {spell(list(states))[:80]}. Expected labels or numbers."
        ) from None
    if different < len(states):
        twice = next(s for i, s in enumerate(states) if s in states[:i])
        raise InputError(f"The variable {name!r} has the state {label(twice)} twice. States must differ.")
    if any(s is None or s != s for s in states):
        raise InputError(f"The variable {name!r} has a missing cell among its states. Expected labels or numbers.")


def state_code(name: str, states: Sequence[Any], state: Any) -> int:
    """The number of a state."""
    state = plain(state)
    for code, known in enumerate(states):
        if known == state and isinstance(known, bool) == isinstance(state, bool):
            return code
    for code, known in enumerate(states):  # 1 for True, and the other way round, where nothing else fits
        if known == state:
            return code
    raise InputError(
        f"{name!r} has no state {label(state)}. Its states are {list_of([label(s) for s in states], most=8)}."
    )


def _numbers(values: Any, what: str) -> Array:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{what} was given values that are not an array of numbers. Expected one axis a variable."
        ) from None
