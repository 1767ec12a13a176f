"""A file whose answers are known, as a model wants its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cli.arguments.inputs import STANDARD_INPUT, load
from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.describe import without_weights
from learnt.errors import InputError, ParameterError


def read_like(schema: Schema, file: str, kinds: dict[str, Any], ordinal: dict[str, Any]) -> Table:
    """The file, its columns read as those the model learnt from."""
    table = load(file, None, kinds, ordinal)
    if not schema.named or file == STANDARD_INPUT:
        return table
    other = [c for c in schema if c.name in table and table[c.name].kind != c.kind]
    again = {c.name: c.kind for c in other if c.kind in ("nominal", "boolean")}
    ranks = {c.name: [str(v) for v in c.categories] for c in other if c.kind == "ordinal"}
    return load(file, None, {**again, **kinds}, {**ranks, **ordinal}) if again or ranks else table


def target_of(table: Table, target: Any, model: str) -> Column:
    wanted = target or table.target
    if not isinstance(wanted, str):
        raise ParameterError(f"{model!r} does not say which column it predicts. Name it with --target COLUMN.")
    if wanted not in table:
        raise InputError(
            f"{unknown_column(wanted, table.names)} It holds the true answers, and there is no testing without them; "
            "learnt predict answers rows that have none."
        )
    return table[wanted]


def labelled(
    table: Table, target: Column, weight: str | None, schema: Schema, owner: str
) -> tuple[Table, Column, Array | None, int]:
    """The columns the model wants, the truth and the weights of rows that have a truth, and how many have none."""
    weights = None
    features = table.drop(target.name)
    if weight is not None:
        features, weights = without_weights(features, weight)
    if schema.named:
        absent = [n for n in schema.names if n not in features]
        if absent:
            raise InputError(f"{unknown_column(absent[0], features.names)} The model needs it.")
        features = features.select(list(schema.names))
    elif len(schema) != features.n_columns:
        raise InputError(
            f"{owner} was fitted on {len(schema)} columns without names, and the file has {features.n_columns} besides "
            f"{target.name!r}. Give these columns only."
        )
    known = np.flatnonzero(~target.missing)
    if not len(known):
        raise InputError(f"The column {target.name!r} holds no values, so there is nothing to test by.")
    truth = Column.like(target, target.values[known])
    return (
        features.take(known),
        truth,
        None if weights is None else weights[known],
        len(target) - len(known),
    )
