"""Bagging and random subspaces: what members are fitted to, how they are averaged, rows out of the bag."""

import time

import numpy as np
import pytest

import learnt
from learnt import BaggingClassifier, BaggingRegressor, DecisionTreeClassifier, RandomSubspaceClassifier, Table
from learnt.ensemble.bagging.draws import drawn_columns, drawn_rows, size_of
from learnt.errors import InputError, ParameterError, SavedModelError


def people(n: int = 120, seed: int = 0):
    rng = np.random.default_rng(seed)
    age = rng.uniform(18, 80, n)
    age[::11] = np.nan
    town = [None if u < 0.05 else ["Bern", "Basel", "Genève"][int(3 * u)] for u in rng.random(n)]
    cells = {"age": age, "town": town, "noise": rng.normal(size=n)}
    y = np.where((np.nan_to_num(age, nan=40) > 45) ^ (rng.random(n) < 0.1), "old", "young")
    return Table(cells), y


@pytest.mark.parametrize("cls", [BaggingClassifier, RandomSubspaceClassifier])
def test_probabilities_are_the_mean_of_the_members(cls):
    table, y = people()
    model = cls(n_estimators=7, max_features=2).fit(table, y)
    shares = [
        member.predict_proba(table.select([table.names[j] for j in columns]))
        for member, columns in zip(model.estimators_, model.estimators_features_, strict=True)
    ]
    np.testing.assert_allclose(model.predict_proba(table), np.mean(shares, axis=0), atol=1e-14)
    assert all(len(columns) == 2 for columns in model.estimators_features_)
    assert len({tuple(columns) for columns in model.estimators_features_}) > 1


def test_a_hard_vote_counts_answers():
    table, y = people()
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=1), 9, vote="hard").fit(table, y)
    votes = np.array([member.predict(table) == "young" for member in model.estimators_]).mean(axis=0)
    np.testing.assert_allclose(model.predict_proba(table)[:, 1], votes, atol=1e-14)


def test_regressors_are_averaged():
    table, _ = people()
    y = np.arange(120.0)
    model = BaggingRegressor(n_estimators=6, max_samples=0.5).fit(table, y)
    np.testing.assert_allclose(model.predict(table), np.mean([m.predict(table) for m in model.estimators_], axis=0))


def drawn_places(table, y):
    """The rows in the order of their cells and classes, column by column: so they are numbered before being drawn."""
    cells = [np.where(c.missing, np.inf, c.values) for c in table.columns]
    return np.lexsort([np.unique(y, return_inverse=True)[1], *cells[::-1]])


def test_a_member_is_the_learner_on_the_drawn_rows():
    table, y = people()
    places = drawn_places(table, y)
    model = BaggingClassifier(n_estimators=3, random_state=5).fit(table, y)
    from learnt.learner.parameters import seed_from

    for m, member in enumerate(model.estimators_):
        counts = drawn_rows(seed_from(5), m, 120, 120, replace=True, weights=None)
        rows = np.repeat(places, counts)
        again = DecisionTreeClassifier().fit(table.take(rows), y[rows])
        np.testing.assert_allclose(again.predict_proba(table), member.predict_proba(table), atol=1e-12)


def test_with_nothing_drawn_a_member_is_the_learner_itself():
    table, y = people()
    weights = np.random.default_rng(1).integers(0, 4, 120)
    model = BaggingClassifier(n_estimators=2, bootstrap=False).fit(table, y, weights)
    alone = DecisionTreeClassifier().fit(table, y, weights)
    np.testing.assert_array_equal(model.predict_proba(table), alone.predict_proba(table))
    copied = np.repeat(np.arange(120), weights)
    twice = BaggingClassifier(n_estimators=2, bootstrap=False).fit(table.take(copied), y[copied])
    np.testing.assert_allclose(twice.predict_proba(table), model.predict_proba(table), atol=1e-12)


