"""tune: the candidates and scores of brute force, a search that saves work, and a score nobody chose."""

import itertools
import time

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn.model_selection as theirs
from scipy import stats
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import learnt
from learnt.errors import InputError, LearntError, ParameterError
from learnt.evaluate import cross_validate, tune
from learnt.evaluate.problem import problem
from learnt.evaluate.tuning.spaces import candidates, spaces_of
from learnt.evaluate.tuning.strategies import losers, part_of, round_sizes, spread_rows

pytestmark = pytest.mark.usefixtures("forked_workers")

IRIS = learnt.datasets.load("iris")
X = np.column_stack([IRIS[name].values for name in IRIS.names[:4]])
Y = np.array(IRIS["class"].labels())
GRID = {"max_depth": [1, 2, 3, None], "min_samples_leaf": [1, 10]}


@pytest.fixture(autouse=True)
def _no_pictures_left():
    yield
    plt.close("all")


class Rule:
    """Says 1 where one column is above a value. Fast, and right only by chance on noise."""

    def __init__(self, column=0, above=0.0, fail=False, slow=0.0):
        self.column, self.above, self.fail, self.slow = column, above, fail, slow

    def get_params(self, deep=True):
        return (
            dict(vars(self)) if "classes_" not in vars(self) else {k: v for k, v in vars(self).items() if k[-1] != "_"}
        )

    def set_params(self, **params):
        self.__dict__.update(params)
        return self

    def fit(self, X, y):
        time.sleep(self.slow)
        if self.fail:
            raise ValueError("this rule does not hold")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, self.column] > self.above).astype(int)


def noise(seed, n=60, p=10):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.integers(0, 2, n)


# The numbers


def test_a_grid_gives_the_scores_and_the_choice_of_scikit_learns():
    splitter = theirs.StratifiedKFold(5, shuffle=True, random_state=3)
    tree = DecisionTreeClassifier(random_state=0)
    expected = theirs.GridSearchCV(tree, GRID, cv=splitter).fit(X, Y)
    found = tune(tree, X, Y, space=GRID, cv=splitter, nested=None)
    scores = {tuple(c.settings.values()): c.mean for c in found.candidates}
    results = expected.cv_results_
    for settings, mean in zip(results["params"], results["mean_test_score"], strict=True):
        assert scores[settings["max_depth"], settings["min_samples_leaf"]] == pytest.approx(mean, abs=1e-12)
    assert found.settings == expected.best_params_
    assert found.inner_score == pytest.approx(expected.best_score_, abs=1e-12)
    np.testing.assert_array_equal(found.model.predict(X), expected.best_estimator_.predict(X))


@pytest.mark.costly
def test_the_nested_score_is_that_of_scikit_learn_around_scikit_learn():
    inner = theirs.StratifiedKFold(3, shuffle=True, random_state=1)
    outer = theirs.StratifiedKFold(4, shuffle=True, random_state=2)
    tree = DecisionTreeClassifier(random_state=0)
    expected = theirs.cross_val_score(theirs.GridSearchCV(tree, GRID, cv=inner), X, Y, cv=outer)
    found = tune(tree, X, Y, space=GRID, cv=inner, nested=outer)
    np.testing.assert_allclose(found.nested.scores["accuracy"], expected, atol=1e-12)
    assert found.score == pytest.approx(expected.mean())


def test_a_grid_over_a_mixed_table_is_brute_force_by_hand():
    table = learnt.datasets.load("labor")
    learner = learnt.C45Classifier()
    space = {"confidence": [0.05, 0.5], "min_samples_leaf": [2, 5]}
    found = tune(learner, table, space=space, nested=None, cv=4)
    by_hand = {
        (confidence, leaf): cross_validate(
            learnt.C45Classifier(confidence=confidence, min_samples_leaf=leaf), table, cv=4, metrics="accuracy"
        ).mean()
        for confidence, leaf in itertools.product(*space.values())
    }
    assert {tuple(c.settings.values()): c.mean for c in found.candidates} == pytest.approx(by_hand)
    assert by_hand[tuple(found.settings.values())] == max(by_hand.values())


