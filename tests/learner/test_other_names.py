"""Names of other programs lead to learners of learnt."""

import pytest

import learnt
from learnt.errors import ParameterError
from learnt.learner import other_names

NAMES = [entry.name for entry in learnt.learners()]

MEANT = {
    "J48": ["C45Classifier"],
    "IBk": ["KNeighborsClassifier", "KNeighborsRegressor"],
    "ZeroR": ["MajorityClassifier", "MeanRegressor"],
    "xgboost": ["GradientBoostingClassifier", "GradientBoostingRegressor"],
    "lightgbm": ["GradientBoostingClassifier", "GradientBoostingRegressor"],
    "RandomForest": ["RandomForestClassifier", "RandomForestRegressor"],
    "random_forest_classifier": ["RandomForestClassifier"],
    "logistic": ["LogisticRegression"],
    "knn": ["KNeighborsClassifier", "KNeighborsRegressor"],
    "naive bayes": ["NaiveBayesClassifier"],
    "decision tree": ["DecisionTreeClassifier", "DecisionTreeRegressor"],
    "k-means": ["KMeans"],
    "RandomForrestClasifier": ["RandomForestClassifier"],
    "SimpleImputer": ["Imputer"],
    "MultilayerPerceptron": ["MLPClassifier", "MLPRegressor"],
    "neural network": ["MLPClassifier", "MLPRegressor"],
    "denoising autoencoder": ["Autoencoder"],
    "dimensionality reduction": ["PCA", "Autoencoder", "KernelPCA", "MDS"],
}


@pytest.mark.parametrize("typed", MEANT)
def test_a_name_of_another_program_is_answered_with_ours(typed):
    assert other_names.names_meant(typed, NAMES) == (tuple(MEANT[typed]), False)


@pytest.mark.parametrize("typed", ["GaussianProcessRegressor", "kriging"])
def test_what_learnt_lacks_is_said_to_be_lacking(typed):
    assert other_names.suggestion(typed, NAMES).startswith("learnt has none yet; what comes nearest is")


def test_nothing_is_suggested_for_nonsense():
    assert other_names.suggestion("qqqqqqqq", NAMES) == ""


def test_every_name_suggested_is_there():
    for lines in (other_names._LEARNERS, other_names._NOT_YET, other_names._FUNCTIONS):
        listed = other_names._listed(lines)
        assert {ours for names in listed.values() for ours in names} <= set(learnt.__all__)


def test_the_module_suggests():
    with pytest.raises(AttributeError, match="Did you mean 'RandomForestClassifier' or 'RandomForestRegressor'"):
        learnt.RandomForest
    with pytest.raises(AttributeError, match="Did you mean 'tune' or 'Tuned'"):
        learnt.GridSearchCV
    with pytest.raises(ImportError, match="RandomForest"):
        from learnt import RandomForest  # noqa: F401
    assert not hasattr(learnt, "qqqqqqqq")


def test_a_comparison_suggests():
    with pytest.raises(ParameterError, match="Did you mean 'C45Classifier'"):
        learnt.compare(learnt.datasets.load("iris"), "class", learners=["J48"])


def test_learners_are_a_list_that_shows_itself_as_a_table():
    found = learnt.learners("clustering")
    assert isinstance(found, list)
    assert found[0].name == "AgglomerativeClustering"
    lines = str(found).splitlines()
    assert lines[0].split() == ["learner", "task", "abilities"]
    assert lines[1].startswith("AgglomerativeClustering  clustering  ")
    assert lines[-1] == f"{len(found)} learners"
    assert found._repr_html_().count("<tr>") == len(found) + 1