def test_draws_have_their_sizes_and_frequencies():
    n, members = 50, 3000
    counts = np.array([drawn_rows(3, m, n, 40, replace=True, weights=None) for m in range(members)])
    assert (counts.sum(axis=1) == 40).all()
    expected = members * 40 / n
    assert (np.abs(counts.sum(axis=0) - expected) < 5 * np.sqrt(expected)).all()
    assert np.mean(counts == 0) == pytest.approx((1 - 1 / n) ** 40, abs=0.01)
    once = np.array([drawn_rows(3, m, n, 20, replace=False, weights=None) for m in range(members)])
    assert set(np.unique(once)) == {0, 1}
    assert (once.sum(axis=1) == 20).all()
    assert (np.abs(once.sum(axis=0) - members * 0.4) < 5 * np.sqrt(members * 0.24)).all()
    columns = np.array([drawn_columns(3, m, np.arange(10), 4) for m in range(members)])
    assert (np.diff(columns, axis=1) > 0).all()
    assert (np.abs(np.bincount(columns.ravel()) - members * 0.4) < 5 * np.sqrt(members * 0.24)).all()
    rows_first = np.array([drawn_rows(3, m, 10, 4, replace=False, weights=None) for m in range(members)])
    same = np.mean([set(np.flatnonzero(r)) == set(c) for r, c in zip(rows_first, columns, strict=True)])
    assert same < 0.02  # 1 in 210: columns are not drawn as rows are


def test_weights_steer_the_draw_of_learners_that_take_none():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    for replace in (True, False):
        counts = sum(drawn_rows(0, m, 4, 1, replace=replace, weights=weights) for m in range(4000))
        np.testing.assert_allclose(counts / 4000, weights / 10, atol=0.03)

    class _Blind(DecisionTreeClassifier):
        abilities = DecisionTreeClassifier.abilities - {"weights"}

    table, y = people()
    model = BaggingClassifier(_Blind(), 5).fit(table, y, np.where(y == "old", 1.0, 0.0))
    assert set(model.predict(table)) == {"old"}


@pytest.mark.parametrize(("setting", "n", "size"), [(1, 9, 1), (100, 9, 9), (1.0, 9, 9), (0.5, 9, 4), (0.01, 9, 1)])
def test_sizes(setting, n, size):
    assert size_of(setting, n) == size


def test_rows_out_of_the_bag_are_judged_by_members_that_have_not_seen_them():
    table, y = people(80)
    model = BaggingClassifier(n_estimators=4, oob_score=True, random_state=2).fit(table, y)
    from learnt.learner.parameters import seed_from

    said, asked, places = np.zeros((80, 2)), np.zeros(80), drawn_places(table, y)
    for m, member in enumerate(model.estimators_):
        out = places[drawn_rows(seed_from(2), m, 80, 80, replace=True, weights=None) == 0]
        said[out] += member.predict_proba(table)[out]
        asked[out] += 1
    covered = asked > 0
    assert model.oob_covered_ == covered.sum() < 80
    np.testing.assert_allclose(model.oob_decision_function_[covered], said[covered] / asked[covered, None])
    assert np.isnan(model.oob_decision_function_[~covered]).all()
    right = model.classes_[said.argmax(axis=1)] == y
    assert model.oob_score_ == pytest.approx(right[covered].mean())


def test_the_out_of_bag_estimate_is_close_to_fresh_rows():
    table, y = people(400)
    fresh, truth = people(2000, seed=9)
    model = BaggingClassifier(n_estimators=60, oob_score=True).fit(table, y)
    assert model.oob_covered_ == 400
    assert model.oob_score_ == pytest.approx(model.score(fresh, truth), abs=0.05)
    numbers = BaggingRegressor(n_estimators=60, oob_score=True).fit(table.select(["age", "noise"]), 1.0 * (y == "old"))
    expected = numbers.score(fresh.select(["age", "noise"]), 1.0 * (truth == "old"))
    assert numbers.oob_score_ == pytest.approx(expected, abs=0.15)


def test_no_row_out_of_the_bag_is_an_error_that_says_what_to_do():
    table, y = people(30)
    with pytest.raises(InputError, match="no row was left out"):
        RandomSubspaceClassifier(oob_score=True).fit(table, y)
    for make in (BaggingClassifier, BaggingRegressor):
        with pytest.raises(InputError, match="no row was left out"):
            make(n_estimators=2, oob_score=True).fit([[1.0]], [1])


