"""Cross-validation: what a learner is worth on rows it has not seen, and how sure that is."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.comparison.standings import mean_interval
from learnt.evaluate.folds import FoldResult, folds, n_folds
from learnt.evaluate.foreign import check_learner, learner_task
from learnt.evaluate.journal import Journal, data_key, settings_key
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.problem import Problem, problem
from learnt.evaluate.scores import chosen_metrics, scores_of
from learnt.evaluate.splits.naming import Splitting
from learnt.evaluate.workers.running import run_folds
from learnt.lazy import optional_package
from learnt.learner.parameters import Seed, Whole
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import label, spell


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """The scores of a learner fold by fold.

    | field | meaning |
    |---|---|
    | `scores` | by metric one figure per fold, NaN where the fold's rows leave it undefined |
    | `training_scores` | the same on the rows learnt from, where asked for |
    | `results` | by fold: test rows, answers, probabilities, seconds, size of the model |
    | `notices` | what to keep in mind when reading them |
    | `splitting` | what the splitter is called that was given as `cv`; None for a number of folds |
    """

    learner: Any
    problem: Problem
    metrics: tuple[Metric, ...]
    results: list[FoldResult]
    scores: dict[str, Array]
    training_scores: dict[str, Array] | None = None
    notices: tuple[str, ...] = ()
    splitting: Splitting | None = None  # of a splitter that was given

    def _metric(self, name: str | None) -> Metric:
        for metric in self.metrics:
            if name in (None, metric.name):
                return metric
        names = ", ".join(repr(m.name) for m in self.metrics)
        raise InputError(f"{name!r} was not measured. Expected one of {names}, or measure it: metrics=[{name!r}].")

    def _defined_scores(self, name: str | None) -> Array:
        scores = self.scores[self._metric(name).name]
        return scores[~np.isnan(scores)]

    def mean(self, metric: str | None = None) -> float:
        """The mean over the folds where the metric is defined; of the first metric unless named."""
        scores = self._defined_scores(metric)
        return float(scores.mean()) if len(scores) else float("nan")

    def standard_error(self, metric: str | None = None) -> float:
        """√(Σ(Sᵢ − S̄)² / (k(k − 1))), as if the k folds were independent. They share training rows, so it is a lower
        bound in practice; `interval` allows for that."""
        scores = self._defined_scores(metric)
        k = len(scores)
        return float(np.sqrt(((scores - scores.mean()) ** 2).sum() / (k * (k - 1)))) if k > 1 else float("nan")

    def interval(self, metric: str | None = None) -> tuple[float, float]:
        """The 95 % interval of the mean, widened for folds that share training rows (Nadeau and Bengio), and clipped
        to what the metric can be."""
        n_train = float(np.mean([r.n_train for r in self.results]))
        n_test = float(np.mean([len(r.test) for r in self.results]))
        found = self._metric(metric)
        return mean_interval(self.scores[found.name], n_train, n_test, found)

    def predictions(self) -> Array:
        """What was answered to each row when held out, in the first repeat; None or NaN for rows never tested."""
        classes = self.problem.classes
        answer = np.full(self.problem.n_rows, np.nan) if classes is None else np.full(self.problem.n_rows, -1)
        for r in self._first_repeat():
            answer[r.test] = r.answer
        if classes is None:
            return answer
        labels: Array = classes[answer]
        if (answer < 0).any():
            labels = labels.astype(object)
            labels[answer < 0] = None
        return labels

    def probabilities(self) -> Array:
        """The probabilities behind `predictions`, columns in the order of `problem.classes`; NaN where never tested."""
        if any(r.probabilities is None for r in self.results):
            raise InputError(f"{type(self.learner).__name__} gives no probabilities. Ask for predictions().")
        whole = np.full((self.problem.n_rows, self.problem.n_classes), np.nan)
        for r in self._first_repeat():
            whole[r.test] = r.probabilities
        return whole

    def _first_repeat(self) -> list[FoldResult]:
        return [r for r in self.results if r.repeat == 0]

    @property
    def fit_seconds(self) -> float:
        """Of one fold, the median: the first fold also loads code."""
        return float(np.median([r.fit_seconds for r in self.results]))

    @property
    def predict_seconds(self) -> float:
        return float(np.median([r.predict_seconds for r in self.results]))

    def __str__(self) -> str:
        k, repeats = len(self.results), self.results[-1].repeat + 1
        times = f", {repeats} times over" if repeats > 1 else ""
        how = f"{k // repeats} folds{times}" if self.splitting is None else self.splitting.words
        title = f"{self.learner!r}: {how}, {self.problem.n_rows} rows"
        header = ["", "mean", "95 % interval", "standard error", "lowest", "highest"]
        rows = [header]
        for metric in self.metrics:
            scores = self._defined_scores(metric.name)
            if len(scores) == 0:
                rows.append([metric.title, "undefined", "", "", "", ""])
                continue
            low, high = self.interval(metric.name)
            span = "" if np.isnan(low) else f"{number(low)} … {number(high)}"
            ends = [number(scores.min()), number(scores.max())]
            rows.append([metric.title, number(self.mean(metric.name)), span, self._error_words(metric.name), *ends])
        notes = [f"Note: {notice}" for notice in self.notices]
        return "\n".join([title, aligned(rows, left=(0,)), *notes])

    def _error_words(self, name: str) -> str:
        error = self.standard_error(name)
        return "" if np.isnan(error) else number(error)

    def __repr__(self) -> str:
        metric = self.metrics[0]
        how = f"{len(self.results)} folds" if self.splitting is None else self.splitting.words
        return f"<CrossValidation of {self.learner!r}: {metric.title} {number(self.mean())}, {how}>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per fold."""
        pd = optional_package("pandas")

        facts: dict[str, Any] = {
            name: [getattr(r, name) for r in self.results]
            for name in ("repeat", "number", "n_train", "fit_seconds", "predict_seconds")
        }
        facts["n_test"] = [len(r.test) for r in self.results]
        training = self.training_scores or {}
        return pd.DataFrame({**facts, **self.scores, **{f"training_{name}": s for name, s in training.items()}})

    def plot(self, metric: str | None = None, ax: Any = None) -> Any:
        """Draw the folds' scores with their mean and its interval; returns the matplotlib axes."""
        from learnt.plot.resampling import plot_folds

        return plot_folds(self, self._metric(metric), ax)


