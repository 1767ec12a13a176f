"""The typed, immutable table that every learner reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np

from learnt.data.column import Array as Array
from learnt.data.column import Column as Column
from learnt.data.column import check_lengths
from learnt.data.export import Exports
from learnt.data.naming import names_in_key
from learnt.data.naming import unknown_column as unknown_column
from learnt.data.notes import Note
from learnt.data.schema import ColumnSchema, KindName, Label, Schema
from learnt.errors import InputError, KindError


class Table(Exports):
    """Named columns, each numeric, nominal, ordinal or boolean, any of them with missing cells.

    A table is built from nearly anything with rows and columns: a pandas or polars frame, an Arrow
    table or whatever offers Arrow's C stream, a 2-D NumPy array (kept without a copy when it holds
    floats), a SciPy sparse matrix, a dict of columns, a list of dicts.

    >>> t = Table({"age": [31, None, 45], "town": ["Bern", "Basel", None]})
    >>> dict(t.kinds)
    {'age': 'numeric', 'town': 'nominal'}
    >>> t["town"].labels()
    ['Bern', 'Basel', None]

    | setting | meaning |
    |---|---|
    | `kinds` | kinds that override what the types say, e.g. `{"zip": "nominal"}` |
    | `ordinal` | ordered labels of a column, lowest first, e.g. `{"size": ["S", "M", "L"]}` |
    | `target` | the column learners predict when `fit` is given no `y` |

    `weight` is the column that weighs the rows when `fit` is given no `sample_weight`, where a file has one.
    `notes` says what a reader of files did to the columns, and how to undo it.
    """

    _columns: tuple[Column, ...] | None
    _matrix: Array | None
    _sparse: Any
    _schema: Schema
    _n_rows: int
    target: str | None
    weight: str | None
    notes: tuple[Note, ...]
    __slots__ = ("__weakref__", "_columns", "_matrix", "_n_rows", "_schema", "_sparse", "notes", "target", "weight")

    def __init__(
        self,
        data: Any,
        *,
        kinds: Mapping[str, KindName] | None = None,
        ordinal: Mapping[str, Sequence[Label]] | None = None,
        target: str | None = None,
    ):
        from learnt.data.convert import to_table

        self._become(to_table(data, kinds=kinds, ordinal=ordinal))
        if target is not None and self._schema.place(target) is None:
            raise InputError(unknown_column(target, self.names))
        self.target = target if target is not None else getattr(data, "target", None)
        if not isinstance(self.target, str):  # a DataFrame with a column called "target"
            self.target = None
        self.weight = data.weight if isinstance(data, Table) else None

    def _become(self, other: Table) -> None:
        for slot in ("_columns", "_matrix", "_n_rows", "_schema", "_sparse", "notes"):
            setattr(self, slot, getattr(other, slot))

    # Constructors that trust their caller: the converters and the file readers.

    @classmethod
    def of_columns(
        cls,
        columns: Sequence[Column],
        *,
        n_rows: int | None = None,
        target: str | None = None,
        named: bool = True,
        notes: tuple[Note, ...] = (),
        weight: str | None = None,
    ) -> Table:
        """A table of finished columns of equal length; `named` is False when their names were made up."""
        schema = Schema(tuple(c.schema for c in columns), named)
        check_lengths(columns)
        self = cls.__new__(cls)
        self._columns = tuple(columns)
        self._matrix = self._sparse = None
        self._n_rows = len(columns[0]) if columns else (n_rows or 0)
        self._schema = schema
        self.target, self.weight, self.notes = target, weight, notes
        return self

    @classmethod
    def of_matrix(
        cls,
        matrix: Any,
        names: Sequence[str] | None = None,
        *,
        target: str | None = None,
        named: bool = True,
    ) -> Table:
        """A table over a 2-D float32/float64 array, or a SciPy CSR matrix, which is kept as it is."""
        self = cls.__new__(cls)
        self._columns = None
        dense = isinstance(matrix, np.ndarray)
        self._matrix, self._sparse = (matrix, None) if dense else (None, matrix)
        self._n_rows = int(matrix.shape[0])
        if names is None:
            self._schema = Schema.unnamed(int(matrix.shape[1]))
        else:
            self._schema = Schema(tuple(ColumnSchema(name, "numeric") for name in names), named)
        self.target, self.weight, self.notes = target, None, ()
        return self

    # What it is made of.

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def names(self) -> tuple[str, ...]:
        return self._schema.names

    @property
    def kinds(self) -> Mapping[str, KindName]:
        """What each column is: numeric, nominal, ordinal, boolean, date (times too) or text."""
        return self._schema.kinds

    @property
    def n_rows(self) -> int:
        return self._n_rows

    @property
    def n_columns(self) -> int:
        return len(self._schema)

    @property
    def shape(self) -> tuple[int, int]:
        return self._n_rows, len(self._schema)

    @property
    def ndim(self) -> int:
        """Two, as of any array of rows and columns; scikit-learn's column transformer asks."""
        return 2

    @property
    def matrix(self) -> Array | None:
        """The 2-D float array behind the table, if it is made of one."""
        return self._matrix

    @property
    def sparse(self) -> Any:
        """The SciPy CSR matrix behind the table, if it is made of one."""
        return self._sparse

    @property
    def of_one_block(self) -> bool:
        """Whether it is made of a matrix, dense or sparse, instead of columns."""
        return self._matrix is not None or self._sparse is not None

    @property
    def arrays(self) -> list[Array]:
        """Those that its cells stand in: a matrix, the three of a sparse one, or one a column."""
        if self._matrix is not None:
            return [self._matrix]
        if self._sparse is not None:
            return [self._sparse.data, self._sparse.indices, self._sparse.indptr]
        return [column.values for column in self.columns]

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns; views of the matrix where there is one."""
        if self._columns is None:
            if self._matrix is None:
                arrays: Any = _dense_columns(self._sparse)
            else:
                arrays = (self._matrix[:, j] for j in range(self.n_columns))
            columns = tuple(Column(name, "numeric", values) for name, values in zip(self.names, arrays, strict=True))
            if self._sparse is not None:  # dense copies of sparse columns are not worth keeping
                return columns
            self._columns = columns
        return self._columns

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: slice | list[str] | tuple[Any, ...] | Array) -> Table: ...
    def __getitem__(self, key: Any) -> Column | Table:
        """The column of a name, a table of the columns of a list of names, or of the rows of a slice; rows and columns
        at once as NumPy has it.

        >>> t = Table({"age": [31, 28, 45], "town": ["Bern", "Basel", "Bern"]})
        >>> t["age"].values, t[["town"]].names, t[1:].n_rows
        (array([31., 28., 45.]), ('town',), 2)
        >>> t[[2, 0], "age"].to_dict()
        {'age': [45.0, 31.0]}
        """
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, slice):
            return self._slice(key)
        if isinstance(key, tuple) and not all(isinstance(name, str) for name in key):
            from learnt.data.indexing import cut_table

            return cut_table(self, key)
        return self.select(names_in_key(key, self.names))

    def _column(self, name: str) -> Column:
        place = self._schema.place(name)
        if place is None:
            raise KeyError(unknown_column(name, self.names))
        if self._columns is not None:
            return self._columns[place]
        if self._matrix is not None:
            return Column(name, "numeric", self._matrix[:, place])
        return Column(name, "numeric", np.asarray(self._sparse[:, [place]].todense()).ravel())

    def _slice(self, rows: slice) -> Table:
        try:
            count = len(range(*rows.indices(self._n_rows)))
        except TypeError:
            raise KindError(f"Rows are sliced by whole numbers, as in table[0:2], not by {rows!r}.") from None
        except ValueError:
            raise InputError("Rows cannot be sliced in steps of 0. Give a step of 1, more, or −1.") from None
        return self._each(lambda values: values[rows], count)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._schema.place(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return self._n_rows

    # Parts of it. All of them share memory with the whole where NumPy can.

    def rows(self, start: int, stop: int) -> Table:
        """The rows of a range, as a view."""
        return self._each(lambda values: values[start:stop], max(0, min(stop, self._n_rows) - start))

    def take(self, rows: Any) -> Table:
        """The rows at these positions, or where a boolean array says so, as a copy."""
        rows = np.asarray(rows)
        if rows.size == 0 and rows.dtype != bool:  # an empty list has no integer type of its own
            rows = rows.astype(np.intp)
        count = int(rows.sum()) if rows.dtype == bool else len(rows)
        return self._each(lambda values: values[rows], count)

    def _each(self, cut: Any, n_rows: int) -> Table:
        part = Table.__new__(Table)
        part._schema, part.target, part.weight, part.notes = self._schema, self.target, self.weight, self.notes
        part._matrix = None if self._matrix is None else cut(self._matrix)
        part._sparse = None if self._sparse is None else cut(self._sparse)
        part._columns = None
        if not self.of_one_block:
            part._columns = tuple(Column.like(c, cut(c.values)) for c in self.columns)
        part._n_rows = n_rows
        return part

    def select(self, names: Sequence[str]) -> Table:
        """These columns, in this order."""
        if isinstance(names, str):
            raise KindError(f"Columns are selected by a list of names, [{names!r}], not by the text {names!r}.")
        for name in names:
            if name not in self:
                raise InputError(unknown_column(name, self.names))
        target = self.target if self.target in names else None
        whole = self._matrix if self._matrix is not None else self._sparse
        if whole is None:
            return Table.of_columns(
                [self[name] for name in names],
                n_rows=self._n_rows,
                target=target,
                named=self._schema.named,
                notes=tuple(note for note in self.notes if note.column is None or note.column in names),
                weight=self.weight if self.weight in names else None,
            )
        places = [self._schema._places[name] for name in names]
        run = range(places[0], places[0] + len(places)) if places else range(0)
        part = whole[:, run.start : run.stop] if places == list(run) else whole[:, places]
        if part.shape == whole.shape and places == list(run):
            return self
        return Table.of_matrix(part, names, target=target, named=self._schema.named)

    def drop(self, *names: str) -> Table:
        """All columns but these."""
        return self.select([name for name in self.names if name not in names])

    def matched(self, schema: Schema) -> Table:
        """This table in the columns, order and category codes of `schema`.

        Columns are found by name (by position when either side has no names); extra columns are
        left out, labels the schema does not know become missing, an absent column or one of
        another kind is an error that names it.
        """
        if schema is self._schema:
            return self
        from learnt.data.matching import match_columns

        return match_columns(self, schema)

    def __reduce__(self) -> tuple[Any, ...]:
        columns = None if self.of_one_block else self._columns  # views would be stored a second time
        rest = (self._schema, self._n_rows, self.target, self.notes, self.weight)
        return _revive, (columns, self._matrix, self._sparse, *rest)


def _dense_columns(matrix: Any) -> Iterator[Array]:
    """Each column of a sparse matrix as an array; cut by SciPy, a hundred thousand of them would take half a minute."""
    by_column = matrix.tocsc(copy=True)
    by_column.sum_duplicates()
    for first, last in pairwise(by_column.indptr.tolist()):
        values = np.zeros(matrix.shape[0])
        values[by_column.indices[first:last]] = by_column.data[first:last]
        yield values


def _revive(
    columns: Any,
    matrix: Any,
    sparse: Any,
    schema: Schema,
    n_rows: int,
    target: str | None,
    notes: tuple[Note, ...] = (),
    weight: str | None = None,
) -> Table:
    table = Table.__new__(Table)
    table._columns, table._matrix, table._sparse = columns, matrix, sparse
    table._schema, table._n_rows, table.target, table.notes, table.weight = schema, n_rows, target, notes, weight
    return table
