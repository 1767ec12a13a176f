"""Settings of gradient boosting: what they may be, and what they come to on a given table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from learnt.data.schema import Schema
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain, Flag, OneOf, Real, Seed, Whole
from learnt.tree import DIRECTIONS


class ColumnGroups(Domain):
    """Groups of columns, each a list, tuple or set of names or positions."""

    words = "a list of groups, each a list of names or positions of columns"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            return False
        return len(value) > 0 and all(
            isinstance(group, Iterable)
            and not isinstance(group, str | bytes)
            and all(isinstance(column, str) or column in Whole(0) for column in group)
            for group in value
        )


#: The settings that classifier and regressor share.
DOMAINS: dict[str, Domain] = {
    "learning_rate": OneOf(None) | Real(above=0),
    "max_iter": OneOf(None) | Whole(1),
    "growth": OneOf("leaf", "depth"),
    "max_leaf_nodes": OneOf("auto", None) | Whole(2),
    "max_depth": OneOf(None) | Whole(1),
    "min_samples_leaf": OneOf(None) | Whole(1),
    "l2_regularization": Real(0),
    "max_features": OneOf(None) | Real(above=0, high=1),
    "subsample": OneOf(None) | Real(above=0, high=1),
    "sampling": OneOf("uniform", "gradient"),
    "max_bins": Whole(2, 255),
    "monotonic_cst": DIRECTIONS,
    "interaction_cst": OneOf(None, "pairwise", "no_interactions") | ColumnGroups(),
    "early_stopping": OneOf("auto") | Flag(),
    "validation_fraction": Real(above=0, below=1),
    "n_iter_no_change": Whole(1),
    "tol": Real(0),
    "warm_start": Flag(),
    "random_state": Seed(),
}


def column_groups(setting: Any, schema: Schema, owner: str) -> tuple[tuple[int, ...], ...] | None:
    """Which columns may stand on one way from root to leaf, as sorted positions; None: all.

    Columns that no group names form one more together.
    """
    if setting is None:
        return None
    n = len(schema)
    if setting == "no_interactions":
        return tuple((j,) for j in range(n))
    if setting == "pairwise":
        return tuple((j, i) for i in range(n) for j in range(i)) or ((0,),)
    groups = [tuple(sorted({_place(column, schema, owner) for column in group})) for group in setting]
    left = tuple(sorted(set(range(n)) - {j for group in groups for j in group}))
    return tuple(group for group in (*groups, left) if group)


def _place(column: Any, schema: Schema, owner: str) -> int:
    if isinstance(column, str):
        place = schema.place(column)
        if place is None:
            raise ParameterError(
                f"{owner}: interaction_cst names {column!r}, which is not a column. "
                f"The columns are {list(schema.names)[:6]}."
            )
        return place
    if column >= len(schema):
        raise ParameterError(f"{owner}: interaction_cst has column {column}. There are {len(schema)}, counted from 0.")
    return int(column)
