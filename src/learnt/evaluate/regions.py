"""Decision regions: what a classifier answers everywhere on the plane of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.data.value_text import value_text
from learnt.errors import InputError
from learnt.evaluate.foreign import features_for, learner_task
from learnt.learner.base import Learner
from learnt.learner.parameters import Whole, check_parameters
from learnt.show.words import few_of, label, plain, short_name, shorten_text, spell

#: Categories of an axis: more could not be read. The most frequent are kept.
MOST_CATEGORIES = 20
#: Cells farther out overflow while an axis is laid out.
DRAWN_UP_TO = 1e300
#: Rows that importance is measured on: enough to choose two columns.
ROWS_TO_CHOOSE = 1000


@dataclass(frozen=True, eq=False)
class Axis:
    """One of the two columns: `values` are what is asked at `places` along the axis, `cell` is how wide each is."""

    column: Column
    places: Array
    values: Array
    cell: float

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def coded(self) -> bool:
        return self.column.kind != "numeric"

    @property
    def ends(self) -> tuple[float, float]:
        """Where the first cell begins and the last one ends."""
        return float(self.places[0] - self.cell / 2), float(self.places[-1] + self.cell / 2)

    @property
    def ticks(self) -> list[str]:
        """The labels of categories."""
        return [str(plain(self.column.categories[code])) for code in self.values.tolist()]

    def spots(self) -> Array:
        """Where the rows lie on this axis; NaN for missing cells and categories that are not shown."""
        if not self.coded:
            return np.asarray(self.column.values, dtype=np.float64)
        place = np.full(len(self.column.categories) + 1, np.nan)
        place[self.values] = self.places
        return place[self.column.values]


@dataclass(frozen=True, eq=False)
class Regions:
    """Answers on a grid of two columns, `codes[j, i]` at y place j and x place i, and the rows that were given."""

    x: Axis
    y: Axis
    classes: tuple[Any, ...]
    codes: Array
    probabilities: Array | None  # y × x × classes
    truth: Array | None  # the class of each row, −1 for one the classifier does not know
    title: str
    caption: str
    rows: Table  # what was asked: a row for each place, row by row


def draw_regions(
    classifier: Any,
    X: Any,
    y: Any = None,
    columns: Sequence[str] | None = None,
    *,
    resolution: int = 200,
    ax: Any = None,
) -> Any:
    """Draw what a fitted classifier answers over two columns, and the rows of `X` as points.

    | argument | default | meaning |
    |---|---|---|
    | `classifier` | | fitted: one of learnt's, of scikit-learn's, or whatever has `predict` |
    | `X` | | the table whose rows are drawn and whose columns the classifier knows |
    | `y` | None | the true classes, or the name of their column; points are then coloured by them |
    | `columns` | None | the two columns; by default the most important, or the first two numeric ones |
    | `resolution` | 200 | places along a numeric axis, at least 2; categories have one each |

    Columns that are not drawn are held at their median or most frequent category, as the picture says. Colours are
    the deeper the more probable the answer is. Returns the matplotlib axes.

    >>> import learnt
    >>> iris = learnt.datasets.load("iris")
    >>> axes = draw_regions(learnt.DecisionTreeClassifier(max_depth=3).fit(iris), iris, resolution=20)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('petallength', 'petalwidth')
    """
    from learnt.plot.regions import plot_regions

    return plot_regions(regions(classifier, X, y, columns, resolution), ax)


def draw_voronoi(points: Any, labels: Any = None, *, ax: Any = None) -> Any:
    """Draw the cells of points in the plane, coloured by label: the regions of a 1-nearest-neighbour classifier.

    `points` are rows of two numeric columns: an array, a frame, a table, or the centers of a clustering. `labels` is
    one label per point; cells of equal labels share a colour. Returns the matplotlib axes.

    >>> axes = draw_voronoi([[0, 0], [1, 0], [0, 1], [1, 1]], ["a", "b", "b", "a"])
    >>> len(axes.collections[0].get_paths())
    4
    """
    from learnt.plot import regions

    return regions.draw_voronoi(points, labels, ax=ax)


def regions(classifier: Any, X: Any, y: Any, columns: Sequence[str] | None, resolution: int) -> Regions:
    """What `draw_regions` draws."""
    check_parameters("draw_regions", {"resolution": Whole(2, 2000)}, {"resolution": resolution})
    if not callable(getattr(classifier, "predict", None)):
        raise InputError(f"{classifier!r} has no method 'predict'. Expected a fitted classifier.")
    if learner_task(classifier) == "regression":
        raise InputError(f"{type(classifier).__name__} predicts numbers, which have no regions. Expected a classifier.")
    table, truth = features_and_labels(classifier, X, y)
    if table.n_rows == 0 or table.n_columns < 2:
        raise InputError(f"The table has shape {table.shape}. Expected rows, and two columns at least.")
    first, second = _two_columns(classifier, table, truth, columns)
    across, up = _axis(table[first], resolution), _axis(table[second], resolution)
    grid, held = _grid(table, across, up)
    rows = features_for(classifier, grid)
    answers = np.asarray(classifier.predict(rows))
    known = getattr(classifier, "classes_", None)
    classes = tuple(map(plain, np.unique(answers) if known is None else known))
    shape = len(up.places), len(across.places)
    codes = _codes(answers, classes).reshape(shape)
    ask = getattr(classifier, "predict_proba", None)
    try:
        probabilities = None if ask is None else np.asarray(ask(rows)).reshape(*shape, -1)
    except InputError:  # a learner that was told not to learn any
        probabilities = None
    if probabilities is not None and probabilities.shape[-1] != len(classes):
        probabilities = None  # of something else than the classes, such as the answers of a loss
    return Regions(
        across,
        up,
        classes,
        codes,
        probabilities,
        None if truth is None else _codes(truth, classes),
        type(classifier).__name__,
        held,
        grid,
    )


def features_and_labels(classifier: Any, X: Any, y: Any) -> tuple[Table, Array | None]:
    """The classifier's columns, and the true labels if there are any."""
    table = X if isinstance(X, Table) else Table(X)
    y = table.target if y is None else y
    truth: Array | None = None
    if isinstance(y, str):
        if y not in table:
            raise InputError(f"y={spell(y)} names a column. {unknown_column(y, table.names)}")
        truth = _labels(table[y])
        table = table.drop(y)
    elif y is not None:
        truth = _labels(to_vector(y, "y"))
        if len(truth) != table.n_rows:
            raise InputError(f"There are {len(truth)} labels for {table.n_rows} rows. Expected one per row.")
    names = getattr(classifier, "feature_names_in_", None)
    if names is not None and table.schema.named:
        table = table.select([str(name) for name in names])
    return table, truth


