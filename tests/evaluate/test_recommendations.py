"""Scores of recommendations: by hand, and those of the ranking metrics."""

import numpy as np
import pytest

from learnt import MatrixFactorization, leave_last_out, score_recommendations
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics import average_precision_at_k, ndcg, precision_at_k, recall_at_k


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((30, 20)) < 0.4)
    rows = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users)), "time": rng.random(len(users))}
    return leave_last_out(rows, 3)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("feedback", ["explicit", "implicit"])
def test_scores_are_those_of_the_ranking_metrics(parts, feedback):
    train, test = parts
    model = MatrixFactorization(3, feedback=feedback, max_iter=5).fit(train)
    found = score_recommendations(model, test, 5, relevant=3)
    truth, scores, groups = [], [], []
    for user in np.unique(test["user"]):
        good = set(test["item"][(test["user"] == user) & (test["rating"] >= 3)].tolist())
        if not good:
            continue
        listed = dict(model.recommend(user, 20))
        for item in range(20):
            if item in listed:
                truth.append(item in good)
                scores.append(listed[item])
                groups.append(user)
    truth = np.array(truth, float)
    assert found.n_users == len(set(groups))
    assert found.precision == pytest.approx(precision_at_k(truth, scores, 5, groups))
    assert found.recall == pytest.approx(recall_at_k(truth, scores, 5, groups))
    assert found.average_precision == pytest.approx(average_precision_at_k(truth, scores, 5, groups))
    assert found.ndcg == pytest.approx(ndcg(truth, scores, 5, groups))
    everything = {item for user in set(groups) for item in model.recommend(user, 5).items}
    assert found.coverage == len(everything) / 20
    assert set(found.to_dict()) >= {"k", "precision", "hit_rate"}
    assert "recommendations each" in str(found)


def test_the_metrics_are_those_counted_by_hand():
    # Places: hit, miss, hit, miss; three relevant.
    truth, score = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    assert precision_at_k(truth, score, 4) == 0.5
    assert recall_at_k(truth, score, 4) == pytest.approx(2 / 3)
    assert precision_at_k(truth, [1, 1, 1, 1, 1], 2) == pytest.approx(0.6)  # any two of a tie
    assert recall_at_k([0, 0], [1, 2], 1) == 0


def test_ndcg_is_that_of_scikit_learn():
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(1)
    truth, scores = rng.integers(0, 4, (8, 12)).astype(float), rng.random((8, 12))
    for k in (1, 5, 12):
        assert ndcg(truth, scores, k) == pytest.approx(ndcg_score(truth, scores, k=k))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_of_an_implicit_test_need_no_ratings(parts):
    train, test = parts
    model = MatrixFactorization(3, feedback="implicit", max_iter=5).fit(train)
    bare = {name: test[name] for name in ("user", "item")}
    assert score_recommendations(model, bare, 5) == score_recommendations(model, bare | {"rating": test["rating"]}, 5)
    with pytest.raises(InputError, match="rating"):
        score_recommendations(MatrixFactorization(3, max_iter=2).fit(train), bare)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_cannot_be_scored_is_told(parts):
    train, test = parts
    model = MatrixFactorization(3, max_iter=2).fit(train)
    with pytest.raises(ParameterError, match="k=0"):
        score_recommendations(model, test, 0)
    with pytest.raises(InputError, match="Nobody"):
        score_recommendations(model, test, relevant=99)
