"""Blocks of columns that a model knows, from files whose texts are read by rules."""

from __future__ import annotations

from collections.abc import Callable, Collection

from learnt.data.kinds import Decision, finish, is_usual_marker
from learnt.data.kinds.said_numbers import as_finely_as
from learnt.data.raw import RawColumn
from learnt.data.schema import ColumnSchema, KindName, Label
from learnt.data.table import Column


def known_column(
    raw: RawColumn,
    schema: ColumnSchema,
    missing: Collection[str] | None,
    decide: Callable[[KindName | None], Decision],
) -> Column:
    """The labels a model knows, or numbers and dates as this block writes them.

    `decide` tells what the block is, freely or as it is said to be; `missing` are the texts that the user says are.
    """
    if schema.coded and raw.numbers is None and schema.kind != "boolean":
        return finish(raw, Decision(raw.name, schema.kind, categories=_labels_of(raw, schema, missing)))
    decision = decide(None)
    if schema.kind == "numeric" and (decision.kind != "numeric" or decision.as_words):
        decision = decide("date" if schema.kind_name == "date" else "numeric")
    return finish(raw, as_finely_as(schema.form, decision, raw.words))


def _labels_of(raw: RawColumn, schema: ColumnSchema, missing: Collection[str] | None) -> tuple[Label, ...]:
    """Those of a model, and behind them those of the block that it has not seen: whoever predicts counts them."""
    known = set(schema.categories)
    fresh = [text for text in dict.fromkeys(raw.words.texts) if text and text not in known]
    fresh = [text for text in fresh if not (is_usual_marker(text) if missing is None else text in missing)]
    return (*schema.categories, *fresh) if fresh else schema.categories
