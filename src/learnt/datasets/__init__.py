"""Small real and textbook tables that come with the package; nothing is downloaded.

>>> from learnt import datasets
>>> datasets.load("play_tennis").shape
(14, 5)
>>> datasets.iris().target
'class'
>>> datasets.info("organs").rows
9
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from learnt.data.table import Column, Table
from learnt.errors import InputError

__all__ = ["Info", "info", "load", "names"]


@dataclass(frozen=True, slots=True)
class Info:
    """What a bundled table is about, where it comes from, and what may be done with it."""

    name: str
    title: str
    description: str
    source: str
    licence: str
    target: str
    rows: int
    columns: int

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.title} ({self.rows} rows, {self.columns} columns, target {self.target!r})\n"
            f"{self.description}\nSource: {self.source}\nLicence: {self.licence}"
        )


def names() -> list[str]:
    """The names of all bundled tables."""
    return sorted(_manifest())


def load(name: str) -> Table:
    """The bundled table of that name: target set, kinds and category order as its source declares them.

    `-` and `.` may stand for `_`: `load("weather.nominal")`.
    """
    key = _known_name(name)
    entry = _manifest()[key]
    header, *rows = csv.reader(_file("tables", f"{key}.csv").splitlines())
    columns = [
        _column(label, cells, entry.get("levels", {}).get(label))
        for label, cells in zip(header, zip(*rows, strict=True), strict=True)
    ]
    return Table.of_columns(columns, target=entry["target"])


def info(name: str) -> Info:
    """Title, description, source and licence of a bundled table."""
    key = _known_name(name)
    about = {field: text for field, text in _manifest()[key].items() if field != "levels"}
    rows, columns = load(key).shape
    return Info(name=key, rows=rows, columns=columns, **about)


def _column(name: str, cells: tuple[str, ...], levels: list[str] | None) -> Column:
    """An empty cell is missing; `levels` are given for nominal columns only."""
    if levels is None:
        return Column(name, "numeric", np.array([float(cell) if cell else np.nan for cell in cells]))
    codes = {"": -1} | {label: code for code, label in enumerate(levels)}
    return Column(name, "nominal", np.array([codes[cell] for cell in cells], dtype=np.int32), tuple(levels))


@cache
def _manifest() -> dict[str, dict[str, Any]]:
    import tomllib

    return tomllib.loads(_file("manifest.toml"))


def _file(*path: str) -> str:
    return files(__name__).joinpath(*path).read_text(encoding="utf-8")


def _known_name(name: str) -> str:
    key = str(name).lower().replace("-", "_").replace(".", "_")
    if key in _manifest():
        return key
    near = difflib.get_close_matches(key, names(), 1)
    hint = f"Did you mean {near[0]!r}?" if near else f"The bundled tables are {', '.join(names())}."
    raise InputError(f"There is no bundled table {name!r}. {hint}")


def __getattr__(name: str) -> Callable[[], Table]:
    """`datasets.iris` is a function that loads iris, and so for every table."""
    if name.startswith("_") or name not in _manifest():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def load_it() -> Table:
        return load(name)

    load_it.__name__ = load_it.__qualname__ = name
    load_it.__doc__ = f"{_manifest()[name]['title']}. {_manifest()[name]['description']}"
    return load_it


def __dir__() -> list[str]:
    return sorted([*__all__, *names()])