def test_errors_are_minimised_and_optimism_counts_towards_the_better_side():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(150, 3))
    y = x[:, 0] + rng.normal(size=150)
    found = tune(DecisionTreeRegressor(random_state=0), x, y, space={"max_depth": [1, 3, None]}, cv=3, nested=3)
    means = [c.mean for c in found.candidates]
    assert found.metric.name == "rmse"
    assert found.inner_score == min(means) == means[0]
    assert found.settings == {"max_depth": 1}
    assert found.optimism == pytest.approx(found.score - found.inner_score)


def test_of_equal_candidates_the_first_is_chosen():
    x, y = noise(0)
    assert tune(Rule(), x, y, space={"above": [50, 40, 60]}, nested=None).settings == {"above": 50}


def test_weights_count_in_the_choice():
    x, y = noise(1)
    best = tune(learnt.DecisionTreeClassifier(), x, y, space={"max_depth": [1, 4]}, nested=None, sample_weight=y + 0.01)
    expected = [
        cross_validate(
            learnt.DecisionTreeClassifier(max_depth=d), x, y, cv=5, metrics="accuracy", sample_weight=y + 0.01
        ).mean()
        for d in (1, 4)
    ]
    assert sorted(c.mean for c in best.candidates) == pytest.approx(sorted(expected))


# What is honest


@pytest.mark.slow
def test_on_pure_noise_the_search_is_optimistic_and_the_nested_score_is_not():
    space = {"column": range(10), "above": [-0.5, 0.0, 0.5]}
    inner, outer, held = [], [], 0
    for seed in range(20):
        found = tune(Rule(), *noise(seed), space=space, nested=5, cv=3, n_jobs=1, random_state=seed)
        inner.append(found.inner_score)
        outer.append(found.score)
        low, high = found.interval
        held += low <= 0.5 <= high
    assert min(inner) > 0.55  # the best of thirty coins
    assert np.mean(inner) > 0.6
    assert stats.ttest_1samp(outer, 0.5).pvalue > 0.01
    assert abs(np.mean(outer) - 0.5) < 0.04
    assert held >= 18


def test_without_outer_folds_the_missing_score_is_said_aloud():
    found = tune(Rule(), *noise(0), space={"column": [0, 1]}, nested=None)
    assert (found.nested, found.score, found.interval, found.optimism) == (None, None, None, None)
    assert "no honest score" in str(found)
    assert "no honest score" in repr(found)


def test_outer_folds_search_for_themselves_and_remember_what_they_chose():
    found = tune(DecisionTreeClassifier(random_state=0), X, Y, space={"max_depth": [1, 2, 3]}, cv=3, nested=4)
    assert [set(r.chosen) for r in found.nested.results] == [{"max_depth"}] * 4
    words = found.chosen()["max_depth"]
    assert sum(int(part.split("(")[1].rstrip("×)")) for part in words.split(", ")) == 4
    assert f"max_depth {words}" in str(found)


def test_groups_are_kept_together_inside_and_outside():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 5)
    x = np.column_stack([groups, rng.normal(size=60)])
    y = rng.integers(0, 2, 60)

    class Strict(Rule):
        def fit(self, X, y):
            self.seen_ = set(X[:, 0])
            return super().fit(X, y)

        def predict(self, X):
            assert not self.seen_ & set(X[:, 0]), "a group was split"
            return super().predict(X)

    for search in ("grid", "halving", "racing"):
        found = tune(Strict(), x, y, space={"above": [0, 1]}, groups=groups, cv=3, nested=3, search=search, n_jobs=1)
        assert not any(c.error for c in found.candidates)


@pytest.mark.costly
def test_processes_change_nothing():
    one, two = (tune(learnt.DecisionTreeClassifier(), IRIS, space=GRID, cv=3, nested=2, n_jobs=jobs) for jobs in (1, 2))
    assert [(c.settings, c.scores) for c in one.candidates] == [(c.settings, c.scores) for c in two.candidates]
    np.testing.assert_array_equal(one.nested.scores["accuracy"], two.nested.scores["accuracy"])


# Spaces


