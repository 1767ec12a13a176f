"""How a table leaves: as a frame of another library, an Arrow stream, an array, a dict, or text to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.column import Array

if TYPE_CHECKING:
    from learnt.data.table import Table


class Exports:
    """The ways out of a `Table`. pandas, polars and pyarrow are imported when they are asked for."""

    __slots__ = ()

    def to_pandas(self: Any, index: Any = None) -> Any:
        """A pandas DataFrame: a Categorical per nominal or ordinal column, ordered for ordinal ones; NaN or NA where
        a cell is missing.

        >>> from learnt import Table
        >>> Table({"age": [31, None], "town": ["Bern", "Basel"]}).to_pandas().dtypes.astype(str).to_dict()
        {'age': 'float64', 'town': 'category'}
        """
        from learnt.data.convert.out import to_pandas

        return to_pandas(self, index)

    def to_polars(self: Any) -> Any:
        """A polars DataFrame: a Categorical per nominal column of text, an Enum, which has an order, per ordinal one;
        null where a cell is missing."""
        from learnt.data.convert.out import to_polars

        return to_polars(self)

    def to_arrow(self: Any) -> Any:
        """A pyarrow Table: a dictionary per nominal or ordinal column, ordered for ordinal ones; dates and times
        as Arrow's own; null where a cell is missing."""
        from learnt.data.convert.arrow_out import to_arrow

        return to_arrow(self)

    def __arrow_c_stream__(self: Any, requested_schema: Any = None) -> Any:
        """Arrow's C stream, by which polars, DuckDB, pandas and others read a table without knowing of learnt."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_dict(self: Any) -> dict[str, list[Any]]:
        """Columns as lists of numbers and labels, None where missing."""
        return {c.name: c.labels() for c in self.columns}

    def head(self: Any, n: int = 5) -> Table:
        """The first `n` rows; with −n, all but the last n."""
        first: Table = self[:n]
        return first

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> Array:
        """The cells as a 2-D array, for programs that know no tables: numbers, or objects where there are labels."""
        from learnt.data.convert.out import cells_of

        return np.array(cells_of(self), dtype=dtype, copy=copy)

    def __repr__(self: Any) -> str:
        from learnt.data.show import table_text

        return table_text(self)

    def _repr_html_(self: Any) -> str:
        from learnt.data.show import table_html

        return table_html(self)
