"""AdaBoost: the rounds by hand, the bound, ways of stressing rows, many classes, margins, what it refuses."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnt
from learnt import AdaBoostClassifier, DecisionStumpClassifier, DecisionTreeClassifier, Table
from learnt.errors import ConvergenceWarning, InputError, ParameterError, SavedModelError


def rings(n: int = 300, seed: int = 0, noise: float = 0.0, k: int = 2):
    """Classes by distance from the middle: no single stump tells them apart."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype(np.float32)
    far = (x[:, :3] ** 2).sum(axis=1) + noise * rng.normal(size=n)
    return x, np.digitize(far, np.quantile(far, np.arange(1, k) / k))


def test_each_round_by_hand():
    x, y = rings(120)
    with learnt.watch() as log:
        model = AdaBoostClassifier(n_estimators=8).fit(x, y)
    w, f = np.full(120, 1 / 120), np.zeros(120)
    for t, stump in enumerate(model.estimators_):
        np.testing.assert_allclose(log["weights"][t], w, rtol=1e-9)
        wrong = stump.predict(x) != y
        e = w[wrong].sum()
        alpha = 0.5 * math.log((1 - e) / e)
        assert model.estimator_errors_[t] == pytest.approx(e, rel=1e-9)
        assert model.estimator_weights_[t] == pytest.approx(alpha, rel=1e-9)
        f += alpha * (2 * stump.predict(x) - 1)
        w = w * np.exp(np.where(wrong, alpha, -alpha))
        w /= w.sum()
        assert model.training_error_[t] == pytest.approx(np.mean((f > 0) != y))
        again = DecisionStumpClassifier().fit(x, y, log["weights"][t] * 120)
        assert again.tree_.feature[0] == stump.tree_.feature[0]
        assert again.tree_.threshold[0] == stump.tree_.threshold[0]
    np.testing.assert_allclose(model.decision_function(x), f, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(x), f > 0)
    np.testing.assert_allclose(model.predict_proba(x)[:, 1], 1 / (1 + np.exp(-2 * f)), rtol=1e-9)
    np.testing.assert_allclose(
        model.bound_, np.cumprod(2 * np.sqrt(model.estimator_errors_ * (1 - model.estimator_errors_)))
    )


def test_the_mistakes_of_a_round_weigh_half_in_the_next():
    x, y = rings(200)
    with learnt.watch() as log:
        model = AdaBoostClassifier(n_estimators=6).fit(x, y)
    for t in range(5):
        wrong = model.estimators_[t].predict(x) != y
        assert log["weights"][t + 1][wrong].sum() == pytest.approx(0.5)


tables = st.integers(0, 10**6).map(np.random.default_rng)


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(2, 40), st.integers(2, 4), st.sampled_from([0.3, 1.0, 1.5]), st.booleans())
def test_the_training_error_stays_below_the_bound_in_every_round(rng, n, k, rate, weighted):
    cells = {"x": rng.normal(size=n).round(1), "c": [None if u < 0.1 else "abc"[int(3 * u)] for u in rng.random(n)]}
    y = rng.integers(0, k, n)
    w = rng.integers(1, 5, n) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = AdaBoostClassifier(n_estimators=30, learning_rate=rate).fit(cells, y, w)
    assert (model.training_error_ <= model.bound_ + 1e-12).all()
    e = model.estimator_errors_
    if len(model.classes_) == 2 and rate == 1.0 and e[0] < 0.5:
        np.testing.assert_allclose(model.bound_, np.cumprod(2 * np.sqrt(e * (1 - e))), atol=1e-15)
    assert 1 - model.score(cells, y, w) == pytest.approx(model.training_error_[-1])
    np.testing.assert_allclose(list(model.staged_score(cells, y, w)), 1 - model.training_error_, atol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_scikit_learn_finds_the_same_errors_and_votes(k, seed, rate):
    from sklearn.ensemble import AdaBoostClassifier as Peer

    x, y = rings(400, seed, noise=0.5, k=k)
    own = AdaBoostClassifier(n_estimators=20, learning_rate=rate).fit(x, y)
    peer = Peer(n_estimators=20, learning_rate=rate, random_state=0).fit(x, y)
    np.testing.assert_allclose(own.estimator_errors_, peer.estimator_errors_, rtol=1e-9)
    half = 0.5 if k == 2 else 1.0  # scikit-learn counts both sides of a vote between two classes
    np.testing.assert_allclose(own.estimator_weights_, half * peer.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(own.predict(x), peer.predict(x))


def test_votes_of_many_classes_are_counted():
    x, y = rings(300, k=4)
    model = AdaBoostClassifier(n_estimators=15).fit(x, y)
    votes = np.zeros((300, 4))
    for alpha, stump in zip(model.estimator_weights_, model.estimators_, strict=True):
        votes[np.arange(300), stump.predict(x)] += alpha
    np.testing.assert_allclose(model.decision_function(x), votes, rtol=1e-12)
    e = model.estimator_errors_
    np.testing.assert_allclose(model.estimator_weights_, np.log((1 - e) / e) + math.log(3), rtol=1e-12)
    soft = np.exp(votes) / np.exp(votes).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(x), soft, rtol=1e-9)


def test_any_learner_boosts_and_stumps_by_the_long_way_are_the_same_stumps():
    x, y = rings(250, k=3)
    short = AdaBoostClassifier(n_estimators=10).fit(x, y)
    long = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1, nominal="equals"), n_estimators=10).fit(x, y)
    np.testing.assert_allclose(short.estimator_errors_, long.estimator_errors_, rtol=1e-12)
    np.testing.assert_allclose(short.decision_function(x), long.decision_function(x), rtol=1e-12)
    deeper = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=10).fit(x, y)
    assert deeper.score(x, y) > short.score(x, y)
    bayes = AdaBoostClassifier(learnt.NaiveBayesClassifier(), n_estimators=5).fit(x, y)
    assert bayes.score(x, y) > 0.6


