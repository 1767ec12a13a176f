"""Mixtures of experts against an EM written by hand, against derivatives, and as explained."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LinearRegression as PeerLinear
from sklearn.neighbors import KNeighborsRegressor as PeerNeighbors

import learnt
from learnt.engine.passes import Batch
from learnt.ensemble.experts.course import Course, Expert
from learnt.ensemble.experts.gate import GateRows
from learnt.ensemble.experts.gradient import Climb
from learnt.ensemble.experts.learners import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from learnt.errors import ParameterError

RNG = np.random.default_rng(5)
N = 120
X = RNG.normal(size=(N, 2))
SIDE = X[:, 0] + RNG.normal(size=N) / 2 > 0
NUMBER = np.where(SIDE, 1 + 2 * X[:, 1], -1 - X[:, 1]) + RNG.normal(size=N) / 4
TWO = np.where(SIDE ^ (X[:, 1] > 0), "yes", "no")
THREE = np.select([SIDE & (X[:, 1] > 0), X[:, 1] + RNG.normal(size=N) > 0], ["a", "b"], "c")
COPIES = RNG.integers(1, 4, N).astype(float)
MIXED = pd.DataFrame(X, columns=["x", "y"]).assign(town=np.where(X[:, 0] > 0.2, "Bern", None))
MIXED.loc[::7, "y"] = np.nan


def em_by_hand(x, y, w, h, steps, penalty):
    """Two Gaussian linear experts and a logistic gate in standardised columns, by the textbook's two steps."""
    ones = np.column_stack([x, np.ones(len(x))])
    mean = np.average(x, axis=0, weights=w)
    z = np.column_stack([(x - mean) / np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w)), np.ones(len(x))])
    curve = []
    for _ in range(steps + 1):

        def loss(v, h=h):  # the two experts' coefficients are v/2 and -v/2
            return w @ (np.logaddexp(0, z @ v) - h[:, 1] * (z @ v)) + penalty / 4 * v[:-1] @ v[:-1]

        v = minimize(loss, np.zeros(z.shape[1]), method="BFGS", options={"gtol": 1e-9}).x
        gate = 1 / (1 + np.exp(np.column_stack([z @ v, -(z @ v)])))
        dense = []
        for k in range(2):
            r = w * h[:, k]
            b = np.linalg.solve(ones.T @ (ones * r[:, None]), ones.T @ (r * y))
            variance = r @ (y - ones @ b) ** 2 / r.sum()
            dense.append(np.exp(-((y - ones @ b) ** 2) / 2 / variance) / np.sqrt(2 * np.pi * variance))
        joint = gate * np.column_stack(dense)
        curve.append(w @ np.log(joint.sum(axis=1)) - penalty / 4 * v[:-1] @ v[:-1])
        h = joint / joint.sum(axis=1, keepdims=True)
    return np.array(curve), gate


@pytest.mark.parametrize(("weights", "penalty"), [(None, 1.0), (COPIES, 0.1)])
def test_two_linear_experts_take_the_steps_of_an_em_written_by_hand(weights, penalty):
    model = MixtureOfExpertsRegressor(learnt.LinearRegression(), n_experts=2, penalty=penalty, max_iter=8, tol=0)
    model.fit(X, NUMBER, weights)
    w = np.ones(N) if weights is None else weights
    leaf = learnt.DecisionTreeRegressor(max_leaf_nodes=2).fit(X, NUMBER, weights).apply(X)
    start = np.where((leaf == leaf.min())[:, None], [0.95, 0.05], [0.05, 0.95])
    curve, gate = em_by_hand(X, NUMBER, w, start, 8, penalty)
    np.testing.assert_allclose(model.objective_, curve, rtol=1e-6)
    np.testing.assert_allclose(model.gate_proba(X), gate, atol=1e-4)
    assert sorted(np.round([m.coef_[1] for m in model.estimators_])) == [-1, 2]
    np.testing.assert_allclose(model.noise_, 0.25, atol=0.06)


EXPERTS = [None, learnt.LinearRegression(), learnt.DecisionTreeRegressor(max_depth=2)]


