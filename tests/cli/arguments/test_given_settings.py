"""Settings as typed: the value a text can mean, by what the setting allows."""

from __future__ import annotations

import pytest

import learnt
from learnt.cli.arguments.given_settings import learner_from
from learnt.errors import LearntError, ParameterError
from learnt.learner import registry
from learnt.learner.base import Learner


@pytest.mark.parametrize(
    ("learner", "typed", "value"),
    [
        ("C45Classifier", "prune=none", None),
        ("C45Classifier", "prune=None", None),
        ("C45Classifier", "prune=mdl", "mdl"),
        ("C45Classifier", "binary=true", True),
        ("C45Classifier", "binary=False", False),
        ("C45Classifier", "confidence=1e-1", 0.1),
        ("C45Classifier", "window=20", 20),
        ("C45Classifier", "window=0.5", 0.5),
        ("C45Classifier", "window = 20 ", 20),
        ("ID3Classifier", "chi2_correction=none", "none"),
        ("KMeans", "n_init=auto", "auto"),
        ("KMeans", "init='k-means++'", "k-means++"),
        ("BagOfWords", "ngram_range=(1, 2)", (1, 2)),
        ("NaiveBayesClassifier", "priors={'a': 0.5, 'b': 0.5}", {"a": 0.5, "b": 0.5}),
    ],
)
def test_a_text_becomes_the_value_that_the_setting_allows(learner, typed, value):
    found = getattr(learner_from(learner, [typed]), typed.partition("=")[0].strip())
    assert type(found) is type(value)
    assert found == value


@pytest.mark.parametrize(
    ("learner", "typed", "words"),
    [
        ("C45Clasifier", [], "Did you mean 'C45Classifier'"),
        ("qqqqqqqqqqqq", [], "'learnt learners' lists them"),
        ("C45Classifier", ["confidense=0.1"], "Did you mean 'confidence'"),
        ("C45Classifier", ["zzz=1"], "It has prune, confidence"),
        ("C45Classifier", ["confidence=2"], "a number > 0 and ≤ 0.5"),
        ("C45Classifier", ["confidence=lots"], "confidence=lots is not allowed"),
        ("C45Classifier", ["confidence"], "KEY=VALUE"),
        ("C45Classifier", ["=3"], "KEY=VALUE"),
        ("C45Classifier", ["confidence=0.1", "confidence=0.2"], "given twice"),
        ("C45Classifier", ["prune__x=3"], "holds no learner"),
        ("C45Classifier", ["window=" + "(" * 5000], "is not allowed"),
    ],
)
def test_what_cannot_be_meant_is_told_with_what_can(learner, typed, words):
    with pytest.raises(ParameterError) as caught:
        learner_from(learner, typed)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400


def test_letters_may_be_small_and_learners_inside_are_named_and_set():
    assert repr(learner_from("kmeans", ["n_clusters=3"])) == "KMeans(n_clusters=3)"
    made = learner_from(
        "MinimumRiskClassifier", ["classifier__max_depth=2", "classifier=DecisionTreeClassifier", "rule=ml"]
    )
    assert isinstance(made.classifier, learnt.DecisionTreeClassifier)
    assert made.classifier.max_depth == 2


def test_a_setting_that_must_be_given_is_asked_for(monkeypatch):
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))

    class NeedsDepth(Learner):
        task = "classification"

        def __init__(self, depth):
            self.depth = depth

    with pytest.raises(ParameterError, match="NeedsDepth needs the setting 'depth'"):
        learner_from("NeedsDepth", [])
    assert learner_from("NeedsDepth", ["depth=3"]).depth == 3


def test_text_that_is_code_is_never_run(tmp_path):
    mark = tmp_path / "ran"
    with pytest.raises(LearntError):
        learner_from("KMeans", [f"n_clusters=__import__('pathlib').Path({str(mark)!r}).touch()"])
    assert not mark.exists()
