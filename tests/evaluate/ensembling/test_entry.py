"""From a comparison to an ensemble: its line, its rivals, its weights."""

import numpy as np
import pytest

import learnt
from learnt.evaluate.ensembling.entry import NAME, best_ensemble
from learnt.evaluate.ensembling.library import Library


@pytest.fixture(scope="module")
def compared():
    learners = ["Ridge", "KNeighborsRegressor", "DecisionTreeRegressor", "MeanRegressor"]
    return learnt.compare(learnt.datasets.cpu(), learners=learners, cv=4, n_jobs=1)


def test_its_score_is_that_of_the_means_chosen_without_each_fold(compared):
    chosen, library = best_ensemble(compared), Library.of(compared)
    truth, scores = compared.problem.target, []
    for fold in range(4):
        here = library.folds == fold
        mean = library.weights_for_fold(fold) @ library.answers[:, here]
        scores.append(np.sqrt(np.mean((mean - truth[library.rows[here]]) ** 2)))
    assert chosen.standing.mean == pytest.approx(np.mean(scores))
    assert chosen.standing.name == NAME


def test_weights_come_heaviest_first_and_the_comparison_stays_as_it_was(compared):
    before = [o.name for o in compared.outcomes]
    chosen = best_ensemble(compared)
    weights = list(chosen.weights.values())
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1)
    assert min(weights) > 0
    assert [o.name for o in compared.outcomes] == before
    assert {o.name for o in chosen.judged.outcomes} == {NAME, chosen.single}


def test_a_learner_of_that_name_does_not_get_in_the_way():
    learners = {NAME: learnt.Ridge(), "mean": learnt.MeanRegressor()}
    found = best_ensemble(learnt.compare(learnt.datasets.cpu(), learners=learners, cv=3, n_jobs=1))
    assert found.standing.name == "ensemble of the comparison"
