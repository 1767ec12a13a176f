"""Rows in the plane: in two columns of a table or in its two main directions, in the colours of their groups."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.form import Form
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.errors import InputError, ParameterError
from learnt.plot.axes import MOST_IN_LEGEND, axes_for, class_look, legend_aside, ticks_of_form
from learnt.show.numbers import percent
from learnt.show.palette import NO_ANSWER
from learnt.show.words import count_of, short_name

MOST_TICKS = 20
NONE = -1  # rows that belong to no group: noise, or without a class
FEW, MANY = 2000, 20_000  # rows: up to which each is a shape with an edge, and from which they are painted as a density
CELLS = (360, 270)  # of the density, across and up
PALEST = 0.35  # how much of its colour a spot with a single row has


@dataclass(frozen=True, eq=False)
class Direction:
    """One axis: the place of each row (NaN where it has none), its words, and the ticks of categories."""

    places: Array
    words: str
    ticks: tuple[str, ...] = ()
    ordered: bool = True  # whether a mean of places is one
    form: Form | None = None  # how numbers are written at the ticks


@dataclass(frozen=True, eq=False)
class Plane:
    x: Direction
    y: Direction
    filled: int = 0  # rows with missing cells that are drawn where the mean would put them

    @property
    def shown_rows(self) -> Array:
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
    words = short_name(column.name, 60)
    if column.kind == "numeric":
        return Direction(np.asarray(column.values, dtype=np.float64), words, form=column.form)
    codes = np.asarray(column.values)
    spread = np.random.default_rng(0).uniform(-0.3, 0.3, len(codes))
    ticks = tuple(short_name(c, 18) for c in column.categories)
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
    """`component 0, 73 % of the variance` and below `petallength, petalwidth, −sepalwidth`."""
    top = [j for j in np.argsort(-np.abs(loadings), kind="stable")[:3] if abs(loadings[j]) >= 0.2]
    parts = [("−" if loadings[j] < 0 else "") + short_name(names[j], 24) for j in top]
    return f"component {d}, {percent(share, 0)} of the variance" + (f"\n{', '.join(parts)}" if parts else "")


def draw_groups(plane: Plane, codes: Array, names: Mapping[int, str], ax: Any = None) -> Any:
    """Rows by their places, `codes` from 0 on told apart by colours and `names`; returns the axes."""
    ax = axes_for(ax, (7.5, 5.2))
    shown = plane.shown_rows
    if len(shown) > MANY:
        _paint(plane, codes, shown, ax)
    else:
        _scatter(plane, codes, shown, ax)
    for direction, axis, set_ticks, set_label in (
        (plane.x, ax.xaxis, ax.set_xticks, ax.set_xlabel),
        (plane.y, ax.yaxis, ax.set_yticks, ax.set_ylabel),
    ):
        ticks_of_form(axis, direction.form)
        set_label(direction.words, parse_math=False)
        if direction.ticks:
            set_ticks(range(len(direction.ticks)), direction.ticks, parse_math=False)
    if names:
        _legend(codes, names, ax, painted=len(shown) > MANY)
    words = _words(plane, len(codes), len(shown))
    if words:
        ax.set_title(textwrap.fill(words, 92), loc="left", fontsize=9, color="0.35")
    return ax


def look(code: int) -> dict[str, Any]:
    return {"color": NO_ANSWER, "marker": "."} if code == NONE else class_look(code)


def _scatter(plane: Plane, codes: Array, shown: Array, ax: Any) -> None:
    few = len(shown) <= FEW
    edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.6} if few else {"linewidths": 0}
    for c in np.unique(codes[shown]).tolist():  # noise first, under the rest
        rows = shown[codes[shown] == c]
        x, y = plane.x.places[rows], plane.y.places[rows]
        # As a picture inside the SVG, where thousands of shapes would make it slow and large.
        size = (24 if few else 7) * (2.5 if c == NONE else 1)  # a dot is a small shape
        drawn: dict[str, Any] = {"s": size, "alpha": 1 if few else 0.7, "rasterized": not few, "zorder": 2}
        ax.scatter(x, y, **look(c), **edge, **drawn)


def _paint(plane: Plane, codes: Array, shown: Array, ax: Any) -> None:
    """Each spot in the mean colour of its rows, the deeper the more there are."""
    from matplotlib.colors import to_rgb

    wide, high = CELLS
    x, y = plane.x.places[shown], plane.y.places[shown]
    left, right, low, up = *_ends(x), *_ends(y)
    spot = _cell(y, low, up, high) * wide + _cell(x, left, right, wide)
    count = np.bincount(spot, minlength=wide * high).astype(np.float64)
    present, places = np.unique(codes[shown], return_inverse=True)
    palette = np.array([to_rgb(look(int(c))["color"]) for c in present])
    full = count > 0
    total = np.stack([np.bincount(spot, palette[places, i], wide * high) for i in range(3)], axis=1)
    colour = total / np.maximum(count, 1)[:, None]
    depth = np.where(full, PALEST + (1 - PALEST) * np.log1p(count) / np.log1p(count.max()), 0)
    pixels = np.concatenate([colour, depth[:, None]], axis=1).reshape(high, wide, 4)
    ax.imshow(pixels, extent=(left, right, low, up), origin="lower", aspect="auto", interpolation="nearest", zorder=1)


def _ends(places: Array) -> tuple[float, float]:
    low, high = float(places.min()), float(places.max())
    room = 0.03 * (high - low) or 0.5
    return low - room, high + room


def _cell(places: Array, low: float, high: float, cells: int) -> Array:
    return np.clip(((places - low) / (high - low) * cells).astype(np.int64), 0, cells - 1)


def _legend(codes: Array, names: Mapping[int, str], ax: Any, *, painted: bool) -> None:
    from matplotlib.lines import Line2D

    found, counts = np.unique(codes, return_counts=True)
    sizes = dict(zip(found.tolist(), counts.tolist(), strict=True))
    shown = [c for c in sizes if c != NONE][:MOST_IN_LEGEND] + [c for c in sizes if c == NONE]
    handles = []
    for c in shown:
        words = f"{names[c]}: {count_of(sizes[c], 'row')}, {percent(sizes[c] / len(codes), 0)}"
        drawn = {**look(c), **({"marker": "s"} if painted else {})}
        handles.append(Line2D([], [], ls="", ms=11 if drawn["marker"] == "." else 7, mew=0, **drawn, label=words))
    rest = [n for c, n in sizes.items() if c not in shown]
    if rest:
        handles.append(Line2D([], [], ls="", label=f"and {len(rest)} more, {count_of(sum(rest), 'row')}"))
    legend_aside(ax, handles=handles)


def _words(plane: Plane, n_rows: int, shown: int) -> str:
    words = []
    if shown < n_rows:
        words.append(f"{count_of(n_rows - shown, 'row')} with missing cells not drawn")
    if plane.filled:
        words.append(f"{count_of(plane.filled, 'row')} with missing cells, which count as the mean or the commonest")
    if shown > MANY:
        words.append(f"{count_of(shown, 'row')}, the deeper the more of them in a spot")
    return "; ".join(words)