def test_members_that_miss_a_class_give_it_nothing():
    cells, y = {"x": np.arange(12.0)}, ["rare", *["a"] * 6, *["b"] * 5]
    model = BaggingClassifier(learnt.NaiveBayesClassifier(), 30).fit(cells, y)
    assert {len(member.classes_) for member in model.estimators_} == {2, 3}
    shares = model.predict_proba(cells)
    assert shares.shape == (12, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert model.classes_.tolist() == ["a", "b", "rare"]
    assert model.explain(cells)[0].add_up() == pytest.approx(shares[0].max())


@pytest.mark.parametrize(
    "learner",
    [
        learnt.NaiveBayesClassifier(),
        learnt.LogisticRegression(),
        learnt.DiscriminantClassifier(),
        learnt.SGDClassifier(random_state=0),
        learnt.RuleListClassifier(),
        learnt.C45Classifier(),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("cls", [BaggingClassifier, RandomSubspaceClassifier])
@pytest.mark.filterwarnings("ignore::learnt.errors.ConvergenceWarning")
def test_any_classifier_bags_on_mixed_rows_with_gaps(cls, learner, tmp_path):
    table, y = people()
    model = cls(learner, 5).fit(table, y)
    assert model.score(table, y) > 0.5
    told = model.explain(table)[3]
    assert told.add_up() == pytest.approx(told.total)
    assert told.total == pytest.approx(model.predict_proba(table)[3].max())
    learnt.save(model, tmp_path / "m.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "m.learnt").predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("learner", [learnt.LinearRegression(), learnt.Ridge(), learnt.DecisionStumpRegressor()])
def test_any_regressor_bags_and_its_explanation_is_the_mean_of_explanations(learner):
    table, _ = people()
    y = np.nan_to_num(np.asarray(table["age"].values), nan=40.0)
    model = BaggingRegressor(learner, 5, max_features=2).fit(table, y)
    for i in (0, 1, 40):
        told = model.explain(table)[i]
        assert told.add_up() == pytest.approx(model.predict(table)[i])
        assert [e.column for e in told.evidence] == list(table.names)


def test_margins_of_a_bag_are_those_of_its_votes():
    table, y = people()
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=2), 9).fit(table, y)
    shares, truth = model.predict_proba(table), (y == "young").astype(int)
    expected = shares[np.arange(120), truth] - shares[np.arange(120), 1 - truth]
    np.testing.assert_allclose(model.margins(table, y).values, expected)
    assert str(model.margins(table, y)).startswith("120 margins: least ")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"estimator": learnt.MeanRegressor()}, "classifier of learnt"),
        ({"n_estimators": 0}, "≥ 1"),
        ({"max_samples": 0}, "≥ 1"),
        ({"max_samples": 1.5}, "≤ 1"),
        ({"max_features": 0.0}, "> 0"),
        ({"vote": "loud"}, "'soft', 'hard'"),
        ({"bootstrap": 1}, "True or False"),
    ],
)
def test_wrong_settings_are_told(settings, words):
    with pytest.raises(ParameterError, match=words):
        BaggingClassifier(**settings).fit({"x": [1.0, 2.0]}, [0, 1])


def test_broken_files_are_refused(tmp_path):
    table, y = people(40)
    for field, value in (
        ("estimators_features_", [np.array([0, 1, 99])] * 3),
        ("estimators_features_", [np.array([0.5])] * 3),
        ("estimators_features_", [np.array([0, 1])]),
        ("estimators_features_", [np.array([1, 0])] * 3),
        ("estimators_", []),
        ("estimators_", [learnt.MeanRegressor().fit({"x": [1.0]}, [1.0])] * 3),
        ("classes_", np.array(["old", "other"])),
    ):
        model = BaggingClassifier(n_estimators=3, max_features=2).fit(table, y)
        setattr(model, field, value)
        learnt.save(model, tmp_path / "broken.learnt")
        with pytest.raises(SavedModelError):
            learnt.load(tmp_path / "broken.learnt")


@pytest.mark.parametrize("settings", [{}, {"max_features": 0.5}])
def test_explaining_a_row_of_thousands_of_columns_takes_time_in_proportion(settings):
    x = np.random.default_rng(0).normal(size=(40, 4000))
    y = np.where(x[:, 0] > 0, "a", "b")

    def seconds(n_columns):
        model = BaggingClassifier(n_estimators=5, **settings).fit(x[:, :n_columns], y)
        best = np.inf
        for _ in range(5):
            start = time.process_time()
            model.explain(x[:1, :n_columns])[0]
            best = min(best, time.process_time() - start)
        return best

    # In proportion it would be 8; 64 with a look at every column for every column.
    assert seconds(4000) < 30 * seconds(500)
