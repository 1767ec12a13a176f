"""Bootstrap, optimism, learning and validation curves: against hand-worked NumPy and against what is known."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

import learnt
from learnt.baseline import MajorityClassifier, MeanRegressor
from learnt.errors import InputError, LearntError, ParameterError
from learnt.evaluate import bootstrap_632, learning_curve, optimism, validation_curve
from learnt.evaluate.bootstrap import BootstrapEstimate, resamples
from learnt.evaluate.folds import run_fold
from learnt.evaluate.learning_curves import LearningCurve
from learnt.evaluate.metrics.scoring import METRICS
from learnt.evaluate.problem import problem

pytestmark = pytest.mark.usefixtures("forked_workers")


def noise_labels(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.5, "a", "b")


# Bootstrap


def by_hand(learner, X, y, n, seed=0):
    """Efron and Tibshirani's formulas for the error rate, in plain NumPy over the same resamples."""
    task = problem(X, y, task="classification")
    whole = learner.fit(X, y)
    answers = whole.predict(X)
    apparent = np.mean(answers != y)
    left = []
    from learnt.learner.parameters import seed_from

    for fold in resamples(task, n, seed_from(seed)):
        model = learner.fit(X[fold.train], y[fold.train])
        left.append(np.mean(model.predict(X[fold.test]) != y[fold.test]))
    err1 = np.mean(left)
    gamma = np.mean(y[:, None] != answers[None, :])
    err1_bounded = min(err1, gamma)
    rate = (err1_bounded - apparent) / (gamma - apparent) if err1_bounded > apparent and gamma > apparent else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    plain = 0.368 * apparent + 0.632 * err1
    return apparent, err1, gamma, rate, plain, (1 - weight) * apparent + weight * err1_bounded


@pytest.mark.costly
@pytest.mark.parametrize("neighbours", [1, 7])
@pytest.mark.parametrize("data", [noise_labels(), (learnt.datasets.load("iris"), None)], ids=["noise", "iris"])
def test_the_estimates_are_those_worked_by_hand(neighbours, data):
    X, y = data
    if y is None:
        y = np.array(X["class"].labels())
        X = np.column_stack([X[name].values for name in X.names[:4]])
    learner = KNeighborsClassifier(neighbours)
    apparent, err1, gamma, rate, plain, plus = by_hand(learner, X, y, 30)
    found = bootstrap_632(learner, X, y, n=30)
    assert found.apparent == pytest.approx(1 - apparent)
    assert found.left_out == pytest.approx(1 - err1)
    assert found.no_information == pytest.approx(1 - gamma)
    assert found.overfitting == pytest.approx(rate)
    assert found.point_632 == pytest.approx(1 - plain)
    assert found.estimate == pytest.approx(1 - plus)
    assert bootstrap_632(learner, X, y, n=30, plus=False).estimate == pytest.approx(1 - plain)


def test_memorised_noise_is_seen_through_by_the_632_plus_but_not_by_the_632():
    X, y = noise_labels(60)
    found = bootstrap_632(KNeighborsClassifier(1), X, y, n=60)
    assert found.apparent == 1
    assert found.point_632 > 0.62  # a good half of the way to the truth, 0.5
    assert abs(found.estimate - 0.5) < 0.1
    assert found.overfitting > 0.85


def test_errors_of_numbers_are_weighed_like_shares_of_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + rng.normal(size=80)
    found = bootstrap_632(DecisionTreeRegressor(random_state=0), X, y, n=40, metric="mse")
    assert found.apparent == 0
    assert found.no_information == pytest.approx(np.mean((y[:, None] - y[None, :]) ** 2))
    assert found.apparent < found.point_632 < found.left_out
    assert found.point_632 < found.estimate <= max(found.left_out, found.no_information)
    low, high = found.interval()
    assert low < found.estimate < high


def test_the_baseline_does_not_overfit():
    found = bootstrap_632(MajorityClassifier(), {"x": range(90), "y": ["p"] * 60 + ["q"] * 30}, "y", n=50)
    assert found.no_information == pytest.approx(2 / 3)
    assert found.overfitting < 0.2
    assert found.estimate == pytest.approx(2 / 3, abs=0.03)


