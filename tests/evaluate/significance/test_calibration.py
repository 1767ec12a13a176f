"""A few hundred runs of every group that `make calibrate` runs 20,000 times, and what it stored."""

from __future__ import annotations

import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

BENCHMARKS = str(Path(__file__).parents[3] / "benchmarks")
#: Runs of a group here. A rate of .05 in 200 runs has a standard error of .015: bounds are five of them away.
RUNS = 200
WIDE = {"test": (0.0, 0.13), "interval": (0.87, 1.0)}
#: Groups whose runs take milliseconds, or numbers of rows; make test-all runs them too.
EXPENSIVE = {
    *("bootstrap", "bootstrap_of_areas", "posteriors", "folds_nearest", "ranks_of_five", "residuals", "ordinal"),
    *("unequal_variances", "forests", "shuffles", "silhouettes", "tables_alike", "novel_rows"),
}


@pytest.fixture(scope="module")
def calibrate():
    sys.path.insert(0, BENCHMARKS)
    try:
        import calibrate

        calibrate.load_groups()
        yield calibrate
    finally:
        sys.path.remove(BENCHMARKS)


def outside(calibrate, groups, runs):
    """What errs far more often than it says, or never answers; with 30 rows, where that is likeliest."""
    from calibration.page import found_in

    found = []
    for group in groups:
        n = group.sizes[0]
        for line in found_in(group, n, calibrate.run(group, n, runs)):
            low, high = WIDE[line.kind]
            if not low <= line.share <= high and line.name not in group.known:
                found.append(line)
    return found


@pytest.mark.costly
@pytest.mark.parametrize("file", ["scores", "folds", "measures", "linear", "columns", "changes"])
def test_tests_and_intervals_of_few_rows_err_about_as_often_as_they_say(calibrate, file):
    groups = [g for g in calibrate.load_groups([f"calibration.{file}."]) if g.name not in EXPENSIVE]
    assert len(groups) >= 2
    assert outside(calibrate, groups, RUNS) == []


@pytest.mark.slow
def test_expensive_ones_too(calibrate):
    groups = [g for g in calibrate.load_groups() if g.name in EXPENSIVE]
    assert len(groups) == len(EXPENSIVE)
    assert outside(calibrate, groups, RUNS) == []


def test_the_calibration_page_shows_what_was_found_and_why_it_is_outside(calibrate):
    from calibration.page import PAGE, page_text, stored, unexplained

    asked = {(g.name, n) for g in calibrate.load_groups() for n in g.sizes}
    assert {(f.group, f.n) for f in stored()} == asked
    assert unexplained() == []
    assert PAGE.read_text(encoding="utf-8") == page_text()


def test_a_run_does_not_depend_on_how_the_work_is_shared(calibrate):
    group = next(g for g in calibrate.load_groups() if g.name == "many_tests")
    with ThreadPool(2) as pool:
        alone, shared = (calibrate.run(group, 10, 600, workers) for workers in (None, pool))
    assert all((alone[name] == shared[name]).all() for name in alone)
