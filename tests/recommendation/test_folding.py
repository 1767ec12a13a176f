"""Folding in: more ratings without fitting again."""

import numpy as np
import pytest
from tests.recommendation.rating_box import dense, fitted, planted

from learnt import MatrixFactorization
from learnt.errors import InputError
from learnt.recommendation.folding import merged
from learnt.recommendation.ratings import Scaling, rating_block

ROWS, _ = planted()
FILMS = {
    "user": ["Ann", "Ann", "Bob", "Bob", "Cem", "Cem", "Cem"],
    "item": ["Alien", "Heat", "Alien", "Heat", "Alien", "Heat", "Up"],
    "rating": [5, 1, 4, 2, 5, 1, 2],
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("settings", [{}, {"feedback": "implicit"}, {"nonnegative": True}], ids=str)
def test_a_user_folded_in_gets_what_fitting_gave(settings):
    model = fitted(ROWS, max_iter=60, tol=1e-10, **settings)
    mine = ROWS["user"] == 7
    rows = {name: np.asarray(cells)[mine] for name, cells in ROWS.items()} | {"user": np.full(mine.sum(), 1000)}
    before = model.item_factors_.copy()
    model.fold_in(rows)
    assert (model.item_factors_ == before).all()
    pairs = {"user": np.repeat([7, 1000], 25), "item": np.tile(np.arange(25), 2)}
    old, new = model.predict(pairs).reshape(2, 25)
    np.testing.assert_allclose(new, old, atol=1e-6)


def test_more_ratings_of_a_known_user_and_a_new_item_are_taken_in():
    model = fitted(FILMS, 2)
    low = model.predict({"user": ["Ann"], "item": ["Heat"]})[0]
    model.fold_in({"user": ["Ann", "Bob"], "item": ["Heat", "Brazil"], "rating": [5, 5]})
    assert model.predict({"user": ["Ann"], "item": ["Heat"]})[0] > low
    assert model.items_.tolist() == ["Alien", "Heat", "Up", "Brazil"]
    assert "Brazil" in model.recommend("Cem").items
    assert "Brazil" not in model.recommend("Bob").items
    heat = model._history.row(0)  # a pair of both tables is the mean of both
    np.testing.assert_allclose(model.mean_ + model.scale_ * heat[1], [5, 3])
    assert heat[2].tolist() == [1, 2]


def test_without_kept_ratings_only_new_users_are_folded_in():
    model = MatrixFactorization(2, keep_ratings=False).fit(FILMS)
    with pytest.raises(InputError, match="not kept"):
        model.fold_in({"user": ["Ann"], "item": ["Up"], "rating": [5]})
    with pytest.raises(InputError, match="keep_ratings"):
        model.recommend("Ann")
    assert len(model.recommend("Ann", without_seen=False)) == 3
    assert model.explain_one("Ann", "Up").evidence[-1].words == "ratings were not kept"


@pytest.mark.parametrize("implicit", [False, True])
def test_merged_ratings_are_those_of_all_rows_at_once(implicit):
    rng = np.random.default_rng(0)
    users, items = rng.integers(6, size=60), rng.integers(5, size=60)
    values, weights = rng.normal(size=60), rng.integers(1, 4, 60).astype(float)
    scaling = Scaling(implicit, 0.5, 2.0, 3.0)

    def block(rows, n_users):
        return rating_block(users[rows], items[rows], values[rows], weights[rows], (n_users, 5), scaling, np.float64)

    first = np.flatnonzero(users[:40] < 4)
    rest = np.setdiff1d(np.arange(60), first)
    both, whole = merged(block(first, 4), block(rest, 6), implicit), block(np.arange(60), 6)
    assert (both.offsets == whole.offsets).all()
    assert (both.indices == whole.indices).all()
    np.testing.assert_allclose(both.values, whole.values, atol=1e-12)
    np.testing.assert_allclose(both.weights, whole.weights, rtol=1e-12)
    assert dense({"user": users, "item": items})[0].astype(bool).sum() == whole.n_ratings
