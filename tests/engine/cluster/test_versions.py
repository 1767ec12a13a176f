"""Workers with another learnt, or without one, are told of before any task is sent to them."""

from __future__ import annotations

import pytest

import learnt
from learnt.engine.cluster.versions import check_versions, version_here
from learnt.errors import ClusterError


class Asking:
    """A client whose workers say so of their versions."""

    def __init__(self, **said):
        self.said, self.asked = said, []

    def _run(self, *_, **__):
        raise AssertionError("by sync alone")

    def sync(self, function, what, *, workers, on_error, callback_timeout):
        assert (function, what, on_error) == (self._run, version_here, "return")
        self.asked.append(workers)
        return {address: self.said[address] for address in workers if address in self.said}


def test_each_worker_is_asked_once_until_it_is_gone():
    client = Asking(a=learnt.__version__, b=learnt.__version__)
    for there in ("a", "a", "ab", "ab", "b", "ab"):
        check_versions(client, there)
    assert client.asked == [["a"], ["b"], ["a"]]


def test_another_version_is_refused_every_time():
    client = Asking(a=learnt.__version__, b="0.0.9")
    for _ in range(2):
        with pytest.raises(ClusterError, match=f"b has learnt 0.0.9, and here is {learnt.__version__}"):
            check_versions(client, "ab")


def test_a_worker_without_learnt_is_refused_with_what_to_install():
    client = Asking(a=Exception("ModuleNotFoundError(\"No module named 'learnt'\")"))
    with pytest.raises(ClusterError, match=f"a cannot load learnt.*learnt.dask.=={learnt.__version__}"):
        check_versions(client, "a")


def test_a_worker_that_dies_when_it_is_asked_is_taken_on_trust():
    check_versions(Asking(a=OSError("connection closed")), "ab")


def test_a_scheduler_that_does_not_answer_is_for_others_to_tell():
    client = Asking()

    def mute(*_, **__):
        raise TimeoutError

    client.sync = mute
    check_versions(client, "a")


def test_workers_of_a_cluster_have_what_is_here(small_cluster):
    assert set(small_cluster.run(version_here).values()) == {learnt.__version__}
    check_versions(small_cluster, list(small_cluster.nthreads()))
