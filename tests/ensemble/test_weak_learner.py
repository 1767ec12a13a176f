"""Learners that rounds repeat: they take weights, or rows are drawn."""

import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import learnt
from learnt.ensemble.weak_learner import StressesRows, check_weak_learner
from learnt.errors import ParameterError

OF_CLASSES = (learnt.AdaBoostClassifier, learnt.TripletBoostClassifier)
BOOSTED = (*OF_CLASSES, learnt.LogitBoostClassifier, learnt.AdaBoostRegressor)


@pytest.mark.parametrize("cls", BOOSTED)
def test_one_that_takes_no_weights_is_refused_unless_rows_are_drawn(cls):
    assert issubclass(cls, StressesRows)
    peer = KNeighborsClassifier() if cls in OF_CLASSES else KNeighborsRegressor()
    with pytest.raises(ParameterError, match=f"{cls.__name__}: .* takes no weights"):
        cls(peer, by="weights").fit({"x": [0.0, 1.0, 2.0, 3.0]}, [0, 1, 0, 1])
    check_weak_learner(peer, "resampling", cls.__name__)
    check_weak_learner(None, "weights", cls.__name__)


def test_text_is_to_them_what_it_is_to_the_learner():
    bayes = learnt.NaiveBayesClassifier()
    assert learnt.TripletBoostClassifier(bayes).takes_text == bayes.takes_text == "presence"
    assert learnt.TripletBoostClassifier().takes_text == "counts"
    assert learnt.MixtureOfExpertsClassifier(bayes).takes_text == "presence"
    assert learnt.AdaBoostClassifier(hypotheses=[lambda table: table]).takes_text == "labels"
