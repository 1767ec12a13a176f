"""A partition of a collection as a part of a larger table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from learnt.data.cells import ANYTHING, TEMPORAL
from learnt.data.convert import to_table, to_vector
from learnt.data.dask.frames import Frames, at_hand, note_need
from learnt.data.files.part import Part, Reading, Survey, sliced
from learnt.data.files.source import Source
from learnt.data.schema import ColumnSchema
from learnt.data.table import Column, Table
from learnt.errors import InputError, LearntError


class AbsentPartitionError(LearntError):
    """A partition is not at hand where it was to be read."""


@dataclass(frozen=True)
class Roles:
    """Names of the columns that come beside a partition's own: its targets and its weights."""

    target: str | None = None
    weight: str | None = None


@dataclass(frozen=True)
class Look:
    """What one look at a partition tells."""

    names: tuple[str, ...]
    named: bool
    survey: Survey


class PartitionPart(Part):
    """A partition. At a worker it is at hand while a task has it as an argument."""

    is_file = False
    _frames: Frames | None = None

    def __init__(self, frames: Frames, number: int, roles: Roles):
        super().__init__(Source(f"partition {number}", None, None, None))
        self._frames = frames
        self._key, self._roles = (frames.key, number), roles
        self._look: Look | None = None

    @property
    def number(self) -> int:
        return self._key[1]

    @property
    def names(self) -> tuple[str, ...]:
        assert self._look is not None, "partitions are looked at before they are a scan"
        return self._look.names

    @property
    def frames(self) -> Frames | None:
        return self._frames

    def look(self) -> Look:
        """What it holds; found out here."""
        table, declared = self._table()
        candidates = {c.name: _candidates(c, declared=c.name in declared) for c in table.columns}
        labels = {c.name: c.categories for c in table.columns if candidates[c.name] == {"text"}}
        return Look(table.names, table.schema.named, Survey(candidates, labels, table.n_rows))

    def looked_at(self, look: Look) -> None:
        self._look, self.n_rows = look, look.survey.n_rows

    def survey(self, known: Mapping[str, str]) -> Survey:
        assert self._look is not None
        found = self._look.survey
        return replace(found, candidates=dict(found.candidates), labels=dict(found.labels))

    def tables(self, columns: Sequence[str], readings: Mapping[str, Reading], batch_rows: int) -> Iterator[Table]:
        table, _ = self._table()
        absent = [name for name in columns if name not in table]
        if absent:
            raise InputError(f"Column {absent[0]!r} is missing from {self.source.name}. Make the partitions alike.")
        named = Table.of_columns([table[name] for name in columns], n_rows=table.n_rows)
        yield from sliced([named], batch_rows)

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        raise NotImplementedError  # partitions are read in batches

    def is_as(self, schema: Any) -> bool:
        return True

    def reading_as(self, column: ColumnSchema) -> Reading:
        return "declared" if column.coded else "number"

    def _table(self) -> tuple[Table, set[str]]:
        """The cells with the columns beside them, and the columns whose type lists their labels."""
        frame, *beside = self._load()
        table = to_table(frame)
        declared = _declaring(frame)
        roles = [name for name in (self._roles.target, self._roles.weight) if name is not None]
        columns = list(table.columns)
        for name, cells in zip(roles, beside, strict=True):
            column = to_vector(_squeezed(cells), name)
            if len(column.values) != table.n_rows:
                raise InputError(
                    "Found input variables with inconsistent numbers of samples: "
                    f"{self.source.name} of X has {table.n_rows} rows, that of the {name} {len(column.values)}. "
                    "Give collections that are cut alike."
                )
            columns.append(column)
            if hasattr(getattr(cells, "dtype", None), "categories"):
                declared.add(name)
        return Table.of_columns(columns, n_rows=table.n_rows, named=table.schema.named), declared

    def _load(self) -> Any:
        here = at_hand(self._key)
        if here is not None:
            return here
        if self._frames is None:
            raise AbsentPartitionError(f"{self.source.name} is not here.")
        return self._frames.load(self.number)

    def __getstate__(self) -> dict[str, Any]:
        """Without the tasks that make it; who packs it is told that it is needed."""
        if self._frames is not None:
            note_need(self._frames, self.number)
        return {name: value for name, value in self.__dict__.items() if name != "_frames"}


def _squeezed(cells: Any) -> Any:
    return cells[:, 0] if getattr(cells, "ndim", 1) == 2 and cells.shape[1] == 1 else cells


def _declaring(frame: Any) -> set[str]:
    dtypes: Any = getattr(frame, "dtypes", None)
    if hasattr(dtypes, "items"):  # pandas
        return {str(name) for name, dtype in dtypes.items() if hasattr(dtype, "categories")}
    fields: Any = getattr(frame, "schema", None) if hasattr(frame, "to_batches") else None  # Arrow
    return set() if fields is None else {field.name for field in fields if hasattr(field.type, "index_type")}


def _candidates(column: Column, *, declared: bool) -> frozenset[str]:
    """What a column of a partition can be, in the words of files with types."""
    if declared or column.kind == "ordinal":
        return frozenset(("declared", "text"))
    if column.missing.all():
        return ANYTHING  # such as texts of which there are none here
    if column.kind == "numeric":
        return TEMPORAL if column.form is not None and column.form.temporal else frozenset(("number",))
    return frozenset(("boolean",)) if column.kind == "boolean" else frozenset(("text",))