@pytest.mark.parametrize("estimator", EXPERTS)
def test_the_log_likelihood_of_numbers_never_falls(estimator):
    model = MixtureOfExpertsRegressor(estimator, n_experts=3, tol=0, max_iter=12, penalty=0.0)
    model.fit(MIXED, NUMBER, COPIES)
    assert (np.diff(model.objective_) >= -1e-9).all()
    assert model.objective_[-1] == pytest.approx(model.log_likelihood_)


@pytest.mark.parametrize(
    "estimator",
    [None, learnt.NaiveBayesClassifier(), learnt.DecisionTreeClassifier(max_depth=2), learnt.C45Classifier()],
)
def test_the_log_likelihood_of_classes_never_falls(estimator):
    for penalty in (0.0, 1.0):
        model = MixtureOfExpertsClassifier(estimator, n_experts=3, tol=0, max_iter=8, penalty=penalty).fit(
            MIXED, THREE, COPIES
        )
        assert (np.diff(model.objective_) >= -1e-9).all()
    shares = model.predict_proba(MIXED)[np.arange(N), np.unique(THREE, return_inverse=True)[1]]
    assert model.log_likelihood_ == pytest.approx(COPIES @ np.log(np.maximum(shares, 1e-12)), rel=1e-3)


def climb_of(target, unit):
    """A climb from a mixture of two, and the log-likelihood written down again."""
    cls = MixtureOfExpertsClassifier if target.dtype.kind == "U" else MixtureOfExpertsRegressor
    model = cls(n_experts=2, max_iter=2).fit(X, target)
    table = learnt.Table(X)
    codes = np.unique(target, return_inverse=True)[1].astype(np.int32) if target.dtype.kind == "U" else target
    batch = Batch(model.estimators_[0]._matched(table), 0, codes)
    rows = GateRows.of(model.gate_._design, table, COPIES, 1.0)
    experts = [Expert(m, np.zeros(N), float(s)) for m, s in zip(model.estimators_, model.noise_, strict=True)]
    course = Course(experts, RNG.normal(size=(2, 3)), [], False)
    return Climb(course, rows, batch, unit, 0.01)


@pytest.mark.parametrize("target", [TWO, THREE, NUMBER], ids=["two", "three", "numbers"])
def test_the_gradient_is_that_of_the_objective(target):
    climb = climb_of(target, 2.0 if target is NUMBER else 1.0)
    value, gradient, _ = climb.look(climb.start)
    steps = 1e-5 * np.eye(len(gradient))
    slopes = [(climb.look(climb.start + e)[0] - climb.look(climb.start - e)[0]) / 2e-5 for e in steps]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-5)
    assert np.isfinite(value)


@pytest.mark.parametrize("target", [TWO, THREE, NUMBER], ids=["two", "three", "numbers"])
def test_gradient_steps_climb_to_about_where_em_ends(target):
    cls = MixtureOfExpertsRegressor if target is NUMBER else MixtureOfExpertsClassifier
    by_gradient = cls(method="gradient", max_iter=100).fit(X, target)
    by_em = cls(max_iter=100).fit(X, target)
    assert (np.diff(by_gradient.objective_) >= -1e-9).all()
    assert by_gradient.converged_
    assert by_gradient.log_likelihood_ == pytest.approx(by_em.log_likelihood_, abs=0.06 * N)
    np.testing.assert_allclose(by_gradient.gate_proba(X).sum(axis=1), 1)


def test_one_expert_is_the_learner_itself():
    one = MixtureOfExpertsRegressor(learnt.LinearRegression(), n_experts=1).fit(X, NUMBER)
    np.testing.assert_allclose(one.predict(X), PeerLinear().fit(X, NUMBER).predict(X), rtol=1e-9)
    assert "gate" not in str(one)
    alone = MixtureOfExpertsClassifier(n_experts=1).fit(X, THREE)
    plain = learnt.LogisticRegression(standardize=True, C=10.0).fit(X, THREE)
    np.testing.assert_allclose(alone.predict_proba(X), plain.predict_proba(X), rtol=1e-7)


