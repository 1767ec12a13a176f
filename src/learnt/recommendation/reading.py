"""From what `fit` was given to ratings by user and item: tables in memory at once, scans in two passes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.files.scan import Scan
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.sizes import check_small_span, check_target
from learnt.engine.training import ALL_ZERO, no_rows
from learnt.engine.whole import OneMachine
from learnt.errors import InputError
from learnt.recommendation.blocks import DiskRatings, Rows
from learnt.recommendation.columns import RatedRows, Roles, find_roles, rated_rows
from learnt.recommendation.ids import IdCounts, Ids
from learnt.recommendation.ratings import MemoryRatings, Ratings, Scaling, rating_block
from learnt.show.words import count_of


@dataclass(frozen=True, eq=False)
class Given:
    """Ratings ready to be factorised, and what is known of their columns."""

    ratings: Ratings
    schema: Schema  # of users and items, whose categories are all ids that count
    roles: Roles
    scaling: Scaling
    n_left_out: int


class RatingMoments:
    """Σ w, mean and Σ w (r − mean)² of batches, one after the other (Chan, Golub, LeVeque), and their ends; the mean
    size |r| of those that are not 0."""

    def __init__(self) -> None:
        self.weight = self.mean = self.spread = 0.0
        self.said = self.size = 0.0  # the weight of ratings that are not 0, and their mean size
        self.ends = (math.inf, -math.inf)

    def add(self, values: Array, weights: Array | None) -> None:
        if not len(values):
            return
        check_target(values, None, (0.0, 0.0))  # squares of ratings are summed, too
        self.ends = check_target(values, None, self.ends)
        total = float(len(values) if weights is None else weights.sum())
        mean = float(np.average(values, weights=weights))
        spread = float(((values - mean) ** 2 if weights is None else weights * (values - mean) ** 2).sum())
        both = self.weight + total
        self.spread += spread + (mean - self.mean) ** 2 * (self.weight * (total / both))
        self.mean += (mean - self.mean) * (total / both)
        self.weight = both
        said = values != 0
        if said.any():
            own = np.ones(int(said.sum())) if weights is None else weights[said]
            more = float(own.sum())
            self.size += (float(np.average(np.abs(values[said]), weights=own)) - self.size) * (
                more / (self.said + more)
            )
            self.said += more

    def confident(self, scaling: Scaling) -> Scaling:
        """Confidence is counted in ratings of mean size, so that minutes do the same as hours."""
        return replace(scaling, confidence=scaling.confidence / self.size) if self.size else scaling

    def scaling(self, *, centred: bool) -> Scaling:
        """Ratings to be taken as they are differ from 0, not from their mean."""
        check_small_span(*self.ends)
        variance = self.spread / self.weight
        size = math.sqrt(variance if centred else variance + self.mean**2)
        constant = size <= 1e-12 * abs(self.mean) or size == 0
        return Scaling(False, self.mean if centred else 0.0, 1.0 if constant else size)


def read_ratings(
    X: Any, y: Any, weights: Any, told: dict[str, str | None], scaling: Scaling, *, centred: bool, real: Any, owner: str
) -> Given:
    """Ratings of a table or a scan; of explicit ones, mean and scale are found here."""
    OneMachine("sorts all ratings by user and by item").check(X, owner)
    source: Table | Scan = X if isinstance(X, Table | Scan) else Table(X)
    if isinstance(source, Table) and source.sparse is not None:
        raise InputError(
            f"{owner} was given a sparse matrix. Expected a row for each rating. Give what is there: coo = X.tocoo(), "
            'then {"user": coo.row, "item": coo.col, "rating": coo.data}.'
        )
    if isinstance(y, str):
        told, y = {**told, "rating": told.get("rating") or y}, None
    if isinstance(weights, str):
        told, weights = {**told, "weight": told.get("weight") or weights}, None
    told = {**told, "rating": told.get("rating") or source.target, "weight": told.get("weight") or source.weight}
    roles = find_roles(source.schema, rated=y is None and not scaling.implicit, **told)
    if isinstance(source, Scan):
        for role, given in (("y", y), ("sample_weight", weights)):
            if given is not None:
                raise InputError(f"With a scan, {role} is the name of one of its columns, not an array.")
    counts = {name: IdCounts(source.schema[name]) for name in (roles.user, roles.item)}
    moments, left_out, seen = RatingMoments(), 0, 0
    kept: list[RatedRows] = []
    for rows, n_rows in _batches(source, roles, y, weights):
        counts[roles.user].add(rows.user, rows.weights)
        counts[roles.item].add(rows.item, rows.weights)
        moments.add(rows.values, rows.weights)
        left_out, seen = left_out + rows.n_left_out, seen + n_rows
        if isinstance(source, Table):
            kept.append(rows)
    if moments.weight == 0:
        _refuse_nothing(seen, left_out, roles)
    if left_out:
        warnings.warn(
            f"{owner}: {count_of(left_out, 'row')} without a user, an item or a rating left out.", stacklevel=3
        )
    users, items = counts[roles.user].finish(), counts[roles.item].finish()
    scaling = moments.confident(scaling) if scaling.implicit else moments.scaling(centred=centred)
    schema = Schema((users.schema, items.schema), source.schema.named)
    if kept:
        who, what, values, w = _coded(kept[0], users, items)
        by_user = rating_block(who, what, values, w, (len(users), len(items)), scaling, real)
        made: Ratings = MemoryRatings.of(by_user, users.weights, items.weights)
    else:
        again = (_coded(rows, users, items) for rows, _ in _batches(source, roles, None, None))
        made = DiskRatings(again, users, items, scaling, real)
    return Given(made, schema, roles, scaling, left_out)


def _batches(source: Table | Scan, roles: Roles, y: Any, weights: Any) -> Iterator[tuple[RatedRows, int]]:
    if isinstance(source, Table):
        yield rated_rows(source, roles, y, weights), source.n_rows
        return
    first = 0
    for table in source.batches(roles.names):
        yield rated_rows(table, roles, first_row=first), table.n_rows
        first += table.n_rows


def _coded(rows: RatedRows, users: Ids, items: Ids) -> Rows:
    return users.codes(rows.user), items.codes(rows.item), rows.values, rows.weights


def _refuse_nothing(seen: int, left_out: int, roles: Roles) -> None:
    if seen == 0:
        raise InputError(no_rows("The table"))
    if left_out == seen:
        raise InputError(f"No row has a user, an item and a rating (columns {', '.join(map(repr, roles.names))}).")
    raise InputError(ALL_ZERO)
