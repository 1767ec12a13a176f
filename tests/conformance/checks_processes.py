"""Other processes and signals: fork, Ctrl-C."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answer, answers, frozen, quietly
from tests.conformance.tables import CONTAINERS, mixed, numbers

#: Times sixty learners and four containers: hundreds in all.
ROUNDS = 1


def fit_and_ask(subject: Subject, X, y, expected) -> None:
    model = subject.fitted(X, y)
    os._exit(0 if frozen(answers(model, X)) == expected else 3)


@check("nominal", "missing")
def a_forked_child_can_fit(subject: Subject) -> None:
    """After the parent used its threads, forked children fit and predict, without a hang, on any table."""
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no fork")
    fork = multiprocessing.get_context("fork")
    cells = mixed(300)
    for X in (numbers(subject.rows(30_000)), *(CONTAINERS[name](cells) for name in ("pandas", "polars", "Arrow"))):
        y = subject.target(len(X))
        expected = frozen(answers(subject.fitted(X, y), X))  # the pool has started
        for _ in range(ROUNDS):
            child = fork.Process(target=fit_and_ask, args=(subject, X, y, expected))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads is the point
                child.start()
            child.join(30)
            if child.exitcode is None:
                child.kill()
                pytest.fail(f"a forked child hung on a {type(X).__module__} table")
            assert child.exitcode == 0


@check()
def a_fork_during_a_fit_does_no_harm(subject: Subject) -> None:
    """A child forked while another thread fits can fit too."""
    import threading

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
            child.join(30)
            if child.exitcode is None:
                child.kill()
                pytest.fail("a child forked during a fit hung")
            assert child.exitcode == 0
    finally:
        done.set()
        other.join(30)


SCRIPT = textwrap.dedent(
    """
    import sys, time, warnings
    import numpy as np
    import learnt
    from learnt.registry import find

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    x = ({rows})[:{most}]
    y = {{"numbers": rng.normal(size=len(x)), "classes": rng.integers(3, size=len(x))}}.get("{needs}")
    find("{name}")(**{settings} | {quick}).fit(x[:500], None if y is None else y[:500])  # everything is loaded
    print("ready", flush=True)
    try:
        while True:
            model = find("{name}")(**{settings})
            model.fit(x, y)
    except KeyboardInterrupt:
        print("interrupted", time.time(), model.__sklearn_is_fitted__(), flush=True)
    model.set_params(**{quick}).fit(x[:500], None if y is None else y[:500])
    print("alive", len((model.predict if hasattr(model, "predict") else model.transform)(x[:5])), flush=True)
    """
)

#: A wide matrix keeps a kernel busy in one call, collinear columns keep LAPACK busy.
ROADS = {
    "wide": "rng.exponential(size=(20_000, 1000)).astype(np.float32)",
    "collinear": "np.repeat(rng.exponential(size=(200_000, 60)), 2, axis=1)",
}


def assert_interrupts(subject: Subject, rows: str) -> None:
    """Within a second; the best of three tries, since the machine may be busy with other tests and the interrupt
    may come just as a fit is done."""
    took = []
    while len(took) < 3 and (not took or took[-1] >= 1):
        took.append(_seconds_to_interrupt(subject, rows))
    assert min(took) < 1, f"it took {min(took):.1f} s at best (inf: the learner counts as fitted)"


def _seconds_to_interrupt(subject: Subject, rows: str) -> float:
    long = {"n_clusters": 400, "max_iter": 100_000, "tol": 0.0, "random_state": 0}
    settings = {name: value for name, value in long.items() if name in subject.defaults()}
    quick = {name: 2 for name in ("max_iter", "n_estimators") if name in subject.defaults()}  # for fits that are to end
    most = 4000 if subject.can("pairwise") else None
    script = SCRIPT.format(rows=rows, most=most, needs=subject.needs, name=subject.name, settings=settings, quick=quick)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        ready = child.stdout.readline()
        if ready != "ready\n":
            raise AssertionError(child.communicate(timeout=60)[1])
        time.sleep(0.5)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        told, errors = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0, errors
    what, when, fitted = told.splitlines()[0].split()
    assert what == "interrupted"
    assert told.splitlines()[1] == "alive 5"
    return float(when) - sent if fitted == "False" else math.inf


@check()
def an_interrupt_stops_a_kernel_within_a_second(subject: Subject) -> None:
    """Ctrl-C during a fit raises KeyboardInterrupt within 1 s; learner unfitted, interpreter usable."""
    assert_interrupts(subject, ROADS["wide"])


@check(only=("DiscriminantClassifier", "LinearRegression", "MultiResponseClassifier", "Ridge"))
def an_interrupt_stops_blocks_of_lapack_within_a_second(subject: Subject) -> None:
    """The same where columns are collinear and factorised block by block."""
    assert_interrupts(subject, ROADS["collinear"])


@check("nominal")
def a_model_moves_to_a_fresh_process(subject: Subject) -> None:
    """A pickled model predicts in a process that has imported nothing yet."""
    with quietly():
        model = subject.fitted(numbers())
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1) as pool:
        assert frozen(pool.apply(answer, (model, numbers(5)))) == frozen(answer(model, numbers(5)))