def test_the_numbers_do_not_depend_on_processes():
    X, y = noise_labels()
    one, two = (bootstrap_632(learnt.C45Classifier(), X, y, n=12, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.scores, two.scores)
    assert one.estimate == two.estimate


def test_it_prints_and_draws_itself():
    import matplotlib as mpl

    mpl.use("Agg")
    found = bootstrap_632(MajorityClassifier(), *noise_labels(), n=10)
    assert ".632+ estimate" in str(found)
    assert isinstance(found, BootstrapEstimate)
    assert len(found.plot().lines) == 3


# Optimism


def test_optimism_of_least_squares_is_about_two_p_over_n():
    """Mallows: the mean squared error on the training rows is too small by 2σ²p/n."""
    rng = np.random.default_rng(1)
    n, p = 200, 20
    X = rng.normal(size=(n, p))
    y = X[:, 0] + rng.normal(size=n)
    found = optimism(Ridge(alpha=1e-9), X, y, metric="mse", n=60)
    assert found.optimism == pytest.approx(2 * (p + 1) / n, rel=0.3)
    assert found.corrected == pytest.approx(found.apparent + found.optimism)
    assert 0 < found.standard_error < found.optimism / 3


def test_optimism_is_what_the_resamples_say_by_hand():
    X, y = noise_labels(30)
    task = problem(X, y)
    from learnt.learner.parameters import seed_from

    differences = []
    for fold in resamples(task, 8, seed_from(0)):
        model = learnt.NaiveBayesClassifier().fit(X[fold.train], y[fold.train])
        own = np.mean(model.predict(X[fold.train]) == y[fold.train])
        differences.append(own - np.mean(model.predict(X) == y))
    found = optimism(learnt.NaiveBayesClassifier(), X, y, n=8)
    np.testing.assert_allclose(found.differences, differences)
    assert found.corrected == pytest.approx(found.apparent - np.mean(differences))
    assert "too good by" in str(found)


def test_a_learner_that_learns_nothing_has_no_optimism_to_speak_of():
    found = optimism(MeanRegressor(), np.zeros((300, 1)), np.random.default_rng(0).normal(size=300), n=50)
    assert abs(found.optimism) < 0.03


# Learning curves


def test_a_learning_curve_trains_on_parts_and_tests_the_same_rows():
    iris = learnt.datasets.load("iris")
    curve = learning_curve(learnt.NaiveBayesClassifier(), iris, sizes=[15, 60, 1.0], cv=5)
    assert curve.sizes.tolist() == [15, 60, 120]
    assert curve.test_scores.shape == curve.training_scores.shape == (3, 5)
    whole = learnt.cross_validate(learnt.NaiveBayesClassifier(), iris, cv=5, train_scores=True)
    np.testing.assert_array_equal(curve.test_scores[-1], whole.scores["accuracy"])
    np.testing.assert_array_equal(curve.training_scores[-1], whole.training_scores["accuracy"])


def test_sizes_are_in_equal_ratios_unless_given():
    curve = learning_curve(MajorityClassifier(), learnt.datasets.load("iris"), sizes=4, cv=5)
    ratios = curve.sizes[1:] / curve.sizes[:-1]
    assert curve.sizes[0] == 10
    assert curve.sizes[-1] == 120
    assert ratios.max() / ratios.min() < 1.1


def exact_curve(a, b, c, name, sizes=(10, 20, 40, 80, 160)):
    sizes = np.array(sizes)
    scores = (a + b * sizes ** (-c))[:, None] * np.ones((1, 4))
    return LearningCurve("x", METRICS[name], sizes, scores, scores, 40.0, 10.0)


@pytest.mark.parametrize(("a", "b", "c", "name"), [(0.9, -0.8, 0.5, "accuracy"), (2.0, 5.0, 1.0, "rmse")])
def test_a_power_law_is_found_again(a, b, c, name):
    curve = exact_curve(a, b, c, name)
    np.testing.assert_allclose(curve.power_law(), (a, b, c), rtol=0.05)
    assert curve.at(320) == pytest.approx(a + b * 320**-c, rel=1e-3)
    assert "320 rows instead of 160" in curve.outlook


def test_the_end_of_the_curve_stays_within_the_metric():
    curve = exact_curve(1.3, -1.5, 0.2, "accuracy")
    assert curve.power_law()[0] <= 1


def test_no_gain_is_said_and_nothing_is_extrapolated():
    for curve in (exact_curve(0.5, 0.4, 0.5, "accuracy"), exact_curve(0.9, -0.5, 0.5, "accuracy", sizes=(10, 20, 40))):
        assert curve.power_law() is None
        assert np.isnan(curve.at(1000))
        assert "no steady gain" in curve.outlook


def test_more_rows_help_a_tree_and_the_curve_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=600)
    curve = learning_curve(learnt.DecisionTreeRegressor(), X, y, sizes=5, cv=4, n_jobs=1)
    assert curve.means[-1] < 0.6 * curve.means[0]
    assert curve.at(1000) < curve.means[-1]
    assert "training" in str(curve)


