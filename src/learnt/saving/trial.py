"""A loaded model answers about one row of its own columns before anybody gets it.

Annotations and `_check_fitted_state` say what is there and of what shape; whether every array is also of the type that
the kernels take, only an answer shows. Nothing is learnt or changed by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.column import Column
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.errors import LearntError
from learnt.saving.container import Refused


def try_to_answer(model: Any) -> None:
    """Raise if asking a learner of ours about a row fails by anything but a refusal in words."""
    schema = vars(model).get("_schema")
    ours = type(model).__module__.startswith("learnt.") and "text" not in type(model).abilities
    if not ours or not isinstance(schema, Schema) or not len(schema):
        return
    row = _row_of(schema)
    for name in ("predict", "predict_proba", "transform", "explain"):
        method = getattr(model, name, None)
        if method is None:
            continue
        try:
            with np.errstate(all="ignore"):
                answer = method(row)
                if name == "explain":
                    answer[0]
        except LearntError:
            continue  # a model may refuse a row, by its kind or its cells
        except Exception as error:
            what = str(error).strip().partition("\n")[0].rstrip(".")[:200] or type(error).__name__
            raise Refused(f"Its parts do not fit each other: it cannot answer about a row ({what})") from error


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