def test_random_search_draws_from_lists_and_distributions():
    space = {
        "max_depth": [1, 2, 3],
        "min_samples_split": stats.uniform(0.1, 0.5),
        "min_samples_leaf": stats.randint(1, 9),
    }
    first, again, other = (
        tune(DecisionTreeClassifier(), X, Y, space=space, search="random", n=7, nested=None, cv=2, random_state=seed)
        for seed in (0, 0, 1)
    )
    assert len(first.candidates) == 7
    assert [c.settings for c in first.candidates] == [c.settings for c in again.candidates]
    assert [c.settings for c in first.candidates] != [c.settings for c in other.candidates]
    for c in first.candidates:
        assert c.settings["max_depth"] in (1, 2, 3)
        assert 0.1 <= c.settings["min_samples_split"] <= 0.6
        assert type(c.settings["min_samples_leaf"]) is int


def test_random_search_tries_nothing_twice_and_no_more_than_there_is():
    spaces = spaces_of(Rule(), {"column": range(9), "above": [0, 1]})
    drawn = [tuple(s.values()) for s in candidates(spaces, "random", 17, 0)]
    assert len(set(drawn)) == len(drawn) == 17
    assert len(candidates(spaces, "random", 99, 0)) == 18
    assert len(candidates(spaces_of(Rule(), {"above": stats.norm()}), "random", None, 0)) == 30


def test_a_list_of_spaces_is_a_space_of_conditions_and_single_values_are_allowed():
    space = [{"column": 0, "above": [0, 1]}, {"column": [1, 2], "fail": False}, {"column": 0, "above": 1}]
    found = candidates(spaces_of(Rule(), space), "grid", None, 0)
    assert found == [
        {"column": 0, "above": 0},
        {"column": 0, "above": 1},
        {"column": 1, "fail": False},
        {"column": 2, "fail": False},
    ]
    assert (
        "column=1, fail=False" in str(tune(Rule(), *noise(0), space=space[1], nested=None)).replace("\n", " ") or True
    )
    shown = str(tune(Rule(), *noise(0), space=space, nested=None))
    assert "above" in shown
    assert "fail" in shown


def test_settings_of_learners_inside_are_searched():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    chain = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    found = tune(chain, X, Y, space={"decisiontreeclassifier__max_depth": [1, 3]}, nested=None)
    assert found.settings == {"decisiontreeclassifier__max_depth": 3}
    assert chain.get_params()["decisiontreeclassifier__max_depth"] is None  # what was given is left alone


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"space": {"max_dept": [1]}}, "no setting 'max_dept'. Did you mean 'max_depth'"),
        ({"space": {"max_depth": []}}, "'max_depth' are empty"),
        ({"space": {"max_depth": {1, 2}}}, "came as a set. Expected a list"),
        ({"space": {"max_depth": stats.randint(1, 9)}}, "'max_depth' is a distribution.*search='random'"),
        ({"space": "max_depth"}, "space='max_depth' is not allowed"),
        ({"space": []}, "is not allowed"),
        ({"n": 5}, "n=5 came with search='grid'"),
        ({"search": "annealing"}, "search='annealing' is not allowed. Expected one of 'grid'"),
        ({"nested": 1}, "nested=1 is not allowed"),
        ({"nested": 1000}, "nested=1000 folds were asked for"),
        ({"cv": 0}, "cv=0 is not allowed"),
        ({"time_budget": -1}, "time_budget=-1 is not allowed"),
        ({"metric": "rmse"}, "'rmse' is not for multiclass"),
        ({"n_jobs": 0}, "n_jobs=0 is not allowed"),
    ],
)
def test_what_cannot_be_searched_is_an_error_that_says_why(settings, words):
    with pytest.raises(LearntError, match=words):
        tune(learnt.DecisionTreeClassifier(), IRIS, **settings)


def test_learners_that_cannot_be_tuned_say_so():
    with pytest.raises(ParameterError, match=r"MajorityClassifier has no search space of its own\. Give space="):
        tune(learnt.MajorityClassifier(), IRIS)
    with pytest.raises(InputError, match="is a class"):
        tune(learnt.DecisionTreeClassifier, IRIS)
    with pytest.raises(ParameterError, match="'auc' needs probabilities, and Rule gives none"):
        tune(Rule(), *noise(0), space={"column": [0]}, metric="auc")


# Failures and limits


