"""What is known: states seen, or how much each state is supported; as codes and likelihoods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.column import as_kind
from learnt.data.naming import nearest_name
from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError, KindError
from learnt.graphical.factors.factor import state_code
from learnt.graphical.inference.compiled import Compiled
from learnt.show.numbers import number
from learnt.show.words import label, list_of, plain, spell


@dataclass(frozen=True, eq=False)
class Findings:
    """`codes` is one row of states, −1 where nothing was seen; `soft` the likelihoods of states, by variable."""

    codes: Array
    soft: Mapping[int, Array]
    words: Mapping[str, str]  # of each finding, as it is shown

    def likelihood(self, compiled: Compiled) -> Array | None:
        """Of all states of all variables, one row; None where all evidence is hard."""
        if not self.soft:
            return None
        made = np.ones((1, int(compiled.starts[-1])))
        for v, values in self.soft.items():
            made[0, compiled.starts[v] : compiled.starts[v + 1]] = values
        return made


def unknown_variable(name: Any, names: Sequence[str]) -> str:
    near = nearest_name(name, names)
    hint = f" Did you mean {label(near)}?" if near is not None else ""
    every = f"The variables are {list_of([label(n) for n in names], most=12)}." if names else "There are none yet."
    return f"There is no variable {spell(name)[:80]}.{hint} {every}"


def findings_of(compiled: Compiled, evidence: Mapping[str, Any] | None) -> Findings:
    """From a dict: a state, or for soft evidence a dict or a list of the likelihoods of states; None is not seen."""
    codes = np.full((1, len(compiled.names)), -1, np.int32)
    soft: dict[int, Array] = {}
    words: dict[str, str] = {}
    for name, value in (evidence or {}).items():
        v = compiled.place.get(name)
        if v is None:
            raise InputError(unknown_variable(name, compiled.names))
        if value is None or (isinstance(value, float) and value != value):
            continue
        code = compiled.code(v, value)
        if code is not None and isinstance(value, str):  # the common case, at once
            codes[0, v] = code
            words[name] = label(value)
        elif v in compiled.cuts and isinstance(value, int | float | np.number):
            codes[0, v] = int(np.searchsorted(compiled.cuts[v], float(value)))
            words[name] = label(value)
        elif isinstance(value, Mapping | list | tuple | np.ndarray):
            soft[v] = _likelihood(name, compiled.states[v], value)
            words[name] = "(" + ", ".join(number(x) for x in soft[v]) + ")"
        else:
            codes[0, v] = state_code(name, compiled.states[v], value)
            words[name] = label(compiled.states[v][codes[0, v]])
    return Findings(codes, soft, words)


def _likelihood(name: str, states: Sequence[Any], value: Any) -> Array:
    if isinstance(value, Mapping):
        made = np.zeros(len(states))
        for state, weight in value.items():
            made[state_code(name, states, state)] = _weight(name, weight)
    else:
        made = np.array([_weight(name, weight) for weight in value], dtype=np.float64)
    if made.shape != (len(states),):
        raise InputError(f"The evidence for {name!r} has {len(made)} likelihoods. It has {len(states)} states.")
    if not (made > 0).any():
        raise InputError(
            f"The evidence for {name!r} gives all its states the likelihood 0. Expected one above 0 at least."
        )
    return made


def _weight(name: str, weight: Any) -> float:
    weight = plain(weight)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
        raise InputError(
            f"The evidence for {name!r} has the likelihood {spell(weight)[:60]}. Expected a number from 0."
        )
    return float(weight)


def is_rows(evidence: Any) -> bool:
    """Whether evidence is a table of many rows: anything but a dict of states."""
    if evidence is None or (isinstance(evidence, Mapping) and not isinstance(evidence, Table)):
        return isinstance(evidence, Mapping) and bool(evidence) and all(_is_column(c) for c in evidence.values())
    return True


def _is_column(value: Any) -> bool:
    """A list of states is a column; a list of numbers is soft evidence, as every value of a dict may be."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind in "OUSb"
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(v, str | bool | None) for v in value)


def codes_of_rows(compiled: Compiled, table: Table) -> Array:
    """A table in the states of a model."""
    return codes_of_table(table, compiled.names, compiled.states, compiled.cuts)


def codes_of_table(
    table: Table,
    names: Sequence[str],
    states: Sequence[Sequence[Any]],
    cuts: Mapping[int, Array] | None = None,
    *,
    absent: bool = True,
) -> Array:
    """Rows × variables of states, −1 where a cell is missing, or the whole column where it may be `absent`."""
    codes = np.full((table.n_rows, len(names)), -1, np.int32)
    for v, (name, known) in enumerate(zip(names, states, strict=True)):
        if name in table and table[name].kind == "numeric" and cuts is not None and v in cuts:
            cells = table[name].values
            codes[:, v] = np.where(np.isnan(cells), -1, np.searchsorted(cuts[v], cells))
        elif name in table:
            codes[:, v] = codes_of_column(table[name], known)
        elif not absent:
            raise InputError(
                f"The table has no column {name!r}. Its columns are {list_of([label(n) for n in table.names], most=8)}."
                " A hidden variable is learnt by method='em'."
            )
    return codes


def codes_of_column(column: Column, states: Sequence[Any]) -> Array:
    """The cells as codes of these states; a label that is none of them is an error that names it."""
    wanted = ColumnSchema(column.name, "nominal", tuple(states))
    if (
        column.kind != "numeric"
        and any(isinstance(s, str) for s in states)
        and not any(isinstance(c, str) for c in column.categories)
    ):
        spelt = tuple(str(c) for c in column.categories)  # True of a table for "True" of a file
        column = Column(column.name, column.kind, column.values, spelt, column.form)
    try:
        codes: Array = as_kind(column, wanted).values
    except KindError:
        cell = next(c for c in column.labels() if c is not None)
        raise InputError(_no_state(column.name, cell, int(np.flatnonzero(~column.missing)[0]), states)) from None
    strange = (codes < 0) & ~column.missing
    if strange.any():
        row = int(np.flatnonzero(strange)[0])
        raise InputError(_no_state(column.name, column.labels()[row], row, states))
    return codes


def _no_state(name: str, cell: Any, row: int, states: Sequence[Any]) -> str:
    return (
        f"Column {name!r} has {label(cell)} in row {row}, which is not a state of it. "
        f"The states are {list_of([label(s) for s in states], most=8)}."
    )


def distinct_rows(codes: Array) -> tuple[Array, Array]:
    """The different rows, and which of them each is: cases come again and again."""
    if len(codes) < 2:
        return codes, np.arange(len(codes))
    rows, place = np.unique(codes, axis=0, return_inverse=True)
    return np.ascontiguousarray(rows), place.reshape(-1)
