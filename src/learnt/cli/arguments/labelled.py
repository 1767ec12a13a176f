"""A file whose answers are known, as a model wants its rows."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.cli.arguments.inputs import DATASET, STANDARD_INPUT, load
from learnt.cli.arguments.reading import AS_FOUND, Reading
from learnt.cli.terminal.streams import standard_input
from learnt.data.files.read import read_by
from learnt.data.naming import absent_columns
from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.describe import without_weights
from learnt.errors import InputError, ParameterError


def read_like(schema: Schema, file: str, given: Reading, kept: Reading) -> Table:
    """The file, its columns read as those the model learnt from; what was typed goes before what the model keeps."""
    held = standard_input().read() if file == STANDARD_INPUT else None

    def table_by(reading: Reading) -> Table:
        if file.startswith(DATASET):
            return load(file, None, replace(AS_FOUND, kinds=reading.kinds, ordinal=reading.ordinal))
        options = replace(reading.options, kinds=reading.kinds, ordinal=reading.ordinal)
        source = file if held is None else io.BytesIO(held)
        return read_by(source, options, kinds=dict(reading.kinds), ordinal=dict(reading.ordinal))

    first = given.over(replace(kept, kinds={}, ordinal={}))
    table = table_by(first)
    told = kept.about([name for name in table.names if name not in {**given.kinds, **given.ordinal}])
    wanted = {**(schema.kinds if schema.named else {}), **told.kinds}
    other = {name: kind for name, kind in wanted.items() if name in table and table.kinds[name] != kind}
    again = {name: kind for name, kind in other.items() if kind in ("nominal", "boolean", "date", "text")}
    ranks = {name: [str(v) for v in schema[name].categories] for name, kind in other.items() if kind == "ordinal"}
    ranks.update(told.ordinal)
    return table_by(first.over(Reading(again, ranks))) if again or ranks else table


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
            raise InputError(absent_columns(absent, features.names, schema.names))
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
