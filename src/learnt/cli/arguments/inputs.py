"""What commands are given: tables by the name of a file, models, lists of columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from learnt.cli.arguments.reading import AS_FOUND, Reading
from learnt.cli.terminal.streams import standard_input
from learnt.data.files.read import read
from learnt.errors import ParameterError

if TYPE_CHECKING:
    from learnt.data.files.scan import Scan
    from learnt.data.table import Table
    from learnt.learner.base import Learner

Rows = TypeVar("Rows", bound="Table | Scan")

DATASET = "dataset:"
STANDARD_INPUT = "-"
FILE_HELP = "A file of any format learnt reads, dataset:NAME for a bundled table, or - for standard input."


def load(file: str, target: str | None = None, reading: Reading = AS_FOUND) -> Table:
    """The table of a file, a bundled table, or what comes from standard input."""
    if file.startswith(DATASET):
        from learnt import datasets
        from learnt.data.table import Table

        if reading.of_the_file:
            option = f"--{next(iter(reading.of_the_file)).replace('_', '-')}"
            raise ParameterError(f"{option} says how a file is read, and {file} is a table already. Leave it out.")
        return Table(datasets.load(file.removeprefix(DATASET)), target=target, **reading.settings)
    return read(standard_input() if file == STANDARD_INPUT else file, target=target, **reading.settings)


def is_one_table(file: str) -> bool:
    """Whether it is loaded at once; a folder or a pattern is read in passes."""
    path = Path(file.partition("::")[0])  # a table of a database is named behind ::
    return file == STANDARD_INPUT or file.startswith(DATASET) or Path(file).is_file() or path.is_file()


def load_model(path: str) -> Learner:
    """A saved model that has been fitted."""
    from learnt.saving import load as load_saved

    model: Learner = load_saved(path)
    if not hasattr(type(model), "predict") and not hasattr(type(model), "transform"):
        raise ParameterError(
            f"{path!r} holds a {type(model).__name__}, which predicts no column. Ask it by learnt network."
        )
    if not model.__sklearn_is_fitted__():
        raise ParameterError(f"The {type(model).__name__} in {path!r} is not fitted. Make a model with learnt train.")
    return model


def column_list(given: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """`A,B` as two columns, unless there is one of that very name; those not there are told by whoever needs them."""
    found: list[str] = []
    for text in given or []:
        found += [text] if text in names else [part.strip() for part in text.split(",") if part.strip()]
    return list(dict.fromkeys(found))


def without_columns(rows: Rows, drop: Sequence[str] | None) -> Rows:
    """The table, or the scan, without the columns that were named."""
    from learnt.data.files.scan import Scan
    from learnt.data.table import unknown_column
    from learnt.errors import InputError

    names = column_list(drop, rows.names) if drop else []
    for name in names:
        if name not in rows.names:
            raise InputError(unknown_column(name, rows.names))
        if name == rows.target:
            raise InputError(f"{name!r} is the column to predict. Drop another, or name another target.")
    if not names:
        return rows
    left = rows.with_schema(rows.schema.without(*names)) if isinstance(rows, Scan) else rows.drop(*names)
    return cast("Rows", left)
