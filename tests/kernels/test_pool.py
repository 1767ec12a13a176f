"""Threads, forks, signals and instruction sets: what kernels share."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from tests.kernels.layouts import normal

from learnt import _core
from learnt.errors import ParameterError
from learnt.threads import threads

LONG = "import numpy as np; x = np.zeros((200_000, 200)); centers = np.random.rand(4000, 200)"


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, env={**os.environ, **environment}
    )


def test_threads_tells_sets_and_restores():
    before = threads()
    with threads(3) as limit:
        assert threads() == 3
        assert repr(limit) == "threads(3)"
        threads(np.int64(2))
        assert threads() == 2
    assert threads() == before


@pytest.mark.parametrize("bad", [0, -1, 1.5, "2", True, 10**6, 10**30])
def test_a_number_of_threads_that_makes_no_sense_is_refused(bad):
    before = threads()
    with pytest.raises(ParameterError, match="whole number from 1"):
        threads(bad)
    assert threads() == before
    with pytest.raises((ValueError, TypeError)):
        _core.set_threads(0 if isinstance(bad, bool) else bad)


def test_the_environment_sets_threads_and_a_bad_value_is_told():
    code = "from learnt.threads import threads; print(threads())"
    assert run_python(code, LEARNT_THREADS="3").stdout == "3\n"
    for bad in ("many", "0", "2.5", "-1"):
        done = run_python(code, LEARNT_THREADS=bad)
        assert f"LEARNT_THREADS is '{bad}'" in done.stderr
    ignored = run_python("from learnt import _core; print(_core.get_threads())", LEARNT_THREADS="many")
    assert int(ignored.stdout) >= 1


def test_by_default_there_are_no_more_threads_than_cpus():
    code = "from learnt import _core; print(_core.get_threads())"
    assert 1 <= int(run_python(code, LEARNT_THREADS="").stdout) <= len(os.sched_getaffinity(0))


def test_the_environment_sets_the_instruction_set():
    code = "from learnt import _core; print(_core.simd_level())"
    assert run_python(code, LEARNT_SIMD="baseline").stdout == "baseline\n"
    assert run_python(code, LEARNT_SIMD="").stdout == run_python(code, LEARNT_SIMD="nonsense").stdout


def test_an_unknown_instruction_set_is_refused():
    with pytest.raises(ValueError, match="'sse9'"):
        _core.set_simd_level("sse9")


def work(x=None):
    x = normal((40_000, 8)) if x is None else x
    gram = np.zeros((x.shape[1] + 2, x.shape[1] + 2))
    _core.add_gram(x, None, None, np.zeros(x.shape[1] + 1), gram)
    return gram.tobytes()


def test_eight_python_threads_at_once_get_the_same_bits():
    x = normal((40_000, 8))
    wanted, found = work(x), []

    def repeat():
        found.extend(work(x) for _ in range(20))

    running = [threading.Thread(target=repeat) for _ in range(8)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert len(found) == 160
    assert set(found) == {wanted}


@pytest.mark.costly
@pytest.mark.parametrize("busy", [False, True])
def test_kernels_run_in_forked_children(busy):
    wanted, stop = work(), threading.Event()

    def keep_busy():
        while not stop.is_set():
            work()

    thread = threading.Thread(target=keep_busy)
    if busy:
        thread.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python dislikes forks with threads; so do we
            for _ in range(20):
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    assert pool.starmap(work, [()] * 4) == [wanted] * 4
    finally:
        stop.set()
        if busy:
            thread.join()
    assert work() == wanted


def test_a_forked_child_of_an_idle_process_has_one_thread():
    work()
    pid = os.fork()
    if pid == 0:
        os._exit(len(os.listdir("/proc/self/task")))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1


@pytest.mark.parametrize("n_threads", ["1", "2"])
def test_an_interrupt_stops_one_long_call_within_a_second(n_threads):
    code = f"""
{LONG}
import os, signal, threading, time
from learnt import _core
asked = []
def interrupt():
    asked.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
try:
    threading.Timer(0.5, interrupt).start()
    _core.assign_and_sum(x, None, centers, np.zeros(200), None, None, None)
    print("finished")
except KeyboardInterrupt:  # seconds of all threads together: other processes do not count
    print("interrupted" if time.process_time() - asked[0] < {n_threads} else "late")
print(_core.all_finite(x))
"""
    assert run_python(code, LEARNT_THREADS=n_threads).stdout == "interrupted\nTrue\n"


def test_a_signal_handler_may_use_kernels_while_one_runs():
    code = f"""
{LONG}
import os, signal, threading
from learnt import _core
seen = []
def handler(*_):
    seen.append(_core.all_finite(x))
    if len(seen) == 2:
        raise ZeroDivisionError
    signal.setitimer(signal.ITIMER_REAL, 0.1)  # not before: on a slow machine handlers would interrupt each other
signal.signal(signal.SIGALRM, handler)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    _core.assign_and_sum(x, None, centers, np.zeros(200), None, None, None)
except ZeroDivisionError:
    print(seen)
"""
    assert run_python(code).stdout == "[True, True]\n"


def test_a_stop_request_reaches_kernels_in_other_threads():
    x, centers = np.zeros((200_000, 200)), normal((4000, 200))
    ended = []

    def long_call():
        try:
            _core.assign_and_sum(x, None, centers, np.zeros(200), None, None, None)
        except RuntimeError as error:
            ended.append((type(error), str(error), time.process_time()))

    thread = threading.Thread(target=long_call)
    thread.start()
    time.sleep(0.2)
    asked = time.process_time()
    _core.request_stop()
    try:
        thread.join()
        with pytest.raises(_core.Stopped):
            work()
    finally:
        _core.clear_stop()
    assert ended[0][:2] == (_core.Stopped, "stopped")
    assert ended[0][2] - asked < threads()  # seconds of all threads together
    work()


def test_an_error_in_a_worker_reaches_the_caller():
    indices = np.zeros(100_000, np.int32)
    indices[70_000] = 99
    args = (np.ones(100_000), indices, np.arange(100_001, dtype=np.int64), 5)
    for n in (1, 2, 5):
        _core.set_threads(n)
        with pytest.raises(ValueError, match="Row 70000 of the sparse matrix"):
            _core.predict_linear_csr(*args, np.ones(5), 0.0, np.empty(100_000))


def test_an_array_that_is_not_aligned_is_refused():
    raw = np.zeros(8 * 12 + 1, np.uint8)[1:].view(np.float64).reshape(4, 3)
    with pytest.raises((ValueError, TypeError), match=r"aligned|incompatible"):
        _core.all_finite(raw)