def test_stumps_of_other_settings_take_the_fast_way_too():
    x, y = rings(250)
    stump = DecisionStumpClassifier(criterion="entropy", min_samples_leaf=20)
    model = AdaBoostClassifier(stump, n_estimators=8).fit(x, y)
    assert model.forest_ is not None
    with learnt.watch() as log:
        model.fit(x, y)
    for t, found in enumerate(model.estimators_):
        alone = DecisionStumpClassifier(criterion="entropy", min_samples_leaf=20).fit(x, y, log["weights"][t] * 250)
        np.testing.assert_allclose(found.tree_.threshold, alone.tree_.threshold)
        assert alone.tree_.weight[1:].min() >= 20
    slow = AdaBoostClassifier(DecisionStumpClassifier(missing="fractional"), n_estimators=3).fit(x, y)
    assert slow.forest_ is None
    assert len(slow.members_) == 3


def test_a_weight_of_two_is_the_row_twice():
    x, y = rings(200, 3, noise=1.0)
    counts = np.random.default_rng(0).integers(0, 4, 200)
    one = AdaBoostClassifier(n_estimators=12).fit(x, y, counts)
    two = AdaBoostClassifier(n_estimators=12).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(one.estimator_errors_, two.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(one.decision_function(x), two.decision_function(x), rtol=1e-9)


def test_resampling_boosts_learners_without_weights():
    x, y = rings(300)

    class _Blind(DecisionStumpClassifier):
        abilities = DecisionStumpClassifier.abilities - {"weights"}

    with pytest.raises(ParameterError, match=r"takes no weights.*by='resampling'"):
        AdaBoostClassifier(_Blind()).fit(x, y)
    one = AdaBoostClassifier(_Blind(), by="resampling", n_estimators=30).fit(x, y)
    two = AdaBoostClassifier(_Blind(), by="resampling", n_estimators=30).fit(x, y)
    np.testing.assert_array_equal(one.decision_function(x), two.decision_function(x))
    other = AdaBoostClassifier(_Blind(), by="resampling", n_estimators=30, random_state=1).fit(x, y)
    assert (one.decision_function(x) != other.decision_function(x)).any()
    single = one.estimators_[0].score(x, y)
    assert one.score(x, y) > single + 0.05
    assert (one.training_error_ <= one.bound_ + 1e-12).all()


def test_rows_are_drawn_in_proportion_to_their_weights():
    from learnt.engine.passes import Batch
    from learnt.ensemble.adaboost.rounds import drawn_by_weight

    n = 20
    weights = np.arange(1.0, n + 1)
    table, target = Table({"x": np.arange(n) * 1.0}), np.zeros(n, np.int32)
    total = np.zeros(n)
    for seed in range(2000):
        drawn = drawn_by_weight(DecisionTreeClassifier(), Batch(table, 0, target, weights), seed)
        total += np.bincount(drawn.table["x"].values.astype(int), drawn.weights, n)
    expected = 2000 * n * weights / weights.sum()
    assert (np.abs(total - expected) < 5 * np.sqrt(expected)).all()


def test_a_sample_that_teaches_nothing_is_drawn_again():
    """A learner that errs on purpose when shown an odd number of different rows: some samples are no use."""

    class _Fickle(DecisionStumpClassifier):
        abilities = DecisionStumpClassifier.abilities - {"weights"}

        def _grown_tree(self, table, target, weights):
            odd = len(np.unique(table["x"].values)) % 2
            return super()._grown_tree(table, 1 - target if odd else target, weights)

    x = np.arange(30) * 1.0
    model = AdaBoostClassifier(_Fickle(), by="resampling", n_estimators=10).fit({"x": x}, x > 12)
    assert (model.estimator_errors_ < 0.5).all()
    assert model.score({"x": x}, x > 12) > 0.9


def test_a_hypothesis_without_error_is_kept_and_ends_it():
    x = np.arange(10) * 1.0
    model = AdaBoostClassifier().fit({"x": x}, x > 4)
    assert len(model.estimators_) == 1
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.bound_.tolist() == model.training_error_.tolist() == [0.0]
    assert "no row is wrong" in model.stopped_
    late = AdaBoostClassifier(hypotheses=[lambda t: t["a"].values > 0, lambda t: t["b"].values > 0])
    cells = {"a": [1.0, 1, -1, -1, 1], "b": [1.0, 1, -1, -1, -1]}
    late.fit(cells, [True, True, False, False, False])
    assert late.picked_.tolist() == [1]


def test_a_perfect_late_hypothesis_outvotes_all_before_it():
    from learnt.ensemble.adaboost.rounds import boost

    class Two:
        def next(self, weights, number):
            return number, np.array([0, 0, 1, 1]) if number == 1 else np.array([0, 0, 1, 0])

    found = boost(Two(), np.array([0, 0, 1, 1]), np.ones(4), 2, n_rounds=5, rate=1.0, owner="test")
    assert found.alphas[1] > found.alphas[0]
    assert found.training_errors == [0.25, 0.0]
    assert found.bounds[1] == 0.0


def test_no_better_than_guessing_is_said_and_stops():
    xor = {"a": [0.0, 0, 1, 1], "b": [0.0, 1, 0, 1]}
    with pytest.warns(ConvergenceWarning, match=r"errs on 0\.5 .* no better than guessing \(0\.5\)"):
        model = AdaBoostClassifier().fit(xor, [0, 1, 1, 0])
    assert len(model.estimators_) == 1
    assert "no better than guessing" in model.stopped_

    def left(table):
        return (table["a"].values > 0).astype(int)

    later = AdaBoostClassifier(hypotheses=[left]).fit({"a": [0.0, 0, 1, 1, 1]}, [0, 1, 1, 1, 1])
    assert len(later.estimators_) == 1
    assert later.stopped_ == "Round 1: error 0.5 is no better than guessing (0.5)."


def test_one_class_is_answered():
    model = AdaBoostClassifier().fit({"x": [1.0, 2.0]}, ["a", "a"])
    assert model.predict({"x": [5.0]}).tolist() == ["a"]
    assert model.predict_proba({"x": [5.0]}).tolist() == [[1.0]]
    assert model.explain({"x": [5.0]})[0].prediction == "a"


def test_margins_grow_while_the_training_error_is_zero():
    x, y = rings(150)
    few, many = (AdaBoostClassifier(n_estimators=n).fit(x, y) for n in (400, 1600))
    few_margins, many_margins = few.margins(x, y), learnt.margins(many, x, y)
    assert few.training_error_[-1] == many.training_error_[-1] == 0
    assert many_margins.values.min() > few_margins.values.min() > 0
    assert np.quantile(many_margins, 0.05) > np.quantile(few_margins, 0.05)


def test_margins_are_what_the_definition_says():
    x, y = rings(80, k=3)
    model = AdaBoostClassifier(n_estimators=7).fit(x, y)
    votes = model.decision_function(x) / model.estimator_weights_.sum()
    expected = [votes[i, y[i]] - max(votes[i, c] for c in range(3) if c != y[i]) for i in range(80)]
    found = model.margins(x, y)
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-12)
    sure = found.values != 0
    np.testing.assert_array_equal(found.values[sure] > 0, (model.predict(x) == y)[sure])
    assert len(found) == 80
    x, y = rings(80)
    pair = AdaBoostClassifier(n_estimators=7).fit(x, y)
    signed = pair.decision_function(x) * (2 * y - 1) / pair.estimator_weights_.sum()
    np.testing.assert_allclose(pair.margins(x, y).values, signed, atol=1e-12)
    unknown = pair.margins(x, np.where(y == 0, 7, 1))  # a class it never met
    assert (unknown.values[y == 0] < 0).all()


