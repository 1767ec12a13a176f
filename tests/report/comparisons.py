"""Comparisons made by hand, fold by fold in this process: what the tests of the report look at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import learnt
from learnt.evaluate.comparison.comparison import Comparison
from learnt.evaluate.comparison.outcome import Outcome
from learnt.evaluate.folds import FoldResult, folds, run_fold
from learnt.evaluate.metrics.scoring import METRICS, Metric
from learnt.evaluate.problem import Problem, problem

CLASSIFIERS = (
    "MajorityClassifier",
    "DecisionStumpClassifier",
    "RuleListClassifier",
    "C45Classifier",
    "NaiveBayesClassifier",
    "DiscriminantClassifier",
)
OF_CLASSES = ("accuracy", "balanced_accuracy", "auc", "log_loss")
OF_NUMBERS = ("rmse", "mae", "r2")
REGRESSORS = ("MeanRegressor", "DecisionStumpRegressor", "DecisionTreeRegressor", "LinearRegression")


def compared(
    table: Any, target: Any, names: tuple[str, ...] = CLASSIFIERS, *, cv: int = 5, repeats: int = 1, **fields: Any
) -> Comparison:
    """Every learner over the same folds, and one each that was stopped, failed and skipped."""
    what = problem(learnt.Table(table), target)
    metrics = tuple(METRICS[name] for name in (OF_CLASSES if what.classes is not None else OF_NUMBERS))
    parts = list(folds(what, cv, repeats, 0))
    outcomes = []
    for name in names:
        learner = getattr(learnt, name)()
        results = [run_fold(learner, what, fold) for fold in parts]
        outcomes.append(
            Outcome(
                name,
                learner,
                "done",
                results=results,
                scores=scores_of(what, metrics, results, len(parts)),
                readable=learner.readable,
                simplicity=learner.simplicity,
                baseline="baseline" in learner.abilities,
            )
        )
    some = outcomes[0].results[:2]
    outcomes += [
        Outcome(
            "SlowLearner",
            None,
            "stopped",
            "It reached its limit of 60 s.",
            some,
            scores_of(what, metrics, some, len(parts)),
        ),
        Outcome("BrokenLearner", None, "failed", "ValueError: no <b>luck</b>"),
        Outcome("TextClassifier", None, "skipped", "it reads documents, and no column holds text"),
    ]
    return Comparison(what, outcomes, metrics[0], metrics, cv, repeats, **fields)


def scores_of(what: Problem, metrics: tuple[Metric, ...], results: list[FoldResult], n: int) -> dict[str, Any]:
    scores = {m.name: np.full(n, np.nan) for m in metrics}
    for place, r in enumerate(results):
        for m in metrics:
            truth = what.target[r.test]
            scores[m.name][place] = m.score(truth, r.answer, r.probabilities, None, what.n_classes or None)
    return scores


def answered_by_hand(comparison: Comparison, **wrong: range) -> Comparison:
    """The comparison with answers that are right for every row but those given, and as sure of either."""
    what, outcomes = comparison.problem, []
    for outcome in comparison.done:
        results = []
        for r in outcome.results:
            truth, k = what.target[r.test], what.n_classes
            answer = np.where(np.isin(r.test, wrong[outcome.name]), (truth + 1) % k, truth).astype(np.int32)
            sure = np.full((len(answer), k), 0.1 / (k - 1))
            sure[np.arange(len(answer)), answer] = 0.9
            results.append(replace(r, answer=answer, probabilities=sure))
        scores = scores_of(what, comparison.metrics, results, comparison.n_folds)
        outcomes.append(replace(outcome, results=results, scores=scores))
    return replace(comparison, outcomes=outcomes, ties=None, _fitted={})


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</title></style></script><h1>big</h1>",
    "\x1b[31mred\x1b[0m \x07",
    '=HYPERLINK("http://localhost/","click")',
    "\u202eevil\u202c \u200f\u2066right",
    "{{ 7 * 7 }} {% raw %} ${x}",
    "x" * 10_000,
    "many words " * 900,
    "line\nbreak\r\ttab",
    "'); import os; os._exit(3) #",
    "مرحبا بالعالم",
    "&lt;b&gt; &amp;",
)


def hostile_comparison(n_rows: int = 120) -> Comparison:
    """Names, labels, learners and reasons that would harm a careless page."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, n_rows)
    table: dict[str, Any] = {}
    for j, name in enumerate(HOSTILE):
        if j % 2:
            table[name] = rng.normal(size=n_rows) + (truth if j < 4 else 0)
        else:
            labels = [HOSTILE[j], HOSTILE[(j + 5) % len(HOSTILE)], "plain"]
            table[name] = [labels[i] for i in (truth + rng.integers(0, 2, n_rows)) % 3]
    classes = [HOSTILE[0], HOSTILE[5], HOSTILE[7]]
    table["<i>target</i>\u202e"] = [classes[i] for i in truth]
    comparison = compared(
        table,
        "<i>target</i>\u202e",
        notices=[f"{name} was seen" for name in HOSTILE],
        source="<b>file</b>.csv",
        command="learnt compare '<b>file</b>.csv' --target \x1b[31m",
    )
    for outcome, name in zip(comparison.outcomes, HOSTILE, strict=False):
        outcome.name, outcome.why = name, outcome.why and f"{name}: {outcome.why}"
    return replace(comparison, ties=None, _fitted={})
