"""What commands are given: tables by the name of a file, models, kinds of columns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from learnt.data.files.read import read
from learnt.data.schema import KINDS, Kind
from learnt.errors import ParameterError

if TYPE_CHECKING:
    from learnt.data.table import Table
    from learnt.learner.base import Learner

DATASET = "dataset:"
STANDARD_INPUT = "-"
FILE_HELP = "A file of any format learnt reads, dataset:NAME for a bundled table, or - for standard input."


def load(file: str, target: str | None, kinds: dict[str, Kind], ordinal: dict[str, list[str]]) -> Table:
    """The table of a file, a bundled table, or what comes from standard input."""
    overrides: dict[str, Any] = {"kinds": kinds or None, "ordinal": ordinal or None}
    if file.startswith(DATASET):
        from learnt import datasets
        from learnt.data.table import Table

        return Table(datasets.load(file.removeprefix(DATASET)), target=target, **overrides)
    if file == STANDARD_INPUT:
        return read(sys.stdin.buffer, target=target, **overrides)
    return read(file, target=target, **overrides)


def load_model(path: str) -> Learner:
    """A saved model that has been fitted."""
    from learnt.saving import load as load_saved

    model: Learner = load_saved(path)
    if not model.__sklearn_is_fitted__():
        raise ParameterError(f"The {type(model).__name__} in {path!r} is not fitted. Make a model with learnt train.")
    return model


def kinds_of(pairs: list[str] | None) -> dict[str, Kind]:
    """`zip=nominal`, given several times, as a dict."""
    found: dict[str, Kind] = {}
    for column, kind in map(_pair, pairs or []):
        if kind not in KINDS:
            raise ParameterError(f"Column {column!r} is given the kind {kind!r}. The kinds are {', '.join(KINDS)}.")
        found[column] = kind
    return found


def ordinal_of(pairs: list[str] | None) -> dict[str, list[str]]:
    """`size=S,M,L`, given several times, as a dict."""
    return {column: labels.split(",") for column, labels in map(_pair, pairs or [])}


def column_list(given: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """`A,B` as two columns, unless there is one of that very name; those not there are told by whoever needs them."""
    found: list[str] = []
    for text in given or []:
        found += [text] if text in names else [part.strip() for part in text.split(",") if part.strip()]
    return list(dict.fromkeys(found))


def without_columns(table: Table, drop: Sequence[str] | None) -> Table:
    """The table without the columns that were named."""
    from learnt.data.table import unknown_column
    from learnt.errors import InputError

    names = column_list(drop, table.names)
    for name in names:
        if name not in table:
            raise InputError(unknown_column(name, table.names))
        if name == table.target:
            raise InputError(f"{name!r} is the column to predict. Drop another, or name another target.")
    return table.drop(*names) if names else table


def _pair(text: str) -> tuple[str, str]:
    """COLUMN=VALUE in two; column names may hold the sign, so the last one counts."""
    column, sign, value = text.rpartition("=")
    if not (sign and column and value):
        raise ParameterError(f"The option is {text!r}. Expected COLUMN=VALUE, such as zip=nominal.")
    return column, value
