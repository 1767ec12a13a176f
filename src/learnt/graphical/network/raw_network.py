"""What a file says of a network, before it is checked; and the limits that keep a hostile one harmless."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from learnt.errors import FileError, InputError
from learnt.graphical.network.ancestry import parents_first

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork

MOST_STATES = 10_000  # of one variable
MOST_VARIABLES = 100_000
MOST_ENTRIES = 2**26  # of one table


def check_state_count(name: str, n: int, line: int | None = None) -> None:
    if n > MOST_STATES:
        raise FileError(
            f"The variable {name[:80]!r} has {n:,} states. At most {MOST_STATES:,} are read.",
            line=line,
        )


def probability(text: str, line: int | None = None) -> float:
    """A number of a table."""
    try:
        value = float(text)
    except ValueError:
        raise FileError(f"{text[:40]!r} stands where a probability must. Expected a number.", line=line) from None
    if not 0 <= value < float("inf"):
        raise FileError(f"{text[:40]!r} stands where a probability must. Expected a number from 0 to 1.", line=line)
    return value


@dataclass
class RawTable:
    """Of one variable: its parents, and rows of probabilities."""

    parents: list[str]
    #: All numbers, the child's states running fastest after the parents' (XMLBIF), or as BIF's `table` has them.
    numbers: list[float] | None = None
    child_fastest: bool = True
    rows: dict[tuple[str, ...], list[float]] = field(default_factory=dict)
    default: list[float] | None = None
    line: int | None = None


@dataclass
class RawNetwork:
    states: dict[str, list[str]] = field(default_factory=dict)
    tables: dict[str, RawTable] = field(default_factory=dict)

    def add_variable(self, name: str, states: list[str], line: int | None = None) -> None:
        check_state_count(name, len(states), line)
        if name in self.states:
            raise FileError(f"The variable {name[:80]!r} is declared twice.", line=line)
        if len(self.states) >= MOST_VARIABLES:
            raise FileError(f"There are more than {MOST_VARIABLES:,} variables, which are not read.", line=line)
        self.states[name] = states

    def add_table(self, name: str, table: RawTable) -> None:
        for known in (name, *table.parents):
            if known not in self.states:
                raise FileError(
                    f"A table names {known[:80]!r}, which is not a variable declared before.", line=table.line
                )
        if name in self.tables:
            raise FileError(f"The variable {name[:80]!r} has two tables.", line=table.line)
        self.tables[name] = table

    def network(self) -> BayesianNetwork:
        """The network, all of it checked."""
        from learnt.graphical.network.bayesian_network import BayesianNetwork

        if not self.states:
            raise FileError("It declares no variable.")
        absent = next((name for name in self.states if name not in self.tables), None)
        if absent is not None:
            raise FileError(f"The variable {absent[:80]!r} has no table: the file is cut off, or incomplete.")
        structure = {name: self.tables[name].parents for name in self.states}
        parents_first(structure)
        made = BayesianNetwork(structure, self.states)
        for name in self.states:
            try:
                made.set_table(name, self._array(name, self.tables[name]))
            except FileError:
                raise
            except InputError as error:
                raise FileError(str(error), line=self.tables[name].line) from error
        return made

    def _array(self, name: str, table: RawTable) -> np.ndarray:
        shape = [*(len(self.states[p]) for p in table.parents), len(self.states[name])]
        entries = float(np.prod(np.array(shape, dtype=np.float64)))
        if entries > MOST_ENTRIES:
            raise FileError(f"The table of {name[:80]!r} has {entries:.3g} entries. At most {MOST_ENTRIES:,} are read.")
        if table.numbers is not None:
            if len(table.numbers) != int(entries):
                raise FileError(
                    f"The table of {name[:80]!r} has {len(table.numbers):,} numbers. Expected {int(entries):,}.",
                    line=table.line,
                )
            numbers = np.array(table.numbers)
            if table.child_fastest or not table.parents:
                return numbers.reshape(shape)
            # BIF: the states of the variable run slowest.
            return np.moveaxis(numbers.reshape([shape[-1], *shape[:-1]]), 0, -1)
        made = np.full(shape, np.nan)
        if table.default is not None:
            made[...] = self._row(name, table.default, table)
        for states, row in table.rows.items():
            if len(states) != len(table.parents):
                raise FileError(
                    f"A row of {name[:80]!r} names {len(states)} parents' states. It has {len(table.parents)} parents.",
                    line=table.line,
                )
            place = []
            for parent, state in zip(table.parents, states, strict=True):
                if state not in self.states[parent]:
                    raise FileError(f"{parent[:80]!r} has no state {state[:80]!r}.", line=table.line)
                place.append(self.states[parent].index(state))
            made[tuple(place)] = self._row(name, row, table)
        if np.isnan(made).any():
            missing = tuple(int(i[0]) for i in np.nonzero(np.isnan(made)))
            words = ", ".join(self.states[p][i] for p, i in zip(table.parents, missing, strict=False))
            raise FileError(f"The table of {name[:80]!r} has no row for ({words[:120]}).", line=table.line)
        return made

    def _row(self, name: str, row: list[float], table: RawTable) -> list[float]:
        if len(row) != len(self.states[name]):
            raise FileError(
                f"A row of {name[:80]!r} has {len(row)} numbers. It has {len(self.states[name])} states.",
                line=table.line,
            )
        return row
