"""Learners that fail, hang or die, budgets, Ctrl-C and journals: one never harms another, and nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.evaluate.workers import odd_learners as odd
from tests.evaluate.workers.live_processes import PARENT, alive

import learnt
from learnt import datasets
from learnt.errors import InputError
from learnt.evaluate import compare
from learnt.evaluate.comparison.running import race, runner, schedule

ROOT = str(Path(__file__).resolve().parents[3])


def run(*learners, cv=3, **settings):
    return compare(
        datasets.iris(), learners=["MajorityClassifier", *learners, "NaiveBayesClassifier"], cv=cv, **settings
    )


def statuses(found):
    return {o.name: o.status for o in found.outcomes}


@pytest.mark.costly
def test_learners_that_fail_or_die_are_reported_and_the_rest_go_on():
    found = run(odd._Failing(), odd._Dying(), odd._Crashing(), odd._WrongAnswers())
    told = {o.name: o.why for o in found.outcomes}
    assert found.best.name == "NaiveBayesClassifier"
    assert statuses(found) == dict.fromkeys(["NaiveBayesClassifier", "MajorityClassifier"], "done") | dict.fromkeys(
        ["_Failing", "_Dying", "_Crashing", "_WrongAnswers"], "failed"
    )
    assert "ValueError: no luck with" in told["_Failing"]
    assert "fold 0" in told["_Failing"]
    assert "exit code 7" in told["_Dying"]
    assert "out of luck" in told["_Dying"]
    assert "SIGSEGV" in told["_Crashing"]
    assert "\x1b" not in str(found)
    assert "Nothing is said of" in found.conclusion


def test_a_learner_that_fails_on_a_later_fold_keeps_the_folds_before():
    outcome = run(odd._FailingLater(), cv=5).outcome("_FailingLater")
    assert outcome.status == "failed"
    assert "only some folds" in outcome.why
    done = ~np.isnan(outcome.scores["accuracy"])
    assert 0 < done.sum() == len(outcome.results) < 5


def test_a_learner_that_hangs_is_stopped_and_holds_up_nobody(monkeypatch):
    ahead = 0.0  # seconds by which the clock of the race is fast: nobody waits for a budget, however busy the machine
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    for module in (race, runner):
        monkeypatch.setattr(module, "time", clock)

    def turn_the_clock(progress):
        nonlocal ahead
        now = {line.name: line for line in progress.lines}
        if now["_HangingLater"].folds == 2:  # beyond the share of each; then, when the others are done, of all
            ahead = 10_000.0 if now["NaiveBayesClassifier"].status == "done" else 3000.0

    found = run(odd._Hanging(), odd._HangingLater(), time_budget=3600, n_jobs=2, on_update=turn_the_clock)
    assert statuses(found)["NaiveBayesClassifier"] == "done"
    hanging, later = found.outcome("_Hanging"), found.outcome("_HangingLater")
    assert (hanging.status, later.status) == ("stopped", "stopped")
    assert hanging.results == []
    assert len(later.results) == 2
    assert "slower than" in hanging.why or "budget" in hanging.why
    assert "2 of 3 folds" in str(found)


def test_a_spent_budget_leaves_the_first_score_and_reasons(monkeypatch):
    monkeypatch.setattr(race, "BESIDE", 600.0)  # a busy machine may take longer than a second
    found = run(odd._Slow(), time_budget=1e-6)
    assert {o.status for o in found.outcomes if o.name != "MajorityClassifier"} == {"stopped"}
    assert "time budget was spent" in found.outcome("_Slow").why
    assert len(found.outcome("MajorityClassifier").results) == 3  # in a moment, and beside the others


@pytest.mark.costly
def test_learners_that_change_what_a_process_has_in_common_do_not_change_the_others():
    others = [learnt.RandomForestClassifier(n_estimators=3), learnt.C45Classifier(), "MajorityClassifier"]
    alone = compare(datasets.iris(), learners=others, cv=3, n_jobs=1)
    beside = compare(datasets.iris(), learners=[odd._Vandal(), *others, odd._Dying()], cv=3, n_jobs=1)
    assert beside.outcome("_Vandal").status == "done"
    for outcome in alone.outcomes:
        for metric, scores in outcome.scores.items():
            np.testing.assert_array_equal(scores, beside.outcome(outcome.name).scores[metric])


@pytest.mark.costly
def test_the_folds_of_one_learner_are_shared_by_workers_with_the_same_numbers(monkeypatch):
    monkeypatch.setattr(schedule, "HELP_PAYS", 0.0)
    settings = {"learners": [learnt.RandomForestClassifier(n_estimators=5)], "cv": 6}
    one, three = (compare(datasets.iris(), n_jobs=jobs, **settings) for jobs in (1, 3))
    np.testing.assert_array_equal(one.best.scores["log_loss"], three.best.scores["log_loss"])


def test_a_splitter_that_fails_in_between_is_a_failure_of_the_learners():
    class Tired:
        splits = 0

        def get_n_splits(self, X=None, y=None, groups=None):
            return 3

        def split(self, X, y=None, groups=None):
            Tired.splits += 1
            for i, rows in enumerate(np.array_split(np.arange(150), 3)):
                if Tired.splits > 1 and i == 1:
                    raise ValueError("the cards fell down")
                yield np.setdiff1d(np.arange(150), rows), rows

    found = compare(datasets.iris(), learners=["C45Classifier"], cv=Tired())
    (outcome,) = found.outcomes
    assert outcome.status == "failed"
    assert "the cards fell down" in outcome.why


def test_where_nobody_finishes_nothing_is_concluded():
    found = compare(datasets.iris(), learners=[odd._Failing()], cv=3)
    assert found.conclusion == "No learner finished, so nothing can be concluded."
    assert found.leaderboard() == []
    with pytest.raises(InputError, match="No learner finished"):
        found.best


class _InterruptedAtItsEnd:
    """Ctrl-C while a finaliser runs: Python prints the exception, and goes on."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("interrupt", [lambda: os.kill(os.getpid(), signal.SIGINT), _InterruptedAtItsEnd])