def test_exclusive_or_is_beyond_one_line_and_easy_for_two_experts():
    clean = np.where((X[:, 0] > 0) ^ (X[:, 1] > 0), "yes", "no")
    assert learnt.LogisticRegression().fit(X, clean).score(X, clean) < 0.7
    assert MixtureOfExpertsClassifier().fit(X, clean).score(X, clean) > 0.9


def test_weights_are_copies():
    rows = np.repeat(np.arange(N), COPIES.astype(int))
    for cls, target in ((MixtureOfExpertsClassifier, THREE), (MixtureOfExpertsRegressor, NUMBER)):
        weighted = cls(max_iter=6).fit(X, target, COPIES)
        copied = cls(max_iter=6).fit(X[rows], target[rows])
        np.testing.assert_allclose(weighted.objective_, copied.objective_, rtol=1e-8)
        np.testing.assert_allclose(weighted.gate_proba(X), copied.gate_proba(X), rtol=1e-6)


def test_explanations_add_up_by_columns_or_by_experts():
    for estimator in (None, learnt.DecisionTreeRegressor(max_depth=2), learnt.KNeighborsRegressor()):
        model = MixtureOfExpertsRegressor(estimator, n_experts=2, max_iter=5).fit(MIXED, NUMBER)
        for i in (0, 7):
            told = model.explain(MIXED)[i]
            assert told.add_up() == pytest.approx(model.predict(MIXED)[i])
            names = [e.column for e in told.evidence]
            assert names[:3] == ["x", "y", "town"] or names == ["member expert 0", "member expert 1"]
        assert "the gate trusts expert" in told.base_words
    model = MixtureOfExpertsClassifier(max_iter=5).fit(MIXED, THREE)
    for i in (0, 7):
        assert model.explain(MIXED)[i].add_up() == pytest.approx(model.predict_proba(MIXED)[i].max())
    vote = learnt.VotingClassifier([model, learnt.NaiveBayesClassifier()]).fit(MIXED, THREE)
    assert [e.column for e in vote.explain(MIXED)[0].evidence] == ["x", "y", "town"]


def test_mixtures_are_saved_and_printed(tmp_path):
    for cls, target in ((MixtureOfExpertsClassifier, TWO), (MixtureOfExpertsRegressor, NUMBER)):
        for method in ("em", "gradient"):
            model = cls(method=method, max_iter=4).fit(MIXED, target)
            learnt.save(model, tmp_path / "mixture.learnt")
            twin = learnt.load(tmp_path / "mixture.learnt")
            np.testing.assert_array_equal(twin.predict(MIXED), model.predict(MIXED))
            np.testing.assert_array_equal(twin.gate_proba(MIXED), model.gate_proba(MIXED))
            assert str(twin) == str(model)
            heads = [line.split(",")[0] for line in str(model).splitlines() if line[0] != " "]
            assert heads == ["expert 0", "expert 1", "gate"]


def test_experts_must_take_weights_and_have_gradients():
    with pytest.raises(ParameterError, match="takes no weights"):
        MixtureOfExpertsRegressor(PeerNeighbors()).fit(X, NUMBER)
    with pytest.raises(ParameterError, match="linear experts only"):
        MixtureOfExpertsRegressor(learnt.DecisionTreeRegressor(), method="gradient").fit(X, NUMBER)


def test_hostile_tables_do_no_harm():
    one = MixtureOfExpertsClassifier().fit(X, np.full(N, "a"))
    assert (one.predict_proba(X) == 1).all()
    for target in (np.full(N, 3.0), NUMBER * 1e150, NUMBER * 1e-150):
        model = MixtureOfExpertsRegressor().fit(X, target)
        assert np.isfinite(model.predict(X)).all()
    for bad in (np.full((N, 1), np.nan), np.ones((N, 1))):
        for method in ("em", "gradient"):
            assert np.isfinite(MixtureOfExpertsRegressor(method=method).fit(bad, NUMBER).predict(bad)).all()
            shares = MixtureOfExpertsClassifier(method=method).fit(bad, THREE).predict_proba(bad)
            np.testing.assert_allclose(shares.sum(axis=1), 1)
    few = MixtureOfExpertsClassifier(n_experts=5).fit(X[:2], ["a", "b"])
    assert np.isfinite(few.predict_proba(X)).all()
