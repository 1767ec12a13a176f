"""How well scores rank the rows of each query: discounted gain, average precision, the place of the first hit.

Rows of equal score have no order: every figure is its average over all orders of them (F. McSherry, M. Najork,
Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores, ECIR 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics.inputs import numbers_of
from learnt.learner.parameters import Whole
from learnt.show.words import spell


def ndcg(y_true: Any, score: Any, k: int | None = None, groups: Any = None) -> float:
    """Normalised discounted cumulative gain: what the order by score gains, of what the best order would.

        DCG = Σ_r rel_r / log₂(r + 1) over the places r = 1, 2, …, k;   NDCG = DCG / DCG of the best order

    >>> round(ndcg([3, 2, 0, 1], [0.9, 0.3, 0.5, 0.1]), 4)
    0.9305

    `groups` names the query of each row, and the mean over queries is returned; matrices have a query per row.
    `k` counts only the first places. A query without anything relevant scores 0.
    """

    def of_query(truth: Array, scores: Array) -> float:
        if (truth < 0).any():
            raise InputError(f"y_true holds {truth.min()}. Expected relevances of 0 and more.")
        places = np.arange(1, len(truth) + 1)
        discount = np.where(places <= (k or len(truth)), 1 / np.log2(places + 1), 0.0)
        best = float(-np.sort(-truth) @ discount)
        if best == 0:
            return 0.0
        tie = _ties(scores)
        share = np.bincount(tie, discount) / np.bincount(tie)
        return float(np.bincount(tie, truth[_falling(scores)]) @ share) / best

    return _mean(y_true, score, k, groups, of_query)


def average_precision_at_k(y_true: Any, score: Any, k: int | None = None, groups: Any = None) -> float:
    """The precision at the place of every relevant row, averaged: Σ_r [row r relevant]·precision(r) / min(k, relevant).

    >>> round(average_precision_at_k([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), 4)
    0.8333

    Rows of a relevance above 0 are relevant. `groups` names the query of each row, and the mean over queries is
    returned; matrices have a query per row. A query without relevant rows scores 0.
    """

    def of_query(truth: Array, scores: Array) -> float:
        hit, places = (truth > 0)[_falling(scores)].astype(np.float64), np.arange(1, len(truth) + 1)
        if not hit.any():
            return 0.0
        tie = _ties(scores)
        hits, size, first = np.bincount(tie, hit), np.bincount(tie), _starts(tie)
        earlier = np.cumsum(hits) - hits
        # At its i-th place a tie has a hit with chance hits/size, and before it (i − 1)(hits − 1)/(size − 1) more.
        before = (places - 1 - first[tie]) * ((hits - 1) / np.maximum(size - 1, 1))[tie]
        precise = (hits / size)[tie] * (earlier[tie] + before + 1) / places
        most = k or len(truth)
        return float(precise[places <= most].sum() / min(most, int(hit.sum())))

    return _mean(y_true, score, k, groups, of_query)


def precision_at_k(y_true: Any, score: Any, k: int | None = None, groups: Any = None) -> float:
    """The share of the first k places that hold relevant rows; without `k`, of all rows.

    >>> precision_at_k([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], k=2)
    0.5

    Rows of a relevance above 0 are relevant. `groups` names the query of each row, and the mean over queries is
    returned; matrices have a query per row. A query of fewer than k rows leaves places empty.
    """
    return _mean(y_true, score, k, groups, lambda truth, scores: _hits(truth, scores, k) / (k or len(truth)))


def recall_at_k(y_true: Any, score: Any, k: int | None = None, groups: Any = None) -> float:
    """The share of the relevant rows that are among the first k places.

    >>> recall_at_k([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1], k=3)
    0.6666666666666666

    Rows of a relevance above 0 are relevant; matrices have a query per row. A query without relevant rows scores 0.
    """

    def of_query(truth: Array, scores: Array) -> float:
        relevant = int((truth > 0).sum())
        return _hits(truth, scores, k) / relevant if relevant else 0.0

    return _mean(y_true, score, k, groups, of_query)


def catalogue_coverage(lists: Any, n_items: int) -> float:
    """The share of all items that are in any of the lists recommended.

    >>> catalogue_coverage([["a", "b"], ["b", "c"]], 6)
    0.5
    """
    if n_items not in Whole(1):
        raise ParameterError(f"n_items={spell(n_items)} is not allowed. Expected a whole number ≥ 1.")
    there = {item for each in lists for item in each}
    if len(there) > n_items:
        raise InputError(f"The lists hold {len(there)} different items, more than n_items={n_items}.")
    return len(there) / n_items


def mean_reciprocal_rank(y_true: Any, score: Any, k: int | None = None, groups: Any = None) -> float:
    """The mean over queries of 1/r, r the place of the first relevant row.

    >>> mean_reciprocal_rank([0, 1, 1, 0], [0.9, 0.8, 0.1, 0.5], groups=["a", "a", "b", "b"])
    0.5

    Rows of a relevance above 0 are relevant; matrices have a query per row. A query without relevant rows, or whose
    first one comes after place `k`, scores 0.
    """

    def of_query(truth: Array, scores: Array) -> float:
        hit = (truth > 0)[_falling(scores)]
        if not hit.any():
            return 0.0
        tie = _ties(scores)
        of_first = tie == tie[int(hit.argmax())]
        before, size, hits = int(of_first.argmax()), int(of_first.sum()), int(hit[of_first].sum())
        total, still = 0.0, 1.0  # the chance that no hit has come yet
        for i in range(size - hits + 1):
            if k is not None and before + i >= k:
                break
            now = hits / (size - i)
            total += still * now / (before + i + 1)
            still *= 1 - now
        return total

    return _mean(y_true, score, k, groups, of_query)


def _hits(truth: Array, scores: Array, k: int | None) -> float:
    """How many of the first k are relevant; of a tie at the last place, a share."""
    tie, places = _ties(scores), np.arange(1, len(truth) + 1)
    share = np.bincount(tie, places <= (k or len(truth))) / np.bincount(tie)
    return float(np.bincount(tie, (truth > 0)[_falling(scores)]) @ share)


def _falling(scores: Array) -> Array:
    return np.argsort(-scores, kind="stable")


def _ties(scores: Array) -> Array:
    """The number of the run of equal scores at each place, highest first."""
    falling = -np.sort(-scores)
    return np.concatenate([[0], np.cumsum(falling[1:] != falling[:-1])])


def _starts(tie: Array) -> Array:
    return np.flatnonzero(np.append(True, tie[1:] != tie[:-1]))


def _mean(y_true: Any, score: Any, k: Any, groups: Any, of_query: Callable[[Array, Array], float]) -> float:
    if k is not None and k not in Whole(1):
        raise ParameterError(f"k={spell(k)} is not allowed. Expected None or a whole number of places ≥ 1.")
    return float(np.mean([of_query(truth, scores) for truth, scores in _queries(y_true, score, groups)]))


def _queries(y_true: Any, score: Any, groups: Any) -> Iterator[tuple[Array, Array]]:
    """Relevances and scores of each query."""
    if np.ndim(y_true) == 2 and groups is None:
        truth, scores = np.asarray(y_true, np.float64), np.asarray(score, np.float64)
        if truth.shape != scores.shape or not truth.size:
            raise InputError(
                f"y_true is of shape {truth.shape}, score of {scores.shape}. Expected equal ones, not empty."
            )
        if not (np.isfinite(truth).all() and np.isfinite(scores).all()):
            raise InputError("y_true or score holds a number that is missing or infinite. Expected finite ones.")
        yield from zip(truth, scores, strict=True)
        return
    truth, scores = numbers_of(y_true, "y_true"), numbers_of(score, "score")
    if len(truth) != len(scores) or not len(truth):
        raise InputError(f"y_true has {len(truth)} rows, score has {len(scores)}. Expected as many, at least one.")
    if groups is None:
        yield truth, scores
        return
    column = to_vector(groups, "groups")
    if len(column) != len(truth) or column.missing.any():
        raise InputError(
            f"groups has {len(column)} rows for {len(truth)}. Expected a query for every row, none missing."
        )
    codes = np.unique(column.values, return_inverse=True)[1].ravel()
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(codes))[:-1]):
        yield truth[rows], scores[rows]