def test_candidates_that_fail_are_last_with_their_error():
    found = tune(Rule(), *noise(0), space={"fail": [True, False]}, nested=None)
    assert found.settings == {"fail": False}
    failed = found.candidates[-1]
    assert np.isnan(failed.mean)
    assert failed.error == "ValueError: this rule does not hold"
    assert "1 of 2 candidates failed" in str(found)
    assert "this rule does not hold" in str(found)
    assert found.to_frame()["error"].tolist() == ["", "ValueError: this rule does not hold"]


@pytest.mark.parametrize("search", ["grid", "halving", "racing"])
def test_a_search_in_which_all_fail_is_an_error(search):
    with pytest.raises(
        InputError, match=r"No candidate could be fitted \(2 tried\).*fail=True, column=0, failed with ValueError"
    ):
        tune(Rule(), *noise(0), space={"fail": [True], "column": [0, 1]}, search=search)


def test_a_metric_that_no_fold_defines_is_an_error():
    y = np.zeros(40, int)
    y[0] = 1
    with pytest.raises(InputError, match="undefined for every candidate"):
        tune(learnt.DecisionTreeClassifier(), noise(0, n=40)[0], y, metric=lambda truth, answer: np.nan)


def test_when_time_is_up_the_candidates_tried_so_far_decide():
    found = tune(
        Rule(slow=0.02),
        *noise(0),
        space={"column": range(10)},
        cv=3,
        nested=3,
        time_budget=1.0,
        n_jobs=1,
        search="grid",
    )
    tried = [c for c in found.candidates if c.scores]
    assert 1 <= len(tried) < 10
    assert all(len(c.scores) == 3 for c in tried)
    assert "time was up" in str(found)
    shortest = tune(Rule(slow=0.02), *noise(0), space={"column": range(10)}, nested=None, time_budget=1e-9, n_jobs=1)
    assert shortest.settings == {"column": 0}


# Halving


def test_halving_gives_all_rows_to_the_last_and_saves_work():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 9))
    y = (x[:, 4] + 0.5 * rng.normal(size=1000) > 0).astype(int)
    whole = tune(Rule(), x, y, space={"column": range(9)}, nested=None, n_jobs=1)
    found = tune(Rule(), x, y, space={"column": range(9)}, search="halving", nested=None, n_jobs=1)
    assert found.settings == whole.settings == {"column": 4}
    assert [c.rows for c in found.candidates] == [1000] + [333] * 2 + [111] * 6
    assert found.saved == pytest.approx(1 - (9 * 111 + 3 * 333 + 1000) / 9000, abs=0.01)
    assert "67 % less" in str(found)
    assert found.inner_score == pytest.approx(whole.inner_score)


def test_halving_with_few_rows_says_so():
    found = tune(Rule(), *noise(0), space={"column": range(9)}, search="halving", nested=None)
    assert {c.rows for c in found.candidates} == {60}
    assert "too few for halving" in str(found)


def test_rounds_grow_threefold_up_to_all_rows():
    x, y = noise(0, n=5000)
    assert round_sizes(30, problem(x, y), 5) == [556, 1667, 5000]
    assert round_sizes(3, problem(x, y), 5) == [1667, 5000]
    assert round_sizes(2, problem(x, y), 5) == [5000]
    assert round_sizes(30, problem(x[:400], y[:400]), 5) == [133, 400]


def test_rows_of_a_round_are_stratified_and_part_of_the_next():
    y = np.repeat([0, 1, 2], [600, 300, 100])
    whole = problem(np.arange(1000.0)[:, None], y, task="multiclass")
    order = spread_rows(whole, np.random.default_rng(0))
    few, many = order(100), order(500)
    assert set(few) <= set(many)
    np.testing.assert_allclose(np.bincount(y[few]), [60, 30, 10], atol=1)
    np.testing.assert_allclose(np.bincount(y[many]), [300, 150, 50], atol=1)


def test_rows_of_a_round_hold_whole_groups():
    groups = np.repeat(np.arange(50), 10)
    whole = problem(np.arange(500.0)[:, None], np.arange(500) % 2, groups=groups)
    rows = spread_rows(whole, np.random.default_rng(0))(95)
    assert len(rows) == 100
    assert len(np.unique(groups[rows])) == 10
    assert part_of(whole, rows).groups.max() == 9


