"""Conditions on a column, as rules and drawings speak of them: `20 < age ≤ 30`, `town is Bern or Basel`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.data.form import Form
from learnt.data.schema import ColumnSchema, Label, Schema
from learnt.data.table import Array, Column, Table
from learnt.data.value_text import bound_text
from learnt.errors import InputError
from learnt.show.numbers import MINUS, number
from learnt.show.words import list_of as in_words
from learnt.show.words import plain, printable, shorten_text, spell
from learnt.storable import storable
from learnt.tree.arrays import TreeArrays

MOST_LABELS = 12  # a longer list of categories is cut


@storable
@dataclass(frozen=True, slots=True)
class Between:
    """`low < column ≤ high`, either end open (None): numbers, or labels of an ordinal column.

    Missing cells fulfil it only where `missing` says so.

    >>> print(Between("age", 20, 30), "|", Between("size", None, "medium", missing=True))
    20 < age ≤ 30 | size ≤ medium (or missing)
    """

    column: str
    low: Label | None
    high: Label | None
    missing: bool = False
    form: Form | None = None  # how the numbers are shown: dates as dates

    def test(self, table: Table) -> Array:
        """Which rows fulfil it, as booleans."""
        column = table[self.column]
        values, fits = column.values, np.ones(len(column), dtype=bool)
        if self.low is not None:
            fits &= values > _place(column, self.low)
        if self.high is not None:
            fits &= values <= _place(column, self.high)
        if self.missing:
            fits |= column.missing
        elif column.kind != "numeric":  # where NaN has failed already, but −1 may have passed
            fits &= values >= 0
        return fits

    def short(self, width: int | None = None) -> str:
        """Without the column: for branches of drawings. Longer than `width`, it is cut before "(or missing)"."""
        low, high = _ends(self.low, self.high, self.form)
        text = f"≤ {high}" if self.low is None else f"> {low}" if self.high is None else f"{low} < … ≤ {high}"
        return _cut(text, self.missing, width)

    def __str__(self) -> str:
        name, (low, high) = printable(self.column), _ends(self.low, self.high, self.form)
        if self.low is None:
            text = f"{name} ≤ {high}"
        else:
            text = f"{name} > {low}" if self.high is None else f"{low} < {name} ≤ {high}"
        return _cut(text, self.missing)


@storable
@dataclass(frozen=True, slots=True)
class Among:
    """The cell is one of these labels; with `negated` it is known and none of them.

    Missing cells fulfil it only where `missing` says so. Without labels it says whether a cell is known.

    >>> print(Among("town", ("Bern", "Basel")), "|", Among("town", ("Bern",), negated=True))
    town is Bern or Basel | town is not Bern
    >>> print(Among("age", (), negated=True), "|", Among("age", (), missing=True))
    age is known | age is missing
    """

    column: str
    labels: tuple[Label, ...]
    negated: bool = False
    missing: bool = False

    def test(self, table: Table) -> Array:
        """Which rows fulfil it, as booleans."""
        column = table[self.column]
        if not self.labels:
            known = ~column.missing
            return known & self.negated | ~known & self.missing
        wanted = frozenset(self.labels)
        # One more entry at the end, for code −1.
        fits = np.array([(label in wanted) != self.negated for label in column.categories] + [self.missing])
        return fits[column.values]

    def short(self, width: int | None = None) -> str:
        """Without the column, as on a branch of a drawing. Longer than `width`, it is cut before "(or missing)"."""
        return _cut(self._known(), self.missing and self._has_known, width)

    def __str__(self) -> str:
        return f"{printable(self.column)} is {self.short()}"

    @property
    def _has_known(self) -> bool:
        return bool(self.labels) or self.negated

    def _known(self) -> str:
        if not self.labels:
            return "known" if self.negated else "missing" if self.missing else "impossible"
        if not self.negated:
            return list_labels(self.labels, "or")
        return f"not {word(self.labels[0])}" if len(self.labels) == 1 else f"neither {list_labels(self.labels, 'nor')}"


Condition = Between | Among


def conjunction(conditions: Iterable[Condition]) -> str:
    """All of them in one line; "always" for none."""
    return " and ".join(map(str, conditions)) or "always"


def fulfilling_rows(conditions: Iterable[Condition], table: Table) -> Array:
    """Which rows fulfil all of them."""
    fits = np.ones(table.n_rows, dtype=bool)
    for condition in conditions:
        fits &= condition.test(table)
    return fits


def branch_condition(tree: TreeArrays, i: int, j: int, schema: Schema) -> Condition:
    """What a cell must be to go from node `i` to its child number `j`.

    Missing cells belong to it where training rows with a missing cell were sent that way.
    """
    column = schema.columns[tree.feature[i]]
    cells = Cells(column)
    cells.follow(tree, i, j)
    return cells.condition()


def path_conditions(
    tree: TreeArrays,
    node: int,
    schema: Schema,
    parents: Array | None = None,
    routes: dict[int, Array] | None = None,
) -> tuple[Condition, ...]:
    """What a row must fulfil to reach a node: one condition per column, in the order of the first tests.

    Who asks for many nodes hands `parents` on, and `routes`, which fills with those of the nominal tests.
    """
    parents = tree.parents() if parents is None else parents
    steps: list[tuple[int, int]] = []
    while (above := int(parents[node])) >= 0:
        steps.append((above, int(np.flatnonzero(tree.children_of(above) == node)[0])))
        node = above
    met: dict[int, Cells] = {}
    for i, j in reversed(steps):
        place = int(tree.feature[i])
        met.setdefault(place, Cells(schema.columns[place])).follow(tree, i, j, routes)
    return tuple(cells.condition() for cells in met.values())


@dataclass
class Cells:
    """The cells of one column that are still possible on the way down a tree."""

    column: ColumnSchema
    low: float = -math.inf
    high: float = math.inf
    codes: Array = field(init=False)
    missing: bool = True

    def __post_init__(self) -> None:
        self.codes = np.ones(len(self.column.categories), dtype=bool)

    def follow(self, tree: TreeArrays, i: int, j: int, known: dict[int, Array] | None = None) -> None:
        """Keep what node `i` sends to its child number `j`."""
        takes_missing = int(tree.missing[i]) == j
        threshold = float(tree.threshold[i])
        if tree.route_start[i] >= 0:
            routes = None if known is None else known.get(i)
            if routes is None:
                routes = tree.routes_of(i, len(self.codes))
                if known is not None:
                    known[i] = routes
            takes_known = bool((routes == j).any())
            self.codes &= (routes == j) | (routes < 0) if takes_missing else routes == j
        elif self.column.coded:  # ordinal labels are compared by their places
            inside = (np.arange(len(self.codes)) <= threshold) == (j == 0)
            takes_known = bool(inside.any())
            self.codes &= inside
        elif j == 0:
            takes_known = threshold > -math.inf
            self.high = min(self.high, threshold)
        else:
            takes_known = threshold < math.inf
            self.low = max(self.low, threshold)
        # A branch of no known cells is that of the missing ones, whether or not rows that were counted had any.
        self.missing &= takes_missing and (bool(tree.missing_weight[i] > 0) or not takes_known)

    def condition(self) -> Condition:
        """The shortest true description."""
        name, missing = self.column.name, self.missing
        if not self.column.coded:
            known = self.low < self.high
            low, high = (None if math.isinf(end) else end for end in (self.low, self.high))
            if not known or (low is None and high is None):  # it was tested whether the cell is known
                return Among(name, (), negated=known, missing=missing)
            return Between(name, low, high, missing, self.column.form)
        labels, inside = self.column.categories, np.flatnonzero(self.codes)
        if len(inside) == len(labels) or not len(inside):
            return Among(name, (), negated=len(inside) > 0, missing=missing)
        first, last = int(inside[0]), int(inside[-1])
        if self.column.kind == "ordinal" and last - first + 1 == len(inside) > 1:
            above = labels[first - 1] if first > 0 else None
            return Between(name, above, labels[last] if last + 1 < len(labels) else None, missing)
        negated = 2 * len(inside) > len(labels)
        chosen = np.flatnonzero(~self.codes) if negated else inside
        return Among(name, tuple(labels[c] for c in chosen.tolist()), negated, missing)


def _place(column: Column, end: Any) -> Any:
    """A number as the column can hold it, a label as its code."""
    if column.kind == "numeric":
        # The largest number of the column's type that is not above the end splits float32 cells as the end does.
        kind = column.values.dtype.type
        with np.errstate(over="ignore"):
            rounded = kind(end)
        return rounded if float(rounded) <= float(end) else np.nextafter(rounded, kind(-np.inf))
    if end not in column.categories:
        raise InputError(
            f"Column {column.name!r} has no label {spell(end)}. A condition compares with it. "
            "Give a table with the categories of the tree."
        )
    return column.categories.index(end)


def list_labels(labels: Sequence[Label], last: str, most: int = MOST_LABELS) -> str:
    """`a, b or c`; of a long list the beginning and how many more there are."""
    return in_words([word(label) for label in labels], last, most)


def word(label: Label) -> str:
    """A label without quotes, unless it would be misread without them."""
    label = plain(label)
    if isinstance(label, float):
        return number(label)
    text = str(label)
    unclear = not text or text != text.strip() or any(sign in f" {text} " for sign in (" or ", " and ", ", ", ": "))
    return repr(text) if unclear else printable(text)


def _cut(text: str, or_missing: bool, width: int | None = None) -> str:
    """A text in that many characters, the last of which say that missing cells belong to it."""
    more = " (or missing)" if or_missing else ""
    return text + more if width is None else shorten_text(text, max(2, width - len(more))) + more


def _ends(low: Label | None, high: Label | None, form: Form | None) -> tuple[str, str]:
    """Both ends in words, with as many digits as it takes to tell them apart."""
    for digits in (6, 9, 12, 17):
        texts = tuple("" if end is None else _end(end, digits, form) for end in (low, high))
        if texts[0] != texts[1] or low == high:
            break
    return texts[0], texts[1]


def _end(end: Label, digits: int, form: Form | None) -> str:
    end = plain(end)
    if not isinstance(end, (int, float)) or isinstance(end, bool):
        return word(end)
    return bound_text(form, float(end), threshold_text(end, digits))


def threshold_text(x: float, digits: int = 6) -> str:
    """The fewest digits that are the number up to its last bits, which sums of two cells may have changed: a threshold
    must not be rounded across a cell. `digits` of them, if its own are fewer, are never dropped.

    >>> threshold_text(75.0), threshold_text(1234567.5), threshold_text(-0.25), threshold_text(1410.5)
    ('75', '1234567.5', '−0.25', '1410.5')
    >>> threshold_text(1234567.35), threshold_text(2.450000047683716), threshold_text(0.1 + 0.2), threshold_text(1 / 3)
    ('1234567.35', '2.45', '0.3', '0.3333333333333333')
    """
    size = abs(x)
    own = next((d for d in range(1, 18) if _close(size, d)), 17)
    return (MINUS if x < 0 else "") + _rounded_text(size, max(own, digits))


def _close(size: float, digits: int) -> bool:
    """Whether a number has no more digits than these, up to what rounding may have added.

    Cells of single precision have 24 bits, the middle of two of them 25, and is 2⁻²⁵ of itself away from both. A number
    that needs more than twelve digits is a cell itself, not a sum of short ones: its last bit is its own.
    """
    single = size == 0 or (math.frexp(size)[0] * 2**25).is_integer()
    slack = 2**-25.01 if single else 2**-52 if digits <= 12 else 0.0
    return abs(float(f"{size:.{digits - 1}e}") - size) <= slack * size


def _rounded_text(size: float, digits: int) -> str:
    if size == 0 or 1e-4 <= size < 1e15:
        whole = len(str(int(size)))
        places = max(1, digits - whole) if size >= 1 else digits - 1 - math.floor(math.log10(size)) if size else 0
        text = f"{size:.{places}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{size:.{digits}g}"
