"""Workers of a cluster: the numbers of this process, whichever of them die."""

import contextlib
import os
import queue
import signal
import time

import numpy as np
import pytest
from tests.evaluate.workers import misbehaving
from tests.small_cluster import cluster_of

import learnt
from learnt.engine.cluster import tasks
from learnt.errors import KindError
from learnt.evaluate.folds import FoldResult, folds, run_fold
from learnt.evaluate.problem import problem
from learnt.evaluate.workers import cluster_pool, cluster_session
from learnt.evaluate.workers.cluster_pool import ClusterPool
from learnt.evaluate.workers.jobs import job_of
from learnt.evaluate.workers.workers import Failure, LearnerWarning, WorkerEnd

LABOR = problem(learnt.datasets.load("labor"))

pytestmark = pytest.mark.costly


def all_events(pool, learner, n=3):
    """What is heard of the folds of a learner, given as places are free."""
    job, cut, found = job_of(learner), iter(list(folds(LABOR, n))), []
    while True:
        while pool.n_busy < pool.jobs and (fold := next(cut, None)) is not None:
            pool.give(LABOR, job, fold)
        if not pool.n_busy:
            return found
        found.append(pool.hear(600)[1])


def pids(client):
    return client.run(os.getpid)


def sessions(client):
    """Comparisons that workers have something of, once they had the time to end them."""
    end = time.monotonic() + 60
    while (left := sum(client.run(cluster_session.n_sessions).values())) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def assert_as_here(results, learner, n=3):
    by_number = {r.number: r for r in results}
    assert len(results) == n
    for fold in folds(LABOR, n):
        here, there = run_fold(learner, LABOR, fold), by_number[fold.number]
        np.testing.assert_array_equal(here.probabilities, there.probabilities)
        np.testing.assert_array_equal(here.answer, there.answer)
        np.testing.assert_array_equal(here.test, there.test)


def test_workers_of_a_cluster_give_the_bits_of_this_process_and_keep_nothing(small_cluster):
    with ClusterPool(small_cluster) as pool:
        assert pool.jobs == 2
        results = all_events(pool, learnt.C45Classifier(), 5)
    assert_as_here(results, learnt.C45Classifier(), 5)
    assert sessions(small_cluster) == 0


def test_a_learner_of_a_script_is_sent_as_it_is(small_cluster, own_learners_apart):
    class Scripted(learnt.MajorityClassifier):
        """Not in any module that workers could import."""

    Scripted.__module__ = "__main__"
    with ClusterPool(small_cluster) as pool:
        assert_as_here(all_events(pool, Scripted()), learnt.MajorityClassifier())


def test_errors_and_warnings_come_in_words(small_cluster):
    with ClusterPool(small_cluster) as pool:
        failures = all_events(pool, misbehaving._Failing())
        told = all_events(pool, misbehaving._Warning())
    assert {(f.type_name, f.message, f.error) for f in failures} == {("ZeroDivisionError", "no luck today", None)}
    assert {w.text for w in told if isinstance(w, LearnerWarning)} == {"this went slowly"}
    assert sum(isinstance(w, FoldResult) for w in told) == 3


def test_a_learner_that_takes_its_process_along_leaves_the_worker_of_the_cluster_alone(small_cluster):
    before = pids(small_cluster)
    with ClusterPool(small_cluster) as pool:
        ended = all_events(pool, misbehaving._Dying(), 2)
        assert_as_here(all_events(pool, learnt.MajorityClassifier()), learnt.MajorityClassifier())
    assert {event.why for event in ended} == {"exit code 7"}
    assert "these are my last words" in ended[0].last_words
    assert pids(small_cluster) == before


