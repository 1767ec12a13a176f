"""Validation curves: the score against one setting of a learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.comparison.standings import mean_interval
from learnt.evaluate.cross_validation import cross_validate
from learnt.evaluate.foreign import check_learner, fresh
from learnt.evaluate.metrics.scoring import Metric
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import plain, spell


@dataclass(frozen=True, eq=False)
class ValidationCurve:
    """Scores by value of a setting: `test_scores` and `training_scores` are values × folds, the folds the same."""

    learner: Any
    parameter: str
    values: tuple[Any, ...]
    metric: Metric
    test_scores: Array
    training_scores: Array
    n_train: float
    n_test: float

    @property
    def means(self) -> Array:
        """The mean score on rows held out, by value."""
        means: Array = np.nanmean(self.test_scores, axis=1)
        return means

    def intervals(self) -> Array:
        """95 % intervals of those means, values × (low, high)."""
        return np.array([mean_interval(s, self.n_train, self.n_test, self.metric) for s in self.test_scores])

    @property
    def best(self) -> Any:
        """The value with the best mean; of equal ones the first."""
        means = self.means if self.metric.higher_is_better else -self.means
        return self.values[int(np.nanargmax(means))]

    def __str__(self) -> str:
        rows = [[self.parameter, "held out", "95 % interval", "training"]]
        training = np.nanmean(self.training_scores, axis=1)
        for value, mean, (low, high), seen in zip(self.values, self.means, self.intervals(), training, strict=True):
            span = "" if np.isnan(low) else f"{number(low)} … {number(high)}"
            rows.append([repr(plain(value)), number(mean), span, number(seen)])
        return (
            f"{self.learner!r}: {self.metric.title} by {self.parameter}\n{aligned(rows)}\n"
            f"Best is {self.parameter}={spell(self.best)}. Its score was picked as the best of {len(self.values)}, so "
            "expect a little worse on new rows."
        )

    def __repr__(self) -> str:
        return f"<ValidationCurve of {self.learner!r}: {self.metric.title} by {self.parameter}>"

    def plot(self, ax: Any = None) -> Any:
        """Draw both curves with the interval; returns the matplotlib axes."""
        from learnt.plot.resampling import plot_validation_curve

        return plot_validation_curve(self, ax)


def validation_curve(
    learner: Any, X: Any, y: Any = None, *, parameter: str, values: Sequence[Any], metric: Any = None, **settings: Any
) -> ValidationCurve:
    """Cross-validate a learner with each of the `values` of one of its settings, on the same folds.

    `settings` are those of `cross_validate`: `cv`, `repeats`, `sample_weight`, `groups`, `random_state`, `n_jobs`.

    >>> from learnt.tree import DecisionTreeClassifier
    >>> table = {"x": range(60), "y": (["no"] * 15 + ["yes"] * 15) * 2}
    >>> validation_curve(DecisionTreeClassifier(), table, "y", parameter="max_depth", values=[1, 2, 3], cv=5).best
    3
    """
    check_learner(learner)
    if not hasattr(learner, "get_params") or parameter not in learner.get_params():
        known = sorted(learner.get_params()) if hasattr(learner, "get_params") else []
        raise ParameterError(f"{type(learner).__name__} has no setting {parameter!r}. Expected one of {known}.")
    if len(values) == 0:
        raise ParameterError("values= is empty. Expected at least one value to try.")
    runs = [
        cross_validate(
            fresh(learner).set_params(**{parameter: value}), X, y, metrics=metric, train_scores=True, **settings
        )
        for value in values
    ]
    first = runs[0]
    measured = first.metrics[0]
    return ValidationCurve(
        learner,
        parameter,
        tuple(values),
        measured,
        np.array([run.scores[measured.name] for run in runs]),
        np.array([(run.training_scores or {})[measured.name] for run in runs]),
        float(np.mean([r.n_train for r in first.results])),
        float(np.mean([len(r.test) for r in first.results])),
    )
