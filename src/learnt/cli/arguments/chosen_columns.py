"""Which columns a table is clustered or reduced by: not those named, not its class, not what tells rows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnt.data.table import Column, Table, unknown_column
from learnt.describe import summarize
from learnt.errors import InputError
from learnt.show.words import label, short_name, shorten_text


@dataclass(frozen=True)
class ChosenColumns:
    """The table to learn from, the class that was kept out of it, and words on each column left out."""

    table: Table
    classes: Column | None
    left_out: dict[str, str]

    def notices(self) -> list[str]:
        return [f"{_quoted_name(column)} was left out: {why}" for column, why in self.left_out.items()]


def choose_columns(table: Table, drop: Sequence[str], class_column: str | None) -> ChosenColumns:
    """`class_column` is the target that a bundled table or a file knows, unless another is named."""
    if table.n_rows == 0:
        raise InputError("The table has no rows. Expected at least one.")
    for name in [*drop, *([class_column] if class_column else [])]:
        if name not in table:
            raise InputError(unknown_column(name, table.names))
    known = class_column or table.target
    used = table.drop(*drop, *([known] if known else []))
    left_out = {} if table.sparse is not None else _say_nothing(used)
    used = used.drop(*left_out)
    if not used.n_columns:
        why = "; ".join(f"{_quoted_name(name)}: {words}" for name, words in list(left_out.items())[:3])
        raise InputError(f"No column is left to learn from. {why}".rstrip() + " Expected at least one that varies.")
    return ChosenColumns(used, table[known] if known else None, left_out)


def _say_nothing(table: Table) -> dict[str, str]:
    """Columns that can part no rows, or every row from every other."""
    found = {}
    for summary in summarize(table.columns, None, 0.95).values():
        value, _ = summary.commonest
        if not summary.count:
            found[summary.name] = "it holds no values."
        elif summary.kind_name == "text":
            found[summary.name] = "it is text, and words are not counted here."
        elif summary.identifier_like and summary.kind == "numeric":
            found[summary.name] = "it numbers the rows, like an identifier."
        elif summary.identifier_like:
            found[summary.name] = "nearly every row has a label of its own, like an identifier."
        elif summary.constant and table.n_rows > 1 and not summary.missing:
            found[summary.name] = f"it is always {shorten_text(label(value), 40)}."
    return found


def _quoted_name(name: str) -> str:
    return f"'{short_name(name, 40)}'"
