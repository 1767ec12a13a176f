"""Columns whose new rows are far from those a model learnt from, by a small summary kept with the model.

The population stability index of a column compares shares of bins (tenths of the training rows, or labels; missing
cells are a bin of their own):

    PSI = Σ_b (p_b − q_b) ln(p_b / q_b)

Below 0.1 nothing happened, above 0.25 the column has moved far. Small samples give (B − 1)(1/n + 1/m) by chance
alone, which is taken off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from threading import Lock
from typing import Any

import numpy as np

from learnt.data.form import Form
from learnt.data.notes import Note
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table
from learnt.data.value_text import value_text
from learnt.show.numbers import number
from learnt.show.words import short_name

FAR = 0.25
FEW_ROWS = 100  # below, nothing is said
MOST_COLUMNS = 300
MOST_LABELS = 30
SAMPLE = 50_000  # training rows summarized, evenly spread
PER_BATCH = 2_000  # new rows looked at of each batch, evenly spread
TENTHS = np.linspace(0, 1, 11)[1:-1]


def training_summary(table: Table, schema: Schema) -> dict[str, Any]:
    """Rows by column and bin in types of JSON; empty where the columns are too many, or have no names."""
    if not schema.named or len(schema) > MOST_COLUMNS or table.sparse is not None or table.n_rows < FEW_ROWS:
        return {}
    some = _spread_rows(table, SAMPLE)
    columns = {}
    for wanted in schema:
        if wanted.name in table and (bins := _bins_for(some[wanted.name], wanted)) is not None:
            columns[wanted.name] = {**bins, "counts": _tally(some[wanted.name], bins).tolist()}
    return {"rows": some.n_rows, "columns": columns}


def _spread_rows(table: Table, most: int) -> Table:
    """All rows, or so many of them, evenly spread."""
    return table if table.n_rows <= most else table.take(np.linspace(0, table.n_rows - 1, most).astype(np.int64))


def _bins_for(column: Column, wanted: ColumnSchema) -> dict[str, Any] | None:
    if wanted.kind == "numeric" and column.kind == "numeric":
        cells = column.values[np.isfinite(column.values)]
        return {"edges": np.unique(np.quantile(cells, TENTHS)).tolist()} if len(cells) else None
    if column.kind == "numeric" or not wanted.categories or len(wanted.categories) > MOST_LABELS:
        return None
    return {"labels": [str(label) for label in column.categories]}


def _tally(column: Column, bins: Mapping[str, Any]) -> Array:
    """Rows by bin: those of numbers or labels, labels that are none of these, missing cells."""
    if "edges" in bins:
        missing = np.isnan(column.values)
        spots = np.searchsorted(np.asarray(bins["edges"], dtype=np.float64), column.values, side="left")
        return np.bincount(np.where(missing, len(bins["edges"]) + 1, spots), minlength=len(bins["edges"]) + 2)
    place = {label: code for code, label in enumerate(bins["labels"])}
    other = len(place)
    codes = np.array([place.get(str(label), other) for label in column.categories] + [other + 1])
    return np.bincount(codes[column.values], minlength=other + 2)


class Moved:
    """The bins of new rows, gathered batch by batch and on any thread, against those of the training rows."""

    def __init__(self, summary: Any, schema: Schema | None = None):
        self._forms = {} if schema is None else {column.name: column.form for column in schema}
        summary = summary if isinstance(summary, dict) else {}
        columns = summary.get("columns")
        pairs = columns.items() if isinstance(columns, dict) else ()
        self._columns = {name: bins for name, bins in pairs if _makes_sense(bins)}
        self._tallies: dict[str, Array] = {}
        self._lock = Lock()

    def look(self, table: Table) -> None:
        """Some rows of a batch; columns that do not fit the summary are passed over."""
        some = _spread_rows(table, PER_BATCH)
        for name in [name for name in self._columns if name in some]:
            bins, column = self._columns[name], some[name]
            if ("edges" in bins) == (column.kind == "numeric"):
                self.add({name: _tally(column, bins)})

    def tallies(self) -> dict[str, Array]:
        """What was counted, for another to `add`."""
        return self._tallies

    def add(self, tallies: Mapping[str, Array]) -> None:
        """What was counted in other rows."""
        with self._lock:
            for name, tally in tallies.items():
                self._tallies[name] = self._tallies[name] + tally if name in self._tallies else tally

    def notes(self) -> tuple[Note, ...]:
        """A sentence for each column that moved far, the farthest first."""
        found = {name: self._distance(name) for name in self._tallies}
        far = sorted((name for name, psi in found.items() if psi > FAR), key=lambda name: (-found[name], name))
        return tuple(Note(name, self._words(name, found[name])) for name in far)

    def _distance(self, name: str) -> float:
        then, now = np.asarray(self._columns[name]["counts"], dtype=np.float64), self._tallies[name].astype(np.float64)
        if len(then) != len(now) or now.sum() < FEW_ROWS or then.sum() < FEW_ROWS:
            return 0.0
        there = (then + now) > 0
        bins = int(there.sum())
        p = (then[there] + 0.5) / (then.sum() + 0.5 * bins)
        q = (now[there] + 0.5) / (now.sum() + 0.5 * bins)
        chance = (bins - 1) * (1 / then.sum() + 1 / now.sum())
        return float(((p - q) * np.log(p / q)).sum() - chance)

    def _words(self, name: str, psi: float) -> str:
        bins = self._columns[name]
        then, now = np.asarray(bins["counts"], dtype=np.float64), self._tallies[name].astype(np.float64)
        gain = now / now.sum() - then / then.sum()
        b = int(np.abs(gain).argmax())
        where = _bin_words(bins, b, self._forms.get(name))
        change = f"{where}: {_percent(then[b] / then.sum())} then, {_percent(now[b] / now.sum())} now"
        return (
            f"'{short_name(name, 60)}' is far from what the model learnt from ({change}; "
            f"PSI {number(round(psi, 2))}). Its answers may be worse than promised; learnt drift says more."
        )


def _makes_sense(bins: Any) -> bool:
    """Whether a model's file, which may come from anyone, holds a summary here."""
    if not isinstance(bins, dict) or ("edges" in bins) == ("labels" in bins):
        return False
    edges, labels, counts = bins.get("edges", []), bins.get("labels", []), bins.get("counts")
    if not (isinstance(edges, list) and isinstance(labels, list) and isinstance(counts, list)):
        return False
    numbers = all(type(x) in (int, float) and math.isfinite(x) for x in (*edges, *counts))
    texts = all(isinstance(label, str) for label in labels)
    fits = numbers and texts and len(counts) == len(edges) + len(labels) + 2
    return fits and edges == sorted(edges) and min(counts) >= 0


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _bin_words(bins: Mapping[str, Any], b: int, form: Form | None) -> str:
    """What stands in a bin."""
    if "labels" in bins:
        labels = bins["labels"]
        if b < len(labels):
            return f"'{short_name(labels[b], 30)}'"
        return "other labels" if b == len(labels) else "missing"
    edges = bins["edges"]
    if b > len(edges):
        return "missing"
    low, high = (edges[b - 1] if b else -math.inf), (edges[b] if b < len(edges) else math.inf)
    if math.isinf(low):
        return f"up to {value_text(form, high)}"
    above = f"above {value_text(form, low)}"
    return above if math.isinf(high) else f"{above} up to {value_text(form, high)}"
