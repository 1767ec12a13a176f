"""What a table's columns are, without its rows: names, kinds and categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Literal

from learnt.data.form import Form
from learnt.errors import InputError
from learnt.storable import PlainLabel, storable

Kind = Literal["numeric", "nominal", "ordinal", "boolean"]
KINDS: tuple[Kind, ...] = ("numeric", "nominal", "ordinal", "boolean")
KindName = Literal["numeric", "nominal", "ordinal", "boolean", "date", "text"]  # as users say and see them
KIND_NAMES: tuple[KindName, ...] = (*KINDS, "date", "text")
Label = Annotated[Any, PlainLabel()]  # str, int, float or bool: whatever the user's cells hold

BOOLEAN_CATEGORIES = (False, True)
WIDEST_KEPT = 100_000  # columns of a schema without names that is kept to be used again


def kind_name(kind: Kind, form: Form | None) -> KindName:
    """A kind as users know it: dates, times and durations are "date", long texts are "text"."""
    if form is None or form.sort == "number":
        return kind
    return "text" if form.sort == "text" else "date"


@storable
@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column: `categories` are its labels in code order, `()` for a numeric column.

    Learners go by `kind`: a date is a number to them. `form` is what its cells are to people, and makes no two
    columns differ.
    """

    name: str
    kind: Kind
    categories: tuple[Label, ...] = ()
    form: Form | None = field(default=None, compare=False)

    @property
    def coded(self) -> bool:
        """Whether cells are int32 codes (−1 missing) and not floats (NaN missing)."""
        return self.kind != "numeric"

    @property
    def documents(self) -> bool:
        """Whether cells are texts of which no list is kept: new ones are as good as those seen."""
        return self.form is not None and self.form.sort == "text" and not self.categories

    @property
    def kind_name(self) -> KindName:
        """The kind as users know it."""
        return kind_name(self.kind, self.form)


@storable
@dataclass(frozen=True)
class Schema:
    """The columns of a table in order. `named` is False when the names were made up (x0, x1, …)."""

    columns: tuple[ColumnSchema, ...]
    named: bool = True
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {c.name: j for j, c in enumerate(self.columns)}
        if len(places) < len(self.columns):
            twice = Counter(c.name for c in self.columns).most_common(1)[0][0]
            raise InputError(f"Two columns are called {twice!r}. Column names must differ. Rename one of them.")
        object.__setattr__(self, "_places", places)

    @classmethod
    def unnamed(cls, n_columns: int) -> Schema:
        """Of an array: one object per width, so that matching an array against a fitted one is an identity test."""
        return _unnamed(n_columns) if n_columns <= WIDEST_KEPT else _unnamed.__wrapped__(n_columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._places)  # in the order of the columns

    @property
    def kinds(self) -> Mapping[str, KindName]:
        return {c.name: c.kind_name for c in self.columns}

    @property
    def all_numeric(self) -> bool:
        return all(c.kind == "numeric" for c in self.columns)

    def place(self, name: str) -> int | None:
        """The position of a column, or None."""
        return self._places.get(name)

    @property
    def without_documents(self) -> Schema:
        """The same, with no list of the texts of columns of text: to keep one would be to keep all the text."""
        if not any(c.kind_name == "text" and c.categories for c in self.columns):
            return self
        return Schema(tuple(replace(c, categories=()) if c.kind_name == "text" else c for c in self), self.named)

    def without(self, *names: str) -> Schema:
        return Schema(tuple(c for c in self.columns if c.name not in names), self.named)

    def __getitem__(self, name: str) -> ColumnSchema:
        return self.columns[self._places[name]]

    def __iter__(self) -> Iterator[ColumnSchema]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


@cache
def _unnamed(n_columns: int) -> Schema:
    return Schema(tuple(ColumnSchema(f"x{j}", "numeric") for j in range(n_columns)), named=False)
