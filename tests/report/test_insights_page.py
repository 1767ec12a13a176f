"""Sections made of insights: for every task and for odd tables, repeatable, and never in the way of the rest."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from tests.report.comparisons import REGRESSORS, answered_by_hand, compared, hostile_comparison

import learnt
from learnt.evaluate import TimeSeriesSplit
from learnt.report.attempt import Failed, attempt
from learnt.report.comparison import render
from learnt.report.comparison.disagreement import disagreement
from learnt.report.comparison.insights.subject import Subject
from learnt.report.comparison.page import INSIGHTS

pytestmark = pytest.mark.usefixtures("forked_workers")

FEW = ("MajorityClassifier", "DecisionStumpClassifier", "NaiveBayesClassifier")
RNG = np.random.default_rng(0)
TABLES = {
    "two rows a class": ({"x": [1.0, 2, 3, 4], "z": ["a", None, "b", "a"], "y": ["u", "v", "u", "v"]}, FEW, 2),
    "missing cells": (
        {"x": [None if i % 3 == 0 else i / 2 for i in range(40)], "k": [None, "p"] * 20, "y": ["u", "v"] * 20}, FEW, 4
    ),
    "an empty column": ({"e": [None] * 30, "x": RNG.normal(size=30), "y": ["u", "v", "w"] * 10}, FEW, 3),
    "one column": ({"x": RNG.normal(size=30), "y": ["u", "v"] * 15}, FEW, 3),
    "documents": (
        {"text": [f"some words {i} and more of them" for i in range(40)], "y": ["u", "v"] * 20},
        ("MajorityClassifier", "TextClassifier", "NaiveBayesClassifier"),
        3,
    ),
    "few numbers": ({"x": [1.0, 2, 3, 4, 5, 6], "y": [1.5, 2, 4, 3, 5, 9]}, REGRESSORS, 2),
    "a constant prediction": ({"x": np.zeros(40), "y": RNG.normal(size=40)}, REGRESSORS, 4),
    "huge numbers": ({"x": RNG.normal(size=60) * 1e300, "y": RNG.normal(size=60) * 1e149}, REGRESSORS[:2], 3),
}  # fmt: skip


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Insights are left out where they would take long, by times that were measured: not on a busy machine."""
    monkeypatch.setattr("learnt.report.comparison.insights.subject.LONGEST", float("inf"))


def sections(page: str) -> dict[str, str]:
    return dict(re.findall(r'<section id="([^"]+)".*?>(.*?)</section>', page, re.DOTALL))


@pytest.mark.parametrize("name", TABLES)
def test_odd_tables_have_every_section_and_none_failed(name):
    table, learners, cv = TABLES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        comparison = compared(table, "y", learners, cv=cv)
    page = render(comparison)
    assert set(INSIGHTS) <= set(sections(page))
    assert re.findall(r"data-failed>[^<]*", page) == []


@pytest.mark.costly
def test_a_sparse_matrix_with_weights_and_groups_has_its_insights():
    x = sparse.random(90, 30, 0.2, random_state=0, format="csr")
    target = np.where(np.asarray(x[:, :3].sum(axis=1)).ravel() > 0.3, "yes", "no")
    weights, groups = RNG.integers(1, 4, 90).astype(float), np.arange(90) % 9
    comparison = learnt.compare(x, target, learners=["MajorityClassifier", "NaiveBayesClassifier"], cv=3, n_jobs=1)
    assert re.findall(r"data-failed>[^<]*", render(comparison)) == []
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.folds import folds, run_fold
    from learnt.evaluate.problem import problem

    what = problem(x, target, sample_weight=weights, groups=groups)
    outcome = comparison.done[0]
    outcome.results = [run_fold(outcome.learner, what, fold) for fold in folds(what, 3)]
    weighted = Comparison(what, [outcome], comparison.metric, comparison.metrics, 3)
    assert re.findall(r"data-failed>[^<]*", render(weighted)) == []


@pytest.mark.costly
def test_learners_of_other_make_have_insights_without_an_explanation():
    from sklearn.tree import DecisionTreeClassifier

    table = learnt.datasets.load("iris")
    comparison = learnt.compare(
        table, learners={"theirs": DecisionTreeClassifier(random_state=0), "base": "MajorityClassifier"}, cv=4, n_jobs=1
    )
    found = sections(render(comparison))
    assert found["rows"].count("DecisionTreeClassifier explains nothing") == 3
    assert "The most similar rows" in found["rows"]
    for key in set(INSIGHTS) - {"rows"}:
        assert "data-failed" not in found[key], key


