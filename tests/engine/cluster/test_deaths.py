"""Workers that die or come during a fit, a scheduler that is gone, Ctrl-C: the same bits, or an error in words."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from tests.engine.cluster.files import LEARNERS, bits, fitted, parquet
from tests.engine.cluster.test_engine import sessions, threads_as_workers
from tests.small_cluster import cluster_of

import learnt
from learnt.engine.cluster import tasks
from learnt.errors import ClusterError

distributed = pytest.importorskip("distributed", reason="a cluster needs distributed")

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills otherwise"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return parquet(tmp_path_factory.mktemp("rows"))


class After:
    """Does something once, when so many steps were reported."""

    def __init__(self, steps: int, deed):
        self.left, self.deed = steps, deed

    def __call__(self, step) -> None:
        self.left -= 1
        if self.left == 0:
            self.deed()


def steps_of(name, client, folder) -> tuple[bytes, int]:
    """The bits of a fit that nobody disturbs, and how many steps it reports."""
    with learnt.cluster(client), learnt.watch() as log:
        model = fitted(name, learnt.scan(folder))
    return bits(model), sum(step.facts.get("unit") == "rows" for step in log)


def kill_one(client, rng) -> None:
    os.kill(int(rng.choice(list(client.run(os.getpid).values()))), signal.SIGKILL)


def fits_with_kills(names, n_kills, folder) -> None:
    """Kill a worker at a random step of a fit, again and again; each ends with the bits it has without."""
    rng = np.random.default_rng(0)
    with cluster_of(2) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        undisturbed = {name: steps_of(name, client, folder) for name in names}
        for number in range(n_kills):
            name = names[number % len(names)]
            expected, n_steps = undisturbed[name]
            client.wait_for_workers(2)
            watcher = After(int(rng.integers(1, n_steps + 1)), lambda: kill_one(client, rng))
            with learnt.cluster(client), learnt.watch(watcher):
                assert bits(fitted(name, learnt.scan(folder))) == expected, (name, number)
            assert watcher.left <= 0
        assert sessions(client) == 0


@pytest.mark.costly
def test_a_fit_ends_with_the_same_bits_when_a_worker_is_killed(folder):
    fits_with_kills(["boosting", "k-means"], 2, folder)


@pytest.mark.slow
def test_fifty_kills_over_five_learners_change_no_bit(folder):
    fits_with_kills(list(LEARNERS), 50, folder)


@pytest.mark.costly
@pytest.mark.parametrize("name", ["k-means", "boosting"])
def test_a_worker_that_comes_during_a_fit_changes_no_bit(folder, name):
    with threads_as_workers(1) as client:
        expected, _ = steps_of(name, client, folder)

        def add_one():
            client.cluster.scale(2)
            client.wait_for_workers(2)

        with learnt.cluster(client), learnt.watch(After(2, add_one)):
            assert bits(fitted(name, learnt.scan(folder))) == expected


@pytest.mark.costly
def test_a_worker_that_leaves_in_order_hands_its_pieces_on(folder):
    with threads_as_workers(3) as client:
        expected, _ = steps_of("boosting", client, folder)
        retire = After(9, lambda: client.retire_workers(list(client.nthreads())[:1]))
        with learnt.cluster(client), learnt.watch(retire):
            assert bits(fitted("boosting", learnt.scan(folder))) == expected


@pytest.mark.costly
def test_many_workers_add_up_among_themselves(folder, monkeypatch):
    with threads_as_workers(4) as client:
        expected, _ = steps_of("boosting", client, folder)
        monkeypatch.setattr("learnt.engine.cluster.round.FAN_IN", 3)
        retire = After(9, lambda: client.retire_workers(list(client.nthreads())[:1]))
        with learnt.cluster(client), learnt.watch(retire):
            assert bits(fitted("boosting", learnt.scan(folder))) == expected


@pytest.mark.costly
def test_ctrl_c_ends_the_work_and_frees_the_memory(small_cluster, folder):
    before = learnt.KMeans(2, random_state=0).fit(learnt.scan(folder))
    state = bits(before)
    press = After(3, lambda: signal.raise_signal(signal.SIGINT))
    with learnt.cluster(small_cluster), learnt.watch(press), pytest.raises(KeyboardInterrupt):
        before.fit(learnt.scan(folder))
    assert bits(before) == state
    deadline = time.monotonic() + 600
    while sessions(small_cluster) or any(small_cluster.processing().values()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not [key for key in small_cluster.futures if not key.startswith("open_sessions")]


@pytest.mark.costly
def test_a_cluster_without_workers_is_an_error_in_words(folder, monkeypatch):
    monkeypatch.setattr("learnt.engine.cluster.tasks.NO_WORKERS", 0.5)
    with (
        threads_as_workers(0) as client,
        learnt.cluster(client),
        pytest.raises(ClusterError, match="no workers, and none came within"),
    ):
        fitted("k-means", learnt.scan(folder))


_begun, _over = threading.Event(), threading.Event()


def wait(_) -> None:
    _begun.set()
    _over.wait(600)


@pytest.mark.costly
def test_workers_that_all_go_while_they_look_at_files_are_an_error_in_words(monkeypatch):
    monkeypatch.setattr("learnt.engine.cluster.tasks.NO_WORKERS", 0.5)
    with threads_as_workers(1) as client, learnt.cluster(client) as workers:
        leaving = threading.Thread(target=lambda: (_begun.wait(600), client.cluster.scale(0)), daemon=True)
        leaving.start()
        try:
            with pytest.raises(ClusterError, match="no workers, and none came within"):
                workers.each(wait, [1])
        finally:
            _over.set()
            leaving.join()


@pytest.mark.costly
def test_a_client_that_is_closed_during_a_fit_is_an_error_in_words(folder):
    with threads_as_workers(1) as client:
        with learnt.cluster(client), learnt.watch(After(3, client.close)), pytest.raises(ClusterError, match="closed"):
            fitted("boosting", learnt.scan(folder))
        with learnt.cluster(client), pytest.raises(ClusterError, match="is closed"):
            fitted("k-means", learnt.scan(folder))


@pytest.mark.costly
def test_a_scheduler_that_is_killed_is_an_error_within_half_a_minute(folder, tmp_path, monkeypatch):
    assert tasks.PATIENCE < 25
    monkeypatch.setattr(tasks, "PATIENCE", 2.0)
    place = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    told = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    commands = [
        [*dask, "scheduler", "--port", "0", "--dashboard-address", ":0", "--scheduler-file", str(place)],
        [*dask, "worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", "--scheduler-file", str(place)],
    ]
    scheduler, worker = [subprocess.Popen(command, **told) for command in commands]
    try:
        deadline = time.monotonic() + 300
        while not place.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with distributed.Client(scheduler_file=str(place), set_as_default=False) as client:
            client.wait_for_workers(1)
            kill = After(3, scheduler.kill)
            with learnt.cluster(client), learnt.watch(kill), pytest.raises(ClusterError, match="is gone"):
                fitted("boosting", learnt.scan(folder))
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
