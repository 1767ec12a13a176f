"""What is shown while a comparison runs: the first look at a large table, and the table below a notebook's cell."""

from __future__ import annotations

import io
import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from tests.evaluate.workers import odd_learners as odd

from learnt import datasets
from learnt.cli.terminal import compare_progress
from learnt.evaluate import compare
from learnt.evaluate.comparison.running import first_look, notebook, race
from learnt.evaluate.comparison.running.progress import Line, Progress

LEARNERS = ["MajorityClassifier", "NaiveBayesClassifier", odd._Slow(), "DecisionTreeClassifier"]


@pytest.fixture
def small_is_large(monkeypatch):
    """Iris is worth a first look, and a busy machine does not end it."""
    monkeypatch.setattr(first_look, "LOOK_FROM", 100)
    monkeypatch.setattr(first_look, "LOOK_ROWS", 60)
    monkeypatch.setattr(race, "LOOK_SECONDS", 600.0)


@pytest.mark.costly
def test_a_large_table_is_looked_at_first_and_the_result_does_not_know(small_is_large):
    seen = []
    looked = compare(datasets.iris(), learners=LEARNERS, cv=4, on_update=seen.append)
    (over,) = [p for p in seen if p.look_over]
    at_that_time = {line.name: line for line in over.lines}
    assert over.look_rows == 60
    for name in ("NaiveBayesClassifier", "DecisionTreeClassifier"):
        assert at_that_time[name].first_look > 0.8
        assert any(line.preliminary and line.folds == 0 for p in seen for line in p.lines if line.name == name)
    assert math.isnan(at_that_time["_Slow"].first_look)  # a learner of others is worth a process only once
    assert not any(line.preliminary for line in seen[-1].lines)
    unseen = compare(datasets.iris(), learners=LEARNERS, cv=4)
    for outcome in unseen.outcomes:
        np.testing.assert_array_equal(outcome.scores["accuracy"], looked.outcome(outcome.name).scores["accuracy"])


def test_small_tables_are_not_looked_at_first():
    seen = []
    compare(datasets.iris(), learners=LEARNERS[:2], cv=3, on_update=seen.append)
    assert {p.look_rows for p in seen} == {0}
    assert not any(p.look_over for p in seen)


def lines():
    return (
        Line("Full", "running", 2, 0.7, 1.0),
        Line("Skipped", "skipped", 0, math.nan, 0.0, "it cannot"),
        Line("Unknown", "waiting", 0, math.nan, 0.0),
        Line("Looked at", "waiting", 0, math.nan, 0.0, first_look=0.8),
        Line("Looked at and bad", "waiting", 0, math.nan, 0.0, first_look=0.6),
        Line("Full <and> better", "done", 10, 0.75, 2.0),
    )


def progress(**settings):
    return Progress(lines(), 0, 10, 3.0, "accuracy", True, 2000, **settings)


def test_full_scores_are_ranked_before_preliminary_ones_and_those_before_the_unknown():
    names = [line.name for line in progress().ranked]
    assert names == ["Full <and> better", "Full", "Looked at", "Looked at and bad", "Unknown", "Skipped"]


def test_the_live_table_marks_preliminary_scores():
    out = io.StringIO()
    Console(file=out, width=120).print(compare_progress._table(progress(), 40))
    (row,) = [line for line in out.getvalue().splitlines() if line.startswith("Looked at ") and "bad" not in line]
    assert "~0.8" in row
    assert "first look, 2,000 rows" in row
    (full,) = [line for line in out.getvalue().splitlines() if line.startswith("Full ") and "better" not in line]
    assert "~" not in full
    assert "look" not in full


def test_lines_tell_of_the_first_look_when_it_is_over(capsys):
    show = compare_progress.Lines()
    show(progress(look_over=True))
    assert capsys.readouterr().err == "3 s  first look, 2,000 rows, accuracy: Looked at 0.8, Looked at and bad 0.6\n"


def test_the_first_score_of_all_is_a_line_and_no_other_of_a_learner_at_work(capsys):
    show = compare_progress.Lines()
    for folds in (0, 1, 1, 2):
        show(Progress((Line("A", "running", folds, 0.5, 1.0),), 0, 10, 3.0, "accuracy", True))
    assert capsys.readouterr().err == "3 s  A  first fold: accuracy 0.5, 1 of 10 folds\n"


def notebook_like(monkeypatch, kernel):
    """A stand-in for IPython: what is displayed in one place, one after the other."""
    shown = []
    display = SimpleNamespace(update=shown.append)
    ipython, module = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=kernel)
    module.display = lambda thing, display_id: shown.append(thing) or display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shown


def test_a_notebook_shows_a_table_that_is_gone_at_the_end(monkeypatch):
    monkeypatch.setattr(notebook, "REFRESH", 0.0)
    shown = notebook_like(monkeypatch, kernel=object())
    compare(datasets.iris(), learners=LEARNERS[:2], cv=3)
    assert shown[0] == shown[-1] == ""
    assert "3/3" in shown[-2]._repr_html_()
    assert "NaiveBayesClassifier" in shown[-2]
    assert "Full &lt;and&gt; better" in notebook.progress_html(progress())
    assert "~0.8" in notebook.progress_html(progress())


def test_elsewhere_nothing_is_shown_unless_asked_for(monkeypatch):
    shown = notebook_like(monkeypatch, kernel=None)  # IPython in a terminal
    with notebook.looking_on(None) as nobody:
        assert nobody is None
    with notebook.looking_on(print) as somebody:
        assert somebody is print
    assert shown == []
