"""Workers: the same numbers as here, and none of a learner's ways to end takes its parent along."""

import os
import queue
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from tests.evaluate.workers import misbehaving

import learnt
from learnt.evaluate.folds import FoldResult, folds, run_fold
from learnt.evaluate.problem import problem
from learnt.evaluate.workers.processes import pickled_learner
from learnt.evaluate.workers.shared import SharedProblem
from learnt.evaluate.workers.workers import Failure, InTurns, LearnerWarning, Worker, WorkerEnd

LABOR = problem(learnt.datasets.load("labor"))


def events(learner, cut, count=1, stop_after=None):
    """All events of some workers, by type."""
    inbox = queue.SimpleQueue()
    found = {FoldResult: [], Failure: [], LearnerWarning: [], WorkerEnd: []}
    with SharedProblem(LABOR) as shared:
        for _ in range(count):
            Worker(shared, learner, cut, inbox)
        while len(found[WorkerEnd]) < count:
            worker, event = inbox.get(timeout=600)
            found[type(event)].append(event)
            if stop_after is not None and isinstance(event, stop_after):
                worker.kill()
    return found


def test_workers_give_the_bits_of_this_process():
    found = events(learnt.C45Classifier(), InTurns(folds(LABOR, 6)), count=2)
    assert [e.exit_code for e in found[WorkerEnd]] == [0, 0]
    by_number = {r.number: r for r in found[FoldResult]}
    for fold in folds(LABOR, 6):
        here, there = run_fold(learnt.C45Classifier(), LABOR, fold), by_number[fold.number]
        np.testing.assert_array_equal(here.probabilities, there.probabilities)
        np.testing.assert_array_equal(here.answer, there.answer)
        np.testing.assert_array_equal(here.test, there.test)


def test_an_error_comes_back_as_it_was_raised_with_its_traceback():
    found = events(misbehaving._Failing(), folds(LABOR, 3))
    (failure,) = found[Failure]
    assert (failure.type_name, failure.message, failure.fold) == ("ZeroDivisionError", "no luck today", (0, 0))
    assert isinstance(failure.exception(), ZeroDivisionError)
    assert "misbehaving.py" in failure.exception().__notes__[0]
    assert found[WorkerEnd][0].exit_code == 0


def test_an_error_that_cannot_be_sent_comes_in_words():
    (failure,) = events(misbehaving._FailingUnpleasantly(), folds(LABOR, 3))[Failure]
    assert failure.error is None
    assert "_Unpleasant: 1 and 2" in str(failure.exception())


def test_a_worker_that_dies_tells_its_exit_code_and_last_words():
    (ended,) = events(misbehaving._Dying(), folds(LABOR, 3))[WorkerEnd]
    assert ended.exit_code == 7
    assert ended.why == "exit code 7"
    assert "these are my last words" in ended.last_words


def test_warnings_come_back_once_each():
    found = events(misbehaving._Warning(), folds(LABOR, 2))
    assert {(w.category, w.text) for w in found[LearnerWarning]} == {(UserWarning, "this went slowly")}
    assert len(found[FoldResult]) == 2


def test_a_hanging_worker_can_be_killed():
    inbox = queue.SimpleQueue()
    with SharedProblem(LABOR) as shared:
        worker = Worker(shared, misbehaving._Hanging(), folds(LABOR, 3), inbox)
        time.sleep(0.2)
        worker.kill()
        _, event = inbox.get(timeout=600)
    assert event.exit_code == -signal.SIGKILL
    assert "SIGKILL" in event.why


@pytest.mark.skipif(sys.platform != "linux", reason="forks are used on Linux only")
def test_a_learner_that_cannot_be_sent_runs_in_a_fork():
    class _Local(learnt.C45Classifier):
        pass

    class _LocalDying(learnt.C45Classifier):
        def fit(self, X, y=None, sample_weight=None):
            os.kill(os.getpid(), signal.SIGTERM)

    assert pickled_learner(_Local()) is None
    found = events(_Local(), folds(LABOR, 3))
    for fold, result in zip(folds(LABOR, 3), found[FoldResult], strict=True):
        expected = run_fold(learnt.C45Classifier(), LABOR, fold)
        np.testing.assert_array_equal(result.probabilities, expected.probabilities)
    (ended,) = events(_LocalDying(), folds(LABOR, 3))[WorkerEnd]
    assert "SIGTERM" in ended.why
    (ended,) = events(_Local(), folds(LABOR, 3), stop_after=FoldResult)[WorkerEnd]
    assert ended.exit_code in (0, -signal.SIGKILL)


def test_a_splitter_that_fails_in_between_is_a_failure_of_the_worker():
    def broken():
        yield from list(folds(LABOR, 3))[:1]
        raise ValueError("the cards fell down")

    found = events(learnt.MajorityClassifier(), broken())
    assert len(found[FoldResult]) == 1
    assert "the cards fell down" in found[Failure][0].message


SCRIPT = """
    import learnt
    from learnt.baseline import MajorityClassifier
    class Mine(MajorityClassifier):
        pass
    table = learnt.datasets.load("iris")
    for learner in (MajorityClassifier(), Mine()):
        print(round(learnt.cross_validate(learner, table, cv=5, n_jobs=2).mean(), 6))
"""


@pytest.mark.parametrize("way", ["file", "standard input", "command"])
def test_a_script_without_a_main_guard_works(way, tmp_path):
    code = textwrap.dedent(SCRIPT)
    script = tmp_path / "script.py"
    script.write_text(code)
    args = {"file": [str(script)], "standard input": ["-"], "command": ["-c", code]}[way]
    done = subprocess.run([sys.executable, *args], input=code, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0.333333"] * 2


def test_modules_that_only_the_parent_can_find_are_found(tmp_path):
    (tmp_path / "only_here.py").write_text(
        "from learnt.baseline import MajorityClassifier\nclass Hidden(MajorityClassifier):\n    pass\n"
    )
    code = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import learnt, only_here
        print(learnt.cross_validate(only_here.Hidden(), learnt.datasets.load("iris"), cv=5, n_jobs=2).mean())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert abs(float(done.stdout) - 1 / 3) < 1e-9


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_and_their_folder_are_gone_after_the_parent_was_killed(tmp_path):
    code = """
        import queue, sys, time
        import learnt
        from learnt.evaluate.folds import folds
        from learnt.evaluate.problem import problem
        from learnt.evaluate.workers.shared import SharedProblem
        from learnt.evaluate.workers.workers import Worker
        from tests.evaluate.workers.misbehaving import _Hanging
        class Local(_Hanging):
            pass
        task = problem(learnt.datasets.load("iris"))
        shared = SharedProblem(task)
        workers = [Worker(shared, learner, folds(task, 3), queue.SimpleQueue()) for learner in (_Hanging(), Local())]
        time.sleep(1.5)
        pids = [workers[0]._process._process.pid, workers[1]._process._pid]
        print(*pids, shared.folder, flush=True)
        time.sleep(600)
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        *pids, folder = parent.stdout.readline().split()
        assert len(pids) == 2
        assert os.path.isdir(folder)
        parent.kill()
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and (os.path.isdir(folder) or any(map(_alive, pids))):
        time.sleep(0.05)
    assert not os.path.isdir(folder)
    assert not any(map(_alive, pids))


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
