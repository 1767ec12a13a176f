"""Sequences to be judged, in the columns of those that were fitted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from learnt.data.schema import Schema
from learnt.data.table import Table
from learnt.engine.survey import check_finite
from learnt.graphical.hmm.sequences import Sequences, is_list_of_sequences, read_sequences
from learnt.learner.matching import match_schema


def read_as_fitted(
    X: Any,
    *,
    sequence: str | None,
    order: str | None,
    lengths: Any,
    schema: Schema,
    fitted_roles: tuple[str | None, str | None],
    owner: str,
) -> Sequences:
    """`X` in order and in the columns of `schema`. The columns that told sequences apart and put rows in order when
    fitting (`fitted_roles`) are looked for again, where none are named."""
    if is_list_of_sequences(X):
        names: tuple[str, ...] = tuple(getattr(X[0], "columns", ())) or tuple(getattr(X[0], "names", ()))
    else:
        X = X if isinstance(X, Table) or not _has_columns(X) else Table(X)
        names = X.names if isinstance(X, Table) else ()
    if sequence is None and lengths is None and not is_list_of_sequences(X) and fitted_roles[0] in names:
        sequence = fitted_roles[0]
    if order is None and fitted_roles[1] in names:
        order = fitted_roles[1]
    found = read_sequences(X, sequence=sequence, order=order, lengths=lengths, schema=schema)
    table = match_schema(_named_alike(found.table, schema), schema, owner)
    check_finite(table)
    return replace(found, table=table)


def _has_columns(X: Any) -> bool:
    return isinstance(X, dict) or hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")


def _named_alike(table: Table, schema: Schema) -> Table:
    """A single column without a name is the one that was fitted."""
    if len(schema) == 1 and schema.named and not table.schema.named and table.n_columns == 1:
        return Table.of_columns([table.columns[0].renamed(schema.names[0])])
    return table
