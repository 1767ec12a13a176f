"""ndcg, average precision at k and reciprocal rank: the peer's numbers, and averages over all orders of ties."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score

from learnt.errors import InputError, KindError, ParameterError
from learnt.evaluate.metrics import average_precision_at_k, mean_reciprocal_rank, ndcg


def rows(seed, n=6, levels=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n), rng.integers(0, levels, n).astype(float)


def orders_of(scores):
    """Every order in which scores do not rise."""
    return [p for p in permutations(range(len(scores))) if (np.diff(scores[list(p)]) <= 0).all()]


@pytest.mark.parametrize("k", [None, 1, 3, 7, 20])
def test_ndcg_is_that_of_the_peer_ties_included(k):
    rng = np.random.default_rng(0)
    for levels in (2, 4, 10**6):
        truth, scores = rng.integers(0, 4, (20, 7)), rng.integers(0, levels, (20, 7)).astype(float)
        truth[3] = 0
        assert ndcg(truth, scores, k) == pytest.approx(ndcg_score(truth, scores, k=k), abs=1e-12)


@pytest.mark.parametrize("k", [None, 1, 2, 4, 9])
def test_ties_are_averaged_over_all_their_orders(k):
    for seed in range(15):
        truth, scores = rows(seed)
        most = k or len(truth)

        def precision(order, truth=truth, most=most):
            hit = truth[list(order)]
            found = sum(hit[: i + 1].mean() for i in range(min(most, len(hit))) if hit[i])
            return found / min(most, max(truth.sum(), 1))

        def reciprocal(order, truth=truth, most=most):
            hit = np.flatnonzero(truth[list(order)][:most])
            return 1 / (hit[0] + 1) if len(hit) else 0.0

        orders = orders_of(scores)
        assert average_precision_at_k(truth, scores, k) == pytest.approx(np.mean([precision(p) for p in orders]))
        assert mean_reciprocal_rank(truth, scores, k) == pytest.approx(np.mean([reciprocal(p) for p in orders]))


def test_without_ties_average_precision_is_the_area_metric():
    from learnt.evaluate.metrics import average_precision_score

    rng = np.random.default_rng(1)
    truth, scores = rng.integers(0, 2, 50), rng.normal(size=50)
    assert average_precision_at_k(truth, scores) == pytest.approx(average_precision_score(truth, scores))


@pytest.mark.parametrize("metric", [ndcg, average_precision_at_k, mean_reciprocal_rank])
def test_queries_are_averaged_in_any_order_of_rows_and_any_container(metric):
    rng = np.random.default_rng(2)
    groups = rng.integers(0, 9, 100)
    truth, scores = rng.integers(0, 3, 100), rng.normal(size=100)
    expected = np.mean([metric(truth[groups == g], scores[groups == g], 4) for g in np.unique(groups)])
    assert metric(truth, scores, 4, groups) == pytest.approx(expected)
    named = pd.Series([f"query {g}" for g in groups])
    assert metric(pd.Series(truth), scores.tolist(), k=4, groups=named) == pytest.approx(expected)


@pytest.mark.parametrize("metric", [ndcg, average_precision_at_k, mean_reciprocal_rank])
def test_the_best_order_scores_one_and_nothing_relevant_zero(metric):
    truth = np.array([0, 3, 1, 0, 2])
    assert metric(truth, truth.astype(float)) == pytest.approx(1)
    assert metric(np.zeros(5), np.arange(5.0)) == 0
    assert metric([1], [0.3]) == 1


@pytest.mark.parametrize("metric", [ndcg, average_precision_at_k, mean_reciprocal_rank])
def test_what_makes_no_sense_is_refused(metric):
    for k in (0, -1, 1.5, True, "all"):
        with pytest.raises(ParameterError, match="k="):
            metric([1, 0], [0.2, 0.1], k)
    with pytest.raises(InputError, match=r"2 rows.*3"):
        metric([1, 0], [0.2, 0.1, 0.3])
    with pytest.raises(InputError, match="groups"):
        metric([1, 0], [0.2, 0.1], groups=["a"])
    with pytest.raises(InputError, match="shape"):
        metric([[1, 0]], [[0.2, 0.1, 0.3]])
    with pytest.raises(InputError, match="infinite"):
        metric([[1, 0]], [[np.nan, 0.1]])
    with pytest.raises(InputError):
        metric([1, 0], [np.nan, 0.1])
    with pytest.raises(InputError):
        metric([], [])
    with pytest.raises(KindError):
        metric(["good", "bad"], [0.2, 0.1])


def test_a_negative_relevance_has_no_gain():
    with pytest.raises(InputError, match="-1"):
        ndcg([-1, 2], [0.1, 0.2])