def test_ctrl_c_gives_the_results_so_far_and_leaves_no_process(interrupt):
    def interrupt_when_done(progress):
        others = {line.name: line.status for line in progress.lines if line.name != "_Hanging"}
        if set(others.values()) == {"done"} and len(others) == 2:
            interrupt()

    before = alive(PARENT, os.getpid())
    found = run(odd._Hanging(), n_jobs=2, on_update=interrupt_when_done)
    assert found.interrupted
    assert statuses(found) == {"NaiveBayesClassifier": "done", "MajorityClassifier": "done", "_Hanging": "stopped"}
    assert found.outcome("_Hanging").why == "interrupted"
    assert alive(PARENT, os.getpid()) == before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_is_heard_while_the_race_waits():
    sender = threading.Thread(target=lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGINT)))

    def send_when_done(progress):
        others = {line.name: line.status for line in progress.lines if line.name != "_Hanging"}
        if set(others.values()) == {"done"} and len(others) == 2 and sender.ident is None:
            sender.start()

    found = run(odd._Hanging(), n_jobs=2, on_update=send_when_done)
    sender.join()
    assert found.interrupted


def test_an_error_of_who_looks_on_ends_the_comparison_and_its_processes():
    def fail_at_work(progress):
        if progress.line.name == "_Hanging" and progress.line.status == "running":
            raise LookupError("seen enough")

    before = alive(PARENT, os.getpid())
    with pytest.raises(LookupError, match="seen enough"):
        run(odd._Hanging(), on_update=fail_at_work)
    assert set(alive(PARENT, os.getpid())) <= set(before)  # one of an earlier test may have gone meanwhile


def test_progress_tells_of_every_learner_from_its_first_fold_to_its_end():
    seen = []
    found = run(odd._Failing(), on_update=seen.append)
    first_score = next(p for p in seen if p.line.folds)
    assert first_score.line.name == "MajorityClassifier"
    assert 0.3 < first_score.line.mean < 0.36
    last = {line.name: line for line in seen[-1].lines}
    assert {name: line.status for name, line in last.items()} == statuses(found)
    assert last["NaiveBayesClassifier"].folds == 3
    assert [p.line.folds for p in seen if p.line.name == "NaiveBayesClassifier" and p.line.folds] == [1, 2, 3, 3]


def test_the_first_score_on_fifty_thousand_rows_is_there_before_any_worker_and_within_two_seconds(tmp_path):
    rng = np.random.default_rng(0)
    columns = [rng.normal(size=50_000).round(3) for _ in range(20)]
    path = tmp_path / "large.csv"
    lines = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    path.write_text("\n".join([",".join(f"x{j}" for j in range(20)), *lines]))
    seen = []

    def stop_at_a_score(progress):
        seen.append((time.process_time() - begun, progress))
        if progress.line.folds:
            raise KeyboardInterrupt

    begun = time.process_time()  # of this process alone: other tests run beside
    found = compare(path, "x0", on_update=stop_at_a_score)
    took, progress = seen[-1]
    assert found.interrupted
    assert progress.line.name == "MeanRegressor"
    assert not any(line.status == "running" for line in progress.lines if line.name != "MeanRegressor")
    assert took < 2


