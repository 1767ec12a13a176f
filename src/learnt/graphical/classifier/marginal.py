"""Missing cells summed out exactly.

    log p(class, known cells) = log Σ over all that the missing cells could be of Π_families P(x | parents)

A missing cell whose column has no known descendant, nor the class below it, sums to 1 and is dropped. The others fall
into parts that share no family; each part is summed by itself, one column after the other, the one that makes the
smallest table first (along a tree this passes messages from its leaves). Rows that miss the same part are worked on
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.graphical.classifier.tables import Family

#: Cells worked on at a time.
_CELLS = 1 << 20
#: Cells that one row may need.
_MOST_CELLS = 1 << 26

Part = tuple[tuple[int, ...], tuple[int, ...]]  # columns to be summed over, and the families that hold one of them
Factor = tuple[tuple[int, ...], Array]  # missing columns, and rows × their states × classes


class Marginals:
    """Sums over missing cells of a network; `tables` are the families' logarithms, class last."""

    def __init__(self, families: Sequence[Family], tables: Sequence[Array], target: int):
        self.families, self.tables, self.target = families, tables, target
        self.children: dict[int, list[int]] = {f.node: [] for f in families}
        self.holding: dict[int, list[int]] = {f.node: [] for f in families}  # families with a column among their axes
        for i, family in enumerate(families):
            for j in family.axes:
                self.holding[j].append(i)
                if j != family.node:
                    self.children[j].append(family.node)
        self._parts: dict[bytes, list[Part]] = {}

    def parts(self, missing: Array) -> list[Part]:
        """The parts of a row that is `missing` these columns; they share no family."""
        key = missing.tobytes()
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = self._find_parts(set(np.flatnonzero(missing).tolist()))
        return found

    def _find_parts(self, missing: set[int]) -> list[Part]:
        needed = set(missing)
        while True:
            barren = {j for j in needed if not any(c in needed or c not in missing for c in self.children[j])}
            if not barren:
                break
            needed -= barren
        dropped, found, left = missing - needed, [], sorted(needed)
        while left:
            part, waiting = set(), [left[0]]
            while waiting:
                j = waiting.pop()
                if j not in part:
                    part.add(j)
                    kept = [self.families[i] for i in self.holding[j] if self.families[i].node not in dropped]
                    waiting += sorted({k for family in kept for k in family.axes if k in needed} - part)
            held = {i for j in part for i in self.holding[j] if self.families[i].node not in dropped}
            found.append((tuple(sorted(part)), tuple(sorted(held))))
            left = [j for j in left if j not in part]
        return found

    def add(self, codes: Array, out: Array) -> None:
        """Add to out, classes × rows, what the families with missing cells say; `codes` are columns × rows."""
        missing = codes < 0
        rows = np.flatnonzero(missing.any(axis=0))
        if len(rows) == 0:
            return
        packed = np.ascontiguousarray(np.packbits(missing[:, rows], axis=0).T)
        _, first, kind = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
        by_part: dict[Part, list[int]] = {}
        for pattern, i in enumerate(first.tolist()):
            for part in self.parts(np.ascontiguousarray(missing[:, rows[i]])):
                by_part.setdefault(part, []).append(pattern)
        order = np.argsort(kind, kind="stable")
        starts = np.searchsorted(kind[order], np.arange(len(first) + 1))
        for part, patterns in by_part.items():
            some = rows[np.concatenate([order[starts[p] : starts[p + 1]] for p in patterns])]
            self._add_part(part, codes, some, out)

    def _add_part(self, given: Part, codes: Array, rows: Array, out: Array) -> None:
        part, indices = given
        if not any(self.target in self.families[i].axes for i in indices):
            return  # the same for all classes
        step = max(1, _CELLS // self._row_cells(indices, part, out.shape[0]))
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            out[:, some] += self.summed(indices, part, codes[:, some]).T

    def _row_cells(self, indices: Sequence[int], part: tuple[int, ...], n_classes: int) -> int:
        """Of the largest table that summing makes for a row; raises where that is too large."""
        scopes = [frozenset(j for j in self.families[i].axes if j in part) for i in indices]
        size = {j: self.tables[i].shape[a] for i in indices for a, j in enumerate(self.families[i].axes)}
        largest = 1.0
        while any(scopes):
            j, joined = _next_column(scopes, size)
            largest = max(largest, float(np.prod([float(size[k]) for k in joined])))
            scopes = [s for s in scopes if j not in s] + [joined - {j}]
        if largest * n_classes > _MOST_CELLS:
            raise InputError(
                f"Summing over {len(part)} missing cells that depend on each other needs tables of "
                f"{largest * n_classes:.3g} cells. Expected at most {_MOST_CELLS}. Fill some of them in, or use a "
                "simpler structure."
            )
        return int(largest) * n_classes

    def summed(self, indices: Sequence[int], part: Iterable[int], codes: Array) -> Array:
        """log Σ over the part's columns of the product of some families, rows × classes."""
        part = frozenset(part)
        factors = [self._factor(i, part, codes) for i in indices]
        size = {j: self.tables[i].shape[a] for i in indices for a, j in enumerate(self.families[i].axes)}
        while any(scope for scope, _ in factors):
            j, joined = _next_column([frozenset(scope) for scope, _ in factors], size)
            axes = (j, *sorted(joined - {j}))
            total: Any = 0.0
            for scope, logs in factors:
                if j in scope:
                    total = total + _spread(scope, logs, axes)
            factors = [(scope, logs) for scope, logs in factors if j not in scope]
            factors.append((axes[1:], _log_sum(total)))
        n_classes = max((logs.shape[-1] for _, logs in factors), default=1)
        found = np.zeros((codes.shape[1], n_classes))
        for _, logs in factors:
            found = found + logs
        return found

    def _factor(self, i: int, part: frozenset[int], codes: Array) -> Factor:
        """A family's table where its known cells are: rows (or 1) × states of missing ones × classes (or 1)."""
        family, table = self.families[i], self.tables[i]
        open_axes = [a for a, j in enumerate(family.axes) if j in part]
        known = [a for a, j in enumerate(family.axes) if j not in part and j != self.target]
        last = [a for a, j in enumerate(family.axes) if j == self.target]
        turned = table.transpose(known + open_axes + last)
        found = turned[tuple(codes[family.axes[a]] for a in known)] if known else turned[None]
        if not last:
            found = found[..., None]
        return tuple(family.axes[a] for a in open_axes), found


def _next_column(scopes: Sequence[frozenset[int]], size: dict[int, int]) -> tuple[int, frozenset[int]]:
    """The column whose sum needs the smallest table, and the columns of that table."""
    best: tuple[float, int, frozenset[int]] | None = None
    for j in sorted(frozenset().union(*scopes)):
        joined = frozenset().union(*(s for s in scopes if j in s))
        cells = float(np.prod([float(size[k]) for k in joined]))
        if best is None or cells < best[0]:
            best = cells, j, joined
    assert best is not None
    return best[1], best[2]


def _spread(scope: tuple[int, ...], logs: Array, axes: Sequence[int]) -> Array:
    """A factor's logarithms with an axis for each of `axes`, of length 1 where it has none."""
    order = [scope.index(j) + 1 for j in axes if j in scope]
    turned = logs.transpose([0, *order, logs.ndim - 1])
    shape = [turned.shape[0], *(logs.shape[scope.index(j) + 1] if j in scope else 1 for j in axes), logs.shape[-1]]
    return turned.reshape(shape)


def _log_sum(logs: Array) -> Array:
    """log Σ exp along axis 1."""
    top = logs.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        found: Array = np.log(np.exp(logs - top).sum(axis=1)) + top[:, 0]
    return found
