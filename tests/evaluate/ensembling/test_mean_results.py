"""The mean of answers on a fold, against a vote that is fitted there."""

import numpy as np
import pytest

import learnt
from learnt.evaluate.ensembling.mean_results import known_probabilities, mean_result
from learnt.evaluate.folds import folds, run_fold
from learnt.evaluate.problem import problem

IRIS, CPU = problem(learnt.datasets.iris()), problem(learnt.datasets.cpu())


@pytest.mark.parametrize(
    ("given", "members", "vote"),
    [
        (IRIS, [learnt.NaiveBayesClassifier(), learnt.DecisionTreeClassifier()], learnt.VotingClassifier),
        (CPU, [learnt.Ridge(), learnt.DecisionTreeRegressor(max_depth=3)], learnt.VotingRegressor),
    ],
)
def test_it_is_what_the_vote_answers_there(given, members, vote):
    fold = next(folds(given, 3))
    results = [run_fold(member, given, fold) for member in members]
    found = mean_result(results, [1.0, 3.0])
    fitted = run_fold(vote(members, weights=[1.0, 3.0]), given, fold)
    np.testing.assert_array_equal(found.answer, fitted.answer)
    if given is IRIS:
        np.testing.assert_array_equal(found.probabilities, fitted.probabilities)
    assert found.fit_seconds == pytest.approx(sum(r.fit_seconds for r in results))
    assert found.model_bytes == sum(r.model_bytes for r in results)


def test_a_member_without_weight_is_not_asked():
    fold = next(folds(IRIS, 3))
    results = [run_fold(m, IRIS, fold) for m in (learnt.NaiveBayesClassifier(), learnt.MajorityClassifier())]
    alone = mean_result(results, [2.0, 0.0])
    np.testing.assert_array_equal(alone.probabilities, known_probabilities(results[0]))
    assert alone.fit_seconds == results[0].fit_seconds
