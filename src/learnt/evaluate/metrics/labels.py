"""Labels as codes: the classes of truth and answer together, sorted, and each row's place among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.column import Column
from learnt.data.convert.objects import is_missing
from learnt.data.table import Array
from learnt.errors import InputError, KindError, ParameterError
from learnt.evaluate.metrics.inputs import cells_of, same_length, some_rows
from learnt.show.words import label, plain

#: Up to here text is told apart by comparing whole arrays, which beats looking up every cell.
FEW = 8


@dataclass(frozen=True)
class Coded:
    """`labels`, sorted, and for each vector the place of every row's label among them."""

    labels: Array
    codes: tuple[Array, ...]

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    @property
    def truth(self) -> Array:
        return self.codes[0]

    @property
    def answer(self) -> Array:
        return self.codes[1]


def label_cells(values: Any, name: str) -> Array | Column:
    """Checked labels of one vector: whole numbers, booleans, or text; nothing missing."""
    cells = cells_of(values, name)
    if isinstance(cells, Column):
        if cells.missing.any():
            raise _missing(name, int(np.flatnonzero(cells.missing)[0]))
        return _whole(cells.values, name) if cells.kind == "numeric" else cells
    kind = cells.dtype.kind
    if kind == "O" or kind == "T":
        return _plain(cells, name)
    if kind == "f":
        return _whole(cells, name)
    if kind not in "biuU":
        raise KindError(
            f"{name} holds {cells.dtype.name} values, which are not labels. Expected text, whole numbers or booleans."
        )
    return cells


def _missing(name: str, row: int) -> InputError:
    return InputError(f"{name} is missing in row {row}. Expected a label in every row. Leave such rows out.")


def _whole(values: Array, name: str) -> Array:
    """Float labels, which must be whole: others are measurements, not classes."""
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        if np.isnan(values[row]):
            raise _missing(name, row)
        raise InputError(f"{name} is infinite in row {row}. Expected labels.")
    if (np.trunc(values) != values).any():
        row = int(np.flatnonzero(np.trunc(values) != values)[0])
        raise InputError(
            f"{name} is {values[row]} in row {row}, which is not a label: it is continuous. Expected classes. Turn "
            "probabilities into answers first, or use a metric of numbers."
        )
    return values


def _plain(cells: Array, name: str) -> Array:
    """An array of objects as text, numbers or booleans; never a mix of text and others."""
    objects = cells.tolist()
    types = set(map(type, objects))
    if types <= {str}:
        return cells if cells.dtype == object else cells.astype(object)
    gap = next((row for row, cell in enumerate(objects) if is_missing(cell)), None)
    if gap is not None:
        raise _missing(name, gap)
    if any(issubclass(t, bytes) for t in types):
        raise KindError(f"{name} holds bytes. Expected text, whole numbers or booleans. Decode them first.")
    if any(issubclass(t, str) for t in types) and not all(issubclass(t, str) for t in types):
        raise KindError(f"{name} mixes text with other labels ({_types(types)}). Make them all text, or all numbers.")
    array = np.array(objects)
    if array.dtype.kind == "f":
        return _whole(array, name)
    if array.dtype.kind in "biuU" and array.ndim == 1:
        return array
    raise KindError(f"{name} holds labels of types {_types(types)}. Expected text, whole numbers or booleans.")


def _types(types: set[type]) -> str:
    return ", ".join(sorted(t.__name__ for t in types))


def code_labels(**vectors: Any) -> Coded:
    """Codes of labels in vectors of one length, by name, into all their labels, sorted."""
    cells = [label_cells(values, name) for name, values in vectors.items()]
    first, *others = zip(vectors, cells, strict=True)
    some_rows(len(first[1]))
    for name, other in others:
        same_length(len(first[1]), len(other), name)
    numeric = [_is_numeric(c) for c in cells]
    if any(numeric) and not all(numeric):
        shown = " and ".join(f"{name} holds {_example(c)}" for name, c in zip(vectors, cells, strict=True))
        raise KindError(f"Labels are a mix of text and numbers: {shown}. Give both alike.")
    if all(numeric):
        return _of_numbers([_values(c) for c in cells])
    parts = [_of_column(c) if isinstance(c, Column) else _of_text(c) for c in cells]
    labels: list[Any] = sorted({text for texts, _ in parts for text in texts})
    place = {text: code for code, text in enumerate(labels)}
    codes = [np.array([place[text] for text in texts], dtype=np.intp)[own] for texts, own in parts]
    return Coded(np.array(labels), tuple(codes))


def _is_numeric(cells: Array | Column) -> bool:
    if isinstance(cells, Column):
        return all(isinstance(c, (bool, int, float)) for c in cells.categories) and len(cells.categories) > 0
    return cells.dtype.kind in "biuf"


def _values(cells: Array | Column) -> Array:
    """The labels themselves, of a column whose categories are numbers or booleans."""
    return np.array(cells.categories)[cells.values] if isinstance(cells, Column) else cells


def _example(cells: Array | Column) -> str:
    return label(cells.categories[cells.values[0]] if isinstance(cells, Column) else cells[0])


