"""Learning curves: the score against the number of rows learnt from, and whether more would help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.comparison.standings import mean_interval
from learnt.evaluate.folds import Fold, folds, n_folds
from learnt.evaluate.foreign import check_learner, learner_task
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.problem import Problem, problem
from learnt.evaluate.scores import fitting_metric, score_of
from learnt.evaluate.splits.shuffled import spread
from learnt.evaluate.splits.strata import quantile_bins
from learnt.evaluate.words import check_call
from learnt.evaluate.workers.running import run_folds
from learnt.learner.parameters import Real, Whole
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import spell


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Scores by number of training rows: `test_scores` and `training_scores` are sizes × folds."""

    learner: Any
    metric: Metric
    sizes: Array
    test_scores: Array
    training_scores: Array
    n_train: float  # rows of a whole fold's training part
    n_test: float

    @property
    def means(self) -> Array:
        """The mean score on rows held out, by size."""
        means: Array = np.nanmean(self.test_scores, axis=1)
        return means

    def intervals(self) -> Array:
        """95 % intervals of those means, sizes × (low, high), widened as for whole folds: parts overlap less."""
        return np.array([mean_interval(s, self.n_train, self.n_test, self.metric) for s in self.test_scores])

    def power_law(self) -> tuple[float, float, float] | None:
        """a, b and c of score = a + b·rows^−c, fitted to the means; None where more rows do not help.

        a, the score that unlimited rows would approach, stays within what the metric can be.
        """
        if len(self.sizes) < 4:
            return None
        best: tuple[float, float, float, float] | None = None
        for c in np.geomspace(0.05, 2, 200):
            a, b, misfit = _line(self.sizes ** -float(c), self.means, self.metric)
            if best is None or misfit < best[0]:
                best = (misfit, a, b, float(c))
        assert best is not None
        _, a, b, c = best
        grows = b < 0 if self.metric.higher_is_better else b > 0
        return (a, b, c) if grows else None

    def at(self, rows: float) -> float:
        """The score that the power law expects after so many rows; NaN where there is none."""
        law = self.power_law()
        return float("nan") if law is None else law[0] + law[1] * rows ** -law[2]

    @property
    def outlook(self) -> str:
        """Whether more rows would help, in a sentence."""
        rows, law = int(self.sizes[-1]), self.power_law()
        if law is None:
            return "The curve shows no steady gain from more rows."
        now, twice, end = self.at(rows), self.at(2 * rows), law[0]
        words = f"After a power law through these points, {2 * rows} rows instead of {rows} would move the "
        words += f"{self.metric.title} from {number(now)} to about {number(twice)}"
        if law[2] < 0.1:
            return words + "; the end of the curve is not in sight."
        return words + f", and rows without end to about {number(end)}. It is an extrapolation, not a promise."

    def __str__(self) -> str:
        rows = [["rows", "held out", "95 % interval", "training"]]
        training = np.nanmean(self.training_scores, axis=1)
        for size, mean, (low, high), seen in zip(self.sizes, self.means, self.intervals(), training, strict=True):
            span = "" if np.isnan(low) else f"{number(low)} … {number(high)}"
            rows.append([str(int(size)), number(mean), span, number(seen)])
        return f"{self.learner!r}: {self.metric.title} by training rows\n{aligned(rows)}\n{self.outlook}"

    def __repr__(self) -> str:
        return f"<LearningCurve of {self.learner!r}: {self.metric.title} at {len(self.sizes)} sizes>"

    def plot(self, ax: Any = None) -> Any:
        """Draw both curves with the interval and the power law; returns the matplotlib axes."""
        from learnt.plot.resampling import plot_learning_curve

        return plot_learning_curve(self, ax)


def _line(x: Array, y: Array, metric: Metric) -> tuple[float, float, float]:
    """Least squares of y = a + b·x with a within the metric's range, and the sum of squares left."""
    b = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    a = float(y.mean() - b * x.mean())
    if not metric.low <= a <= metric.high:
        a = min(max(a, metric.low), metric.high)
        b = float((x * (y - a)).sum() / (x**2).sum())
    return a, b, float(((y - a - b * x) ** 2).sum())


def learning_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    sizes: int | Sequence[float] = 8,
    metric: Any = None,
    cv: Any = 5,
    repeats: int = 1,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Cross-validate with ever more of the training rows of each fold; the rows tested stay the same.

    `sizes` are numbers of rows, or shares of a fold's training rows below 1 (1.0 for all of them); a whole number
    alone is how many sizes, in equal ratios. Parts are stratified like the folds. Other settings as of
    `cross_validate`.

    >>> from learnt.tree import DecisionTreeClassifier
    >>> table = {"x": range(60), "y": ["no"] * 30 + ["yes"] * 30}
    >>> learning_curve(DecisionTreeClassifier(), table, "y", sizes=[12, 24, 48]).sizes.tolist()
    [12, 24, 48]
    """
    check_learner(learner)
    check_call("learning_curve", random_state=random_state)
    task = problem(X, y, sample_weight=sample_weight, groups=groups, task=learner_task(learner))
    measured = fitting_metric(metric, task)
    count = n_folds(task, cv, repeats)
    cut = list(folds(task, cv, repeats, random_state))
    chosen = _sizes(sizes, min(len(fold.train) for fold in cut), task)
    strata = task.target if task.classes is not None else quantile_bins(task.target, 2)

    def parts() -> Iterator[Fold]:
        for step, size in enumerate(chosen):
            for place, fold in enumerate(cut):
                rng = np.random.default_rng([fold.seed, size])
                train = fold.train if size == len(fold.train) else spread(fold.train, strata, size, rng)
                yield Fold(step, place, train, fold.test, fold.seed, ask_training=True)

    total = len(chosen) * count
    results = run_folds(learner, task, parts(), total, n_jobs=n_jobs, what="learning curve")
    shape = (len(chosen), len(cut))
    test = np.array([score_of(measured, task, r) for r in results]).reshape(shape)
    training = np.array([score_of(measured, task, r.training) for r in results if r.training]).reshape(shape)
    n_train, n_test = (float(np.mean([len(getattr(fold, part)) for fold in cut])) for part in ("train", "test"))
    return LearningCurve(learner, measured, np.array(chosen), test, training, n_train, n_test)


def _sizes(sizes: Any, most: int, task: Problem) -> list[int]:
    if sizes in Whole(2):
        least = min(most, max(10, 2 * task.n_classes))
        return sorted({round(float(size)) for size in np.geomspace(least, most, int(sizes))})
    found = []
    given: list[Any] = [sizes] if isinstance(sizes, str | int | float) else list(sizes)
    for size in given:
        rows = round(size * most) if size in Real(above=0, high=1) and not isinstance(size, int) else size
        if rows not in Whole(1, most):
            raise ParameterError(
                f"sizes holds {spell(size)}. Expected numbers of rows from 1 to {most}, which is what the smallest "
                "training part has, or shares of it from 0 to 1."
            )
        found.append(int(rows))
    return sorted(set(found))
