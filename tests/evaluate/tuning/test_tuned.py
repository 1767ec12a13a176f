"""Tuned: a learner that searches its settings inside fit, alone, in cross-validation and in comparisons."""

import json
import pickle

import numpy as np
import pytest
import sklearn.base
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.rotation import by_turns
from typer.testing import CliRunner

import learnt
from learnt.cli.app import app
from learnt.errors import InputError, NotFittedError, ParameterError
from learnt.evaluate import Tuned, compare, cross_validate, tune
from learnt.learner.registry import learners

pytestmark = pytest.mark.usefixtures("forked_workers")

IRIS = learnt.datasets.load("iris")
VOTE = learnt.datasets.load("vote")
X = np.column_stack([IRIS[name].values for name in IRIS.names[:4]])
Y = np.array(IRIS["class"].labels())
DEPTHS = {"max_depth": [1, 2, 3]}


def tree():
    return Tuned(learnt.DecisionTreeClassifier(), space=DEPTHS, cv=3)


# On its own


def test_it_is_the_model_that_tune_would_give():
    model = tree().fit(IRIS)
    found = tune(learnt.DecisionTreeClassifier(), IRIS, space=DEPTHS, cv=3, nested=None)
    assert model.settings_ == found.settings
    assert [c.mean for c in model.candidates_] == [c.mean for c in found.candidates]
    np.testing.assert_array_equal(model.predict_proba(IRIS), found.model.predict_proba(IRIS))


def test_it_answers_explains_and_prints_as_the_model_inside():
    model = tree().fit(IRIS)
    np.testing.assert_array_equal(model.predict(IRIS), model.model_.predict(IRIS))
    assert model.classes_.tolist() == model.model_.classes_.tolist()
    assert str(model.explain(IRIS)[0]) == str(model.model_.explain(IRIS)[0])
    assert model.score(IRIS) == model.model_.score(IRIS)
    assert str(model) == str(model.model_)
    assert repr(model).startswith("Tuned(learner=DecisionTreeClassifier()")
    assert (model.task, model.readable) == ("classification", True)


def test_learners_of_scikit_learn_are_tuned_on_tables_with_names():
    model = Tuned(DecisionTreeClassifier(random_state=0), space=DEPTHS).fit(IRIS)
    features = IRIS.drop("class")
    np.testing.assert_array_equal(
        model.predict(features), model.model_.predict(learnt.data.convert.out.to_pandas(features))
    )
    assert model.predict_proba(features).shape == (150, 3)
    assert model.score(IRIS) == pytest.approx(np.mean(model.predict(features) == Y))
    with pytest.raises(InputError, match="explains nothing"):
        model.explain(features)


def test_it_gives_probabilities_only_where_the_learner_does():
    sure = Tuned(LinearSVC(), space={"C": [0.1, 1.0]}).fit(X, Y)
    assert not hasattr(sure, "predict_proba")
    assert sure.decision_function(X).shape == (150, 3)
    assert hasattr(tree(), "predict_proba")
    assert not hasattr(Tuned(DecisionTreeClassifier()), "decision_function")


def test_it_is_cloned_changed_and_pickled_like_any_learner():
    model = Tuned(learnt.DecisionTreeClassifier(criterion="entropy"), space=DEPTHS).fit(X, Y)
    for twin in (learnt.clone(model), sklearn.base.clone(model)):
        assert twin.learner.criterion == "entropy"
        assert twin.learner is not model.learner
        with pytest.raises(NotFittedError, match="not fitted yet"):
            twin.predict(X)
    assert model.set_params(learner__criterion="gini").learner.criterion == "gini"
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert sklearn.base.is_classifier(model)
    assert sklearn.base.is_regressor(Tuned(DecisionTreeRegressor()))


def test_a_fit_that_fails_leaves_it_as_it_was():
    model = tree().fit(X, Y)
    before = model.predict(X)
    model.space = {"max_depth": [-1]}
    with pytest.raises(InputError, match="No candidate could be fitted"):
        model.fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), before)
    model.search = "luck"
    with pytest.raises(ParameterError, match="Tuned: search='luck' is not allowed"):
        model.fit(X, Y)


def test_a_class_that_is_declared_and_rare_does_no_harm():
    table = learnt.datasets.load("glass")
    result = cross_validate(Tuned(learnt.NaiveBayesClassifier(), cv=3), table, cv=3, metrics="accuracy")
    assert result.mean() > 0.4


