"""Centres as a table to read, in the columns and units of the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.data.value_text import value_text
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import short_name

#: What `str` shows at most; `summary()` prints all columns of up to a hundred clusters.
_FEW_CLUSTERS, _FEW_COLUMNS, _MANY_CLUSTERS = 12, 6, 100


@dataclass(frozen=True)
class CentersSummary:
    """Centres in the user's columns: `cells[c][j]` in words, `sizes` by rows or weight, and a line on the fit."""

    title: str
    names: tuple[str, ...]
    sizes: Array
    cells: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        if len(self.names) > _FEW_COLUMNS and len(self.cells) <= _FEW_COLUMNS + 2:
            return self._turned_table()
        return self._text(_MANY_CLUSTERS, len(self.names))

    __repr__ = __str__

    def short(self) -> str:
        """The largest clusters and the first columns."""
        return self._text(_FEW_CLUSTERS, _FEW_COLUMNS)

    def _turned_table(self) -> str:
        """A line per column of the table: for few clusters of many columns."""
        rows = [["cluster", *map(str, range(len(self.cells)))], ["size", *map(number, self.sizes)]]
        for j, name in enumerate(self.names):
            rows.append([short_name(name, 32), *(cells[j] for cells in self.cells)])
        return "\n".join([self.title, "", aligned(rows, left=(0,))])

    def _text(self, clusters: int, columns: int) -> str:
        k = len(self.cells)
        shown = range(k) if k <= clusters else sorted(np.argsort(-self.sizes, kind="stable")[:clusters].tolist())
        total = float(self.sizes.sum())
        names = [short_name(name, 20) for name in self.names[:columns]]
        rows = [["cluster", "size", "share", *names]]
        for c in shown:
            share = f"{percent(self.sizes[c] / total, 1)}" if total > 0 else ""
            rows.append([str(c), number(self.sizes[c]), share, *self.cells[c][:columns]])
        rest = []
        if k > len(shown):
            rest.append(f"{k - len(shown)} smaller clusters")
        if len(self.names) > columns:
            rest.append(f"{len(self.names) - columns} more columns")
        return "\n".join([self.title, "", aligned(rows)] + ([f"… {' and '.join(rest)}"] if rest else []))


def summarize_centers(model: Any) -> CentersSummary:
    """The summary of a fitted k-means model."""
    design: Design = model._design
    centers = np.asarray(model.cluster_centers_, np.float64)
    sizes = getattr(model, "cluster_sizes_", None)  # models saved by early versions have none
    if sizes is None:
        labels = getattr(model, "labels_", None)
        sizes = np.zeros(len(centers)) if labels is None else np.bincount(labels, minlength=len(centers))
    columns = [_column(design, j, centers) for j in range(len(design.schema))]
    rounds = "round" if model.n_iter_ == 1 else "rounds"
    end = "converged" if model.converged_ else "not converged"
    how = getattr(model, "algorithm_", "lloyd")
    title = (
        f"{type(model).__name__}: {len(centers)} clusters, inertia {number(model.inertia_)}, "
        f"{model.n_iter_} {rounds} ({how}), {end}"
    )
    cells = tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in centers)
    return CentersSummary(title, design.schema.names, np.asarray(sizes, np.float64), cells)


def _column(design: Design, j: int, centers: Array) -> list[str]:
    """One column of the table in each centre: a number, or a category with its share."""
    column = design.schema.columns[j]
    at, scale = int(design.starts[j]), float(design.scale[j]) or 1.0
    labels = [short_name(label, 20) for label in column.categories]
    if column.kind in ("nominal", "boolean"):
        if not labels:
            return ["" for _ in centers]
        shares = centers[:, at : at + len(labels)] / scale
        return [
            labels[c] if share > 0.995 else f"{labels[c]} {percent(share, 0)}"
            for c, share in zip(shares.argmax(axis=1).tolist(), shares.max(axis=1).tolist(), strict=True)
        ]
    values = centers[:, at] / scale + design.center[j]
    if column.kind == "ordinal" and labels:
        ranks = np.clip(np.rint(values), 0, len(labels) - 1).astype(int)
        return [labels[rank] for rank in ranks.tolist()]
    size = max(float(np.abs(values).max(initial=0)), abs(float(design.center[j])))
    return [value_text(column.form, v, size) for v in values.tolist()]
