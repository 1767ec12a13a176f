"""Ensembles chosen from comparisons, against the same done by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as PeerRegression
from sklearn.metrics import log_loss, root_mean_squared_error

import learnt
from learnt.errors import InputError
from learnt.evaluate.ensembling.greedy import greedy_weights, log_loss_of_truth
from learnt.evaluate.ensembling.mean_results import mean_result

CLASSIFIERS = ["MajorityClassifier", "NaiveBayesClassifier", "DecisionTreeClassifier", "LogisticRegression"]


@pytest.fixture(scope="module")
def compared():
    return learnt.compare(learnt.datasets.load("glass"), learners=CLASSIFIERS, cv=3, n_jobs=1)


def test_the_score_is_that_of_members_chosen_without_the_fold(compared) -> None:
    chosen = learnt.best_ensemble(compared)
    problem, outcomes = compared.problem, compared.done
    n = problem.n_rows
    probabilities = {o.name: np.empty((n, problem.n_classes)) for o in outcomes}
    fold_of = np.empty(n, int)
    for o in outcomes:
        for k, r in enumerate(o.results):
            probabilities[o.name][r.test], fold_of[r.test] = r.probabilities, k
    own = np.array([p[np.arange(n), problem.target] for p in probabilities.values()])
    scores = []
    for k in range(3):
        weights = greedy_weights(own[:, fold_of != k], log_loss_of_truth(None))
        mean = np.einsum("m,mic->ic", weights, np.array(list(probabilities.values())))[fold_of == k]
        scores.append(log_loss(problem.target[fold_of == k], mean, labels=np.arange(problem.n_classes)))
    assert chosen.standing.mean == pytest.approx(np.mean(scores))
    assert chosen.single == min(outcomes, key=lambda o: o.mean("log_loss")).name
    best = greedy_weights(own, log_loss_of_truth(None))
    assert chosen.weights == {o.name: w for o, w in zip(outcomes, best, strict=True) if w > 0} or set(
        chosen.weights
    ) == {o.name for o, w in zip(outcomes, best, strict=True) if w > 0}


def test_its_model_is_the_vote_of_its_members_and_fits_none_twice(compared) -> None:
    chosen = learnt.best_ensemble(compared)
    glass = learnt.datasets.load("glass")
    before = {name: compared.fitted(name) for name in chosen.weights}
    model = chosen.model
    assert all(member is before[name] for name, member in zip(model.names_, model.estimators_, strict=True))
    anew = learnt.VotingClassifier(model.estimators, weights=model.weights).fit(glass)
    np.testing.assert_array_equal(model.predict_proba(glass), anew.predict_proba(glass))
    told = model.explain(glass)[0]
    assert told.add_up() == pytest.approx(told.total)


def test_it_is_printed_beside_the_best_single_learner(compared) -> None:
    chosen = learnt.best_ensemble(compared)
    text = str(chosen)
    assert "ensemble" in text
    assert chosen.single in text
    assert "95 % interval of the gain" in text
    assert chosen.lead is not None
    assert chosen.lead.low < chosen.lead.difference < chosen.lead.high
    assert compared.outcome(chosen.single).fit() is compared.fitted(chosen.single)  # the comparison is left as it was


def test_numbers_weights_and_learners_of_another_make(tmp_path) -> None:
    cpu = learnt.datasets.cpu()
    weights = np.random.default_rng(0).integers(1, 3, cpu.n_rows)
    learners = [learnt.Ridge(), learnt.KNeighborsRegressor(), PeerRegression()]
    compared = learnt.compare(cpu, learners=learners, cv=3, n_jobs=1, weight=weights)
    chosen = learnt.best_ensemble(compared)
    rows = learnt.Table(cpu).drop("class")
    anew = learnt.VotingRegressor(chosen.model.estimators, weights=chosen.model.weights)
    anew.fit(rows, np.asarray(cpu["class"]), weights)
    np.testing.assert_allclose(chosen.model.predict(rows), anew.predict(rows), rtol=1e-10)
    assert chosen.judged.metric.name == "rmse"
    own = {"Ridge", "KNeighborsRegressor"}
    if set(chosen.weights) <= own:
        learnt.save(chosen.model, tmp_path / "model.learnt")
        again = learnt.load(tmp_path / "model.learnt")
        np.testing.assert_array_equal(again.predict(rows), chosen.model.predict(rows))


def test_in_order_of_time_only_earlier_rows_choose() -> None:
    rng = np.random.default_rng(0)
    table = {"t": np.arange(90.0), "x": rng.standard_normal(90)}
    y = table["x"] + 0.1 * rng.standard_normal(90)
    learners = ["Ridge", "MeanRegressor", "DecisionTreeRegressor"]
    compared = learnt.compare(table, y, learners=learners, cv=3, time="t", n_jobs=1)
    chosen = learnt.best_ensemble(compared)
    first = next(o for o in chosen.judged.outcomes if o.name == "ensemble").results[0]
    plain = np.mean([o.results[0].answer for o in compared.done], axis=0)  # nothing was known before: all the same
    np.testing.assert_allclose(first.answer, plain)
    assert chosen.standing.mean > 0


def test_learners_without_probabilities_are_left_aside() -> None:
    iris = learnt.datasets.iris()
    compared = learnt.compare(iris, learners=["Perceptron", "NaiveBayesClassifier"], cv=3, n_jobs=1)
    if compared.outcome("Perceptron").results[0].probabilities is None:
        assert set(learnt.best_ensemble(compared).weights) == {"NaiveBayesClassifier"}
        alone = learnt.compare(iris, learners=["Perceptron"], cv=3, n_jobs=1)
        with pytest.raises(InputError, match="gives probabilities"):
            learnt.best_ensemble(alone)


def test_answers_of_a_fold_are_averaged_as_a_vote_does(compared) -> None:
    results = [o.results[0] for o in compared.done]
    mean = mean_result(results, [0.5, 0.5, 0.0, 0.0])
    np.testing.assert_allclose(mean.probabilities, (results[0].probabilities + results[1].probabilities) / 2)
    np.testing.assert_array_equal(mean.answer, mean.probabilities.argmax(axis=1))
    assert mean.fit_seconds == results[0].fit_seconds + results[1].fit_seconds
    truth = compared.problem.target[mean.test]
    assert root_mean_squared_error(truth, mean.answer) >= 0
