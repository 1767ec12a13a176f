"""The learners of a comparison are set so that they are judged, and not the units of the columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LassoCV, LinearRegression, RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnt
from learnt.evaluate.comparison.candidates import candidates
from learnt.evaluate.comparison.field import FIELD, MOST_DECOMPOSED, SETTINGS, field_of, is_strong, set_for
from learnt.evaluate.metrics.scoring import METRICS
from learnt.evaluate.problem import problem
from learnt.evaluate.tuning import Tuned

pytestmark = pytest.mark.usefixtures("forked_workers")


@pytest.fixture
def tiny_units():
    """A strong column measured in units so large that its numbers are tiny, as a density among weights."""
    rng = np.random.default_rng(0)
    n = 120
    density, weight, age = 1.05 + 0.02 * rng.normal(size=n), 80 + 12 * rng.normal(size=n), rng.uniform(20, 80, n)
    y = 500 * (1.1 - density) + 0.1 * weight + rng.normal(size=n)
    return np.column_stack([density, weight, age]), y


@pytest.mark.parametrize("name", ["Ridge", "Lasso", "ElasticNet"])
def test_a_penalised_learner_is_no_worse_than_least_squares_whatever_the_units(tiny_units, name):
    """Judged by scikit-learn's folds; with the class's own penalty of 1 the strong column is lost."""
    x, y = tiny_units
    folds = KFold(10, shuffle=True, random_state=1)
    by_least_squares = np.std(y - cross_val_predict(LinearRegression(), x, y, cv=folds))
    learner = set_for(getattr(learnt, name), problem(x, y))
    error = np.std(y - cross_val_predict(learner, x, y, cv=folds))
    assert error < 1.05 * by_least_squares
    unset = np.std(y - cross_val_predict(getattr(learnt, name)(), x, y, cv=folds))
    assert unset > 2 * by_least_squares


@pytest.mark.parametrize(("name", "peer"), [("Ridge", RidgeCV(np.geomspace(1e-6, 1e4, 60))), ("Lasso", LassoCV())])
def test_they_predict_as_scikit_learns_with_penalties_chosen_on_scaled_columns(tiny_units, name, peer):
    x, y = tiny_units
    ours = set_for(getattr(learnt, name), problem(x, y)).fit(x, y).predict(x)
    theirs = make_pipeline(StandardScaler(), peer).fit(x, y).predict(x)
    assert np.std(ours - theirs) < 0.03 * np.std(y - theirs.mean())


def test_units_do_not_matter_to_logistic_regression_in_a_comparison():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(150, 2))
    y = np.where(x @ [2.0, 1.0] + rng.logistic(size=150) > 0, "yes", "no")

    def log_loss(factor):
        found = learnt.compare({"a": x[:, 0] * factor, "b": x[:, 1], "y": y}, "y", learners="LogisticRegression")
        return found.top.mean("log_loss")

    assert log_loss(1e-4) == pytest.approx(log_loss(1.0), rel=1e-6)


def test_categories_and_sparse_counts_have_no_units_to_get_rid_of():
    y = np.array(["u", "v"] * 20)
    assert set_for(learnt.LogisticRegression, problem({"a": ["p", "q", "r", "r"] * 10}, y)) is learnt.LogisticRegression
    counts = csr_matrix(np.random.default_rng(0).poisson(0.2, (40, 6)).astype(float))
    assert set_for(learnt.LogisticRegression, problem(counts, y)) is learnt.LogisticRegression
    assert set_for(learnt.LogisticRegression, problem({"a": np.arange(40.0)}, y)).standardize


def test_a_name_means_the_same_learner_however_it_came_into_a_comparison(tiny_units):
    given, metric = problem(*tiny_units), METRICS["rmse"]
    ways = (None, "all", "linear", ["Ridge"], {"Ridge": "Ridge"})
    found = [next(c for c in candidates(given, way, metric=metric) if c.name == "Ridge").learner for way in ways]
    assert {repr(learner) for learner in found} == {"Ridge(alpha='loo', standardize=True)"}
    # What the user makes, or a class itself, is taken as it is.
    own = candidates(given, [learnt.Ridge(alpha=3.0), learnt.Lasso], metric=metric)
    assert [repr(c.learner) for c in own] == ["Ridge(alpha=3.0)", "Lasso()"]


def test_the_text_says_what_a_name_stands_for(tiny_units):
    found = learnt.compare(*tiny_units, learners=["MeanRegressor", "Ridge"], cv=3)
    words = " ".join(found.to_text().split())
    assert "Set otherwise than by default: Ridge(alpha='loo', standardize=True)." in words
    plain = learnt.compare(*tiny_units, learners=["MeanRegressor", "LinearRegression"], cv=3)
    assert "Set otherwise" not in plain.to_text()


def test_a_search_leaves_alone_who_chooses_the_penalty_by_itself(tiny_units):
    given, metric = problem(*tiny_units), METRICS["rmse"]
    found = {c.name: c.learner for c in candidates(given, None, metric=metric, tune=True)}
    assert repr(found["Ridge"]) == "Ridge(alpha='loo', standardize=True)"
    assert isinstance(found["DecisionTreeRegressor"], Tuned)
    (own,) = candidates(given, [learnt.Ridge()], metric=metric, tune=True)
    assert isinstance(own.learner, Tuned)


def test_a_matrix_too_large_to_decompose_keeps_a_penalty_that_is_given():
    class Wide:
        sparse = np.zeros(0)
        n_columns = MOST_DECOMPOSED + 1

    class Given:
        table, n_rows = Wide(), MOST_DECOMPOSED + 1

    assert set_for(learnt.Ridge, Given()).alpha == 1.0
    Given.n_rows = MOST_DECOMPOSED
    assert set_for(learnt.Ridge, Given()).alpha == "loo"


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_field_holds_a_baseline_and_a_screenful_of_registered_learners(task):
    entries = {e.name: e for e in learnt.learners(task)}
    assert set(FIELD[task]) <= set(entries)
    assert len(FIELD[task]) <= 16  # three of them for special tables only
    assert sum("baseline" in entries[name].abilities for name in FIELD[task]) == 1
    assert any(entries[name].cls.readable for name in FIELD[task])


def test_every_setting_of_the_field_is_one_the_learner_takes(tiny_units):
    for name, settings in SETTINGS.items():
        learner = set_for(getattr(learnt, name), problem(*tiny_units))
        assert {key: learner.get_params()[key] for key in settings} == dict(settings)


def test_learners_for_special_tables_take_part_where_these_come(tiny_units):
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(list("abcdefgh"), 9)) + f" {i}" for i in range(60)]
    y = np.where(rng.random(60) < 0.5, "u", "v")
    assert "TextClassifier" in [e.name for e in field_of(problem({"letter": texts}, y))]
    assert "TextClassifier" not in [e.name for e in field_of(problem({"x": rng.normal(size=60)}, y))]


def test_a_weak_learner_is_not_one_to_recommend_a_foreign_one_is(tiny_units):
    found = learnt.compare(
        *tiny_units, learners={"unit": learnt.LinearUnit(), "theirs": LinearRegression(), "ridge": "Ridge"}, cv=3
    )
    assert [is_strong(found.outcome(name)) for name in ("unit", "theirs", "ridge")] == [False, True, True]


@pytest.mark.parametrize(("rows", "columns", "takes_part"), [(100, 3, True), (5000, 30, True), (60_000, 3, False)])
def test_machines_take_part_in_tables_that_are_small_enough(rows, columns, takes_part):
    x = np.zeros((rows, columns))
    x[:, 0] = np.arange(rows)
    labels = np.array(["u", "v"])[np.arange(rows) % 2]
    for name, y, metric in (("SVR", np.arange(float(rows)), "rmse"), ("SVC", labels, "accuracy")):
        found = {c.name: c for c in candidates(problem(x, y), None, metric=METRICS[metric])}
        assert (found[name].skip == "") == takes_part
        assert takes_part or "a fit to 60,000 would take" in found[name].skip
        (named,) = candidates(problem(x, y), [name], metric=METRICS[metric])
        assert named.skip == ""


def test_machines_leave_sparse_tables_to_others():
    counts = csr_matrix(np.random.default_rng(0).poisson(0.2, (40, 6)).astype(float))
    assert "SVC" not in {e.name for e in field_of(problem(counts, np.array(["u", "v"] * 20)))}


def test_nets_take_part_in_tables_that_are_small_enough():
    for rows, takes_part in ((1000, True), (400_000, False)):
        x = np.arange(3.0 * rows).reshape(rows, 3)
        labels = np.array(["u", "v"])[np.arange(rows) % 2]
        found = {c.name: c for c in candidates(problem(x, labels), None, metric=METRICS["accuracy"])}
        assert (found["MLPClassifier"].skip == "") == takes_part
        assert takes_part or "goes over the rows some sixty times" in found["MLPClassifier"].skip
