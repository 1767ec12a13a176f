"""A Markov network: variables, and factors that say how well their states go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError, SavedModelError
from learnt.graphical.factors.factor import Factor
from learnt.graphical.inference.answering import Answering
from learnt.graphical.inference.evidence import codes_of_rows
from learnt.graphical.without_settings import WithoutSettings
from learnt.lazy import cached_property
from learnt.learner.registry import register
from learnt.show.words import count_of, label, spell
from learnt.storable import Numbers, storable


@storable
@dataclass(frozen=True, eq=False)
class FactorPart:
    """A factor as it is saved."""

    variables: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]
    values: Numbers
    logs: bool = False

    def factor(self) -> Factor:
        return Factor(dict(zip(self.variables, self.states, strict=True)), self.values, logs=self.logs)


class MarkovNetwork(Answering, WithoutSettings):
    """Variables tied by factors, without direction: combinations are as probable as the product of their factors.

        p(x) = Π_f f(x_f) / Z

    >>> friends = MarkovNetwork()
    >>> alike = [[3.0, 1.0], [1.0, 3.0]]
    >>> yes_no = ["no", "yes"]
    >>> friends = friends.add({"Ann": yes_no, "Bo": yes_no}, alike).add({"Bo": yes_no, "Cy": yes_no}, alike)
    >>> print(friends.infer("Ann", {"Cy": "yes"}))
    P(Ann | Cy = 'yes')
      no   0.3750  ████████
      yes  0.6250  ████████████
    >>> friends.log_z().round(4)
    np.float64(3.4657)

    | setting | default | meaning |
    |---|---|---|
    | `factors` | none | to begin with, each a `Factor` |

    Reference: Koller and Friedman, Probabilistic Graphical Models, 2009, chapter 4.
    """

    task: ClassVar[str] = ""
    abilities: ClassVar[frozenset[str]] = frozenset()

    _parts: list[FactorPart]

    def __init__(self, factors: Iterable[Factor] = ()):
        self._parts = []
        for factor in factors:
            self._add(factor)

    def add(self, factor: Factor | Mapping[str, Sequence[Any]], values: Any = None, *, logs: bool = False) -> Self:
        """One more factor: a `Factor`, or the states of its variables by name and its values."""
        self._add(factor if isinstance(factor, Factor) else Factor(factor, values, logs=logs))
        return self

    def _add(self, factor: Factor) -> None:
        if not isinstance(factor, Factor):
            raise InputError(f"{spell(factor)[:80]} came. Expected a Factor.")
        known = self._states()
        for name in factor.variables:
            if name in known and tuple(known[name]) != factor.states(name):
                raise InputError(
                    f"The states of {name!r} are {', '.join(map(label, factor.states(name)))[:80]} here and "
                    f"{', '.join(map(label, known[name]))[:80]} in a factor before. Make them the same, in one order."
                )
        self._parts.append(FactorPart(factor.variables, factor._states, factor.values, factor.logs))
        for made in ("_compiled", "factors"):
            self.__dict__.pop(made, None)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self._states())

    def states(self, name: str) -> tuple[Any, ...]:
        found = self._states()
        if name not in found:
            raise InputError(f"There is no variable {spell(name)}.")
        return tuple(found[name])

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        return tuple(part.factor() for part in self._parts)

    def _states(self) -> Mapping[str, Sequence[Any]]:
        return {name: states for part in self._parts for name, states in zip(part.variables, part.states, strict=True)}

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs of variables that a factor ties."""
        found = {
            (a, b): None for part in self._parts for i, a in enumerate(part.variables) for b in part.variables[i + 1 :]
        }
        return list(found)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """The variables that share a factor with it: given these, all others tell nothing about it."""
        self.states(name)
        near = {n for part in self._parts if name in part.variables for n in part.variables} - {name}
        return tuple(n for n in self.variables if n in near)

    def log_z(self) -> Any:
        """log Z: of the sum over all combinations of the product of factors."""
        blank = np.full((1, len(self.variables)), -1, np.int32)
        return self._compiled.posteriors(blank, None, [(0,)])[1][0]

    def log_likelihood(self, table: Any) -> Array:
        """log p of each row, missing cells summed over; −∞ where a row is impossible."""
        rows = table if isinstance(table, Table) else Table(table)
        codes = codes_of_rows(self._compiled, rows)
        found: Array = self.log_evidence_of_codes(codes) - self.log_z()
        return found

    def __repr__(self) -> str:
        return f"MarkovNetwork({count_of(len(self.variables), 'variable')}, {count_of(len(self._parts), 'factor')})"

    def _check_fitted_state(self) -> None:
        parts, self._parts = self._parts, []
        for part in parts:
            try:
                self._add(part.factor())
            except (InputError, ValueError) as error:
                raise SavedModelError(f"A factor of the network cannot be: {error}") from error


register(MarkovNetwork, "", frozenset(), listed=False)