def _labels(column: Column) -> Array:
    labels = np.empty(len(column), dtype=object)
    labels[:] = column.labels()
    return labels


def _codes(labels: Array, classes: Sequence[Any]) -> Array:
    """The place of each label among the classes; −1 for none of them, such as a refused answer. 1 and 1.0 are one."""
    place = {c: i for i, c in enumerate(classes)}
    return np.array([place.get(value, -1) for value in map(plain, labels.tolist())], dtype=np.int64)


def _two_columns(classifier: Any, table: Table, truth: Array | None, columns: Sequence[str] | None) -> tuple[str, str]:
    if columns is not None:
        if isinstance(columns, str) or len(columns) != 2 or columns[0] == columns[1]:
            raise InputError(f"columns={columns!r} are not two columns. Expected the names of two.")
        for name in columns:
            if name not in table:
                raise InputError(unknown_column(str(name), table.names))
        return columns[0], columns[1]
    if table.n_columns > 2 and truth is not None and isinstance(classifier, Learner) and hasattr(classifier, "score"):
        return _most_important(classifier, table, truth)
    numeric = [name for name in table.names if table[name].kind == "numeric"]
    first, second, *_ = [*numeric, *(name for name in table.names if name not in numeric)]
    return first, second


def _most_important(classifier: Any, table: Table, truth: Array) -> tuple[str, str]:
    """The two columns whose shuffling costs most, the first of them in the table across."""
    from learnt.evaluate.importance import permutation_importance

    known = np.flatnonzero([value is not None for value in truth])
    some = known[np.linspace(0, len(known) - 1, min(len(known), ROWS_TO_CHOOSE)).astype(int)] if len(known) else known
    if len(some) == 0:
        return table.names[0], table.names[1]
    y = np.array(truth[some].tolist())
    found = permutation_importance(classifier, table.take(some), y, n_repeats=3, random_state=0).top(2)
    first, second = sorted(found, key=table.names.index)
    return first, second