@pytest.mark.costly
def test_warnings_of_a_learner_are_kept_with_it():
    from sklearn.neural_network import MLPClassifier

    found = run(MLPClassifier(max_iter=1, random_state=0))
    assert any("onverge" in words for words in found.outcome("MLPClassifier").warnings)
    assert found.outcome("NaiveBayesClassifier").warnings == []


# Journals


def same_scores(a, b):
    assert [o.name for o in a.outcomes] == [o.name for o in b.outcomes]
    for one, other in zip(a.outcomes, b.outcomes, strict=True):
        assert one.status == other.status
        for metric, scores in one.scores.items():
            np.testing.assert_array_equal(scores, other.scores[metric])
        assert [r.fit_seconds for r in one.results if r.fit_seconds] != []


def test_a_finished_journal_gives_the_same_results_without_work(tmp_path):
    path = tmp_path / "iris.journal"
    first = run(odd._Slow(), resume=path)
    seen = []
    again = run(odd._Slow(), resume=path, on_update=seen.append)
    same_scores(first, again)
    assert [o.fit_seconds for o in first.outcomes] == [o.fit_seconds for o in again.outcomes]  # nothing measured anew
    assert "running" not in {p.line.status for p in seen}


@pytest.mark.costly
def test_a_journal_serves_other_metrics_and_learners_but_not_other_data(tmp_path):
    path = tmp_path / "iris.journal"
    run(resume=path)
    more = run(learnt.DecisionStumpClassifier(), resume=path, metric="log_loss")
    assert more.metric.name == "log_loss"
    assert len(more.done) == 3
    with pytest.raises(InputError, match="written for something else"):
        run(resume=path, random_state=1)
    with pytest.raises(InputError, match="data"):
        compare(datasets.labor(), learners=["MajorityClassifier"], cv=3, resume=path)


KILLED = """
    import sys
    sys.path.insert(0, {root!r})
    from learnt import datasets
    from learnt.evaluate import compare
    from tests.evaluate.workers import odd_learners as odd
    from tests.evaluate.comparison.running.test_running import told

    compare(datasets.iris(), learners={learners}, cv=5, n_jobs=2, resume={path!r}, on_update=told)
"""
LEARNERS = "['MajorityClassifier', odd._Slow(), 'NaiveBayesClassifier', 'C45Classifier']"


def told(progress):
    if progress.line.name == "_Slow" and progress.line.folds == 2:
        print("two folds", flush=True)


@pytest.mark.costly
def test_a_run_that_is_killed_resumes_with_the_numbers_of_an_uninterrupted_one(tmp_path):
    path = tmp_path / "killed.journal"
    code = textwrap.dedent(KILLED).format(root=ROOT, learners=LEARNERS, path=str(path))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "two folds\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    kept = path.read_bytes()
    path.write_bytes(kept + kept.splitlines()[-1][: len(kept.splitlines()[-1]) // 2])  # a line torn by the kill
    learners = eval(LEARNERS)
    whole = compare(datasets.iris(), learners=learners, cv=5)
    seen = []
    resumed = compare(datasets.iris(), learners=learners, cv=5, resume=path, on_update=seen.append)
    same_scores(whole, resumed)
    begun_with = next(p for p in seen if p.line.name == "_Slow")
    assert begun_with.line.folds >= 1
    assert begun_with.line.status == "waiting"  # taken from the journal, not run


PLAIN = """
    import learnt
    from learnt import datasets
    from learnt.learner.base import Classifier
    from learnt.baseline import MajorityClassifier

    class Mine(MajorityClassifier):
        abilities = MajorityClassifier.abilities - {"baseline"}

    found = learnt.compare(datasets.iris(), learners=[Mine(), "NaiveBayesClassifier"], cv=3)
    print(*sorted((o.name, o.status) for o in found.outcomes))
"""


@pytest.mark.costly
@pytest.mark.skipif(sys.platform != "linux", reason="a class of __main__ needs a fork, which is safe on Linux alone")
@pytest.mark.parametrize("way", ["script", "standard input", "-c"])
def test_a_plain_script_needs_no_guard_and_its_own_classes_take_part(tmp_path, way):
    code = textwrap.dedent(PLAIN)
    script = tmp_path / "plain.py"
    script.write_text(code)
    args = {"script": [str(script)], "standard input": [], "-c": ["-c", code]}[way]
    done = subprocess.run(
        [sys.executable, *args],
        input=code if way == "standard input" else None,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "('Mine', 'done') ('NaiveBayesClassifier', 'done')"
