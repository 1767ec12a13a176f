"""Learnt probabilities as a textbook prints them: a table for each column, a class in each column of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from learnt.data.table import Array
from learnt.show.html import html_table
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import printable, spell

if TYPE_CHECKING:
    from learnt.bayes.naive.naive_bayes import NaiveBayesClassifier


@dataclass(frozen=True, eq=False)
class ProbabilityTable:
    """One table: `title`, such as P(sky | class); a row for each of `rows`, a column for each of `classes`."""

    title: str
    rows: tuple[Any, ...]
    classes: tuple[Any, ...]
    values: Array

    def __getitem__(self, place: tuple[Any, Any]) -> float:
        """The value of a row and a class, by their labels."""
        row, label = place
        return float(self.values[self.rows.index(row), self.classes.index(label)])

    def cells(self) -> list[list[str]]:
        """All as text, the heading first."""
        heading = [printable(self.title), *(printable(str(label)) for label in self.classes)]
        return [heading] + [
            [printable(str(row)), *(number(value) for value in values)]
            for row, values in zip(self.rows, self.values.tolist(), strict=True)
        ]

    def __str__(self) -> str:
        return aligned(self.cells(), left=(0,))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heading, *rows = self.cells()
        return html_table(heading, rows, left=(0,))


class ProbabilityTables(Sequence[ProbabilityTable]):
    """The tables of a model, by number or by the name of the column: the classes first, then column by column."""

    def __init__(self, names: Sequence[str], tables: Sequence[ProbabilityTable]):
        self._names, self._tables = tuple(names), tuple(tables)

    @overload
    def __getitem__(self, which: int | str) -> ProbabilityTable: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[ProbabilityTable]: ...
    def __getitem__(self, which: int | str | slice) -> Any:
        if isinstance(which, str):
            if which not in self._names:
                raise KeyError(f"There is no table {spell(which)}. There are {list(self._names)[:8]}.")
            which = len(self._names) - 1 - self._names[::-1].index(which)  # a column may be called "class" too
        return self._tables[which]

    def __len__(self) -> int:
        return len(self._tables)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self._tables))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self._tables)


def naive_tables(model: NaiveBayesClassifier) -> ProbabilityTables:
    """Priors, then of each column its probabilities, or mean and standard deviation, or how its kernels are made."""
    labels = tuple(model.classes_.tolist())
    tables = [ProbabilityTable("P(class)", ("",), labels, np.exp(model.class_log_prior_)[None])]
    counted = {name: levels for name, _, levels in model._counted_columns()}
    gaussian = iter(zip(model.theta_.T, np.sqrt(model.var_).T, strict=True))
    for name, likelihood in model.likelihoods_.items():
        if name in counted:
            values = np.exp(model.feature_log_prob_[name]).T
            tables.append(ProbabilityTable(f"P({name} | class)", counted[name], labels, values))
        elif likelihood == "gaussian":
            tables.append(ProbabilityTable(f"{name} | class", ("mean", "sd"), labels, np.array(next(gaussian))))
        else:
            kernels = model.kernels_[name]
            shown = np.full((2, len(labels)), np.nan)
            if kernels is not None:
                shown = np.array([np.diff(kernels.starts).astype(np.float64), kernels.widths])
            tables.append(ProbabilityTable(f"{name} | class", ("kernels", "width"), labels, shown))
    return ProbabilityTables(["class", *model.likelihoods_], tables)
