"""Threads: the same bits for any number of them, and no harm from several at once."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answer, answers, explained, frozen, quietly
from tests.conformance.tables import as_table, mixed, numbers
from threadpoolctl import threadpool_info, threadpool_limits

import learnt


def large(subject: Subject):
    """Tables of enough rows for many blocks, on every road through the learners."""
    x = numbers(subject.rows(40_000), 7)
    yield x
    yield x.astype(np.float32)
    yield np.column_stack([x, x[:, :2] @ np.ones(2), x[:, 0]])  # collinear
    if subject.can("nominal", "missing"):
        yield as_table(mixed(subject.rows(30_000)))
        codes = np.random.default_rng(5).integers(2_000, size=subject.rows(20_000))
        yield learnt.Table({"id": [f"c{c}" for c in codes], "x": x[: len(codes), 0]})
    if subject.can("sparse"):
        from scipy.sparse import csr_matrix

        yield csr_matrix(x * (x > 1))


def some(X):
    """The first rows, enough for several blocks."""
    return X.rows(0, min(X.n_rows, 5_000)) if isinstance(X, learnt.Table) else X[:5_000]


@check(expensive=True)
def the_number_of_threads_changes_no_bit(subject: Subject) -> None:
    """The same seed gives bit-identical models and answers with 1, 2 and 5 threads, of ours and of BLAS."""
    for X in large(subject):
        found = []
        for count in (1, 2, 5):
            with learnt.threads(count), threadpool_limits(count, user_api="blas"), quietly():
                model = subject.fitted(X)
                found.append((frozen(model), frozen(answers(model, some(X)))))
        assert found[0] == found[1] == found[2]


@check(expensive=True)
def fitting_again_changes_no_bit(subject: Subject) -> None:
    """The same seed and data give the same bits, run after run."""
    x = numbers(subject.rows(20_000), 6)
    assert frozen(subject.fitted(x)) == frozen(subject.fitted(x)) == frozen(subject.fitted(x.copy(order="F").copy("C")))


def together(work, count: int = 8):
    """`work(0) … work(count − 1)` at the same time, as far as Python lets them."""
    gate = threading.Barrier(count)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(lambda i: (gate.wait(600), work(i))[1], range(count), timeout=600))
    finally:
        sys.setswitchinterval(switch)


@check("nominal", expensive=True)
def eight_threads_may_predict_with_one_model(subject: Subject) -> None:
    """One model, asked by eight threads at once, gives each the answers it gives one."""
    for X in (numbers(subject.rows(5_000)), as_table(mixed(subject.rows(2_000)))):
        model = subject.fitted(X)
        expected = frozen(answers(model, X))
        told = explained(model, X, 3)

        def ask(i, model=model, X=X):
            return frozen(answers(model, X)), explained(model, X, 3)

        assert all(found == (expected, told) for found in together(ask))


@check("nominal", expensive=True)
def eight_threads_may_fit_at_once(subject: Subject) -> None:
    """Eight fits at once give the bits of one alone, and leave BLAS with as many threads as before."""

    def blas():
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

    x = numbers(subject.rows(4_000), 6)
    tables = [x, np.column_stack([x, x[:, 0]]), as_table(mixed(1_000))] * 3
    expected, before = [frozen(subject.fitted(X)) for X in tables], blas()
    for _ in range(3):
        assert together(lambda i: frozen(subject.fitted(tables[i]))) == expected[:8]
    assert blas() == before


@check(expensive=True)
def a_model_may_be_fitted_again_while_it_is_asked(subject: Subject) -> None:
    """Who predicts during a second fit gets the answer of the old model or of the new, never of a mixture."""
    n = subject.rows(3_000)
    one, two = numbers(n, 3, seed=1), numbers(n, 3, seed=2) + 5
    y = subject.target(n)
    model = subject.fitted(one, y)
    possible = [frozen(answer(subject.fitted(X, y), one[:50])) for X in (one, two)]
    done = threading.Event()

    def work(i):
        if i == 0:
            for k in range(20):
                model.fit((two, one)[k % 2], y)
            done.set()
        while not done.is_set():
            assert frozen(answer(model, one[:50])) in possible

    together(work, 3)