def test_margins_need_a_classifier():
    with pytest.raises(InputError, match=r"Margins need a classifier\. Got MeanRegressor"):
        learnt.margins(learnt.MeanRegressor().fit({"x": [1.0]}, [1.0]), {"x": [1.0]}, [1.0])


def test_explanations_group_votes_by_column_and_lead_to_the_answer():
    table = learnt.datasets.load("vote")
    model = AdaBoostClassifier(n_estimators=20).fit(table)
    told = model.explain(table)[0]
    lead = abs(model.decision_function(table)[0])
    assert told.total == pytest.approx(lead)
    assert told.add_up() == pytest.approx(lead)
    assert [e.column for e in told.evidence] == [n for n in table.names if n != table.target]
    others = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(table)
    told = others.explain(table)[3]
    assert [e.column for e in told.evidence] == [f"round {t}" for t in range(len(others.estimators_))]
    assert told.total == pytest.approx(abs(others.decision_function(table)[3]))


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({"estimator": learnt.MeanRegressor()}, "classifier of learnt"),
        ({"estimator": "stump"}, "classifier of learnt"),
        ({"n_estimators": 0}, "a whole number ≥ 1"),
        ({"learning_rate": 0.0}, "> 0"),
        ({"by": "chance"}, "'weights', 'resampling'"),
        ({"hypotheses": []}, "a list of fitted classifiers"),
        ({"hypotheses": [DecisionStumpClassifier()]}, "a list of fitted classifiers"),
        ({"hypotheses": [len], "estimator": DecisionStumpClassifier()}, "Give one of them"),
    ],
)
def test_wrong_settings_are_told_before_any_work(settings_, words):
    with pytest.raises(ParameterError, match=words):
        AdaBoostClassifier(**settings_).fit({"x": [1.0, 2.0]}, [0, 1])


