"""More ratings for a fitted model: users and items folded in, the rest being fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError
from learnt.recommendation.als import solve_block
from learnt.recommendation.columns import RatedRows, find_roles, rated_rows
from learnt.recommendation.factors import SideFactors, WholeSums
from learnt.recommendation.ids import IdCounts, as_known
from learnt.recommendation.ratings import RatingBlock, Scaling, joined_blocks, rating_block
from learnt.show.words import spell

if TYPE_CHECKING:
    from learnt.recommendation.learner import MatrixFactorization

Model = TypeVar("Model", bound="MatrixFactorization")


def read_more(model: MatrixFactorization, X: Any, y: Any, weights: Any) -> tuple[RatedRows, tuple[Column, Column]]:
    """Rated rows of a table whose columns are called as when fitting, with the ids as labels."""
    table = X if isinstance(X, Table) else Table(X)
    user, item = model._schema.names
    rating, weight = model._roles
    told: dict[str, str | None] = {}
    if table.schema.named and model._schema.named:
        told = {"user": user, "item": item, "weight": weight if weight in table else None}
        told["rating"] = rating if rating in table and y is None else None
    roles = find_roles(table.schema, rated=y is None and model.feedback == "explicit", **told)
    rows = rated_rows(table, roles, y, weights)
    if not len(rows.values):
        raise InputError("No row has a user, an item, a rating and a weight above 0.")
    return rows, (_named(rows.user, user), _named(rows.item, item))


def _named(column: Column, name: str) -> Column:
    """The ids as categories, and only those that are there."""
    counts = IdCounts(column.schema)
    counts.add(column, None)
    ids = counts.finish()
    return Column(name, "nominal", ids.codes(column), ids.schema.categories)


def folded(model: Model, X: Any, y: Any, weights: Any) -> Model:
    """A twin that knows the ratings of `X` too."""
    rows, columns = read_more(model, X, y, weights)
    schemas, codes = zip(*(_extended(c, column) for c, column in zip(model._schema, columns, strict=True)), strict=True)
    n_users, n_items = (len(schema.categories) for schema in schemas)
    old_users, old_items = len(model._user_weights), len(model._item_weights)
    here = np.unique(codes[0])
    if model._history is None and (here < old_users).any():
        known = schemas[0].categories[int(here[0])]
        raise InputError(
            f"User {spell(known)} is known already, and the ratings it was fitted on were not kept. Fold in new users "
            "only, or fit with keep_ratings=True."
        )
    scaling = Scaling(model.feedback == "implicit", model.mean_, model.scale_, model.confidence_)
    added = rating_block(codes[0], codes[1], rows.values, rows.weights, (n_users, n_items), scaling, model._real())
    own = np.ones(len(rows.values)) if rows.weights is None else rows.weights
    user_weights, item_weights = np.bincount(codes[0], own, n_users), np.bincount(codes[1], own, n_items)
    user_weights[:old_users] += model._user_weights
    item_weights[:old_items] += model._item_weights
    history = None
    together = added
    if model._history is not None:
        history = together = merged(model._history, added, scaling.implicit)
    fold = _Fold(model, _grown(model._x, n_users), _grown(model._y, n_items))
    fold.users(here, together, user_weights, old_items)
    if n_items > old_items:
        fold.items(np.arange(old_items, n_items), together.transposed(n_items), item_weights)
        fold.users(here, together, user_weights, n_items)
    twin = model._twin(Schema(tuple(schemas), model._schema.named))
    for name in ("mean_", "scale_", "confidence_", "objectives_", "converged_", "n_left_out_", "_roles"):
        setattr(twin, name, getattr(model, name))
    twin._keep_sides(fold.x, fold.y)
    twin._user_weights, twin._item_weights, twin._history = user_weights, item_weights, history
    return twin


class _Fold:
    """Rows of one side solved to the end, the other being fixed."""

    def __init__(self, model: MatrixFactorization, x: SideFactors, y: SideFactors):
        self.model, self.x, self.y = model, x, y

    def users(self, rows: Array, block: RatingBlock, weights: Array, n_known: int) -> None:
        """From their ratings of the first `n_known` items."""
        part = block.take(rows)
        known = part.indices < n_known
        if not known.all():
            sizes = np.bincount(part.rows[known], minlength=len(part))
            own = None if part.weights is None else part.weights[known]
            offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            part = RatingBlock(offsets, part.indices[known], part.values[known], own)
        self._solve(rows, part, weights, self.y, self.x)

    def items(self, rows: Array, block: RatingBlock, weights: Array) -> None:
        self._solve(rows, block.take(rows), weights, self.x, self.y)

    def _solve(self, rows: Array, part: RatingBlock, weights: Array, others: SideFactors, mine: SideFactors) -> None:
        model = self.model
        penalty = model._penalty.of(weights[rows])
        solver, steps = ("nonnegative", 1000) if model.nonnegative else ("exact", 1)
        made = SideFactors(mine.vectors[rows], None if mine.bias is None else mine.bias[rows], mine.rank)
        whole = WholeSums.of(others) if model.feedback == "implicit" else None
        solve_block(part, penalty, others, made, whole, solver, steps)
        mine.vectors[rows] = made.vectors
        if mine.bias is not None:
            mine.bias[rows] = made.bias


def _extended(known: ColumnSchema, column: Column) -> tuple[ColumnSchema, Array]:
    """Known labels with new ones after them, and the codes of the column in all of them."""
    place = {label: code for code, label in enumerate(known.categories)}
    column = as_known(column, place)
    moved = np.array([place.setdefault(label, len(place)) for label in column.categories], np.int32)
    return ColumnSchema(known.name, "nominal", tuple(place)), moved[column.values]


def _grown(side: SideFactors, n: int) -> SideFactors:
    more = n - len(side.vectors)
    vectors = np.concatenate([side.vectors, np.zeros((more, side.vectors.shape[1]), side.vectors.dtype)])
    bias = None if side.bias is None else np.concatenate([side.bias, np.zeros(more, side.bias.dtype)])
    return SideFactors(vectors, bias, side.rank)


def merged(old: RatingBlock, new: RatingBlock, implicit: bool) -> RatingBlock:
    """Ratings of both, pairs of both as if all their rows had come at once."""
    import scipy.sparse

    n_rows, n_columns = len(new), 1 + max(int(b.indices.max(initial=0)) for b in (old, new))
    more = np.full(n_rows - len(old), old.offsets[-1])
    old = RatingBlock(np.concatenate([old.offsets, more]), old.indices, old.values, old.weights)
    both = joined_blocks([old, new])
    rows = np.concatenate([old.rows, new.rows])
    w = np.ones(len(rows)) if both.weights is None else both.weights.astype(np.float64)
    values = both.values.astype(np.float64)
    # Implicit: confidences without their 1 are sums of w r, whose sign is that of the liking.
    first, second = ((w - 1) * np.where(values > 0, 1, -1), np.ones(len(rows))) if implicit else (w * values, w)
    sums = scipy.sparse.coo_array((first, (rows, both.indices)), (n_rows, n_columns)).tocsr()
    total = scipy.sparse.coo_array((second, (rows, both.indices)), (n_rows, n_columns)).tocsr().data
    real = old.values.dtype
    if implicit:
        made, merged_weights = (sums.data > 0).astype(real), (1 + np.abs(sums.data)).astype(real)
    else:
        made, merged_weights = (sums.data / total).astype(real), total.astype(real)
    own = merged_weights if implicit or (merged_weights != 1).any() else None
    return RatingBlock(sums.indptr.astype(np.int64), sums.indices.astype(np.int32), made, own)
