"""Weights go through scikit-learn's pipelines and searches to the learners that asked for them."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

import learnt
from learnt.errors import ParameterError

RNG = np.random.default_rng(3)
X = pd.DataFrame({"a": RNG.normal(size=90), "t": RNG.choice(["u", "v"], 90)})
Y = np.where(X["a"] + RNG.normal(size=90) > 0, "yes", "no")
WEIGHT = RNG.integers(1, 4, 90).astype(float)


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize("entry", learnt.learners(), ids=lambda entry: entry.name)
def test_every_learner_can_ask_for_weights(entry):
    model = entry.cls()
    assert get_routing_for_object(model).fit.requests.get("sample_weight") is None
    model.set_fit_request(sample_weight=True)
    assert get_routing_for_object(model).fit.requests["sample_weight"] is True
    assert get_routing_for_object(sklearn.clone(model)).fit.requests["sample_weight"] is True
    assert get_routing_for_object(learnt.clone(model)).fit.requests["sample_weight"] is True
    for method in ("score", "partial_fit"):
        assert hasattr(model, f"set_{method}_request") == hasattr(model, method)


def test_a_pipeline_hands_weights_to_those_that_asked():
    asked = make_pipeline(
        learnt.StandardScaler().set_fit_request(sample_weight=True),
        learnt.LogisticRegression().set_fit_request(sample_weight=True),
    ).fit(X, Y, sample_weight=WEIGHT)
    scaler = learnt.StandardScaler().fit(X, sample_weight=WEIGHT)
    alone = learnt.LogisticRegression().fit(scaler.transform(X), Y, WEIGHT)
    np.testing.assert_array_equal(asked.predict_proba(X), alone.predict_proba(scaler.transform(X)))
    half = make_pipeline(
        learnt.StandardScaler().set_fit_request(sample_weight=False),
        learnt.LogisticRegression().set_fit_request(sample_weight="sample_weight"),
    ).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(half[0].mean_, learnt.StandardScaler().fit(X).mean_)


def test_weights_that_nobody_spoke_of_are_refused_by_scikit_learn():
    with pytest.raises(Exception, match="set_fit_request"):
        make_pipeline(learnt.StandardScaler(), learnt.LogisticRegression()).fit(X, Y, sample_weight=WEIGHT)


def test_scores_and_fits_are_weighted_as_those_of_scikit_learn():
    numbers = X[["a"]]
    params = {"sample_weight": WEIGHT}
    own, peer = learnt.NaiveBayesClassifier(), GaussianNB()
    for model in (own, peer):
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    theirs = cross_val_score(peer, numbers, Y, params=params)
    np.testing.assert_allclose(cross_val_score(own, numbers, Y, params=params), theirs)
    tree = learnt.DecisionTreeClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    search = GridSearchCV(tree, {"max_depth": [1, 2]}).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(
        search.predict_proba(X),
        learnt.DecisionTreeClassifier(**search.best_params_).fit(X, Y, WEIGHT).predict_proba(X),
    )


def test_a_request_survives_fitting_and_saving(tmp_path):
    model = learnt.NaiveBayesClassifier().set_fit_request(sample_weight="w").fit(X, Y)
    learnt.save(model, tmp_path / "model.learnt")
    for other in (model, learnt.load(tmp_path / "model.learnt")):
        assert get_routing_for_object(other).fit.requests == {"sample_weight": "w"}


def test_what_cannot_be_asked_for_is_refused():
    with pytest.raises(TypeError, match="Accepted arguments are: sample_weight"):
        learnt.NaiveBayesClassifier().set_fit_request(groups=True)
    with pytest.raises(ParameterError, match="Expected True, False, None or a name"):
        learnt.NaiveBayesClassifier().set_fit_request(sample_weight=3)
    with (
        sklearn.config_context(enable_metadata_routing=False),
        pytest.raises(RuntimeError, match="only available when metadata routing is enabled"),
    ):
        learnt.NaiveBayesClassifier().set_fit_request(sample_weight=True)
