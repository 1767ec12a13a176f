"""The way back from encoded categories: indicators and numbers as labels again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError
from learnt.show.words import spell


def encoded_columns(X: Any, names: Sequence[str], owner: str) -> Table:
    """What `transform` made, handed back: by the names of its columns, or as many in the same order."""
    table = X if isinstance(X, Table) else Table(X)
    if table.schema.named and set(names) <= set(table.names):
        table = table.select(list(names))
    if table.n_columns != len(names):
        raise InputError(
            f"X has {table.n_columns} columns. Expected the {len(names)} that transform of this {owner} gives."
        )
    if not table.schema.all_numeric:
        odd = next(c.name for c in table.schema if c.coded)
        raise InputError(f"Column {odd!r} holds labels. Expected the numbers that transform of this {owner} gives.")
    return table


def numbers_as_codes(numbers: Column, wanted: ColumnSchema) -> Column:
    """Whole numbers 0, 1, … as the categories they stand for; missing stays missing."""
    values, missing = numbers.values, numbers.missing
    codes = np.where(missing, -1, values)
    wrong = np.flatnonzero((codes != np.floor(codes)) | (codes < -1) | (codes >= len(wanted.categories)) & ~missing)
    if wrong.size:
        raise InputError(
            f"Column {wanted.name!r} has {spell(float(values[wrong[0]]))} in row {wrong[0]}. Expected whole numbers "
            f"from 0 to {len(wanted.categories) - 1}, which stand for its categories."
        )
    return Column(wanted.name, wanted.kind, codes.astype(np.int32), wanted.categories, wanted.form)


def largest_indicator(block: Any) -> tuple[Array, Array]:
    """Which indicator of each row is largest, and whether any is above 0; a sparse block stays sparse."""
    if block.shape[1] == 0:
        return np.zeros(block.shape[0], np.int64), np.zeros(block.shape[0], bool)
    if isinstance(block, np.ndarray):
        best = block.argmax(axis=1)
        return best, block[np.arange(len(block)), best] > 0
    best = np.asarray(block.argmax(axis=1)).ravel()
    return best, np.asarray(block.max(axis=1).todense()).ravel() > 0


def indicators_as_codes(block: Any, column: ColumnSchema, codes: Array, reference: int, rare: str) -> Column:
    """Indicators of one column as its categories.

    `codes` holds the indicator of each category and, last, of a missing cell; `reference` is the one that has no
    column. A row without an indicator has the category of the reference, or is missing where there is none. Categories
    that shared an indicator come back as the label `rare`.
    """
    best, there = largest_indicator(block)
    numbers = np.delete(np.arange(block.shape[1] + (reference >= 0)), [reference] if reference >= 0 else [])
    picked = np.where(there, numbers[best] if len(numbers) else -1, reference)
    back = np.full(max(int(codes.max(initial=-1)), block.shape[1]) + 2, -1, np.int32)  # the last entry serves −1
    shared = False
    for number in range(int(codes[:-1].max(initial=-1)) + 1):
        own = np.flatnonzero(codes[:-1] == number)
        shared |= len(own) > 1
        back[number] = own[0] if len(own) == 1 else len(column.categories) if len(own) else -1
    kind = "nominal" if shared else column.kind
    categories = (*column.categories, rare) if shared else column.categories
    return Column(column.name, kind, back[picked], categories, column.form)
