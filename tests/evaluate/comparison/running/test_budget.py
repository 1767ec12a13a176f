"""A time budget is kept, and used. Workers are simulated, with a clock of their own: no machine is too busy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.evaluate.comparison.running.simulated import IRIS, learner, run_race

from learnt.evaluate import compare
from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.running import sampling
from learnt.evaluate.comparison.running.order import turn
from learnt.evaluate.comparison.running.sampling import folds_of_sample, rows_for_budget, stratified_rows
from learnt.evaluate.folds import folds
from learnt.evaluate.splits import KFold


def statuses(found):
    return {name: (o.status, len(o.results)) for name, o in found.items()}


def test_strong_learners_are_begun_after_the_first_answers_and_before_the_rest(monkeypatch):
    names = ["Winnow", "RandomForestClassifier", "NaiveBayesClassifier", "Perceptron", "GradientBoostingClassifier"]
    _, workers = run_race(monkeypatch, [learner(name, 1.0) for name in names], jobs=1, cv=2)
    begun = [type(a.job.learner).__name__ for a in workers.given][::2]
    assert begun[:3] == ["NaiveBayesClassifier", "GradientBoostingClassifier", "RandomForestClassifier"]


def test_learners_of_others_come_after_the_strong_ones_and_before_the_weak():
    from sklearn.naive_bayes import GaussianNB

    import learnt

    names = [learnt.Winnow(), GaussianNB(), learnt.RandomForestClassifier(), learnt.MajorityClassifier()]
    ordered = sorted((Candidate(type(x).__name__, x, x) for x in names), key=turn)
    assert [c.name for c in ordered] == ["MajorityClassifier", "RandomForestClassifier", "GaussianNB", "Winnow"]


def test_all_folds_of_a_learner_go_before_the_next_and_the_last_one_is_shared_by_all_workers(monkeypatch):
    found, workers = run_race(monkeypatch, [learner(name, 1.0) for name in "abc"], jobs=2, cv=4)
    assert statuses(found) == dict.fromkeys("abc", ("done", 4))
    order = "".join(type(a.job.learner).__name__ for a in workers.given)
    assert order == "abababab" + "cccc"
    assert workers.clock.now < 6.2  # twelve folds by two workers: hardly idle


def test_a_budget_ends_when_it_is_spent_and_both_workers_are_busy_until_then(monkeypatch):
    found, workers = run_race(monkeypatch, [learner(name, 1.0) for name in "abcd"], budget=15.0)
    assert workers.clock.now == pytest.approx(15.0)
    assert workers.worked(15.0) == pytest.approx(30.0)
    assert statuses(found)["a"] == statuses(found)["b"] == ("done", 10)
    assert {o.status for o in found.values()} == {"done", "stopped"}
    assert sum(len(o.results) for o in found.values()) >= 28


def test_a_learner_with_all_its_folds_is_done_even_if_the_last_ends_with_the_budget(monkeypatch):
    found, _ = run_race(monkeypatch, [learner("a", 1.0)], budget=10.0, jobs=1)
    assert statuses(found) == {"a": ("done", 10)}
    found, _ = run_race(monkeypatch, [learner("a", 1.0)], budget=9.99, jobs=1)
    assert statuses(found) == {"a": ("stopped", 9)}
    assert found["a"].why == "the time budget was spent"


def test_a_learner_too_slow_for_what_is_left_waits_for_those_that_are_not_and_goes_on_after_them(monkeypatch):
    slow, quick = learner("ExtraTreesClassifier", 5.0), [learner(name, 1.0) for name in "ab"]
    found, workers = run_race(monkeypatch, [slow, *quick], budget=40.0, jobs=1)
    assert statuses(found)["a"] == statuses(found)["b"] == ("done", 10)
    assert statuses(found)["ExtraTreesClassifier"] == ("stopped", 4)  # one fold first, three when the others were done
    order = [type(a.job.learner).__name__[0] for a in workers.given]
    assert [name for name, _ in itertools.groupby(order)] == ["E", "a", "b", "E"]
    assert "5 s a fold" in found["ExtraTreesClassifier"].why or "spent" in found["ExtraTreesClassifier"].why


def test_a_strong_learner_that_needs_both_workers_to_be_in_time_has_them(monkeypatch):
    strong, weak = learner("RandomForestClassifier", 5.0), learner("w", 4.0)
    found, _ = run_race(monkeypatch, [weak, strong], budget=32.0, jobs=2)
    assert statuses(found)["RandomForestClassifier"] == ("done", 10)


def test_a_weak_learner_that_needs_both_workers_leaves_one_to_those_who_wait(monkeypatch):
    slow, quick = learner("s", 5.0), [learner(name, 1.0) for name in "tuv"]
    found, _ = run_race(monkeypatch, [slow, *quick], budget=32.0, jobs=2)
    assert {found[name].status for name in "tuv"} == {"done"}
    assert len(found["s"].results) >= 5


def test_a_learner_that_hangs_gives_way_to_those_who_wait_and_is_tried_again_with_what_is_left(monkeypatch):
    others = [learner(name, 1.0) for name in "abcd"]
    found, workers = run_race(monkeypatch, [learner("RandomForestClassifier", 1e9), *others], budget=60.0, jobs=1)
    assert {found[name].status for name in "abcd"} == {"done"}
    hanging = found["RandomForestClassifier"]
    assert (hanging.status, hanging.results) == ("stopped", [])
    assert "slower than its share" in hanging.why
    tried = [a for a in workers.given if a.job.learner is hanging.learner]
    assert len(tried) == 2
    assert workers.clock.now == pytest.approx(60.0)


def test_without_a_budget_a_learner_that_hangs_is_stopped_after_five_minutes(monkeypatch):
    found, workers = run_race(monkeypatch, [learner("hanging", 1e9), learner("a", 1.0)], jobs=2)
    assert statuses(found) == {"hanging": ("stopped", 0), "a": ("done", 10)}
    assert found["hanging"].why == "it was slower than the 5 min 0 s it had"
    assert 300 <= workers.clock.now < 301


@pytest.mark.parametrize("budget", [None, 7.0, 33.0])
@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_the_numbers_of_a_fold_do_not_depend_on_budget_or_workers(monkeypatch, budget, jobs):
    candidates = [learner("a", 2.0), learner("ExtraTreesClassifier", 6.0), learner("b", 0.5)]
    whole, _ = run_race(monkeypatch, candidates)
    found, workers = run_race(monkeypatch, candidates, budget=budget, jobs=jobs)
    for name, outcome in found.items():
        done = ~np.isnan(outcome.scores["accuracy"]) if outcome.results else []
        np.testing.assert_array_equal(
            whole[name].scores["accuracy"][done], outcome.scores["accuracy"][done] if outcome.results else []
        )
    assert len({(a.job, a.fold.number) for a in workers.given if not a.killed}) == len(
        [a for a in workers.given if not a.killed]
    )  # no fold is run twice


# A sample that keeps the budget


def test_how_many_rows_fit_a_budget_follows_from_table_and_budget_alone():
    table = IRIS.table  # four columns
    large = _large(130_000)
    assert rows_for_budget(large, 10, 10, None) == 130_000
    assert rows_for_budget(large, 10, 10, 60.0) == 77_000  # 10,800,000 / ((4 + 10) · 10), in whole thousands
    assert rows_for_budget(large, 10, 10, 1.0) == 5_000
    assert rows_for_budget(large, 10, 10, 600.0) == 130_000
    assert rows_for_budget(large, 10, 10, 90.0) == 130_000  # 115,000 would be nearly all of them
    assert rows_for_budget(large, 10, 10, 60.0, tuned=True) == 5_000
    assert rows_for_budget(large, KFold(10), 10, 60.0) == 130_000
    assert rows_for_budget(IRIS, 10, 10, 1e-6) == table.n_rows


def _large(n):
    from learnt.evaluate.problem import problem

    rng = np.random.default_rng(0)
    return problem(rng.normal(size=(n, 4)), np.where(rng.random(n) < 0.9, "often", "seldom"))


def test_a_sample_holds_every_class_by_its_share_and_is_the_same_each_time():
    large = _large(20_000)
    rows = stratified_rows(large, 3_000, seed=0)
    assert len(np.unique(rows)) == 3_000
    np.testing.assert_array_equal(rows, stratified_rows(large, 3_000, seed=0))
    assert (rows != stratified_rows(large, 3_000, seed=1)).any()
    shares = [np.bincount(large.target[some]) / len(some) for some in (rows, np.arange(20_000))]
    np.testing.assert_allclose(*shares, atol=1 / 3_000)


def test_folds_of_a_sample_test_each_of_its_rows_once_and_those_of_a_small_table_are_its_own():
    large = _large(6_000)
    cut = list(folds_of_sample(large, 2_000, 5, 1, 0))
    tested = np.concatenate([fold.test for fold in cut])
    np.testing.assert_array_equal(np.sort(tested), stratified_rows(large, 2_000, 0))
    assert all(set(fold.train) == set(tested) - set(fold.test) for fold in cut)
    for one, other in zip(folds_of_sample(IRIS, 150, 5, 2, 3), folds(IRIS, 5, 2, 3), strict=True):
        np.testing.assert_array_equal(one.train, other.train)
        assert one.seed == other.seed


def test_a_comparison_on_a_sample_says_so_and_its_journal_serves_no_other_size(monkeypatch, tmp_path):
    from learnt import datasets
    from learnt.errors import InputError

    monkeypatch.setattr(sampling, "LEAST_ROWS", 60)
    monkeypatch.setattr(sampling, "CELLS_A_SECOND", 1e-9)
    settings = {"learners": ["MajorityClassifier", "NaiveBayesClassifier"], "cv": 3, "resume": tmp_path / "j"}
    found = compare(datasets.iris(), time_budget=3600, **settings)
    assert any("compared on 60 of 150 rows" in words for words in found.notices)
    assert sum(len(r.test) for r in found.best.results) == 60
    again = compare(datasets.iris(), time_budget=7200, **settings)
    assert again.best.mean("accuracy") == found.best.mean("accuracy")
    with pytest.raises(InputError, match="rows"):
        compare(datasets.iris(), **settings)


@pytest.mark.costly
def test_the_rows_to_compare_on_can_be_given_and_the_report_reproduces_them(tmp_path):
    from learnt import datasets
    from learnt.errors import ParameterError
    from learnt.report.comparison.insights.subject import Subject
    from learnt.report.comparison.reproduce import drawn_by_us, script

    settings = {"learners": ["MajorityClassifier", "NaiveBayesClassifier"], "cv": 3}
    found = compare(datasets.iris(), max_rows=90, **settings)
    assert any("90 of 150 rows, drawn by strata, as max_rows asks for" in words for words in found.notices)
    assert drawn_by_us(found)
    assert "max_rows=90" in script(found)
    assert "max_rows=90" in found.command
    assert "max_rows" not in script(compare(datasets.iris(), max_rows=200, **settings))
    for fold, result in zip(Subject(found, None).folds, found.best.results, strict=True):
        np.testing.assert_array_equal(fold.test, result.test)
        assert len(fold.train) == result.n_train
    with pytest.raises(ParameterError, match="fewer than the 3 folds"):
        compare(datasets.iris(), max_rows=2, **settings)
    with pytest.raises(ParameterError, match="splitter"):
        compare(datasets.iris(), max_rows=90, learners="MajorityClassifier", cv=KFold(3))