def test_answers_chosen_by_a_loss_are_looked_into_as_they_were_given():
    costs = {("republican", "democrat"): 20.0, ("democrat", "republican"): 1.0}
    comparison = learnt.compare(
        learnt.datasets.load("vote"),
        loss=costs,
        learners=["MajorityClassifier", "NaiveBayesClassifier"],
        cv=4,
        n_jobs=1,
    )
    assert re.findall(r"data-failed>[^<]*", render(comparison)) == []
    subject = Subject(comparison)
    answer = subject.held_out[0]
    for place, fold in enumerate(subject.folds):
        rows = comparison.problem.table.take(fold.test)
        again = subject.answers(subject.model(place), rows, comparison.problem.target[fold.test])
        np.testing.assert_array_equal(again.answer, answer[fold.test])


def test_folds_whose_training_rows_are_unknown_are_said_to_be():
    x = RNG.normal(size=80)
    comparison = learnt.compare(
        {"x": x, "y": 2 * x}, "y", learners=["MeanRegressor", "LinearRegression"], cv=TimeSeriesSplit(4), n_jobs=1
    )
    found = sections(render(comparison))
    assert "does not train on all other rows" in found["rows"]
    assert "does not train on all other rows" in found["importance"]
    assert "data-failed" not in found["slices"]


@pytest.mark.parametrize(
    ("broken", "section"),
    [
        ("disagreement.disputes", "disagreement"),
        ("disagreement.doubts", "disagreement"),
        ("errors_by_slice.slices", "slices"),
        ("errors_by_slice.loss_slider", "slices"),
        ("explained_rows.cases", "rows"),
        ("insights.cases.nearest", "rows"),
        ("insights.cases.smallest_flip", "rows"),
        ("more_data.growth", "more-data"),
        ("importance.importances", "importance"),
    ],
)
def test_an_insight_that_fails_says_so_in_its_place(monkeypatch, broken, section):
    def fail(*_):
        raise ZeroDivisionError("no <b>luck</b>")

    comparison = compared(learnt.datasets.load("labor"), "class", FEW)
    monkeypatch.setattr(f"learnt.report.comparison.{broken}", fail)
    found = sections(render(comparison))
    words = "This could not be computed (ZeroDivisionError: no &lt;b&gt;luck&lt;/b&gt;)."
    assert words in found[section]
    for key, body in found.items():
        assert key == section or "data-failed" not in body, key


def test_what_models_warn_of_while_the_page_is_made_is_not_told_twice():
    def warn():
        warnings.warn("again", UserWarning, stacklevel=1)
        return 3

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert attempt(warn) == 3
    assert isinstance(attempt(lambda: 1 / 0), Failed)


def test_an_interrupt_is_no_failure_of_a_part():
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupt)


def test_hostile_cells_are_text_in_the_insights_too():
    found = sections(render(hostile_comparison()))
    for key in INSIGHTS:
        assert "<script>alert" not in found[key]
        assert "<img" not in found[key]
        assert "data-failed" not in found[key], key


def test_where_the_baseline_is_recommended_the_insights_say_of_whom_they_speak():
    iris = compared(learnt.datasets.load("iris"), "class", ("C45Classifier", "MajorityClassifier"))
    comparison = answered_by_hand(iris, C45Classifier=range(110), MajorityClassifier=range(100))
    assert comparison.best.baseline
    subject = Subject(comparison)
    assert not subject.outcome.baseline
    found = sections(render(comparison))
    for key in ("slices", "rows", "more-data", "importance"):
        assert "the best of the learners that look at the columns" in found[key], key


def test_baselines_alone_have_a_report():
    page = render(compared(learnt.datasets.load("iris"), "class", ("MajorityClassifier",)))
    assert re.findall(r"data-failed>[^<]*", page) == []
    assert "nobody is there to disagree" in page


def test_rows_and_cells_of_the_disputed_are_those_of_the_table():
    comparison = compared(learnt.datasets.load("glass"), "Type", ("C45Classifier", "NaiveBayesClassifier"))
    body = str(disagreement(Subject(comparison)).body)
    table = re.search(r'aria-label="Most disputed rows">.*?</table>', body, re.DOTALL).group()
    head = re.findall(r"<bdi[^>]*>([^<]*)</bdi>", table.partition("<tbody>")[0])
    for line in re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2], re.DOTALL):
        row = int(re.search(r'scope="row">(\d+)<', line).group(1))
        cells = re.findall(r'<td class="t">(.*?)</td>', line)[2:]
        for column, shown in zip(head, cells, strict=True):
            value = comparison.problem.table[column].labels()[row]
            text = re.sub("<[^>]*>", "", shown)
            assert text == ("missing" if value is None else f"{value:.4g}" if isinstance(value, float) else value)