@pytest.mark.parametrize("sizes", [[0], [500], [1.5], ["x"], [-1], "all", 1.5])
def test_sizes_that_cannot_be_are_said(sizes):
    with pytest.raises(ParameterError, match="sizes"):
        learning_curve(MajorityClassifier(), learnt.datasets.load("iris"), sizes=sizes, cv=5)


# Validation curves


def test_a_validation_curve_is_a_cross_validation_per_value():
    iris = learnt.datasets.load("iris")
    values = [1, 2, 4]
    curve = validation_curve(
        learnt.DecisionTreeClassifier(), iris, parameter="max_depth", values=values, cv=5, metric="log_loss"
    )
    for place, depth in enumerate(values):
        by_hand = learnt.cross_validate(
            learnt.DecisionTreeClassifier(max_depth=depth), iris, cv=5, metrics="log_loss", train_scores=True
        )
        np.testing.assert_array_equal(curve.test_scores[place], by_hand.scores["log_loss"])
        np.testing.assert_array_equal(curve.training_scores[place], by_hand.training_scores["log_loss"])
    assert curve.best == values[int(curve.means.argmin())]
    assert "max_depth" in str(curve)


def test_settings_of_learners_inside_can_be_varied():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = noise_labels()
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    curve = validation_curve(pipeline, X, y, parameter="kneighborsclassifier__n_neighbors", values=[1, 5], cv=4)
    assert curve.training_scores[0].tolist() == [1, 1, 1, 1]
    assert pipeline.get_params()["kneighborsclassifier__n_neighbors"] == 5


@pytest.mark.costly
def test_pictures_have_a_held_out_and_a_training_curve():
    import matplotlib as mpl

    mpl.use("Agg")
    iris = learnt.datasets.load("iris")
    curve = learning_curve(learnt.NaiveBayesClassifier(), iris, sizes=[12, 24, 48, 96], cv=5)
    np.testing.assert_array_equal(curve.plot().lines[0].get_ydata(), curve.means)
    by_depth = validation_curve(learnt.DecisionTreeClassifier(), iris, parameter="max_depth", values=[1, None], cv=5)
    assert [t.get_text() for t in by_depth.plot().get_xticklabels()] == ["1", "None"]
    np.testing.assert_array_equal(by_depth.plot().lines[0].get_ydata(), by_depth.means)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda X, y: validation_curve(MajorityClassifier(), X, y, parameter="depth", values=[1]),
            "no setting 'depth'",
        ),
        (lambda X, y: validation_curve(Ridge(), X, y, parameter="alpha", values=[]), "empty"),
        (lambda X, y: bootstrap_632(MajorityClassifier(), X, y, n=0), "n=0 is not allowed"),
        (lambda X, y: optimism(MajorityClassifier(), X, y, random_state="x"), "random_state='x'"),
        (lambda X, y: bootstrap_632(MajorityClassifier(), X, y, metric="rmse"), "not for binary tasks"),
    ],
)
def test_wrong_calls_are_said(call, message):
    with pytest.raises(LearntError, match=message):
        call(*noise_labels())


def test_resamples_are_the_same_for_a_seed_and_leave_their_tests_out():
    task = problem(*noise_labels())
    first, second = (list(resamples(task, 3, 9)) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.train, b.train)
        assert not set(a.train.tolist()) & set(a.test.tolist())
    assert run_fold(MajorityClassifier(), task, first[0]).n_train == 40
    with pytest.raises(InputError, match="at least two rows"):
        next(resamples(problem([[1.0]], ["a"]), 3, 9))
