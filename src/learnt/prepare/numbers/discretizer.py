"""Numbers as intervals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array, Column, Table
from learnt.engine.engines import Plan
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.engine.training import Needs, Training
from learnt.engine.whole import InMemory
from learnt.errors import SavedModelError
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Whole
from learnt.prepare.numbers.cuts import by_information, equal_frequency, equal_width
from learnt.prepare.numbers.intervals import interval_labels


class Discretizer(Transformer):
    """Cut numeric columns into intervals: of equal width, of equal frequency, or where the class changes.

        x ↦ the interval (t_b, t_b+1] that holds it

    >>> people = {"age": [20, 25, 31, 40, 52, 60], "town": ["Bern", "Basel"] * 3}
    >>> cutter = Discretizer("mdl").fit(people, ["no", "no", "no", "yes", "yes", "yes"])
    >>> cutter.transform(people).to_dict()["age"][2:4]
    ['(−∞, 35.5]', '(35.5, ∞)']

    Other columns pass through, missing cells stay missing. The intervals become an ordinal column.
    A table in gives a `Table` out (a frame after `set_output`); an array without column names gives an
    array of interval numbers 0, 1, … with NaN for missing.

    {settings}

    "mdl" takes the cut of largest information gain about `y` and cuts the parts again, as long as that
    shortens the description of the classes (minimum description length).

    Attributes: `edges_`, the cuts of each numeric column by name; a value equal to a cut lies below it.

    "width" takes a `scan` of files in one pass; the others sort and take a table in memory.

    Reference: U. Fayyad, K. Irani, Multi-interval discretization of continuous-valued attributes for
    classification learning, 1993.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    takes_text = "ignored"

    strategy: str = setting(
        OneOf("width", "frequency", "mdl"),
        '"width": equally wide; "frequency": equally many rows; "mdl": where `y` changes',
        default="frequency",
        kw_only=False,
    )
    n_bins: int = setting(
        Whole(1),
        'intervals of "width" and "frequency", fewer where values repeat; "mdl" finds its own number',
        default=5,
    )

    edges_: dict[str, Array] = attribute()

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """The classes, where the cuts depend on them."""
        return "classes" if self.strategy == "mdl" else None

    def _plan(self, training: Training) -> Plan:
        if self.strategy == "width":
            ends: Ends = yield FindEnds()
            cut = [equal_width(pair[np.isfinite(pair)], self.n_bins) for pair in ends.ends]
        else:
            in_memory = InMemory("sorts each column", "use strategy='width'")
            rows = yield from in_memory.take(training, f"A Discretizer with strategy={self.strategy!r}")
            n_classes = 0 if training.classes is None else len(training.classes)
            cut = find_cuts(rows.batch, self.strategy, self.n_bins, n_classes)
        numeric = (c.name for c in training.schema if c.kind == "numeric")
        self.edges_ = dict(zip(numeric, cut, strict=True))

    def _transform(self, table: Table) -> Table:
        cuts = iter(self.edges_.items())  # in the order of the numeric columns
        columns = [_cut(c, *next(cuts)) if c.kind == "numeric" else c for c in table.columns]
        return Table.of_columns(columns, n_rows=table.n_rows, named=self._schema.named)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if list(self.edges_) != [c.name for c in self._schema if c.kind == "numeric"]:
            raise SavedModelError("The edges are not those of the numeric columns.")
        for edges in self.edges_.values():
            if edges.ndim != 1 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
                raise SavedModelError("The edges of a column are not rising numbers.")


def _cut(column: Column, name: str, edges: Array) -> Column:
    codes = np.searchsorted(edges, column.values).astype(np.int32)
    codes[np.isnan(column.values)] = -1
    return Column(name, "ordinal", codes, interval_labels(edges, column.form))


@dataclass(frozen=True)
class Ends(Statistic):
    """The smallest and the largest cell of each numeric column; inf and −inf where there is none."""

    rows: int
    ends: Array

    def _merge(self, other: Ends) -> Ends:
        low, high = np.minimum(self.ends, other.ends)[:, 0], np.maximum(self.ends, other.ends)[:, 1]
        return Ends(self.rows + other.rows, np.column_stack([low, high]))


class FindEnds(Pass):
    def summarize(self, batch: Batch) -> Ends:
        cells = (cells_of(column, batch)[0] for column in numeric_columns(batch.table))
        ends = [(values.min(initial=np.inf), values.max(initial=-np.inf)) for values in cells]
        return Ends(batch.n_rows, np.array(ends, dtype=np.float64).reshape(-1, 2))


def find_cuts(batch: Batch, strategy: str, n_bins: int, n_classes: int) -> list[Array]:
    """The cuts of each numeric column, by sorting it."""

    def cut(column: Column) -> Array:
        values, codes, weights = cells_of(column, batch)
        if strategy == "frequency":
            return equal_frequency(values, weights, n_bins)
        assert codes is not None
        return by_information(values, codes, weights, n_classes)

    pool = ThreadPoolExecutor(_core.get_threads())  # NumPy sorts without holding the lock
    try:
        return list(pool.map(cut, numeric_columns(batch.table)))
    finally:
        pool.shutdown(cancel_futures=True)


def numeric_columns(table: Table) -> list[Column]:
    return [column for column in table.columns if column.kind == "numeric"]


def cells_of(column: Column, batch: Batch) -> tuple[Array, Array | None, Array | None]:
    """The cells that are there and have weight, with their targets and weights."""
    there = ~column.missing
    if batch.weights is not None:
        there &= batch.weights > 0
    rows = slice(None) if there.all() else there
    target, weights = (None if given is None else given[rows] for given in (batch.target, batch.weights))
    return column.values[rows], target, weights