def _axis(column: Column, resolution: int) -> Axis:
    if column.kind == "numeric":
        values = column.values[np.isfinite(column.values)]
        if len(values) == 0:
            raise InputError(f"Column {column.name!r} has no cells to draw. Choose another with columns=.")
        low, high = float(values.min()), float(values.max())
        if max(abs(low), abs(high)) > DRAWN_UP_TO:
            raise InputError(
                f"Column {column.name!r} has cells beyond {DRAWN_UP_TO:g}, which no axis holds. Choose another with "
                "columns=."
            )
        room = 0.06 * (high - low) or max(abs(low) * 0.05, 0.5)
        edges = np.linspace(low - room, high + room, resolution + 1)
        places = (edges[1:] + edges[:-1]) / 2
        return Axis(column, places, places, float(edges[1] - edges[0]))
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.categories))
    if not counts.any():
        raise InputError(f"Column {column.name!r} has no cells to draw. Choose another with columns=.")
    frequent = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    shown = np.sort(frequent[counts[frequent] > 0])
    return Axis(column, np.arange(len(shown), dtype=np.float64), shown, 1.0)


def line_of(table: Table, name: str, resolution: int) -> tuple[Axis, Table, str]:
    """A column as an axis, a row for each place along it, and words on where the other columns are held."""
    across = _axis(table[name], resolution)
    return across, *_grid(table, across, None)


def plane_of(table: Table, columns: Sequence[str] | None, resolution: int) -> tuple[Axis, Axis, Table, str]:
    """Two columns as axes, the first two numeric ones by default; a row for each place, and words as above."""
    if table.n_rows == 0 or table.n_columns < 2:
        raise InputError(f"The table has shape {table.shape}. Expected rows, and two columns at least.")
    first, second = _two_columns(None, table, None, columns)
    across, up = _axis(table[first], resolution), _axis(table[second], resolution)
    return across, up, *_grid(table, across, up)


def _grid(table: Table, across: Axis, up: Axis | None) -> tuple[Table, str]:
    """A row for each place on the plane, row by row, and words on where the other columns are held."""
    high = 1 if up is None else len(up.places)
    n = len(across.places) * high
    columns, held = [], []
    for column in table.columns:
        if column.name == across.name:
            values = np.tile(across.values, high)
        elif up is not None and column.name == up.name:
            values = np.repeat(up.values, len(across.places))
        else:
            value, words = _typical(column)
            values = np.full(n, value)
            held.append(words)
        kept = values.astype(np.int32 if column.kind != "numeric" else np.float64)
        columns.append(Column.like(column, kept))
    grid = Table.of_columns(columns, named=table.schema.named)
    if not held:
        return grid, ""
    return grid, f"others held at median or most frequent value: {few_of(held, 4)}"


def _typical(column: Column) -> tuple[float, str]:
    """The median or the most frequent category, and both in words; missing where all cells are."""
    name = short_name(column.name, 30)
    cells = column.values[~column.missing]
    if len(cells) == 0:
        return (np.nan if column.kind == "numeric" else -1), f"{name} missing"
    if column.kind == "numeric":
        middle = float(np.median(cells))
        return middle, f"{name} {value_text(column.form, middle)}"
    code = int(np.bincount(cells).argmax())
    return code, f"{name} {shorten_text(label(column.categories[code]), 20)}"