def cross_validate(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = 10,
    repeats: int = 1,
    metrics: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    train_scores: bool = False,
) -> CrossValidation:
    """Fit on all folds but one, test on that one, for each in turn.

    >>> from learnt.baseline import MajorityClassifier
    >>> table = {"x": range(20), "y": ["no"] * 15 + ["yes"] * 5}
    >>> result = cross_validate(MajorityClassifier(), table, "y", cv=5, metrics="accuracy")
    >>> result.scores["accuracy"].tolist(), result.mean()
    ([0.75, 0.75, 0.75, 0.75, 0.75], 0.75)

    | setting | default | meaning |
    |---|---|---|
    | `learner` | | one of learnt, or anything with scikit-learn's `fit` and `predict` |
    | `X`, `y` | | the table, and the target: an array, a column's name, or None for the table's own |
    | `cv` | 10 | number of folds (stratified, shuffled), or a splitter of learnt or scikit-learn |
    | `repeats` | 1 | how often, each time shuffled anew |
    | `metrics` | None | names of metrics, or functions of truth and answer; None: the usual ones of the task |
    | `sample_weight` | None | row weights, for fitting and for scoring: an array or a column's name |
    | `groups` | None | rows that must stay together: an array or a column's name |
    | `random_state` | 0 | seed of the folds, and of learners whose own is None |
    | `n_jobs` | None | processes; None decides by the time of the first fold, 1 stays in this one |
    | `journal` | None | a file of finished folds: after a stop, the same call goes on from there |
    | `train_scores` | False | whether training rows are scored too |

    The result depends on these alone, never on the number of processes.
    """
    check_learner(learner)
    task = problem(X, y, sample_weight=sample_weight, groups=groups, task=learner_task(learner))
    measured = chosen_metrics(metrics, task)
    if random_state not in Seed():
        raise ParameterError(f"random_state={spell(random_state)} is not allowed. Expected {Seed.words}.")
    total = n_folds(task, cv, repeats)
    cut = (replace(fold, ask_training=train_scores) for fold in folds(task, cv, repeats, random_state))
    kept = None if journal is None else _journal(journal, learner, task, cv, repeats, random_state, train_scores)
    try:
        results = run_folds(learner, task, cut, total, n_jobs=n_jobs, journal=kept, what="cross-validation")
    finally:
        if kept is not None:
            kept.close()
    if metrics is None and all(r.probabilities is None for r in results):
        measured = tuple(m for m in measured if m.needs != "probabilities")
    training = [r.training for r in results if r.training is not None]
    return CrossValidation(
        learner,
        task,
        measured,
        results,
        scores_of(measured, task, results),
        scores_of(measured, task, training) if train_scores else None,
        _notices(task, cv),
        None if cv in Whole() else Splitting.of(cv, len(results)),
    )


def _journal(
    path: str | os.PathLike[str], learner: Any, task: Problem, cv: Any, repeats: int, random_state: Any, train: bool
) -> Journal:
    if random_state not in Whole():
        raise ParameterError(
            f"A journal needs random_state to be a number, not {spell(random_state)}: the folds must be the same again."
        )
    about = {
        "data": data_key(task),
        "learner": settings_key(learner),
        "cv": str(cv) if cv in Whole() else settings_key(cv),
        "repeats": str(repeats),
        "random_state": str(random_state),
        "train_scores": str(bool(train)),
    }
    return Journal(path, about)


def _notices(task: Problem, cv: Any) -> tuple[str, ...]:
    if task.classes is None or cv not in Whole():
        return ()
    counts = np.bincount(task.target, minlength=len(task.classes))
    rarest = int(counts.argmin())
    if counts[rarest] >= cv:
        return ()
    return (
        f"class {label(task.classes[rarest])} has {counts[rarest]} rows, fewer than {cv} folds: some folds test none.",
    )
