"""What fitted factors answer: ratings of pairs, recommendations, items alike, explanations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.errors import InputError
from learnt.explain import Explanation, Explanations
from learnt.lazy import cached_property
from learnt.learner.base import Learner
from learnt.learner.fields import attribute
from learnt.learner.parameters import Flag, Whole, check_parameters
from learnt.recommendation.evidence import Reasons
from learnt.recommendation.factors import SideFactors, rate_pairs
from learnt.recommendation.ids import as_known, find_id
from learnt.recommendation.lists import Scored, best_places
from learnt.recommendation.ratings import RatingBlock
from learnt.show.words import spell
from learnt.storable import FiniteNumbers

AT_ONCE = 512  # users whose scores of all items are in memory


class FactorAnswers(Learner, abstract=True):
    """Answers from the factors, biases and, where they were kept, the ratings."""

    task = "recommendation"
    abilities = frozenset({"missing", "nominal", "weights", "passes", "random"})

    user_factors_: Array = attribute()
    item_factors_: Array = attribute()
    user_bias_: Array | None = attribute()
    item_bias_: Array | None = attribute()
    mean_: float = attribute()
    scale_: float = attribute()
    _user_weights: FiniteNumbers = attribute()
    _item_weights: FiniteNumbers = attribute()
    _history: RatingBlock | None = attribute()

    @cached_property
    def _x(self) -> SideFactors:
        return SideFactors.of(self.user_factors_, self.user_bias_)

    @cached_property
    def _y(self) -> SideFactors:
        return SideFactors.of(self.item_factors_, self.item_bias_)

    @cached_property
    def _places(self) -> tuple[dict[Any, int], dict[Any, int]]:
        users, items = ({label: i for i, label in enumerate(c.categories)} for c in self._schema)
        return users, items

    @property
    def users_(self) -> Array:
        """The ids of the users, in the order of `user_factors_`."""
        return _labels(self._fitted_schema(), 0)

    @property
    def items_(self) -> Array:
        """The ids of the items, in the order of `item_factors_`."""
        return _labels(self._fitted_schema(), 1)

    # Ratings

    def predict(self, X: Any) -> Array:
        """What each user of a table would say of the item beside: a rating, or how likely a liking is (0 to 1 or so).

        An unknown or missing user counts as one without ratings: mean and item's bias are left. An unknown item
        likewise; of both, the mean (0 without biases).
        """
        still = self._still()
        found: Array = still._over(still._pairs_of(X), still._rate)
        return found

    def _pairs_of(self, X: Any) -> Any:
        """Users and items alone, as an array of ratings has more, written as when fitting."""
        if hasattr(X, "batches"):
            return X
        table, schema = X if isinstance(X, Table) else Table(X), self._given_schema()
        by_name = schema.named and table.schema.named
        if not by_name and table.n_columns > 2:
            table = table.select(table.names[:2])
        roles = dict(zip(schema.names if by_name else table.names, self._places, strict=False))
        columns = [as_known(c, roles[c.name]) if c.name in roles else c for c in table.columns]
        return Table.of_columns(columns, n_rows=table.n_rows, named=table.schema.named)

    def _rate(self, table: Table) -> Array:
        users, items = (column.values for column in table.columns)
        return self.mean_ + self.scale_ * rate_pairs(users, items, self._x, self._y)

    # Lists

    def recommend(self, user: Any, n: int = 10, *, without_seen: bool = True) -> Scored:
        """The n items of the highest prediction for a user, best first.

        `without_seen` leaves out what the user has rated, where ratings were kept. An unknown user gets what is liked
        best by all: items by their bias, of equal ones those with most ratings.
        """
        return self.recommend_many([user], n, without_seen=without_seen)[0]

    def recommend_many(self, users: Iterable[Any], n: int = 10, *, without_seen: bool = True) -> list[Scored]:
        """The same for each of several users, at once."""
        given = {"n": n, "without_seen": without_seen}
        check_parameters(type(self).__name__, {"n": Whole(1), "without_seen": Flag()}, given)
        still = self._still()
        still._fitted_schema()
        places = np.array([still._find(0, user) for user in users], np.int32)
        if without_seen and still._history is None and (places >= 0).any():
            raise InputError(
                "Which items were seen is not known, since ratings were not kept. Fit with keep_ratings=True, or ask "
                "with without_seen=False."
            )
        found: list[Scored] = []
        for first in range(0, len(places), AT_ONCE):
            some = places[first : first + AT_ONCE]
            for place, scores in zip(some.tolist(), still._scores(some), strict=True):
                if without_seen and place >= 0 and still._history is not None:
                    scores[still._history.row(place)[0]] = -np.inf
                found.append(still._best(scores, n, "score"))
        return found

    def _best(self, scores: Array, n: int, what: str) -> Scored:
        labels, best = self._schema.columns[1].categories, best_places(scores, self._item_weights, n)
        return Scored(tuple(labels[i] for i in best.tolist()), tuple(scores[best].tolist()), what)

    def _scores(self, users: Array) -> Array:
        """Of each user, −1 being unknown, every item, users × items."""
        y = self._y
        x = np.where((users >= 0)[:, None], self._x.vectors[users], 0).astype(np.float64)
        with one_blas_thread():  # the same bits for any number of threads
            found = x @ y.vectors.T.astype(np.float64)
        if y.bias is not None and self._x.bias is not None:
            found += y.bias.astype(np.float64)
            found += np.where(users >= 0, self._x.bias[users], 0)[:, None].astype(np.float64)
        return self.mean_ + self.scale_ * found

    def similar(self, item: Any, n: int = 10) -> Scored:
        """The n items whose factors point in the direction most like that of an item, by the cosine of the angle."""
        check_parameters(type(self).__name__, {"n": Whole(1)}, {"n": n})
        still = self._still()
        still._fitted_schema()
        place = still._find(1, item)
        if place < 0:
            raise InputError(f"There is no item {spell(item)} among the {len(still._item_weights):,} that were fitted.")
        vectors = still.item_factors_.astype(np.float64)
        length = np.sqrt(np.einsum("nk,nk->n", vectors, vectors))
        scores = vectors @ vectors[place]
        scores = np.divide(scores, length * length[place], out=np.zeros_like(scores), where=length * length[place] > 0)
        scores[place] = -np.inf
        return still._best(scores, n, "similarity")

    def knows(self, *, user: Any = None, item: Any = None) -> bool:
        """Whether a user, an item, or both, were fitted or folded in."""
        self._fitted_schema()
        return all(self._find(column, given) >= 0 for column, given in enumerate((user, item)) if given is not None)

    def _find(self, column: int, given: Any) -> int:
        return find_id(self._places[column], given)

    # Reasons

    def explain(self, X: Any) -> Explanations:
        """Why a user of a table would say so of the item beside: what each of the user's own ratings adds.

        A user's factors solve A z = Σ_i w_i t_i f_i over the items rated, f_i being the factors of item i; the score of
        item j therefore is a sum over those items, f_j·A⁻¹ f_i w_i t_i each.
        """
        still = self._still()
        still._fitted_schema()
        return super(FactorAnswers, still).explain(still._pairs_of(X)).like(X)

    def explain_one(self, user: Any, item: Any) -> Explanation:
        """The same for one user and one item."""
        still = self._still()
        still._fitted_schema()
        return still._reasons.explain(still._find(0, user), still._find(1, item))

    def _explain(self, table: Table) -> Explanations:
        users, items = (column.values for column in table.columns)
        return Explanations(table.n_rows, lambda r: self._reasons.explain(int(users[r]), int(items[r])))

    @property
    def _reasons(self) -> Reasons:
        raise NotImplementedError


def _labels(schema: Schema, column: int) -> Array:
    labels = schema.columns[column].categories
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and tuple not in kinds:
        return np.array(labels)
    made = np.empty(len(labels), dtype=object)
    for i, label in enumerate(labels):  # one by one: NumPy would look into tuples
        made[i] = label
    return made
