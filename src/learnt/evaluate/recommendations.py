"""How good lists of recommendations are: whether they hold what users turned to later."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.learner.parameters import Whole
from learnt.recommendation import MatrixFactorization
from learnt.recommendation.columns import find_roles, rated_rows
from learnt.recommendation.ids import as_known
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import spell


@dataclass(frozen=True)
class RecommendationScores:
    """Means over users of what their first `k` recommendations are worth; `coverage` is the share of items in any list.

    | field | meaning |
    |---|---|
    | `precision` | the share of the list that was relevant |
    | `recall` | the share of what was relevant that is in the list |
    | `average_precision` | precision at each hit, averaged (its mean over users is MAP) |
    | `ndcg` | discounted gain of the hits, of what the best list would have |
    | `hit_rate` | the share of users with any hit |
    """

    k: int
    n_users: int
    precision: float
    recall: float
    average_precision: float
    ndcg: float
    hit_rate: float
    coverage: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        rows = [[name, number(value)] for name, value in asdict(self).items() if name not in ("k", "n_users")]
        return f"of {self.n_users:,} users, {self.k} recommendations each\n{aligned(rows, left=(0,))}"


def score_recommendations(
    model: MatrixFactorization, test: Any, k: int = 10, *, relevant: float | None = None
) -> RecommendationScores:
    """Scores of the lists a fitted model recommends, by ratings it was not fitted on.

    >>> rows = Table({"user": list("aabbcc"), "item": list("xyxyxz"), "time": [1, 2, 1, 2, 1, 2]})
    >>> model = MatrixFactorization(2, feedback="implicit").fit(rows.take([0, 2, 3, 4, 5]))
    >>> score_recommendations(model, rows.take([1]), k=1).recall
    1.0

    Lists leave out what a user had rated when the model was fitted, where it kept the ratings. Of explicit ratings
    those from `relevant` on count, by default from the model's `mean_`; of implicit ones all above 0. Users without
    anything relevant in the test are not counted. Items that the model does not know count as relevant ones not found.
    """
    if k not in Whole(1):
        raise ParameterError(f"k={spell(k)} is not allowed. Expected a whole number ≥ 1.")
    wanted = _relevant_items(model, test, relevant)
    if not wanted:
        raise InputError("Nobody has anything relevant in the test. Give more rows, or a lower 'relevant'.")
    listed: set[Any] = set()
    gains = 1 / np.log2(np.arange(2, k + 2))
    found: list[tuple[float, ...]] = []
    lists = model.recommend_many(wanted, k, without_seen=model._history is not None)
    for best, truth in zip(lists, wanted.values(), strict=True):
        listed.update(best.items)
        hits = np.array([item in truth for item in best.items] + [False] * (k - len(best)))
        found.append(_scores_of(hits, len(truth), gains))
    precision, recall, average, gain, any_hit = np.mean(found, axis=0).tolist()
    coverage = len(listed) / len(model.items_)
    return RecommendationScores(k, len(wanted), precision, recall, average, gain, any_hit, coverage)


def _scores_of(hits: Array, n_relevant: int, gains: Array) -> tuple[float, ...]:
    k = len(hits)
    precise = np.cumsum(hits) / np.arange(1, k + 1)
    most = min(k, n_relevant)
    return (
        float(hits.sum()) / k,
        float(hits.sum()) / n_relevant,
        float(precise[hits].sum()) / most,
        float(gains[hits].sum() / gains[:most].sum()),
        float(hits.any()),
    )


def _relevant_items(model: MatrixFactorization, test: Any, relevant: float | None) -> dict[Any, set[Any]]:
    """By user, the items that should have been recommended."""
    model._fitted_schema()
    table = test if isinstance(test, Table) else Table(test)
    (user, item), (rating, _) = model._schema.names, model._roles
    told = {"user": user, "item": item, "rating": rating} if table.schema.named and model._schema.named else {}
    if model.feedback == "implicit" and rating not in table:  # every row is something that a user turned to
        told.pop("rating", None)
    roles = find_roles(table.schema, rated=model.feedback == "explicit", **told)
    rows = rated_rows(table, roles)
    least = model.mean_ if relevant is None and model.feedback == "explicit" else relevant
    kept = rows.values > 0 if least is None else rows.values >= least
    wanted: dict[Any, set[Any]] = {}
    users, items = (
        as_known(column, known) for column, known in zip((rows.user, rows.item), model._places, strict=True)
    )
    for who, what, good in zip(users.labels(), items.labels(), kept.tolist(), strict=True):
        if good:
            wanted.setdefault(who, set()).add(what)
    return wanted