def _of_numbers(vectors: Sequence[Array]) -> Coded:
    dtype = np.result_type(*vectors)
    if any(v.dtype.kind in "uf" and len(v) and abs(v).max() >= 2**63 for v in vectors):
        return _by_sorting(vectors, dtype)
    whole = [v.view(np.uint8) if v.dtype.kind == "b" and v.flags.c_contiguous else v for v in vectors]
    low = min(int(v.min()) for v in whole)
    high = max(int(v.max()) for v in whole)
    if high - low > max(2 * len(vectors[0]), 1024):
        return _by_sorting(vectors, dtype)
    places = [v.astype(np.intp) for v in whole]
    if low:
        for p in places:
            p -= low
    there = np.zeros(high - low + 1, bool)
    for p in places:
        there[p] = True
    labels = np.flatnonzero(there)
    if len(labels) < len(there):
        rank = np.cumsum(there) - 1
        places = [rank[p] for p in places]
    return Coded((labels + low).astype(dtype), tuple(places))


def _by_sorting(vectors: Sequence[Array], dtype: Any) -> Coded:
    labels, codes = np.unique(np.concatenate([v.astype(dtype) for v in vectors]), return_inverse=True)
    return Coded(labels, tuple(np.split(codes, len(vectors))))


def _of_column(column: Column) -> tuple[list[Any], Array]:
    seen = np.flatnonzero(np.bincount(column.values, minlength=len(column.categories)))
    rank = np.zeros(len(column.categories), np.intp)
    rank[seen] = np.arange(len(seen))
    return [str(column.categories[code]) for code in seen], rank[column.values]


def _of_text(texts: Array) -> tuple[list[str], Array]:
    found: list[str] = []
    codes = np.zeros(len(texts), np.uint8)
    seen = np.zeros(len(texts), bool)
    while len(found) < FEW and texts.dtype.kind == "U":
        first = int(seen.argmin())
        if seen[first]:
            return found, codes.astype(np.intp)
        same = texts == texts[first]
        codes += same.view(np.uint8) * np.uint8(len(found))
        seen |= same
        found.append(str(texts[first]))
    cells = texts.tolist()
    place = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    return list(place), np.fromiter(map(place.__getitem__, cells), np.intp, len(cells))


def chosen_labels(labels: Any, known: Array) -> tuple[Array, Array]:
    """The labels asked for as an array, and the place of each among the known ones; −1 for one that is not."""
    wanted = label_cells(labels, "labels")
    values = np.array([wanted.categories[c] for c in wanted.values]) if isinstance(wanted, Column) else wanted
    if len(values) == 0:
        raise ParameterError("labels is empty. Expected at least one label.")
    place = {text: code for code, text in enumerate(known.tolist())}
    if len({isinstance(x, str) for x in (*place, *values.tolist())}) > 1:
        raise ParameterError(
            f"labels are {label(values[0])} and the like, but the rows hold {label(known[0])}. Give labels of the rows."
        )
    return values, np.array([place.get(x, -1) for x in values.tolist()], dtype=np.intp)


def positive_rows(y_true: Any, pos_label: Any) -> Array:
    """Which rows are of the class `pos_label`, which goes without saying only for labels 0 and 1, or −1 and 1."""
    found = code_labels(y_true=y_true)
    known = found.labels.tolist()
    if pos_label is None:
        if not any(known == pair for pair in ([0, 1], [-1, 1], [0], [-1], [1])):
            shown = ", ".join(map(label, known[:6]))
            raise InputError(
                f"y_true holds {shown}, and pos_label is not given. Expected labels 0 and 1, or −1 and 1. Give the "
                "label of the positive class as pos_label."
            )
        pos_label = 1
    positive: Array = found.truth == (known.index(pos_label) if pos_label in known else -1)
    return positive


def set_apart(y_true: Any, pos_label: Any) -> tuple[Array, Any]:
    """Which rows are of `pos_label`, or of the second of two classes; and that label. Other rows must be there too."""
    found = code_labels(y_true=y_true)
    known = found.labels.tolist()
    if pos_label is None:
        if len(known) != 2:
            raise InputError(f"y_true holds {len(known)} class(es). Expected two, or pos_label to set one apart.")
        pos_label = known[1]
    if pos_label not in known or len(known) < 2:
        raise InputError(f"y_true must hold rows of {label(pos_label)} and rows of other classes.")
    positive: Array = found.truth == known.index(pos_label)
    return positive, plain(pos_label)


def ordered_classes(labels: Any, found: Coded, n_columns: int, name: str) -> Array:
    """Codes of the truth among the classes that the columns of `name` stand for: `labels`, or those found."""
    if labels is None:
        if found.n_classes != n_columns:
            raise InputError(
                f"y_true holds {found.n_classes} classes and {name} has {n_columns} columns. They must pair up. Give "
                "all classes, in the order of the columns, as labels."
            )
        return found.truth
    values, places = chosen_labels(labels, found.labels)
    listed = values.tolist()
    if len(set(listed)) < len(listed) or sorted(listed) != listed:
        raise ParameterError(f"labels are {listed[:6]}. Expected each once, in ascending order, as the columns are.")
    if len(listed) != n_columns:
        raise InputError(f"There are {len(listed)} labels and {n_columns} columns in {name}. They must pair up.")
    known = {place: code for code, place in enumerate(places.tolist()) if place >= 0}
    strange = [found.labels[place] for place in range(found.n_classes) if place not in known]
    if strange:
        raise InputError(f"y_true holds {label(strange[0])}, which is not among the labels. Add it to labels.")
    return np.array([known[place] for place in range(found.n_classes)], dtype=np.intp)[found.truth]