def test_hypotheses_that_answer_nonsense_are_told():
    cells, y = {"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"]
    with pytest.raises(InputError, match="gave the label 'c', which is not a class"):
        AdaBoostClassifier(hypotheses=[lambda t: ["c"] * 3]).fit(cells, y)
    with pytest.raises(InputError, match=r"shape \(2,\) for 3 rows"):
        AdaBoostClassifier(hypotheses=[lambda t: ["a"] * 2]).fit(cells, y)


def test_fitted_learners_can_be_the_hypotheses_and_are_saved(tmp_path):
    x, y = rings(200)
    pool = [DecisionStumpClassifier().fit(x[i : i + 40], y[i : i + 40]) for i in range(0, 200, 40)]
    model = AdaBoostClassifier(hypotheses=pool, n_estimators=10).fit(x, y)
    assert set(model.picked_.tolist()) <= set(range(5))
    assert model.estimator_errors_[0] == pytest.approx(1 - max(h.score(x, y) for h in pool))
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    np.testing.assert_array_equal(again.decision_function(x), model.decision_function(x))
    code = AdaBoostClassifier(hypotheses=[lambda t: np.ones(t.n_rows, int)], n_estimators=1).fit(x, np.maximum(y, 1))
    with pytest.raises(ParameterError, match="holds no code"):
        learnt.save(code, tmp_path / "f.learnt")


def test_models_whose_parts_contradict_each_other_are_refused(tmp_path):
    x, y = rings(100)
    for field, value in (
        ("estimator_weights_", np.ones(3)),
        ("estimator_weights_", np.full(5, np.nan)),
        ("bound_", np.ones(2)),
        ("forest_", None),
        ("picked_", np.array([7])),
        ("classes_", np.array([0, 1, 2])),
        ("members_", [learnt.MeanRegressor().fit({"x": [1.0]}, [1.0])]),
    ):
        model = AdaBoostClassifier(n_estimators=5).fit(x, y)
        setattr(model, field, value)
        learnt.save(model, tmp_path / "broken.learnt")
        with pytest.raises(SavedModelError):
            learnt.load(tmp_path / "broken.learnt")


def test_progress_is_told_and_stopping_leaves_the_learner_alone():
    x, y = rings(100)
    model = AdaBoostClassifier(n_estimators=3).fit(x, y)
    before = model.decision_function(x)

    def stop(step):
        if step.iteration == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), learnt.watch(stop):
        model.set_params(n_estimators=50).fit(x, y)
    np.testing.assert_array_equal(model.decision_function(x), before)


def test_scans_are_told_to_be_read(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(InputError, match="must be in memory"):
        AdaBoostClassifier().fit(learnt.scan(tmp_path / "rows.csv"), "y")


@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_where_nothing_can_be_learnt_the_shares_of_the_classes_are_answered(labels):
    y = list(labels) * 20
    with pytest.warns(ConvergenceWarning, match="no better than guessing"):
        model = AdaBoostClassifier().fit({"x": [1.0] * len(y)}, y)
    np.testing.assert_allclose(model.predict_proba({"x": [1.0]}), [[1 / len(labels)] * len(labels)], atol=1e-9)
