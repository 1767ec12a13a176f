"""A loaded model answers about one row of its own columns before anybody gets it, and a copy learns from that row.

Annotations and `_check_fitted_state` say what is there and of what shape; whether every array is also of the type that
the kernels take, and whether what is kept for more rows fits what more rows give, only an answer shows. The model
itself is not changed by it.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from learnt.data.column import Column
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.errors import LearntError
from learnt.saving.container import Refused


def try_to_answer(model: Any) -> None:
    """Raise if asking a learner of ours about a row, or giving it one more, fails by other than a refusal in words."""
    schema = vars(model).get("_schema")
    ours = type(model).__module__.startswith("learnt.")
    if not ours or not isinstance(schema, Schema) or not len(schema):
        return
    row: Any = _row_of(schema)
    if "text" in type(model).abilities:
        row, model = ["a word"], copy.copy(model)  # which may keep what it works out
    for name in ("predict", "predict_proba", "transform", "explain"):
        method = getattr(model, name, None)
        if method is not None:
            _attempt("answer about a row", _ask, method, row, name == "explain")
    if hasattr(model, "partial_fit"):
        _attempt("learn from one more row", _learn_more, model, row)


def _attempt(what: str, call: Callable[..., None], *arguments: Any) -> None:
    try:
        with np.errstate(all="ignore"):
            call(*arguments)
    except LearntError:
        return  # a model may refuse a row, by its kind or its cells
    except Exception as error:
        why = str(error).strip().partition("\n")[0].rstrip(".")[:200] or type(error).__name__
        raise Refused(f"Its parts do not fit each other: it cannot {what} ({why})") from error


def _ask(method: Any, row: Any, explains: bool) -> None:
    answer = method(row)
    if explains:
        answer[0]


def _learn_more(model: Any, row: Any) -> None:
    """Fitting replaces what a learner holds and changes none of it, so that a copy may share it all."""
    target = {"classes": vars(model).get("classes_", [None])[:1], "numbers": [0.0]}.get(model.needs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy.copy(model).partial_fit(row, target)


def _row_of(schema: Schema) -> Table:
    """A row of zeros and first categories."""
    if schema.all_numeric and not schema.named:
        return Table.of_matrix(np.zeros((1, len(schema))))
    columns = [Column(c.name, c.kind, _cell_of(c), c.categories, c.form) for c in schema]
    return Table.of_columns(columns, named=schema.named)


def _cell_of(column: ColumnSchema) -> Array:
    if not column.coded:
        return np.zeros(1)
    return np.array([0 if column.categories else -1], np.int32)  # a column that was empty has no categories