# Every learner's own space


@pytest.mark.parametrize("entry", by_turns("search spaces", [e for e in learners() if e.search_space]))
def test_a_search_space_is_small_allowed_and_holds_what_works(entry):
    for name, values in entry.search_space.items():
        assert name in entry.cls._defaults()
        assert all(value in entry.cls.domains[name] for value in values), name
        assert len({repr(value) for value in values}) == len(values) > 0
    assert any(len(values) > 1 for values in entry.search_space.values())
    assert entry.search_space == entry.cls.search_space
    counts = np.random.default_rng(0).poisson(3.0, size=(60, 3)).astype(float)
    y = counts[:, 0] + counts[:, 1]
    target = y if entry.task == "regression" else np.where(y > 6, "many", "few")
    found = tune(entry.cls(), counts, target, nested=None, cv=2, n_jobs=1)
    assert [c.error for c in found.candidates] == [""] * len(found.candidates)
    assert 2 <= len(found.candidates) <= 30


def test_the_learners_with_settings_worth_trying_have_a_space():
    without = {e.name for e in learners() if e.task in ("classification", "regression") and not e.search_space}
    assert without == {
        "CondensedNeighbors",
        "DualPerceptron",
        "LinearRegression",
        "MajorityClassifier",
        "MeanRegressor",
        "MinimumRiskClassifier",
        "MultiResponseClassifier",
        "OneVsRestClassifier",
        "StackingClassifier",
        "StackingRegressor",
        "TextClassifier",
        "VotingClassifier",
        "VotingRegressor",
    }


# Inside others


def test_cross_validating_it_is_nested_and_remembers_the_choices(tmp_path):
    first = cross_validate(tree(), IRIS, cv=3, journal=tmp_path / "folds.jsonl")
    again = cross_validate(tree(), IRIS, cv=3, journal=tmp_path / "folds.jsonl")
    assert [r.chosen for r in first.results] == [r.chosen for r in again.results]
    assert all(r.chosen["max_depth"] in "123" for r in first.results)
    by_hand = []
    for r in first.results:
        train = np.setdiff1d(np.arange(150), r.test)
        model = tree().fit(IRIS.take(train))
        by_hand.append(np.mean(model.predict(IRIS.take(r.test)) == Y[r.test]))
    np.testing.assert_allclose(first.scores["accuracy"], by_hand)


@pytest.mark.slow
def test_a_comparison_tunes_every_learner_that_can_be_and_shows_the_choices():
    names = ["MajorityClassifier", "DecisionTreeClassifier", "DecisionStumpClassifier"]
    found = compare(VOTE, learners=names, cv=3, tune=True, metric="balanced_accuracy")
    assert [o.status for o in found.outcomes] == ["done"] * 3
    assert found.outcome("MajorityClassifier").tuned is None
    chosen = found.outcome("DecisionTreeClassifier").tuned
    assert set(chosen) == {"max_depth", "min_samples_leaf"}
    assert found.outcome("DecisionTreeClassifier").learner.metric == "balanced_accuracy"
    assert isinstance(found.fitted("DecisionTreeClassifier"), learnt.DecisionTreeClassifier)
    page = found.to_html()
    assert "Settings chosen by tuning" in page
    assert chosen["max_depth"].split(",")[0] in page
    assert "(nested)" in page


def test_a_comparison_by_costs_tunes_the_probabilities():
    loss = {("democrat", "republican"): 5, ("republican", "democrat"): 1}
    found = compare(VOTE, learners=["DecisionTreeClassifier"], cv=2, tune=True, loss=loss)
    assert found.best.learner.metric == "log_loss"
    assert found.best.tuned is not None


def test_a_comparison_takes_tuned_learners_too():
    given = {"tree": tree(), "default": learnt.DecisionTreeClassifier()}
    found = compare(IRIS, learners=given, cv=2)
    assert found.outcome("tree").status == "done"
    assert found.outcome("tree").tuned is not None
    assert found.outcome("default").tuned is None


def test_the_command_line_tunes():
    words = ["compare", "dataset:iris", "--learners", "DecisionStumpClassifier", "--cv", "2", "--tune", "--json"]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    (row,) = json.loads(ran.stdout)["learners"]
    assert "criterion" in row["tuned"]
