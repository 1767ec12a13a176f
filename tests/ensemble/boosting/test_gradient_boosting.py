"""Rounds: how they stop, go on, are staged, explained, saved and shown."""

import pickle

import numpy as np
import pytest

import learnt
from learnt.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from learnt.errors import InputError, ParameterError, SavedModelError

LEARNERS = [GradientBoostingClassifier, GradientBoostingRegressor]


def rows(n=400, seed=0, classes=0):
    rng = np.random.default_rng(seed)
    table = {
        "a": rng.normal(size=n),
        "b": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        "town": np.array(["Bern", "Basel", "Genf", "Chur", "Thun", "Biel"])[rng.integers(0, 6, n)],
    }
    y = table["a"] + np.nan_to_num(table["b"]) * (table["town"] == "Genf") + 0.3 * rng.normal(size=n)
    return table, np.digitize(y, np.linspace(-1, 1, classes - 1)) if classes else y


def fitted(kind, classes=3, **settings):
    table, y = rows(classes=classes if kind is GradientBoostingClassifier else 0)
    return kind(**settings).fit(table, y), table, y


def test_early_stopping_really_stops_and_keeps_the_best_round():
    rng = np.random.default_rng(1)
    x = rng.random((2000, 3))
    y = (x[:, 0] + 0.8 * rng.normal(size=2000) > 0.5).astype(int)
    model = GradientBoostingClassifier(early_stopping=True, max_iter=500, learning_rate=0.3, n_iter_no_change=5).fit(
        x, y
    )
    assert model.n_iter_ < 60
    best = int(model.validation_score_.argmax())
    assert model.n_iter_ == best
    assert len(model.validation_score_) == best + 5 + 1
    assert len(model.train_score_) == len(model.validation_score_)
    free = GradientBoostingClassifier(early_stopping=False, max_iter=best, learning_rate=0.3).fit(x, y)
    assert free.validation_score_.size == 0
    assert free.n_iter_ == best


def test_held_out_rows_are_not_learnt_from():
    rng = np.random.default_rng(2)
    x, y = rng.random((3000, 2)), rng.normal(size=3000)
    model = GradientBoostingRegressor(early_stopping=True, max_iter=100, n_iter_no_change=30, learning_rate=0.3).fit(
        x, y
    )
    assert model.train_score_[-1] > model.train_score_[0] + 0.05  # noise is learnt by heart
    assert model.validation_score_[-1] < model.validation_score_[0]  # which does not help
    assert model.n_iter_ < 10


def test_rows_are_held_out_of_large_tables_only():
    rng = np.random.default_rng(3)
    for n, holds in ((9000, False), (11_000, True)):
        x = rng.random((n, 2))
        model = GradientBoostingRegressor(max_iter=3).fit(x, x[:, 0])
        assert (model.validation_score_.size > 0) == holds


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize(
    "settings", [{}, {"subsample": 0.5}, {"subsample": 0.4, "sampling": "gradient"}, {"max_features": 0.5}]
)
def test_a_warm_start_ends_where_one_long_fit_does(kind, settings):
    model, table, y = fitted(kind, max_iter=4, warm_start=True, **settings)
    model.max_iter = 9
    model.fit(table, y)
    long = kind(max_iter=9, **settings).fit(table, y)
    assert model.n_iter_ == long.n_iter_ == 9
    np.testing.assert_allclose(model.trees_.value, long.trees_.value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.train_score_, long.train_score_, rtol=1e-9)


def test_a_warm_start_refuses_other_rows_and_fewer_rounds():
    model, table, y = fitted(GradientBoostingClassifier, max_iter=4, warm_start=True)
    before = pickle.dumps(model)
    with pytest.raises(InputError, match="columns"):
        model.fit({"a": table["a"]}, y)
    with pytest.raises(InputError, match="classes"):
        model.fit(table, y > 1)
    with pytest.raises(ParameterError, match="max_iter=2"):
        model.set_params(max_iter=2).fit(table, y)
    model.max_iter = 4
    assert pickle.dumps(model) == before
    assert model.fit(table, y).n_iter_ == 4


def test_early_stopping_goes_on_after_a_warm_start():
    rng = np.random.default_rng(4)
    x = rng.random((2000, 3))
    y = x[:, 0] + 0.1 * rng.normal(size=2000)
    model = GradientBoostingRegressor(early_stopping=True, max_iter=10, warm_start=True).fit(x, y)
    model.set_params(max_iter=200).fit(x, y)
    whole = GradientBoostingRegressor(early_stopping=True, max_iter=200).fit(x, y)
    assert model.n_iter_ == whole.n_iter_
    np.testing.assert_allclose(model.validation_score_, whole.validation_score_)


@pytest.mark.parametrize("classes", [2, 4])
def test_stages_end_in_the_answers(classes):
    model, table, _ = fitted(GradientBoostingClassifier, classes, max_iter=6)
    *_, proba = model.staged_predict_proba(table)
    *_, labels = model.staged_predict(table)
    *_, scores = model.staged_decision_function(table)
    np.testing.assert_allclose(proba, model.predict_proba(table), rtol=1e-12)
    assert (labels == model.predict(table)).all()
    np.testing.assert_allclose(scores, model.decision_function(table), rtol=1e-12)
    assert scores.shape == ((400,) if classes == 2 else (400, classes))
    regressor, table, _ = fitted(GradientBoostingRegressor, max_iter=6)
    *_, said = regressor.staged_predict(table)
    np.testing.assert_allclose(said, regressor.predict(table), rtol=1e-12)
    assert len(list(regressor.staged_predict(table))) == 6


