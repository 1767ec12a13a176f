"""A fitted model on labelled rows: every figure with its interval, and which class was taken for which."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.errors import InputError, ParameterError
from learnt.evaluate.comparison.standings import score_interval
from learnt.evaluate.curves.confusion import ConfusionMatrix
from learnt.evaluate.folds import ask
from learnt.evaluate.metrics.counting import confusion_counts
from learnt.evaluate.metrics.influence import influences
from learnt.evaluate.metrics.intervals import mean_error_interval, pearson_interval, r2_interval
from learnt.evaluate.metrics.resampling import bootstrap_interval
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.problem import Problem, Task
from learnt.evaluate.significance.sampling import SamplingErrors
from learnt.show.words import few_of, label, plain, shorten_text


@dataclass(frozen=True)
class Figure:
    """A score with its 95 % interval; NaN where these rows leave it undefined."""

    metric: Metric
    score: float
    low: float
    high: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model did on rows: figures, the first being the one that counts; the confusion matrix of classes."""

    problem: Problem
    figures: tuple[Figure, ...]
    confusion: ConfusionMatrix | None
    unseen: tuple[Any, ...]  # classes that the model has never heard of

    def figure(self, metric: str) -> Figure | None:
        return next((f for f in self.figures if f.metric.name == metric), None)


def judge(model: Any, problem: Problem, metrics: Sequence[Metric]) -> Judged:
    """Ask the model about all rows once, and score its answers by every metric that they allow."""
    answer, probabilities, _ = ask(model, problem, np.arange(problem.n_rows))
    usable = [m for m in metrics if m.needs != "probabilities" or probabilities is not None]
    figures = tuple(_figure(m, problem, answer, probabilities) for m in usable)
    if problem.classes is None:
        return Judged(problem, figures, None, ())
    weights = problem.weights
    counts = confusion_counts(problem.target, answer, problem.n_classes, weights)
    known = {plain(c) for c in model.classes_.tolist()}
    labels = tuple(plain(c) for c in problem.classes.tolist())
    return Judged(problem, figures, ConfusionMatrix(labels, counts), tuple(c for c in labels if c not in known))


def _figure(metric: Metric, problem: Problem, answer: Array, probabilities: Array | None) -> Figure:
    truth, weights, k = problem.target, problem.weights, problem.n_classes or None
    score = metric.score(truth, answer, probabilities, weights, k)
    nothing = float("nan")
    if not np.isfinite(score) or len(truth) < 2:
        return Figure(metric, score, nothing, nothing, nothing)
    moved = influences(metric, truth, answer, probabilities, weights, k)
    if moved is None:
        told = probabilities if metric.needs == "probabilities" else answer
        labels = None if k is None else np.arange(k)
        found = bootstrap_interval(metric, truth, told, labels=labels, sample_weight=weights, n_resamples=500)
        return Figure(metric, score, found.low, found.high, (found.high - found.low) / 3.92)
    w = np.ones(len(truth)) if weights is None else weights
    # The model is fixed: only the rows are drawn, so that nothing is stretched for shared training rows.
    errors = SamplingErrors.from_rows(np.array([score]), (w * moved / w.sum())[:, None], stretch=1.0)
    error = float(errors.standard_errors[0])
    if weights is None and metric.name in OF_NUMBERS and len(truth) >= LEAST_ROWS:
        low, high = OF_NUMBERS[metric.name](truth, answer)
        return Figure(metric, score, low, high, error)
    return Figure(metric, score, *score_interval(score, error, errors, metric), error)


def _rmse_interval(truth: Array, answer: Array) -> tuple[float, float]:
    low, high = mean_error_interval(truth, answer, of="squared")
    return math.sqrt(low), math.sqrt(high)


#: Figures that vary too lopsidedly for ± t standard errors when rows are few: intervals of their own.
OF_NUMBERS: dict[str, Callable[[Array, Array], Iterable[float]]] = {
    "mae": mean_error_interval,
    "mse": partial(mean_error_interval, of="squared"),
    "rmse": _rmse_interval,
    "r2": r2_interval,
    "pearson": pearson_interval,
}
LEAST_ROWS = 4  # that these ask for


# The rows as the model knows its classes


def labelled_rows(model: Any, features: Table, target: Column, weights: Array | None = None) -> Problem:
    """The problem of these rows, its classes being the model's and, behind them, those it has never seen."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        if getattr(model, "task", "") != "regression":
            raise ParameterError(
                f"The model is a {type(model).__name__}, which predicts no column. Expected a classifier or regressor."
            )
        if target.kind != "numeric":
            raise InputError(
                f"The model predicts numbers, and {target.name!r} holds labels such as "
                f"{shorten_text(label(target.categories[0]), 40)}. Name the column of numbers that it learnt."
            )
        return Problem(features, target.values.astype(np.float64), None, "regression", target.name, weights)
    codes, every = _codes(target, classes)
    if not (codes < len(classes)).any():
        raise InputError(
            f"The model answers {_few(classes.tolist())}, and {target.name!r} holds {_few(every[len(classes) :])}. "
            "Name the column of classes that it learnt."
        )
    task: Task = "binary" if len(every) == 2 else "multiclass"
    together = np.empty(len(every), dtype=object)
    together[:] = every
    known = classes if len(every) == len(classes) else together
    return Problem(features, codes, known, task, target.name, weights)


def _codes(target: Column, classes: Array) -> tuple[Array, list[Any]]:
    """Codes into the model's classes and others behind them; 1, 1.0 and "1" are one class if nothing else fits."""
    every = [plain(c) for c in classes.tolist()]
    if target.kind == "numeric":
        values, places = np.unique(target.values, return_inverse=True)
        found = [int(v) if v == round(v) else v for v in values.tolist()]
    else:
        present, places = np.unique(target.values, return_inverse=True)
        found = [plain(target.categories[code]) for code in present.tolist()]
    by_value = {c: code for code, c in enumerate(every)}
    by_text = {str(c): code for code, c in enumerate(every)}
    codes = []
    for value in found:
        code = by_value.get(value, by_text.get(str(value)))
        if code is None:
            code = len(every)
            every.append(value)
        codes.append(code)
    return np.array(codes, dtype=np.int32)[places], every


def _few(values: Sequence[Any]) -> str:
    return few_of([shorten_text(label(value), 40) for value in values], 3)
