"""Fits on several threads: the same bits as one after another, steps, errors and interrupts in the calling thread."""

import signal
import threading
from collections import Counter

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import learnt
from learnt.data.table import Table
from learnt.ensemble import side_by_side
from learnt.ensemble.side_by_side import Fit, fits_at_once, results_of
from learnt.errors import InputError, ParameterError
from learnt.watch import report

RNG = np.random.default_rng(6)
X = {"a": RNG.normal(size=90), "b": RNG.normal(size=90), "town": RNG.choice(["Bern", "Basel", None], 90)}
Y = np.where(X["a"] + X["b"] > 0.3, "yes", "no")
LONG = 600  # seconds: nobody waits so long unless something hangs


def members(classes):
    if classes:
        return [
            learnt.GradientBoostingClassifier(max_iter=8),
            learnt.RandomForestClassifier(n_estimators=6),
            learnt.LogisticRegression(),
        ]
    return [
        learnt.GradientBoostingRegressor(max_iter=8),
        learnt.ExtraTreesRegressor(n_estimators=6),
        learnt.Ridge(alpha="loo"),
    ]


@pytest.mark.parametrize(
    "kind", [learnt.VotingClassifier, learnt.StackingClassifier, learnt.VotingRegressor, learnt.StackingRegressor]
)
def test_models_are_the_same_bytes_however_many_fits_run_at_once(kind, tmp_path):
    classes = "Classifier" in kind.__name__
    saved = set()
    for n_jobs in (1, 2, 4, -1, None):
        model = kind(members(classes), n_jobs=n_jobs).fit(X, Y if classes else X["a"] - X["b"])
        model.n_jobs = None
        learnt.save(model, tmp_path / "model")
        saved.add((tmp_path / "model").read_bytes())
    assert len(saved) == 1


def test_a_scan_gives_the_model_of_its_table(tmp_path):
    (tmp_path / "rows.csv").write_text(
        "a,b,y\n" + "".join(f"{i},{i % 7},{'no' if i % 3 else 'yes'}\n" for i in range(60))
    )
    some = [learnt.NaiveBayesClassifier(), learnt.LogisticRegression()]
    vote = learnt.VotingClassifier(some, n_jobs=2)
    scan = learnt.scan(tmp_path / "rows.csv")
    table = learnt.read(tmp_path / "rows.csv", target="y")
    by_scan = vote.fit(scan, "y").predict_proba(table)
    np.testing.assert_array_equal(by_scan, vote.fit(table).predict_proba(table))


def test_fits_run_at_the_same_time_and_results_keep_their_order():
    barrier, ended = threading.Barrier(3), []
    fits = [Fit(str(place), lambda place=place: (barrier.wait(LONG), place)[1]) for place in range(6)]
    assert results_of(fits, 3, ended.append) == list(range(6))
    assert sorted(ended) == list(range(6))


def test_the_error_is_that_of_the_first_fit_that_fails_and_names_it():
    second_failed = threading.Event()

    def first():
        second_failed.wait(LONG)
        raise InputError("first")

    def second():
        try:
            raise InputError("second")
        finally:
            second_failed.set()

    later = []
    fits = [Fit("member 'a'", first), Fit("member 'b'", second), *[Fit("", lambda: later.append(1))] * 100]
    for at_once in (1, 2):
        second_failed.set() if at_once == 1 else second_failed.clear()
        with pytest.raises(InputError, match="first") as caught:
            results_of(fits, at_once, lambda place: None)
        assert caught.value.__notes__ == ["This happened in member 'a'."]


class Picky(learnt.NaiveBayesClassifier, listed=False):
    """Wants all rows there are."""

    def _plan(self, training):
        if training.n_rows < len(Y):
            raise InputError("Too few rows.")
        return super()._plan(training)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_name_the_member_and_the_part_left_out(n_jobs):
    named = [("bayes", learnt.NaiveBayesClassifier()), ("picky", Picky())]
    with pytest.raises(InputError) as caught:
        learnt.StackingClassifier(named, n_jobs=n_jobs).fit(X, Y)
    assert caught.value.__notes__ == ["This happened in member 'picky' without fold 0."]


def test_steps_arrive_in_the_calling_thread_and_are_those_of_one_after_another():
    seen, here = {}, threading.get_ident()
    for n_jobs in (1, 3):
        steps = []

        def receive(step, steps=steps):
            assert threading.get_ident() == here
            steps.append(step)

        with learnt.watch(receive):
            learnt.StackingClassifier(members(True), cv=2, n_jobs=n_jobs).fit(X, Y)
        seen[n_jobs] = Counter((s.learner, s.what, s.iteration, s.total) for s in steps)
        assert [s.iteration for s in steps if s.what == "member"] == [1, 2, 3]
    assert seen[1] == seen[3]


def test_a_watcher_that_raises_ends_the_work():
    told, finished = threading.Event(), threading.Event()

    def endless():
        told.set()
        try:
            while True:
                report("turn", learner="endless")
        finally:
            finished.set()

    def receive(step):
        told.wait(LONG)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), learnt.watch(receive):
        results_of([Fit("", endless), Fit("", told.wait)], 2, lambda place: None)
    assert finished.wait(LONG)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="this system has no signals to threads")
@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="others hear no signals")
def test_an_interrupt_is_not_kept_waiting_by_a_fit():
    go, main = threading.Event(), threading.main_thread().ident
    fits = [Fit("", lambda: go.wait(LONG)), Fit("", lambda: signal.pthread_kill(main, signal.SIGINT))]
    with pytest.raises(KeyboardInterrupt):
        results_of([*fits, Fit("", lambda: pytest.fail("begun"))], 2, lambda place: None)
    assert not go.is_set()
    go.set()


def test_few_cells_are_fitted_side_by_side_many_and_scans_one_after_another(monkeypatch):
    few, own = Table.of_matrix(np.zeros((10, 2)), ["a", "b"]), members(True)
    with learnt.threads(3):
        assert fits_at_once(None, own, few) == 3
        assert fits_at_once(-1, own, few) == 3
        assert fits_at_once(2, own, few) == 2
        monkeypatch.setattr(side_by_side, "FEW_CELLS", 19)
        assert fits_at_once(None, own, few) == 1
        assert fits_at_once(4, own, few) == 4
        assert fits_at_once(4, own, None) == 1


def test_estimators_of_another_make_are_fitted_one_after_another():
    few, foreign = Table.of_matrix(np.zeros((10, 2)), ["a", "b"]), GaussianNB()
    assert fits_at_once(4, [*members(True), foreign], few) == 1
    assert fits_at_once(4, [learnt.BaggingClassifier(foreign)], few) == 1
    assert fits_at_once(4, [learnt.VotingClassifier([("bayes", foreign)])], few) == 1


def test_fits_inside_fits_run_one_after_another():
    few = Table.of_matrix(np.zeros((10, 2)), ["a", "b"])
    inner = Fit("", lambda: fits_at_once(4, members(True), few))
    assert results_of([inner, inner], 2, lambda place: None) == [1, 1]
    assert fits_at_once(4, members(True), few) == 4


@pytest.mark.parametrize("bad", [0, -2, 1.5, "all", True])
def test_a_number_of_jobs_that_makes_no_sense_is_refused(bad):
    with pytest.raises(ParameterError, match="n_jobs"):
        learnt.VotingClassifier(n_jobs=bad).fit(X, Y)
