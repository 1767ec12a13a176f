"""The explanations of many rows side by side: a matrix of contributions, and frames of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.lazy import optional_package

if TYPE_CHECKING:
    from learnt.explain.explanations import Explanations

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Contributions:
    """What each column adds in each row: `base + values.sum(axis=1)` is `totals`, up to rounding.

    | field | meaning |
    |---|---|
    | `rows` | numbers of the rows in the table that was explained |
    | `predictions` | the answers, one per row |
    | `columns` | the names of the columns, in the table's order |
    | `values` | rows × columns: the contributions; 0 where a column has no part in an answer |
    | `cells` | rows × columns: the cells of the table, None where missing or without a part |
    | `base`, `totals` | where each sum starts and ends |
    | `words` | what the totals are called, where all rows call them alike |
    """

    rows: tuple[int, ...]
    predictions: tuple[Any, ...]
    columns: tuple[str, ...]
    values: Array
    cells: Array
    base: Array
    totals: Array
    words: str

    def mean_size(self) -> Array:
        """How much each column matters over all rows: the mean of its contributions without their signs."""
        return np.abs(self.values).mean(axis=0) if len(self.rows) else np.zeros(len(self.columns))

    def order(self) -> list[int]:
        """The places of the columns, the one that matters most first; of equal ones the first."""
        return [int(j) for j in np.argsort(-self.mean_size(), kind="stable")]


def gathered(explanations: Explanations) -> Contributions:
    """All explanations, each made once."""
    told = list(explanations)
    columns = tuple(dict.fromkeys(e.column for one in told for e in one.evidence))
    place = {name: j for j, name in enumerate(columns)}
    values = np.zeros((len(told), len(columns)))
    cells = np.full((len(told), len(columns)), None, dtype=object)
    for i, one in enumerate(told):
        for e in one.evidence:
            values[i, place[e.column]] += e.contribution
            cells[i, place[e.column]] = e.value
    words = {one.total_words for one in told}
    return Contributions(
        rows=tuple(explanations.rows),
        predictions=tuple(one.prediction for one in told),
        columns=columns,
        values=values,
        cells=cells,
        base=np.array([one.base for one in told], dtype=np.float64),
        totals=np.array([one.total for one in told], dtype=np.float64),
        words=words.pop() if len(words) == 1 else "",
    )


def wide_columns(found: Contributions) -> dict[str, Any]:
    """A column for the answer, the base, each column of the table and the total."""
    taken = set(found.columns)
    named = {"prediction": list(found.predictions), _free("base", taken): found.base}
    if "prediction" in taken:
        named = {_free("prediction", taken): list(found.predictions), _free("base", taken): found.base}
    named |= {name: found.values[:, j] for j, name in enumerate(found.columns)}
    return named | {_free("total", taken): found.totals}


def long_columns(explanations: Explanations) -> dict[str, list[Any]]:
    """A line for each row and column: its cell, what it adds, and how."""
    lines = [
        (row, one.prediction, e.column, e.value, float(e.contribution), e.words)
        for row, one in zip(explanations.rows, explanations, strict=True)
        for e in one.evidence
    ]
    names = ("row", "prediction", "column", "value", "contribution", "words")
    return {name: [line[j] for line in lines] for j, name in enumerate(names)}


def frame_of_columns(columns: dict[str, Any], kind: str, index: Sequence[Any] | None = None) -> Any:
    """A pandas frame, or one of polars or Arrow."""
    if kind == "polars":
        return optional_package("polars").DataFrame({n: _alike(v) for n, v in columns.items()}, strict=False)
    if kind == "arrow":
        return optional_package("pyarrow").table({name: _alike(cells) for name, cells in columns.items()})
    return optional_package("pandas").DataFrame(columns, index=index)


def _alike(cells: Iterable[Any]) -> Any:
    """Numbers or texts as they are; of both, texts: polars and Arrow keep one type a column."""
    if isinstance(cells, np.ndarray):
        return cells
    cells = list(cells)
    kinds = {type(cell) for cell in cells if cell is not None}
    mixed = len(kinds) > 1 and not kinds <= {int, float}
    return [None if cell is None else str(cell) for cell in cells] if mixed else cells


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
