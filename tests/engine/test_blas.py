"""BLAS is held to one thread inside, and given back its threads after the last has left."""

from __future__ import annotations

import multiprocessing
import threading
import time
import warnings

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from learnt.engine import blas
from learnt.engine.blas import one_blas_thread


def threads() -> set[int]:
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads_before():
    np.ones((2, 2)) @ np.ones((2, 2))
    with one_blas_thread():
        pass  # all libraries are loaded
    with threadpool_limits(2, user_api="blas"):
        yield


def test_inside_is_one_thread_and_after_it_as_many_as_before() -> None:
    with one_blas_thread():
        assert threads() == {1}
    assert threads() == {2}


def test_it_nests_and_survives_errors() -> None:
    def fail() -> None:
        with one_blas_thread():
            with one_blas_thread():
                assert threads() == {1}
            assert threads() == {1}
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert threads() == {2}


def test_whoever_leaves_first_does_not_lift_the_limit_of_the_other() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_blas_thread():
            inside.set()
            leave.wait(600)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(600)
    with one_blas_thread():
        leave.set()
        thread.join(600)
        assert threads() == {1}
    assert threads() == {2}


def use() -> None:
    with one_blas_thread():
        pass


def fork_is_stuck() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = multiprocessing.get_context("fork").Process(target=use)
        child.start()
    child.join(600)
    stuck = child.exitcode != 0
    child.kill()
    return stuck


fork = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")


@fork
def test_a_child_forked_by_a_thread_in_the_lock_is_not_stuck() -> None:
    with blas._lock:
        assert not fork_is_stuck()
    assert threads() == {2}


@fork
def test_a_fork_waits_until_the_other_thread_is_out_of_the_lock() -> None:
    held, released = threading.Event(), threading.Event()

    def hold() -> None:
        with blas._lock:
            held.set()
            time.sleep(0.3)
            released.set()

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(600)
    assert not fork_is_stuck()
    assert released.is_set()
    other.join(600)
