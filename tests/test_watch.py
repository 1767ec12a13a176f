"""Watching collects what algorithms report, and costs nothing when nobody watches."""

from __future__ import annotations

import contextvars
import threading
import time
import timeit

import matplotlib as mpl
import numpy as np
import pytest

import learnt
from learnt.errors import InputError
from learnt.watch import Log, Step, report, watching

mpl.use("Agg")


def run(restarts: int = 1, iterations: int = 3) -> None:
    """An algorithm: iterations with a falling objective, restarted."""
    for start in range(restarts):
        for i in range(iterations):
            report("lloyd", learner="KMeans", iteration=i, total=iterations, objective=10 / (i + 1 + start), moved=i)


def test_steps_inside_the_block_are_collected_and_others_are_not() -> None:
    run()
    with learnt.watch() as log:
        run()
    run()
    assert len(log) == 3
    assert log.steps[0] == Step("KMeans", "lloyd", 0, 3, 10.0, {"moved": 0})
    assert log["objective"] == [10, 5, 10 / 3]
    assert log["moved"] == [0, 1, 2]
    assert log["what"] == ["lloyd"] * 3


def test_a_fact_nobody_reported_is_an_error_that_lists_the_others() -> None:
    with learnt.watch() as log:
        run()
    with pytest.raises(KeyError, match="'moved'"):
        log["inertia"]
    with pytest.raises(KeyError, match="no step was reported"):
        Log()["inertia"]


def test_a_function_receives_each_step_while_it_happens() -> None:
    seen: list[str] = []
    with learnt.watch(lambda step: seen.append(f"{step.what} {step.iteration}")):
        report("a", iteration=1)
        assert seen == ["a 1"]
        report("b", iteration=2)
    assert seen == ["a 1", "b 2"]


def test_all_of_several_nested_watches_receive() -> None:
    with learnt.watch() as outer:
        report("one")
        with learnt.watch() as inner:
            report("two")
        report("three")
    assert outer["what"] == ["one", "two", "three"]
    assert inner["what"] == ["two"]


def test_watching_is_true_only_inside_also_after_an_error() -> None:
    assert not watching()
    with pytest.raises(ZeroDivisionError), learnt.watch():  # noqa: PT012
        assert watching()
        1 / 0
    assert not watching()


def test_an_exception_of_the_watcher_stops_the_work() -> None:
    def enough(step: Step) -> None:
        if step.iteration == 1:
            raise StopIteration

    with pytest.raises(StopIteration), learnt.watch(enough), learnt.watch() as log:
        run(iterations=100)
    assert len(log) == 1  # the outer one is told first, and stopped the second step


def test_threads_do_not_see_each_others_steps_unless_the_context_is_copied() -> None:
    with learnt.watch() as log:
        stranger = threading.Thread(target=contextvars.Context().run, args=(report, "stranger"))
        friend = threading.Thread(target=contextvars.copy_context().run, args=(report, "friend"))
        for thread in (stranger, friend):
            thread.start()
            thread.join()
    assert log["what"] == ["friend"]


def test_steps_from_many_threads_all_arrive() -> None:
    with learnt.watch() as log:
        threads = [threading.Thread(target=contextvars.copy_context().run, args=(run, 50)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(log) == 8 * 50 * 3


def test_asking_whether_anybody_watches_takes_less_than_a_microsecond() -> None:
    # Measured at about 50 ns; the bound leaves room for a busy machine.
    assert min(timeit.repeat(watching, timer=time.thread_time, number=10_000, repeat=5)) / 10_000 < 1e-6


def test_the_log_prints_as_a_table() -> None:
    with learnt.watch() as log:
        report("start", learner="KMeans")
        report("lloyd", learner="KMeans", iteration=1, objective=np.float64(7.51234), centers=np.zeros((2, 3)))
    assert str(log).splitlines() == [
        "learner  what   iteration  objective  centers",
        "KMeans   start",
        "KMeans   lloyd          1      7.512  2×3 array",
    ]
    assert str(Log()) == "no steps"


def test_a_long_log_prints_its_beginning_and_its_end() -> None:
    with learnt.watch() as log:
        run(iterations=1000)
    lines = str(log).splitlines()
    assert len(lines) == 32
    assert "970 more" in lines[16]
    assert lines[-1].split() == ["KMeans", "lloyd", "999", "1000", "0.01", "999"]


def test_a_log_that_holds_control_characters_stays_a_table() -> None:
    with learnt.watch() as log:
        report("a\n\x1b[2J", fact="b\nc")
    assert len(str(log).splitlines()) == 2
    assert "\x1b" not in str(log)


def test_the_plot_has_one_line_per_run_with_the_reported_points() -> None:
    with learnt.watch() as log:
        run(restarts=2)
    ax = log.plot()
    assert [line.get_xdata().tolist() for line in ax.lines] == [[0, 1, 2], [0, 1, 2]]
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [5, 10 / 3, 2.5])
    mpl.pyplot.close(ax.figure)
    ax = log.plot("moved")
    assert ax.get_ylabel() == "moved"
    mpl.pyplot.close(ax.figure)


def test_steps_without_an_iteration_are_counted() -> None:
    with learnt.watch() as log:
        for value in (3.0, 2.0):
            report("pass", objective=value)
    ax = log.plot()
    assert ax.lines[0].get_xdata().tolist() == [0, 1]
    mpl.pyplot.close(ax.figure)


def test_plotting_what_nobody_reported_is_an_error() -> None:
    with pytest.raises(InputError, match="No step has 'objective'"):
        Log().plot()
