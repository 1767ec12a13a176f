"""What readers of databases share: which table is meant, and how its name is written."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from learnt.errors import FileError


def chosen_table(tables: Sequence[str], asked: str | None, file: str) -> str:
    """The table that was asked for, or the only one."""
    if asked is None and len(tables) == 1:
        return tables[0]
    if asked is not None and asked in tables:
        return asked
    if not tables:
        raise FileError("The database holds no tables.", file)
    shown = ", ".join(map(repr, tables[:20])) + (f" and {len(tables) - 20} more" if len(tables) > 20 else "")
    if asked is None:
        example = f"{file}::{tables[0]}"
        raise FileError(f"The database holds {len(tables)} tables: {shown}. Name one: {example!r}.", file)
    folded = {table.casefold(): table for table in tables}
    if asked.casefold() in folded:
        return folded[asked.casefold()]
    near = difflib.get_close_matches(asked, tables, 1)
    hint = f" Did you mean {near[0]!r}?" if near else f" The database holds {shown}."
    raise FileError(f"There is no table {asked!r}.{hint}", file)


def quoted_name(name: str) -> str:
    """A name as SQL writes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
