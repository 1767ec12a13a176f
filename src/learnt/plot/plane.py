"""Where the rows of a table lie on paper: in two of its columns, or in its two main directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table, unknown_column
from learnt.errors import InputError, ParameterError
from learnt.show.words import printable, shortened

MOST_TICKS = 20


@dataclass(frozen=True, eq=False)
class Direction:
    """One axis: the place of each row (NaN where it has none), its words, and the ticks of categories."""

    places: Array
    words: str
    ticks: tuple[str, ...] = ()
    ordered: bool = True  # whether a mean of places is one


@dataclass(frozen=True, eq=False)
class Plane:
    x: Direction
    y: Direction
    filled: int = 0  # rows with missing cells that are drawn where the mean would put them

    @property
    def shown(self) -> Array:
        """The numbers of the rows that have a place."""
        return np.flatnonzero(np.isfinite(self.x.places) & np.isfinite(self.y.places))


def plane_of(table: Table, columns: Any = None) -> Plane:
    """By `columns`, two names; by the two main directions for "pca"; without, by whichever of both fits the table."""
    if columns is None:
        columns = table.names if table.n_columns == 2 and table.schema.all_numeric else "pca"
    if isinstance(columns, str):
        if columns != "pca":
            raise ParameterError(f"columns={columns!r} is not allowed. Expected 'pca' or the names of two columns.")
        return _main_plane(table)
    x, y = (_column_of(table, name) for name in _two(columns))
    return Plane(_direction(x), _direction(y))


def _two(columns: Sequence[Any]) -> Sequence[Any]:
    if len(columns) != 2:
        raise ParameterError(f"columns holds {len(columns)} names. Expected two, or 'pca'.")
    return columns


def _column_of(table: Table, name: Any) -> Column:
    if isinstance(name, int) and not table.schema.named and 0 <= name < table.n_columns:
        name = table.names[name]
    if name not in table:
        raise InputError(unknown_column(str(name), table.names))
    return table[str(name)]


def _direction(column: Column) -> Direction:
    """Numbers as they are; categories a step apart, their rows spread a little, each time alike."""
    words = shortened(printable(column.name), 60)
    if column.kind == "numeric":
        return Direction(np.asarray(column.values, dtype=np.float64), words)
    codes = np.asarray(column.values)
    spread = np.random.default_rng(0).uniform(-0.3, 0.3, len(codes))
    ticks = tuple(shortened(printable(str(c)), 18) for c in column.categories)
    places = np.where(codes < 0, np.nan, codes + spread)
    return Direction(places, words, ticks if len(ticks) <= MOST_TICKS else (), column.kind == "ordinal")


def _main_plane(table: Table) -> Plane:
    """The two directions in which the standardised columns spread most."""
    from learnt.reduce import PCA

    most = 1 if table.n_columns == 1 and not table.schema.columns[0].categories else 2
    model = PCA(min(most, table.n_rows), standardize=True, random_state=0).fit(table)
    scores = np.array(model.transform(table), dtype=np.float64)
    directions = [
        Direction(
            scores[:, d],
            _component_words(d, model.explained_variance_ratio_[d], model.components_[d], model.get_design_names()),
        )
        for d in range(scores.shape[1])
    ]
    if len(directions) == 1:
        directions.append(Direction(np.zeros(table.n_rows), ""))
    return Plane(directions[0], directions[1], _rows_with_gaps(table))


def _rows_with_gaps(table: Table) -> int:
    if table.sparse is not None:
        return 0
    gaps = np.zeros(table.n_rows, dtype=bool)
    for column in table.columns:
        gaps |= column.missing
    return int(gaps.sum())


def _component_words(d: int, share: float, loadings: Array, names: Sequence[str]) -> str:
    """`component 0, 73% of the variance` and below `petallength, petalwidth, −sepalwidth`."""
    top = [j for j in np.argsort(-np.abs(loadings), kind="stable")[:3] if abs(loadings[j]) >= 0.2]
    parts = [("−" if loadings[j] < 0 else "") + shortened(printable(names[j]), 24) for j in top]
    return f"component {d}, {100 * share:.0f}% of the variance" + (f"\n{', '.join(parts)}" if parts else "")