@pytest.mark.parametrize("classes", [2, 4])
def test_explanations_add_up_to_log_odds(classes):
    model, table, _ = fitted(GradientBoostingClassifier, classes, max_iter=8)
    told, logs = model.explain(table), model.predict_log_proba(table)
    for i in range(0, 400, 40):
        best = np.sort(logs[i])[::-1]
        assert told[i].add_up() == pytest.approx(best[0] - best[1], rel=1e-9)
        assert told[i].prediction == model.predict(table)[i]
        assert [e.column for e in told[i].evidence] == ["a", "b", "town"]


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_explanations_add_up_to_numbers(loss):
    table, y = rows()
    y = np.abs(y)
    model = GradientBoostingRegressor(loss=loss, max_iter=8, subsample=1.0).fit(table, y)
    told, said = model.explain(table)[3], model.predict(table)[3]
    assert told.prediction == pytest.approx(said, rel=1e-12)
    assert told.add_up() == pytest.approx(np.log(said) if loss == "poisson" else said, rel=1e-9)
    average = np.mean(np.log(model.predict(table)) if loss == "poisson" else model.predict(table))
    assert told.base == pytest.approx(average, rel=1e-6)  # the mean over the rows learnt from


@pytest.mark.parametrize("size", [1e104, 1e148])
@pytest.mark.parametrize("settings", [{}, {"early_stopping": True}])
def test_targets_whose_products_overflow_are_learnt_as_others_are(size, settings):
    """Of three sums of gradients the product may not fit a double, the score of a split always does."""
    table, y = rows()
    large, huge = (
        GradientBoostingRegressor(loss="poisson", max_iter=5, **settings).fit(table, units * np.exp(y))
        for units in (1e50, size)
    )
    np.testing.assert_allclose(huge.predict(table) / size, large.predict(table) / 1e50, rtol=1e-6)


def test_importances_tell_the_columns_that_matter():
    rng = np.random.default_rng(5)
    table = {"noise": rng.random(500), "signal": rng.random(500)}
    model = GradientBoostingRegressor(max_iter=10, max_leaf_nodes=4).fit(table, np.round(table["signal"], 1))
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[1] > 0.9
    splits = model.importances("split")
    assert splits.sum() == sum(tree.n_leaves - 1 for tree in model.trees_)
    with pytest.raises(ParameterError, match="'votes'"):
        model.importances("votes")


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_model_survives_its_file_and_refuses_a_broken_one(kind, tmp_path):
    model, table, _ = fitted(kind, max_iter=5)
    learnt.save(model, tmp_path / "model")
    loaded = learnt.load(tmp_path / "model")
    assert (loaded.predict(table) == model.predict(table)).all()
    assert loaded.get_params() == model.get_params()
    start = model._start
    for broken in (np.zeros(7), start[:0], np.full_like(start, np.nan), start.astype(int)):
        model._start = broken
        learnt.save(model, tmp_path / "broken")
        with pytest.raises(SavedModelError, match="score"):
            learnt.load(tmp_path / "broken")


def test_rounds_are_watched_and_may_be_stopped():
    with learnt.watch() as log:
        model, table, y = fitted(GradientBoostingRegressor, max_iter=6)
    assert [step.iteration for step in log] == list(range(7))
    np.testing.assert_allclose(log["objective"], -model.train_score_)
    before = pickle.dumps(model)

    def stop(step):
        if step.iteration == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"), learnt.watch(stop):
        model.fit(table, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "settings", [{"subsample": 0.3}, {"subsample": 0.3, "sampling": "gradient"}, {"max_features": 0.4}]
)
def test_drawing_rows_or_columns_still_learns(settings):
    rng = np.random.default_rng(6)
    x = rng.random((3000, 5))
    y = 3 * x[:, 0] + np.sin(6 * x[:, 1]) + 0.1 * rng.normal(size=3000)
    whole = GradientBoostingRegressor().fit(x[:2000], y[:2000]).score(x[2000:], y[2000:])
    drawn = GradientBoostingRegressor(**settings).fit(x[:2000], y[:2000])
    assert drawn.score(x[2000:], y[2000:]) > whole - 0.03
    other = GradientBoostingRegressor(**settings, random_state=1).fit(x[:2000], y[:2000])
    assert (drawn.predict(x) != other.predict(x)).any()
    again = GradientBoostingRegressor(**settings).fit(x[:2000], y[:2000])
    assert (drawn.predict(x) == again.predict(x)).all()


def test_trees_print_draw_and_turn_into_rules(tmp_path):
    model, _, _ = fitted(GradientBoostingRegressor, max_iter=3, max_leaf_nodes=4)
    one = model.tree(0)
    assert len(str(one).splitlines()) >= 6
    assert len(one.to_rules().rules) == 4
    one.draw(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text().startswith("<")
    assert "digraph" in one.to_dot()
    with pytest.raises(IndexError, match="no tree 3"):
        model.tree(3)


def test_the_descent_is_drawn():
    import matplotlib as mpl

    mpl.use("Agg")
    model, _, _ = fitted(GradientBoostingRegressor, max_iter=5, early_stopping=True)
    axes = model.plot_descent()
    np.testing.assert_allclose(axes.lines[0].get_ydata(), -model.train_score_)
    assert len(axes.lines) == 3
    axes.figure.clear()


def test_training_goes_down_with_every_round():
    for kind in LEARNERS:
        model, _, _ = fitted(kind, max_iter=30)
        assert (np.diff(model.train_score_) > -1e-12).all()
