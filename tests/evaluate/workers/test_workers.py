"""Workers: the same numbers as here, and none of a learner's ways to end takes its parent along."""

import os
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
from learnt.evaluate.workers.jobs import Job, job_of
from learnt.evaluate.workers.pool import Pool
from learnt.evaluate.workers.workers import Failure, LearnerWarning, WorkerEnd

LABOR = problem(learnt.datasets.load("labor"))


def events(learner, cut, count=1):
    """All that is heard of the folds of a learner in so many workers, by type; nobody has another after a failure."""
    found = {FoldResult: [], Failure: [], LearnerWarning: [], WorkerEnd: []}
    job, cut, over = job_of(learner), iter(cut), False
    with Pool() as pool:
        while True:
            while not over and pool.n_busy < count and (fold := next(cut, None)) is not None:
                pool.give(LABOR, job, fold)
            if not pool.n_busy:
                return found
            _, event = pool.hear(timeout=600)
            found[type(event)].append(event)
            over = over or isinstance(event, Failure | WorkerEnd)


def test_workers_give_the_bits_of_this_process():
    found = events(learnt.C45Classifier(), folds(LABOR, 6), count=2)
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
    assert found[WorkerEnd] == []  # it lives on


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


def test_a_hanging_fold_can_be_stopped_and_its_place_is_free_at_once():
    first = next(folds(LABOR, 3))
    with Pool() as pool:
        hanging = pool.give(LABOR, job_of(misbehaving._Hanging()), first)
        pool.kill(hanging)
        assert pool.n_busy == 0
        assignment, event = pool.hear(timeout=600)
    assert assignment is hanging
    assert event.exit_code == -signal.SIGKILL
    assert "SIGKILL" in event.why


@pytest.mark.skipif(sys.platform != "linux", reason="forks are used on Linux only")
def test_a_learner_that_cannot_be_sent_runs_in_a_fork():
    class _Local(learnt.C45Classifier):
        pass

    class _LocalDying(learnt.C45Classifier):
        def fit(self, X, y=None, sample_weight=None):
            os.kill(os.getpid(), signal.SIGTERM)

    assert job_of(_Local()).packed is None
    found = events(_Local(), folds(LABOR, 3))
    for fold, result in zip(folds(LABOR, 3), found[FoldResult], strict=True):
        expected = run_fold(learnt.C45Classifier(), LABOR, fold)
        np.testing.assert_array_equal(result.probabilities, expected.probabilities)
    (ended,) = events(_LocalDying(), folds(LABOR, 3))[WorkerEnd]
    assert "SIGTERM" in ended.why


# Workers that stay


def heard(pool, kind):
    while True:
        _, event = pool.hear(timeout=600)
        if isinstance(event, kind):
            return event


def test_learners_of_learnt_share_a_worker_one_after_the_other():
    pids = set()
    with Pool() as pool:
        for learner in (learnt.MajorityClassifier(), learnt.C45Classifier(), learnt.KNeighborsClassifier()):
            for fold in folds(LABOR, 3):
                pids.add(pool.give(LABOR, job_of(learner), fold).worker.pid)
                there, here = heard(pool, FoldResult), run_fold(learner, LABOR, fold)
                np.testing.assert_array_equal(there.probabilities, here.probabilities)
    assert len(pids) == 1


def test_learners_of_others_have_a_process_of_their_own_that_ends_with_them():
    from sklearn.naive_bayes import GaussianNB

    class _Local(learnt.MajorityClassifier):
        pass

    ours = [learnt.C45Classifier(), learnt.GradientBoostingClassifier()]
    assert all(job_of(learner).ours for learner in ours)
    bagged = learnt.BaggingClassifier(misbehaving._Warning())
    others = [GaussianNB(), misbehaving._Warning(), bagged]
    assert not any(job_of(learner).ours for learner in [*others, _Local()])
    first, second, *_ = folds(LABOR, 3)
    with Pool() as pool:
        pool.warm(1)
        mine, other = job_of(misbehaving._Warning()), job_of(misbehaving._Warning())
        one = pool.give(LABOR, mine, first).worker
        heard(pool, FoldResult)
        assert pool.give(LABOR, mine, second).worker is one
        heard(pool, FoldResult)
        assert pool.give(LABOR, other, first).worker is not one
        heard(pool, FoldResult)
        shared = pool.give(LABOR, job_of(learnt.C45Classifier()), first).worker
        heard(pool, FoldResult)
        assert shared.only_for is None
        pool.retire(mine)
        one.join(600)
        assert one.exit_code == 0


