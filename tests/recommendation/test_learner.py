"""MatrixFactorization: weights, saving, folding in, tables of any form, and hostile ones."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.recommendation.rating_box import fitted, planted

import learnt
from learnt import MatrixFactorization
from learnt.errors import InputError, KindError, LearntError, ParameterError

ROWS, _ = planted()
SHORT = {"max_iter": 4, "tol": 0.5}
FILMS = {
    "user": ["Ann", "Ann", "Bob", "Bob", "Cem", "Cem", "Cem"],
    "item": ["Alien", "Heat", "Alien", "Heat", "Alien", "Heat", "Up"],
    "rating": [5, 1, 4, 2, 5, 1, 2],
}


def repeated(rows, times):
    return {name: np.repeat(np.asarray(cells), times) for name, cells in rows.items()}


@pytest.mark.parametrize("settings", [{}, {"feedback": "implicit"}, {"nonnegative": True, "biases": False}], ids=str)
def test_a_weight_of_two_is_the_row_twice_and_of_none_no_row(settings):
    times = np.random.default_rng(2).integers(0, 3, len(ROWS["user"]))
    one = fitted(ROWS, weights=times, **SHORT, **settings)
    two = fitted(repeated(ROWS, times), **SHORT, **settings)
    assert one.users_.tolist() == two.users_.tolist()
    np.testing.assert_allclose(one.predict(ROWS), two.predict(ROWS), rtol=1e-9)


def test_weights_may_be_a_column_and_the_order_of_rows_does_not_matter():
    weights = np.random.default_rng(2).integers(1, 4, len(ROWS["user"]))
    given = fitted(ROWS, weights=weights, **SHORT)
    named = fitted(ROWS | {"weight": weights}, **SHORT)
    order = np.random.default_rng(3).permutation(len(weights))
    mixed = fitted({k: np.asarray(v)[order] for k, v in (ROWS | {"weight": weights}).items()}, **SHORT)
    np.testing.assert_allclose(named.predict(ROWS), given.predict(ROWS), rtol=1e-12)
    np.testing.assert_allclose(mixed.predict(ROWS), given.predict(ROWS), rtol=1e-9)


def test_tables_of_any_kind_and_ids_of_any_type():
    numbers = pd.DataFrame(ROWS)
    texts = numbers.assign(user=[f"u{u:03}" for u in ROWS["user"]], item=[f"é{i:03}" for i in ROWS["item"]])
    wanted = fitted(ROWS, **SHORT).predict(ROWS)
    tables = [numbers, texts, pl.from_pandas(texts), pa.Table.from_pandas(texts), numbers.to_numpy()]
    tables += [
        texts.rename(columns={"user": "who", "item": "what", "rating": "stars"}),
        texts.astype({"user": "category"}),
    ]
    for table in tables:
        model = fitted(table, **SHORT)
        np.testing.assert_allclose(model.predict(table), wanted, rtol=1e-9)
    named = MatrixFactorization(3, precision="double", **SHORT).fit(
        texts.assign(extra=1.0)[["extra", "rating", "item", "user"]], user="user", item="item", rating="rating"
    )
    np.testing.assert_allclose(named.predict(texts), wanted, rtol=1e-9)
    apart = MatrixFactorization(3, precision="double", **SHORT).fit(texts[["user", "item"]], ROWS["rating"])
    np.testing.assert_allclose(apart.predict(texts), wanted, rtol=1e-9)


def test_one_id_with_a_letter_makes_no_stranger_of_the_others():
    rows = {"user": [1, 1, 2, 2, 3], "item": [10, 11, 10, 12, 11], "rating": [5, 1, 5, 2, 1]}
    model = fitted(rows, 2, **SHORT)
    texts = {"user": ["1", "2", "x9"], "item": ["12", "11", "A1"], "rating": [5, 4, 5]}
    wanted = model.predict({"user": [1, 2], "item": [12, 11]})
    assert model.predict(texts).tolist() == [*wanted, model.mean_]
    assert model.explain(texts)[0].total == pytest.approx(wanted[0])
    numbers = {"user": [1, 2], "item": [12, 11], "rating": [5, 4]}
    assert model.score({name: cells[:2] for name, cells in texts.items()}) == model.score(numbers)
    apart, alike = (learnt.score_recommendations(model, test, 2, relevant=4) for test in (texts, numbers))
    assert (apart.recall * apart.n_users, apart.coverage) == (alike.recall * alike.n_users, 1)
    assert model.fold_in(texts).users_.tolist() == [1, 2, 3, "x9"]
    assert fitted({name: list(map(str, cells)) for name, cells in rows.items()}, 2, **SHORT).knows(user=1, item="10")


def test_units_of_ratings_do_not_matter():
    stretched = ROWS | {"rating": 1e149 * ROWS["rating"]}
    small = ROWS | {"rating": 1e-150 * ROWS["rating"]}
    wanted = fitted(ROWS, **SHORT).predict(ROWS)
    np.testing.assert_allclose(fitted(stretched, **SHORT).predict(ROWS) / 1e149, wanted, rtol=1e-6)
    np.testing.assert_allclose(fitted(small, **SHORT).predict(ROWS) * 1e150, wanted, rtol=1e-6)
    hours = fitted(ROWS, feedback="implicit", **SHORT)
    minutes = fitted(ROWS | {"rating": 60 * ROWS["rating"]}, feedback="implicit", **SHORT)
    np.testing.assert_allclose(minutes.predict(ROWS), hours.predict(ROWS), rtol=1e-9)
    assert minutes.confidence_ == pytest.approx(hours.confidence_ / 60)


@pytest.mark.parametrize("settings", [{}, {"feedback": "implicit"}, {"solver": "sgd", "biases": False}], ids=str)
def test_a_saved_model_answers_as_before(tmp_path, settings):
    model = MatrixFactorization(2, **SHORT, **settings).fit(FILMS)
    learnt.save(model, tmp_path / "films.learnt")
    again = learnt.load(tmp_path / "films.learnt")
    assert (again.predict(FILMS) == model.predict(FILMS)).all()
    assert again.recommend("Ann") == model.recommend("Ann")
    assert str(again.explain_one("Ann", "Up")) == str(model.explain_one("Ann", "Up"))
    again.fold_in({"user": ["Dia"], "item": ["Up"], "rating": [5]})
    assert again.knows(user="Dia")
    assert not model.knows(user="Dia")


def test_an_item_rated_twice_counts_with_its_mean():
    twice = {"user": ["a", "a", "a", "b"], "item": ["x", "x", "y", "x"], "rating": [1.0, 3.0, 5.0, 2.0]}
    model = fitted(twice, 1, **SHORT)
    assert model._history.row(0)[2].tolist() == [2, 1]
    assert model.recommend("a").items == ()


def test_one_enthusiast_does_not_put_an_item_above_one_that_many_like():
    rng = np.random.default_rng(4)
    users, items = np.repeat(np.arange(60), 3), np.tile([0, 1, 2], 60)
    rows = {"user": [*users, 3], "item": [*items, 9], "rating": [*(4.0 - items + rng.normal(0, 0.3, 180)), 5.0]}
    assert fitted(rows, 1, **SHORT).recommend("new", 1).items == (0,)
    assert fitted(rows, 1, prior_count=0.0, **SHORT).recommend("new", 1).items == (9,)


def test_constant_ratings_are_predicted_as_they_are():
    model = MatrixFactorization(2).fit({"user": [1, 1, 2], "item": [1, 2, 1], "rating": [4, 4, 4]})
    assert model.predict({"user": [2, 9], "item": [2, 9]}).tolist() == [4, 4]
    plain = MatrixFactorization(2, biases=False, regularization=0).fit({"user": [1], "item": [1], "rating": [4]})
    np.testing.assert_allclose(plain.predict({"user": [1], "item": [1]}), 4, rtol=1e-5)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("settings", [{}, {"solver": "sgd"}, {"feedback": "implicit"}, {"nonnegative": True}], ids=str)
def test_one_row_is_enough(settings):
    model = MatrixFactorization(**settings).fit({"user": ["a"], "item": ["x"], "rating": [3.0]})
    assert np.isfinite(model.predict({"user": ["a", "b"], "item": ["x", "y"]})).all()
    assert model.recommend("a").items == ()
    assert str(model.recommend("a")) == "no items"


def test_rows_with_missing_cells_are_left_out():
    rows = {"user": ["a", None, "a", "b", "c"], "item": ["x", "x", None, "y", "x"], "rating": [1, 2, 3, None, 4]}
    with pytest.warns(UserWarning, match="3 rows without a user, an item or a rating"):
        model = MatrixFactorization(1).fit(rows)
    assert model.n_left_out_ == 3
    assert (model.users_.tolist(), model.items_.tolist()) == (["a", "c"], ["x"])
    known, user_only = model.predict({"user": [None, "a"], "item": ["x", None]})
    assert known == pytest.approx(model.mean_ + model.scale_ * model.item_bias_[0])
    assert user_only == pytest.approx(model.mean_ + model.scale_ * model.user_bias_[0])


def test_unknown_ones_get_biases_and_mean():
    model = fitted(FILMS, 2, **SHORT)
    answers = model.predict({"user": ["Zoe", "Ann", "Zoe"], "item": ["Up", "Jaws", "Jaws"]})
    wanted = [model.item_bias_[2], model.user_bias_[0], 0]
    np.testing.assert_allclose(answers, model.mean_ + model.scale_ * np.array(wanted), rtol=1e-12)


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ({"user": ["a"], "item": ["x"], "rating": ["good"]}, KindError, "'good'"),
        ({"user": ["a"], "item": ["x"], "rating": [np.inf]}, InputError, "infinite rating in row 0"),
        ({"user": [np.inf, 1.0], "item": ["x", "y"], "rating": [1, 2]}, InputError, "infinite"),
        ({"user": ["a"], "item": ["x"], "rating": [1], "weight": [-1]}, InputError, "negative"),
        ({"user": ["a"], "item": ["x"], "rating": [1], "weight": [None]}, InputError, "finite"),
        ({"user": ["a"], "item": ["x"], "rating": [1], "weight": [0]}, InputError, "zero"),
        ({"user": ["a"], "item": ["x"], "rating": [1], "weight": [1e30]}, InputError, "weight 1e\\+30"),
        ({"user": ["a"], "item": ["x"]}, InputError, "No column holds the ratings.*implicit"),
        ({"user": ["a"]}, InputError, "No column holds the item"),
        ({"user": ["a", "b"], "item": ["x", "y"], "rating": [1e300, -1e300]}, InputError, "overflow"),
        ({"user": [], "item": [], "rating": []}, InputError, "no rows"),
        ({"user": [None], "item": ["x"], "rating": [1]}, InputError, "No row has a user"),
    ],
)
def test_hostile_tables_are_refused_in_words(rows, error, words):
    with pytest.raises(error, match=words):
        MatrixFactorization(2).fit(rows)


def test_ratings_that_are_numbers_in_texts_are_read():
    model = MatrixFactorization(1).fit({"user": ["a", "b"], "item": ["x", "x"], "rating": ["1", "5"]})
    assert model.mean_ == 3


def test_wrong_settings_and_questions_are_told():
    with pytest.raises(ParameterError, match="sgd"):
        MatrixFactorization(solver="sgd", feedback="implicit").fit(FILMS)
    with pytest.raises(InputError, match="names a column"):
        MatrixFactorization().fit(FILMS, user="customer")
    with pytest.raises(LearntError, match="not fitted"):
        MatrixFactorization().recommend("a")
    model = MatrixFactorization(2, **SHORT).fit(FILMS)
    with pytest.raises(InputError, match="no item 'Jaws'"):
        model.similar("Jaws")
    with pytest.raises(ParameterError, match="n=0"):
        model.recommend("Ann", 0)
    with pytest.raises(InputError, match="confidence"):
        MatrixFactorization(feedback="implicit", confidence=1e30).fit(FILMS)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_failed_fit_leaves_the_model_as_it_was():
    model = MatrixFactorization(2, **SHORT).fit(FILMS)
    before = model.predict(FILMS)
    with pytest.raises(InputError):
        model.fit({"user": ["a"], "item": ["x"], "rating": [np.inf]})
    assert (model.predict(FILMS) == before).all()


def test_score_is_the_share_of_variance():
    model = MatrixFactorization(2).fit(ROWS)
    r = ROWS["rating"]
    wanted = 1 - np.mean((r - model.predict(ROWS)) ** 2) / r.var()
    assert model.score(ROWS) == pytest.approx(wanted)
    assert wanted > 0.8


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "settings",
    [{}, {"solver": "exact"}, {"solver": "sgd"}, {"nonnegative": True}, {"feedback": "implicit"}, {"rank": 70}],
    ids=str,
)
@pytest.mark.parametrize("regularization", [0.0, 0.1, 1e9])
def test_answers_stay_finite_and_add_up_however_odd_the_table(settings, regularization):
    rng, n = np.random.default_rng(0), 30
    rows = {"user": rng.integers(5, size=n), "item": rng.integers(6, size=n), "rating": rng.normal(size=n)}
    tables = [
        rows | {"rating": 1e8 + rows["rating"]},
        rows | {"user": np.zeros(n)},
        rows | {"item": ["x"] * n},
        rows | {"rating": np.zeros(n)},
        rows | {"weight": 10.0 ** rng.integers(-9, 9, n)},
    ]
    for table in tables:
        model = MatrixFactorization(**{"rank": 3, "max_iter": 4, "regularization": regularization} | settings).fit(
            table
        )
        assert np.isfinite(model.predict(table)).all()
        assert np.isfinite(model.objectives_).all()
        why = model.explain(table)[0]
        assert why.add_up() == pytest.approx(why.total, rel=1e-9, abs=1e-9)
