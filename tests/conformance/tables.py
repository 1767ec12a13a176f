"""The tables all learners must cope with, in every container they come in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from learnt import Table

SIZES = ["S", "M", "L"]
TOWNS = ["Basel", "Bern", "Genève"]

_only_counts = False


@contextmanager
def counts_only(wanted: bool = True) -> Iterator[None]:
    """Inside, tables hold no number below 0: for learners that take counts."""
    global _only_counts
    before, _only_counts = _only_counts, wanted
    try:
        yield
    finally:
        _only_counts = before


def _allowed(x: Any) -> Any:
    return np.maximum(x, 0) if _only_counts else x


def mixed(n_rows: int = 60, *, missing: bool = True, seed: int = 0) -> dict[str, Any]:
    """Numbers in both precisions, text, ordered labels (as text) and booleans, with gaps in each."""
    rng = np.random.default_rng(seed)
    cells: dict[str, Any] = {
        "area": _allowed(rng.normal(100, 30, n_rows)),
        "age": rng.gamma(2, 20, n_rows).astype(np.float32),
        "town": [TOWNS[i] for i in rng.integers(3, size=n_rows)],
        "size": [SIZES[i] for i in rng.integers(3, size=n_rows)],
        "owned": [bool(b) for b in rng.integers(2, size=n_rows)],
    }
    if missing and n_rows > 5:
        for j, column in enumerate(cells.values()):
            for i in range(j + 3, n_rows, 11):
                column[i] = np.nan if isinstance(column, np.ndarray) else None
    return cells


def as_table(cells: dict[str, Any]) -> Table:
    return Table(cells, ordinal={"size": SIZES})


def as_pandas(cells: dict[str, Any]) -> Any:
    import pandas as pd

    size = pd.Categorical(cells["size"], categories=SIZES, ordered=True)
    return pd.DataFrame(cells | {"size": size, "owned": pd.array(cells["owned"], dtype="boolean")})


def as_polars(cells: dict[str, Any]) -> Any:
    import polars as pl

    return pl.DataFrame(cells)


def as_arrow(cells: dict[str, Any]) -> Any:
    import pyarrow as pa

    codes = pa.array([None if s is None else SIZES.index(s) for s in cells["size"]], pa.int8())
    size = pa.DictionaryArray.from_arrays(codes, pa.array(SIZES), ordered=True)
    numbers = {name: pa.array(cells[name], from_pandas=True) for name in ("area", "age")}
    return pa.table({**numbers, "town": cells["town"], "size": size, "owned": cells["owned"]})


def as_dict(cells: dict[str, Any]) -> Any:
    return cells


def as_rows(cells: dict[str, Any]) -> Any:
    columns = [v.tolist() if isinstance(v, np.ndarray) else v for v in cells.values()]
    return [dict(zip(cells, row, strict=True)) for row in zip(*columns, strict=True)]


CONTAINERS = {
    "Table": as_table,
    "pandas": as_pandas,
    "polars": as_polars,
    "Arrow": as_arrow,
    "dict": as_dict,
    "list of dicts": as_rows,
}


def numbers(n_rows: int = 60, n_columns: int = 4, seed: int = 1, dtype: Any = np.float64) -> Any:
    return _allowed(np.random.default_rng(seed).normal(size=(n_rows, n_columns)).astype(dtype))


def taken_rows(cells: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Some rows of a dict of columns."""
    return {
        name: column[rows] if isinstance(column, np.ndarray) else [column[i] for i in rows]
        for name, column in cells.items()
    }