def test_words_and_warnings_stand_with_the_learner_they_are_of():
    """All in one process, as learnt's own share one; the last has printed nothing when it dies."""
    learners = [misbehaving._Talking(), misbehaving._Warning(), misbehaving._DyingSilently()]
    jobs = [Job(learner, job_of(learner).packed, ours=True) for learner in learners]
    first = next(folds(LABOR, 3))
    with Pool() as pool:
        told = []
        for job in jobs:
            pool.give(LABOR, job, first)
            event = None
            while not isinstance(event, FoldResult | WorkerEnd):
                assignment, event = pool.hear(timeout=600)
                told.append((assignment.job, event))
    warned = [job for job, event in told if isinstance(event, LearnerWarning)]
    assert warned == [jobs[1]]
    (ended,) = [event for _, event in told if isinstance(event, WorkerEnd)]
    assert (ended.exit_code, ended.last_words) == (7, "")


def test_what_a_learner_does_to_global_state_does_not_change_the_next_one():
    """The learners here are given out for learnt's own, so that they do share a process."""
    guessing, first = misbehaving._GuessingGlobally(), next(folds(LABOR, 3))
    guess = Job(guessing, job_of(guessing).packed, ours=True)
    vandal = Job(misbehaving._Vandal(), job_of(misbehaving._Vandal()).packed, ours=True)
    answers = []
    with Pool() as pool:
        for job in (guess, vandal, guess):
            worker = pool.give(LABOR, job, first).worker
            answers.append(heard(pool, FoldResult).answer)
        assert worker.job is guess
    np.testing.assert_array_equal(answers[0], answers[2])
    assert len(np.unique(answers[0])) == 2


def test_a_worker_that_is_gone_before_it_took_a_fold_is_replaced():
    one, two, *_ = folds(LABOR, 3)
    with Pool() as pool:
        job = job_of(learnt.C45Classifier())
        gone = pool.give(LABOR, job, one).worker
        heard(pool, FoldResult)
        os.kill(gone.pid, signal.SIGKILL)  # while it waits, and nobody looks
        again = pool.give(LABOR, job, two)
        assert heard(pool, FoldResult | WorkerEnd).number == two.number
        assert again.worker is not gone


def test_workers_load_nothing_that_they_do_not_need():
    code = "import sys; from learnt.evaluate.workers.main import main; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "learnt" in loaded
    assert loaded.isdisjoint({"rich", "typer", "jinja2", "matplotlib", "pandas", "pyarrow", "scipy", "sklearn"})


SCRIPT = """
    import learnt
    from learnt.baseline import MajorityClassifier
    class Mine(MajorityClassifier):
        pass
    table = learnt.datasets.load("iris")
    for learner in (MajorityClassifier(), Mine()):
        print(round(learnt.cross_validate(learner, table, cv=5, n_jobs=2).mean(), 6))
"""


@pytest.mark.costly
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


@pytest.mark.costly
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_and_their_folder_are_gone_after_the_parent_was_killed(tmp_path):
    code = """
        import time
        import learnt
        from learnt.evaluate.folds import folds
        from learnt.evaluate.problem import problem
        from learnt.evaluate.workers.jobs import job_of
        from learnt.evaluate.workers.pool import Pool
        from tests.evaluate.workers.misbehaving import _Hanging
        class Local(_Hanging):
            pass
        task = problem(learnt.datasets.load("iris"))
        pool = Pool()
        pool.warm(1)
        for learner in (_Hanging(), Local()):
            pool.give(task, job_of(learner), next(folds(task, 3)))
        time.sleep(1.5)
        print(*(worker.pid for worker in pool._workers), pool.folder, flush=True)
        time.sleep(600)
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        *pids, folder = parent.stdout.readline().split()
        assert len(pids) == 3
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
