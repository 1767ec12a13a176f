"""Lists and items alike."""

import numpy as np
import pytest
from tests.recommendation.rating_box import fitted, parts, planted

ROWS, _ = planted()


@pytest.fixture(scope="module")
def model():
    return fitted(ROWS, max_iter=30, tol=1e-3)


def test_recommendations_are_the_best_items_not_yet_rated(model):
    x, y, b, c = parts(model)
    scores = model.mean_ + model.scale_ * (x @ y.T + b[:, None] + c)
    seen = set(ROWS["item"][ROWS["user"] == 4].tolist())
    wanted = [i for i in np.argsort(-scores[4]).tolist() if i not in seen][:5]
    found = model.recommend(4, 5)
    assert list(found.items) == wanted
    np.testing.assert_allclose(found.scores, scores[4, wanted], rtol=1e-9)
    assert [i for i, _ in model.recommend(4, 25, without_seen=False)] == np.argsort(-scores[4]).tolist()
    assert model.recommend("4", 5) == found  # as it is typed
    assert found.to_table().names == ("item", "score")
    np.testing.assert_allclose(model.predict({"user": [4] * 5, "item": wanted}), found.scores, rtol=1e-9)


def test_somebody_new_gets_what_all_like(model):
    assert list(model.recommend("new", 3).items) == np.argsort(-model.item_bias_)[:3].tolist()
    plain = fitted(ROWS, biases=False, max_iter=3, tol=1)
    counts = np.bincount(ROWS["item"])
    assert list(plain.recommend("new", 4).items) == np.lexsort((np.arange(25), -counts))[:4].tolist()


def test_similar_items_point_in_the_same_direction(model):
    y = model.item_factors_
    cosine = y @ y[3] / np.linalg.norm(y, axis=1) / np.linalg.norm(y[3])
    found = model.similar(3, 4)
    assert list(found.items) == [i for i in np.argsort(-cosine).tolist() if i != 3][:4]
    np.testing.assert_allclose(found.scores, cosine[list(found.items)], rtol=1e-9)


def test_many_users_at_once_get_the_lists_of_each(model):
    for found, user in zip(model.recommend_many([4, "new", 7], 3), (4, "new", 7), strict=True):
        assert found.items == model.recommend(user, 3).items
        np.testing.assert_allclose(found.scores, model.recommend(user, 3).scores, rtol=1e-12)


def test_lists_show_themselves(model):
    assert str(model.recommend(4, 2)).splitlines()[0].split() == ["item", "score"]
    assert len(model.recommend(4, 3)[:2]) == 2
    assert "factors and biases" in str(model)
