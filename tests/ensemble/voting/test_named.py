"""Names of members, and the settings reached through them."""

import pytest

from learnt import KNeighborsClassifier, NaiveBayesClassifier, VotingClassifier
from learnt.ensemble.voting.named import TableLearners, named_learners
from learnt.errors import ParameterError
from learnt.learner.base import Classifier, Regressor


def test_learners_are_called_by_their_classes_numbered_where_two_are_of_one():
    one, other, third = KNeighborsClassifier(n_neighbors=1), KNeighborsClassifier(n_neighbors=3), NaiveBayesClassifier()
    found = named_learners([one, ("mine", third), other, NaiveBayesClassifier()])
    names = [name for name, _ in found]
    assert names == ["KNeighborsClassifier 1", "mine", "KNeighborsClassifier 2", "NaiveBayesClassifier 2"]
    assert found[0][1] is one
    assert named_learners(None) == []


def test_which_lists_may_stand_there():
    allowed = TableLearners(Classifier)
    assert None in allowed
    assert [KNeighborsClassifier()] in allowed
    assert [("a", KNeighborsClassifier())] in allowed
    for wrong in ([], [None], KNeighborsClassifier(), ["a"], [("a", None)]):
        assert wrong not in allowed
    assert [KNeighborsClassifier()] not in TableLearners(Regressor)


def test_settings_inside_are_read_and_changed_by_name():
    vote = VotingClassifier([("near", KNeighborsClassifier(n_neighbors=3)), NaiveBayesClassifier()])
    assert vote.get_params()["near__n_neighbors"] == 3
    vote.set_params(near__n_neighbors=7, vote="hard")
    assert (vote.get_params()["near__n_neighbors"], vote.vote) == (7, "hard")
    vote.set_params(near=NaiveBayesClassifier())
    assert isinstance(vote.get_params()["near"], NaiveBayesClassifier)
    for wrong in ({"far__n_neighbors": 1}, {"near__size": 1}):
        with pytest.raises(ParameterError, match="Invalid parameter"):
            vote.set_params(**wrong)


@pytest.mark.parametrize(
    ("names", "why"),
    [(("a", "a"), "twice"), (("a__b", "c"), "a setting"), (("vote", "c"), "a setting"), (("", "c"), "empty")],
)
def test_names_that_would_be_mistaken_are_refused(names, why):
    vote = VotingClassifier([(name, NaiveBayesClassifier()) for name in names])
    with pytest.raises(ParameterError, match=why):
        vote.fit({"x": [1.0, 2.0]}, ["u", "v"])
