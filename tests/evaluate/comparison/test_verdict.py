"""Two names and a price, from answers written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import learnt
from learnt.evaluate.comparison.comparison import Comparison
from learnt.evaluate.comparison.field import FIELD
from learnt.evaluate.comparison.outcome import Outcome
from learnt.evaluate.comparison.row_scores import sampling_errors
from learnt.evaluate.comparison.scoring import chosen_metrics, usual_metric
from learnt.evaluate.folds import FoldResult
from learnt.evaluate.metrics.scoring import METRICS
from learnt.evaluate.problem import problem

pytestmark = pytest.mark.usefixtures("forked_workers")

FOLDS = 10


def table_of(y, **columns):
    return problem({"x": np.arange(len(y), dtype=float)} | columns, np.asarray(y))


def outcome(given, name, answer, metrics, *, probabilities=None, readable=False, simplicity=50.0, baseline=False):
    """A learner that gave this answer to each row, in ten folds of every tenth row."""
    results, n = [], given.n_rows
    for f in range(FOLDS):
        test = np.arange(f, n, FOLDS)
        shares = None if probabilities is None else probabilities[test]
        results.append(FoldResult(0, f, test, answer[test], shares, 0.1, 0.1, None, n - len(test)))
    scores = {}
    for m in metrics:
        weights = given.weights
        scores[m.name] = np.array(
            [
                m.score(
                    given.target[r.test],
                    r.answer,
                    r.probabilities,
                    None if weights is None else weights[r.test],
                    given.n_classes or None,
                )
                if m.needs != "probabilities" or r.probabilities is not None
                else np.nan
                for r in results
            ]
        )
    learner = getattr(learnt, name, None)
    learner = learner() if learner else object()
    return Outcome(name, learner, "done", "", results, scores, readable, simplicity, baseline)


def compared(given, outcomes, metrics, **settings):
    return Comparison(given, outcomes, metrics[0], metrics, cv=FOLDS, **settings)


@pytest.fixture
def two_classes():
    rng = np.random.default_rng(0)
    given = table_of(np.where(rng.random(400) < 0.5, "a", "b"))
    metrics = chosen_metrics("accuracy", given, None)
    hard = rng.permutation(400)  # rows from the hardest on: errors of good learners are nested

    def learner(name, errors, **settings):
        found = given.target.copy()
        found[hard[:errors]] = 1 - found[hard[:errors]]
        sure = 0.5 + 0.4 * np.where(np.arange(400)[np.argsort(hard)] < errors, -1, 1)
        shares = np.empty((400, 2))
        shares[np.arange(400), given.target] = sure
        shares[np.arange(400), 1 - given.target] = 1 - sure
        return outcome(given, name, found, metrics, probabilities=shares, **settings)

    def baseline():
        found = np.zeros(400, dtype=given.target.dtype)
        shares = np.full((400, 2), 0.5)
        settings = {"simplicity": 0.0, "baseline": True}
        return outcome(given, "MajorityClassifier", found, metrics, probabilities=shares, **settings)

    return given, metrics, learner, baseline


def test_the_readable_one_within_a_standard_error_is_named_with_its_price(two_classes):
    given, metrics, learner, baseline = two_classes
    found = compared(
        given,
        [
            learner("ExtraTreesClassifier", 20),
            learner("LogisticRegression", 24, readable=True, simplicity=11),
            learner("DecisionTreeClassifier", 70, readable=True, simplicity=5),
            baseline(),
        ],
        metrics,
    )
    assert found.best.name == "ExtraTreesClassifier"
    assert found.readable.name == "LogisticRegression"
    assert "LogisticRegression; it errs on 6.0 % of rows, ExtraTreesClassifier on 5.0 %" in found.conclusion
    assert "DecisionTreeClassifier" not in found.ties.with_best


def test_where_none_that_can_be_read_is_within_reach_the_nearest_is_named_with_its_price(two_classes):
    given, metrics, learner, baseline = two_classes
    tree = learner("DecisionTreeClassifier", 80, readable=True, simplicity=5)
    found = compared(given, [learner("ExtraTreesClassifier", 20), tree, baseline()], metrics)
    assert found.readable is None
    assert found.verdict.nearest is tree
    assert "errs on 20.0 % of rows, ExtraTreesClassifier on 5.0 %" in found.conclusion
    wider = compared(given, [learner("ExtraTreesClassifier", 20), tree, baseline()], metrics, margin=0.5)
    assert wider.readable is None  # a margin does not bring back what is shown to be worse


def test_who_may_be_the_best_is_within_reach_and_of_those_not_close_the_better_is_read(two_classes):
    given, metrics, learner, baseline = two_classes

    def erring(name, first, errors, simplicity):
        """A learner that errs in other rows than the best one: little tells it apart."""
        answer = given.target.copy()
        answer[first : first + errors] = 1 - answer[first : first + errors]
        shares = np.full((400, 2), 0.2)
        shares[np.arange(400), answer] = 0.8
        settings = {"probabilities": shares, "readable": True, "simplicity": simplicity}
        return outcome(given, name, answer, metrics, **settings)

    lasso, tree = erring("LogisticRegression", 0, 30, 11), erring("DecisionTreeClassifier", 100, 33, 5)
    found = compared(given, [learner("ExtraTreesClassifier", 20), lasso, tree, baseline()], metrics)
    assert {lasso.name, tree.name} <= set(found.ties.with_best)
    assert found.verdict.reach < 10 / 400  # neither is close
    assert found.readable is lasso
    assert found.verdict.nearest is None
    assert "Most readable within reach: LogisticRegression; it errs on 7.5 % of rows" in found.conclusion
    narrow = compared(given, [learner("ExtraTreesClassifier", 20), lasso, tree, baseline()], metrics, margin=0.01)
    assert narrow.readable is None  # a margin that is set is kept
    assert narrow.verdict.nearest is lasso


def test_a_margin_narrows_what_is_within_reach(two_classes):
    given, metrics, learner, baseline = two_classes
    several = [learner("ExtraTreesClassifier", 20), learner("LogisticRegression", 24, readable=True), baseline()]
    assert compared(given, several, metrics).readable.name == "LogisticRegression"
    assert compared(given, several, metrics, margin=0.005).readable is None


def test_no_historical_learner_is_recommended_over_a_strong_tie(two_classes):
    given, metrics, learner, baseline = two_classes
    assert "Winnow" not in FIELD["classification"]
    found = compared(
        given,
        [learner("Winnow", 20, readable=True, simplicity=1), learner("LogisticRegression", 22), baseline()],
        metrics,
    )
    assert found.top.name == "Winnow"
    assert found.best.name == "LogisticRegression"


def test_a_readable_best_is_both_names(two_classes):
    given, metrics, learner, baseline = two_classes
    tree = learner("C45Classifier", 20, readable=True, simplicity=15)
    found = compared(
        given, [tree, learner("LogisticRegression", 22, readable=True, simplicity=11), baseline()], metrics
    )
    assert found.best is tree
    assert found.readable is tree
    assert "Its model can be read." in found.conclusion


def test_the_baseline_is_not_recommended_where_another_metric_shows_what_was_learnt():
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(600) < 0.12, 1, 0)
    given = table_of(np.where(truth == 1, "yes", "no"))
    metrics = chosen_metrics("accuracy", given, None)
    shares = np.clip(0.1 + 0.15 * truth + rng.normal(0, 0.08, 600), 0.01, 0.45)  # always "no", but in a good order
    never = np.zeros(600, dtype=given.target.dtype)
    ranked = np.column_stack([1 - shares, shares])
    flat = np.column_stack([np.full(600, 0.88), np.full(600, 0.12)])
    found = compared(
        given,
        [
            outcome(given, "LogisticRegression", never, metrics, probabilities=ranked, readable=True, simplicity=11),
            outcome(given, "MajorityClassifier", never, metrics, probabilities=flat, baseline=True, simplicity=0),
        ],
        metrics,
    )
    assert found.verdict.learnt
    assert found.verdict.revealed.name == "auc"
    assert found.best.name == "LogisticRegression"
    assert "something was learnt" in found.conclusion


@pytest.mark.parametrize(
    ("errors", "may_be_best", "single", "words"),
    [
        (30, False, True, "All 8 others are significantly better than MajorityClassifier"),
        (62, False, False, "is shown to be worse than the best, though of no single learner that it is better."),
        (82, True, False, "it is not shown that anything was learnt."),
    ],
)
def test_that_one_is_better_than_the_baseline_may_be_shown_of_none_in_particular(errors, may_be_best, single, words):
    """Ruling the baseline out takes fewer comparisons than saying who beats it; each is told for what it is."""
    rng = np.random.default_rng(0)
    given = table_of(np.where(np.arange(200) % 2 == 0, "a", "b"))
    metrics = chosen_metrics("accuracy", given, None)[:1]

    def answers():
        found = given.target.copy()
        wrong = rng.permutation(200)[:errors]
        found[wrong] = 1 - found[wrong]
        return found

    learners = [n for n in FIELD["classification"] if hasattr(learnt, n) and n != "MajorityClassifier"][:8]
    guesses = np.zeros(200, dtype=given.target.dtype)
    baseline = outcome(given, "MajorityClassifier", guesses, metrics, baseline=True, simplicity=0.0)
    found = compared(given, [*(outcome(given, n, answers(), metrics) for n in learners), baseline], metrics)
    assert ("MajorityClassifier" in found.ties.with_best) is may_be_best
    assert bool(found.better_than("MajorityClassifier")) is single
    assert found.verdict.learnt is not may_be_best
    assert words in found.conclusion


def test_something_is_learnt_from_few_rows_that_are_easy():
    found = learnt.compare(learnt.datasets.labor(), learners=["MajorityClassifier", "ExtraTreesClassifier"])
    assert found.verdict.learnt
    assert found.best is found.top
    assert found.best.name == "ExtraTreesClassifier"
    assert "The other one is significantly better than MajorityClassifier" in found.conclusion


def test_a_margin_is_for_reading_alone_and_changes_neither_ties_nor_the_most_accurate(two_classes):
    given, metrics, learner, baseline = two_classes
    several = [learner("ExtraTreesClassifier", 20), learner("LogisticRegression", 24, readable=True), baseline()]
    found = [compared(given, several, metrics, margin=margin) for margin in (None, 0.0, 0.2)]
    assert {c.best.name for c in found} == {"ExtraTreesClassifier"}
    assert len({c.ties.with_best for c in found}) == 1
    assert len({str(c.ties) for c in found}) == 1


def test_uneven_classes_are_ranked_by_order_or_probabilities():
    even, uneven = ["a"] * 50 + ["b"] * 50, ["a"] * 80 + ["b"] * 20
    assert usual_metric(table_of(even)) == "accuracy"
    assert usual_metric(table_of(uneven)) == "auc"
    assert usual_metric(table_of(["a"] * 80 + ["b"] * 15 + ["c"] * 5)) == "log_loss"
    assert usual_metric(table_of(np.arange(100.0))) == "rmse"
    found = learnt.compare(
        {"x": np.arange(100.0), "y": uneven}, "y", learners=["MajorityClassifier", "LogisticRegression"]
    )
    assert found.metric.name == "auc"
    assert any("80 % of the rows are of one class" in notice for notice in found.notices)


# The errors of scores


def test_two_learners_are_compared_by_mcnemars_statistic_over_the_stretch(two_classes):
    """Of 0–1 losses (b − c)²/(b + c), but for the mean that is taken out of the variance."""
    given, _, learner, _ = two_classes
    one, other = learner("ExtraTreesClassifier", 20), learner("LogisticRegression", 36)
    errors = sampling_errors(given, [one, other], METRICS["accuracy"])
    d = np.zeros(400)
    d[:16] = 1.0
    t = stats.ttest_1samp(d, 0).statistic
    assert errors.statistics[0, 1] == pytest.approx(t / np.sqrt(1 + 400 / 360))


def test_rows_that_repeat_within_groups_count_as_one(two_classes):
    """Every row ten times, in groups: the same errors as the rows alone, not those of ten times as many."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 100)
    metrics = (METRICS["accuracy"],)

    def errors_of(copies, groups):
        y = np.repeat(truth, copies)
        given = problem(
            {"x": np.arange(len(y), dtype=float)}, np.where(y == 1, "b", "a"), groups=groups(len(y), copies)
        )
        mine = np.repeat(np.where(rng_fixed.random(100) < 0.8, truth, 1 - truth), copies)
        theirs = np.repeat(np.where(rng_fixed.random(100) < 0.7, truth, 1 - truth), copies)
        results = []
        for name, answer in (("A", mine), ("B", theirs)):
            folds = []
            for f in range(FOLDS):
                test = np.flatnonzero(np.repeat(np.arange(100) % FOLDS, copies) == f)
                folds.append(FoldResult(0, f, test, answer[test], None, 0.1, 0.1, None, len(y) - len(test)))
            scores = {"accuracy": np.array([np.mean(r.answer == given.target[r.test]) for r in folds])}
            results.append(Outcome(name, object(), "done", "", folds, scores))
        return sampling_errors(given, results, metrics[0])

    rng_fixed = np.random.default_rng(4)
    alone = errors_of(1, lambda n, copies: None)
    rng_fixed = np.random.default_rng(4)
    grouped = errors_of(10, lambda n, copies: np.repeat(np.arange(n // copies), copies))
    np.testing.assert_allclose(grouped.standard_errors, alone.standard_errors, rtol=1e-9)
    assert grouped.units == alone.units == 100


def test_a_metric_without_an_influence_is_judged_by_rows_drawn_anew_or_by_folds():
    rng = np.random.default_rng(5)
    truth = rng.normal(size=200)
    given = table_of(truth)
    metrics = chosen_metrics("median_absolute_error", given, None)
    near, far = truth + rng.normal(0, 0.1, 200), truth + rng.normal(0, 1, 200)
    several = [outcome(given, "Ridge", near, metrics), outcome(given, "Lasso", far, metrics)]
    found = compared(given, several, metrics)
    assert found.ties.by == "rows"
    assert found.ties.with_best == ("Ridge",)
    largest = chosen_metrics("max_error", given, None)
    several = [outcome(given, "Ridge", near, largest), outcome(given, "Lasso", far, largest)]
    found = compared(given, several, largest)
    assert found.ties.by == "folds"
    assert "scores of folds" in found.to_text().replace("\n", " ")