def test_a_hanging_fold_can_be_stopped_and_its_place_is_free_at_once(small_cluster):
    first = next(folds(LABOR, 3))
    with ClusterPool(small_cluster, n_jobs=1) as pool:
        assert pool.jobs == 1
        hanging = pool.give(LABOR, job_of(misbehaving._Hanging()), first)
        with pytest.raises(queue.Empty):
            pool.hear(0.5)
        pool.kill(hanging)
        assert pool.n_busy == 0
        assert isinstance(pool.hear(600)[1], WorkerEnd)
        assert_as_here(all_events(pool, learnt.MajorityClassifier()), learnt.MajorityClassifier())


def test_closing_ends_what_runs_and_frees_the_workers(small_cluster):
    pool = ClusterPool(small_cluster)
    for fold in folds(LABOR, 2):
        pool.give(LABOR, job_of(misbehaving._Hanging()), fold)
    with pytest.raises(queue.Empty):
        pool.hear(1.0)
    pool.close()
    assert pool.n_busy == 0
    assert sessions(small_cluster) == 0
    assert small_cluster.submit(sum, [1, 2], pure=False).result(timeout=60) == 3


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """However busy the machine is: workers may take long to come again."""
    monkeypatch.setattr(tasks, "NO_WORKERS", 600.0)


@contextlib.contextmanager
def mortal_cluster(n):
    """So many workers that may be killed, and a client of them. Whether they come again, and when, does not matter."""
    from distributed import Client

    with cluster_of(n) as cluster, Client(cluster, set_as_default=False) as client:
        yield cluster, client


def test_folds_of_a_worker_that_is_killed_are_run_by_another(tmp_path):
    gate = tmp_path / "open"
    with mortal_cluster(2) as (_, client), ClusterPool(client) as pool:
        job = job_of(misbehaving._Waiting(gate=str(gate)))
        given = [pool.give(LABOR, job, fold) for fold in folds(LABOR, 2)]
        doomed = given[0].worker
        os.kill(pids(client)[doomed], signal.SIGKILL)
        while given[0].worker == doomed:
            with pytest.raises(queue.Empty):
                pool.hear(0.1)
        gate.touch()
        assert_as_here([pool.hear(600)[1] for _ in given], learnt.MajorityClassifier(), 2)
    assert [assignment.lost for assignment in given] == [{doomed}, set()]


def test_a_problem_is_sent_again_when_all_who_had_it_are_gone(tmp_path):
    gate = tmp_path / "open"
    with mortal_cluster(1) as (cluster, client), ClusterPool(client, n_jobs=1) as pool:
        pool.give(LABOR, job_of(misbehaving._Waiting(gate=str(gate))), next(folds(LABOR, 2)))
        (process,) = pids(client).values()
        os.kill(process, signal.SIGKILL)
        cluster.scale(2)
        gate.touch()
        assert isinstance(pool.hear(600)[1], FoldResult)


def test_a_fold_that_takes_worker_after_worker_along_is_given_up(monkeypatch):
    monkeypatch.setattr(cluster_pool, "MOST_LOST", 2)
    with mortal_cluster(3) as (_, client), ClusterPool(client, n_jobs=1) as pool:
        processes, heard, killed = pids(client), [], set()
        assignment = pool.give(LABOR, job_of(misbehaving._Hanging()), next(folds(LABOR, 3)))
        while not heard:
            process = (processes | pids(client)).get(assignment.worker)
            if process is not None and process not in killed:
                killed.add(process)
                os.kill(process, signal.SIGKILL)
            with contextlib.suppress(queue.Empty):
                heard.append(pool.hear(0.1)[1])
    assert isinstance(heard[0], Failure)
    assert len(killed) == 2
    assert "2 workers of the cluster were lost" in heard[0].message


def test_the_problem_is_sent_once_to_each_worker(small_cluster):
    with ClusterPool(small_cluster) as pool:
        all_events(pool, learnt.MajorityClassifier(), 6)
        all_events(pool, learnt.C45Classifier(), 6)
        (data,) = pool._data.values()
        assert {len(where) for where in small_cluster.who_has([data]).values()} == {2}


def test_what_is_no_client_is_refused():
    with pytest.raises(KindError, match="client of Dask"):
        ClusterPool("tcp://127.0.0.1:8786")
