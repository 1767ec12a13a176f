"""Other processes and signals: fork, Ctrl-C."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import warnings
from functools import cache
from typing import Any

import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answer, answers, frozen, quietly
from tests.conformance.tables import CONTAINERS, mixed, numbers

#: Seconds after which a child counts as hung, on a machine as busy as can be.
PATIENCE = 600


def fit_and_ask(subject: Subject, X, y, expected) -> None:
    model = subject.fitted(X, y)
    os._exit(0 if frozen(answers(model, X)) == expected else 3)


@check("nominal", "missing", expensive=True)
def a_forked_child_can_fit(subject: Subject) -> None:
    """After the parent used its threads, forked children fit and predict, without a hang, on any table."""
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no fork")
    fork = multiprocessing.get_context("fork")
    cells = mixed(300)
    for X in (numbers(subject.rows(30_000)), *(CONTAINERS[name](cells) for name in ("pandas", "polars", "Arrow"))):
        y = subject.target(len(X))
        expected = frozen(answers(subject.fitted(X, y), X))  # the pool has started
        child = fork.Process(target=fit_and_ask, args=(subject, X, y, expected))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads is the point
            child.start()
        child.join(PATIENCE)
        if child.exitcode is None:
            child.kill()
            pytest.fail(f"a forked child hung on a {type(X).__module__} table")
        assert child.exitcode == 0


@check(expensive=True)
def a_fork_during_a_fit_does_no_harm(subject: Subject) -> None:
    """A child forked while another thread fits can fit too."""
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no fork")
    fork, done, x = multiprocessing.get_context("fork"), threading.Event(), numbers(subject.rows(30_000), 6)
    y, small = subject.target(len(x)), numbers(subject.rows(2_000), 3)
    expected = frozen(answers(subject.fitted(small), small))

    def keep_fitting():
        while not done.is_set():
            subject.fitted(x, y)

    other = threading.Thread(target=keep_fitting)
    other.start()
    try:
        for _ in range(4):
            child = fork.Process(target=fit_and_ask, args=(subject, small, subject.target(len(small)), expected))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child.start()
            child.join(PATIENCE)
            if child.exitcode is None:
                child.kill()
                pytest.fail("a child forked during a fit hung")
            assert child.exitcode == 0
    finally:
        done.set()
        other.join(PATIENCE)


#: A process that has loaded everything and made the rows once, and forks a child for every learner it is told to fit.
#: A child interrupts itself after so many seconds of processor time, by the timer of its own that counts them, and
#: tells how many more it took: how busy the machine is does not matter.
SERVER = textwrap.dedent(
    """
    import json, os, signal, sys, time, traceback, warnings
    import numpy as np
    import learnt
    from learnt.learner.registry import find

    AFTER = 0.3  # seconds of all threads together

    def fit_until_interrupted(x, name, needs, settings, quick):
        signal.alarm(600)  # ends a child that hangs
        signal.signal(signal.SIGPROF, signal.default_int_handler)  # what Ctrl-C calls
        if quick.pop("estimators", None):
            forest = {"numbers": "RandomForestRegressor", "classes": "RandomForestClassifier"}[needs]
            quick["estimators"] = [find(forest)(n_estimators=2)]
        rng = np.random.default_rng(1)
        y = {"numbers": rng.normal(size=len(x)), "classes": rng.integers(3, size=len(x))}.get(needs)
        find(name)(**settings | quick).fit(x[:500], None if y is None else y[:500])  # the threads have started
        began = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, AFTER)
            while True:
                model = find(name)(**settings)
                model.fit(x, y)
        except KeyboardInterrupt:
            took = time.process_time() - began - AFTER
        fitted = model.__sklearn_is_fitted__()
        model.set_params(**quick).fit(x[:500], None if y is None else y[:500])
        alive = len((model.predict if hasattr(model, "predict") else model.transform)(x[:5]))
        return {"took": took, "threads": learnt.threads(), "fitted": fitted, "alive": alive}

    def answer(*task):
        try:
            return fit_until_interrupted(*task)
        except BaseException:
            return {"error": traceback.format_exc()}

    learnt.learners()
    warnings.simplefilter("ignore")
    made = {}
    for line in sys.stdin:
        rows, most, *task = json.loads(line)
        if rows not in made:
            made[rows] = eval(rows, {"np": np, "rng": np.random.default_rng(0)})
        child = os.fork()
        if child == 0:
            print(json.dumps(answer(made[rows][:most], *task)), flush=True)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            print(json.dumps({"error": f"exit code {code}"}), flush=True)
    """
)

#: A wide matrix keeps a kernel busy in one call, collinear columns keep LAPACK busy.
ROADS = {
    "wide": "rng.exponential(size=(20_000, 1000)).astype(np.float32)",
    "collinear": "np.repeat(rng.exponential(size=(200_000, 60)), 2, axis=1)",
}


def assert_interrupts(subject: Subject, rows: str) -> None:
    """Within a second of processor time on each thread; again where the interrupt came just as a fit was done."""
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no fork")
    tries = 0
    while (told := _interrupt_a_fit(subject, rows)).get("fitted") and tries < 3:
        tries += 1
    assert "error" not in told, told["error"]
    assert not told["fitted"]
    assert told["alive"] == 5
    assert told["took"] < told["threads"]


@cache
def _server() -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True, bufsize=1
    )


def _interrupt_a_fit(subject: Subject, rows: str) -> dict[str, Any]:
    """What a child tells of its interrupted fit."""
    long = {"n_clusters": 400, "max_iter": 100_000, "tol": 0.0, "random_state": 0}
    settings = {name: value for name, value in long.items() if name in subject.defaults()}
    quick = {
        name: 2 for name in ("max_iter", "n_estimators", "estimators") if name in subject.defaults()
    }  # for fits that are to end
    most = 4000 if subject.can("pairwise") else None
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps([rows, most, subject.name, subject.needs, settings, quick]) + "\n")
    server.stdin.flush()
    lines = []
    for line in server.stdout:
        if line.startswith("{"):
            told: dict[str, Any] = json.loads(line)
            return told
        lines.append(line)
    raise AssertionError("the server of interrupts ended: " + "".join(lines))


@check(expensive=True)
def an_interrupt_stops_a_kernel_within_a_second(subject: Subject) -> None:
    """An interrupt of a fit raises KeyboardInterrupt within 1 s; learner unfitted, interpreter usable."""
    assert_interrupts(subject, ROADS["wide"])


@check(only=("DiscriminantClassifier", "LinearRegression", "MultiResponseClassifier", "Ridge"), expensive=True)
def an_interrupt_stops_blocks_of_lapack_within_a_second(subject: Subject) -> None:
    """The same where columns are collinear and factorised block by block."""
    assert_interrupts(subject, ROADS["collinear"])


@check("nominal", expensive=True)
def a_model_moves_to_a_fresh_process(subject: Subject) -> None:
    """A pickled model predicts in a process that has imported nothing yet."""
    with quietly():
        model = subject.fitted(numbers())
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1) as pool:
        assert frozen(pool.apply(answer, (model, numbers(5)))) == frozen(answer(model, numbers(5)))