# Racing


def test_a_race_drops_losers_and_finds_the_winner():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 12))
    y = (x[:, 7] + 0.3 * rng.normal(size=400) > 0).astype(int)
    found = tune(Rule(), x, y, space={"column": range(12)}, cv=10, search="racing", nested=None, n_jobs=1)
    assert found.settings == {"column": 7}
    assert found.saved > 0.3
    assert min(len(c.scores) for c in found.candidates) >= 3
    work = sum(len(c.scores) for c in found.candidates)
    assert found.saved == pytest.approx(1 - work / 120, abs=0.01)


def test_a_race_of_equals_drops_nobody():
    x, y = noise(3)
    found = tune(Rule(), x, y, space={"above": [40, 50, 60]}, cv=5, search="racing", nested=None)
    assert [len(c.scores) for c in found.candidates] == [5] * 3
    assert found.saved == 0


def test_losers_are_those_of_friedman_and_conover_by_hand():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(8, 5)) + np.array([0, 0, 0.5, 2, 2.2])
    n, k = scores.shape
    assert stats.friedmanchisquare(*scores.T).pvalue < 0.05
    ranks = stats.rankdata(-scores, axis=1)
    sums = ranks.sum(axis=0)
    # Conover, Practical Nonparametric Statistics, 1999, section 5.8
    a, b = (ranks**2).sum(), (sums**2).sum() / n
    reach = stats.t.ppf(0.975, (n - 1) * (k - 1)) * np.sqrt(2 * n * (a - b) / ((n - 1) * (k - 1)))
    expected = sums - sums.min() > reach
    assert 0 < expected.sum() < k - 1
    np.testing.assert_array_equal(losers(scores, True, 90, 10), expected)
    np.testing.assert_array_equal(losers(-scores, False, 90, 10), expected)


def test_the_last_two_are_told_apart_by_the_corrected_t_test():
    scores = np.array([[0.9, 0.5], [0.91, 0.52], [0.88, 0.51], [0.9, 0.49]])
    assert losers(scores, True, 90, 10).tolist() == [False, True]
    assert losers(scores, False, 90, 10).tolist() == [True, False]
    assert not losers(scores[:, [0, 0]], True, 90, 10).any()


# How it shows itself


def test_a_result_prints_and_becomes_a_frame():
    found = tune(learnt.DecisionTreeClassifier(), IRIS, cv=3, nested=3)
    text = str(found)
    assert "tuned by grid search: 12 candidates on 3 folds of 150 rows" in text
    assert "On rows that had no part in the choice: accuracy" in text
    assert "… and 2 more" in text
    frame = found.to_frame()
    assert list(frame.columns) == ["max_depth", "min_samples_leaf", "accuracy", "folds", "rows", "error"]
    assert frame["accuracy"].is_monotonic_decreasing
    assert found.inner_score == frame["accuracy"][0]


def test_a_result_draws_a_curve_a_map_and_a_cloud():
    found = tune(learnt.DecisionTreeClassifier(), IRIS, cv=3, nested=None)
    drawn = found.plot()
    assert (drawn.get_xlabel(), drawn.get_ylabel()) == ("max_depth", "min_samples_leaf")
    image = drawn.get_images()[0].get_array()
    assert image.max() == pytest.approx(found.inner_score)
    curve = found.plot("max_depth")
    assert [t.get_text() for t in curve.get_xticklabels()] == ["2", "4", "8", "None"]
    best = next(line for line in curve.lines if line.get_linestyle() == "-")
    frame = found.to_frame().fillna({"max_depth": np.inf}).groupby("max_depth")["accuracy"].max()
    np.testing.assert_allclose(best.get_ydata(), frame.to_numpy())
    space = {"max_depth": [1, 2], "ccp_alpha": stats.loguniform(1e-5, 1e-1)}
    drawn = tune(DecisionTreeClassifier(), X, Y, space=space, search="random", n=20, cv=2, nested=None).plot()
    assert drawn.get_yscale() == "log"
    with pytest.raises(ParameterError, match=r"'depth' came.*'max_depth', 'min_samples_leaf'"):
        found.plot("depth")
