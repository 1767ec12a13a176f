"""The answers that ensembles are chosen from."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

import learnt
from learnt.errors import InputError
from learnt.evaluate.ensembling.greedy import greedy_weights, log_loss_of_truth
from learnt.evaluate.ensembling.library import Library

LEARNERS = ["NaiveBayesClassifier", "DecisionTreeClassifier", "MajorityClassifier"]


@pytest.fixture(scope="module")
def compared():
    return learnt.compare(learnt.datasets.load("glass"), learners=LEARNERS, cv=3, n_jobs=1)


def test_it_holds_the_probability_of_the_truth_for_each_row(compared):
    library = Library.of(compared)
    target = compared.problem.target
    for m, outcome in enumerate(library.outcomes):
        _, probabilities = compared.out_of_fold(outcome.name)
        np.testing.assert_array_equal(library.answers[m], probabilities[library.rows, target[library.rows]])
    assert sorted(library.rows) == list(range(compared.problem.n_rows))


def test_weights_of_a_fold_are_chosen_without_it(compared):
    library = Library.of(compared)
    for fold in range(3):
        others = library.folds != fold
        by_hand = greedy_weights(library.answers[:, others], log_loss_of_truth(None))
        np.testing.assert_array_equal(library.weights_for_fold(fold), by_hand)


def test_what_a_vote_weighs_is_shared_by_its_members(compared):
    library = Library.of(compared)
    names = [o.name for o in library.outcomes]
    first = library.outcomes[0]
    try:
        first.members = (names[1], names[2])
        np.testing.assert_allclose(library._of_members(np.array([0.5, 0.5, 0.0])), [0.0, 0.75, 0.25])
    finally:
        first.members = ()


def test_without_probabilities_there_is_nothing_to_choose_from():
    found = learnt.compare(learnt.datasets.iris(), learners=[RidgeClassifier()], cv=3, n_jobs=1)
    with pytest.raises(InputError, match="gives probabilities"):
        Library.of(found)
