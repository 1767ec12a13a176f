"""Advice of experts: mistakes never above the bound, over many streams; weights by hand."""

import math

import numpy as np
import pytest

import learnt
from learnt.concepts import Halving, Hedge, WeightedMajority
from learnt.errors import InputError, ParameterError


def stream(seed, n_experts=6, steps=60, perfect=False):
    rng = np.random.default_rng(seed)
    truth = rng.random(steps) < 0.5
    advice = {f"e{j}": np.where(rng.random(steps) < rng.random(), ~truth, truth) for j in range(n_experts)}
    if perfect:
        advice[f"e{rng.integers(n_experts)}"] = truth.copy()
    return advice, truth


@pytest.mark.parametrize(
    "learner",
    [WeightedMajority(), WeightedMajority(beta=0.9), WeightedMajority(randomised=True), Hedge(), Hedge(eta=0.3)],
)
def test_mistakes_never_exceed_the_bound(learner):
    for seed in range(300):
        advice, truth = stream(seed, n_experts=1 + seed % 9)
        run = learner.run(advice, truth)
        assert run.mistakes <= run.bound + 1e-9


def test_halving_with_a_perfect_expert_errs_at_most_log_n_times():
    for seed in range(1000):
        run = Halving().run(*stream(seed, n_experts=2 + seed % 12, perfect=True))
        assert run.mistakes <= run.bound == math.floor(math.log2(2 + seed % 12))
        assert run.expert_wrong[:, run.names.index(run.best_expert)].sum() == 0


def test_without_a_perfect_expert_halving_says_that_there_is_no_bound():
    run = Halving().run({"a": [True, False], "b": [False, True]}, [True, True])
    assert math.isinf(run.bound)
    assert "every expert errs" in str(run)


def test_weights_by_hand():
    advice = {"a": ["+", "+", "-"], "b": ["-", "+", "+"], "c": ["-", "-", "+"]}
    run = WeightedMajority(beta=0.5).run(advice, ["+", "+", "+"])
    assert run.predictions.tolist() == ["-", "+", "-"]  # 1 against 2; 1 + ½ against ½; 1 against ½ + ¼
    weights = np.array([[1, 0.5, 0.5], [1, 0.5, 0.25], [0.5, 0.5, 0.25]])
    np.testing.assert_allclose(run.weights, weights / weights.max(axis=1, keepdims=True))


def test_experts_are_learners_functions_or_columns():
    glass = learnt.datasets.load("vote")
    X, y = glass.drop(glass.target), glass[glass.target].labels()
    models = [learnt.DecisionStumpClassifier().fit(glass), learnt.MajorityClassifier().fit(glass)]
    run = WeightedMajority([*models, lambda row: "democrat"]).run(X, y)
    assert run.best_expert == "DecisionStumpClassifier"
    assert len(run.plot().lines) == 6


def test_the_label_may_be_a_column():
    advice, truth = stream(1)
    run = WeightedMajority().run(advice | {"truth": truth}, "truth")
    assert run.mistakes == WeightedMajority().run(advice, truth).mistakes


def test_long_streams_do_not_underflow():
    rng = np.random.default_rng(0)
    truth = rng.random(5000) < 0.5
    run = WeightedMajority(beta=0.01).run({"a": truth ^ (rng.random(5000) < 0.4), "b": ~truth}, truth)
    assert np.isfinite(run.weights).all()
    assert run.weights[-1].max() == 1


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: WeightedMajority(beta=1.5), ParameterError, "beta"),
        (lambda: Hedge(eta=-1), ParameterError, "eta"),
        (lambda: WeightedMajority([]).run({"a": [1]}, ["x"]), InputError, "no experts"),
        (lambda: WeightedMajority([3]).run({"a": [1]}, ["x"]), InputError, "An expert is 3"),
        (lambda: WeightedMajority().run({"a": ["x", "y"]}, ["x"]), InputError, "2 rows and 1 labels"),
        (lambda: WeightedMajority().run({"a": ["x", "y"]}, ["x", None]), InputError, "Row 1 has no label"),
    ],
)
def test_what_cannot_be_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()
