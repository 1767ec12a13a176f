"""Metrics by name: how the answers of a fold become one number, and which direction is better."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.metrics import numeric
from learnt.evaluate.metrics.counting import Tallies, tallies
from learnt.evaluate.metrics.proper import brier_losses, log_losses
from learnt.evaluate.metrics.ranking import auc_of, average_precision_of
from learnt.evaluate.metrics.weighing import weighted_mean

Needs = Literal["labels", "probabilities", "numbers"]
CLASSES = frozenset({"binary", "multiclass"})
NUMBERS = frozenset({"regression"})


@dataclass(frozen=True)
class Metric:
    """A figure of merit that knows what it needs, where it lies and which direction is better.

    `score` takes true classes and answers as codes from 0 (or both as numbers) and the probabilities with a column
    per class. For two classes precision, recall and F₁ are those of the second class, for more the mean over the
    classes; areas under curves are the mean over the classes that some, but not all, rows belong to. Where these
    rows leave a figure undefined, it is NaN.
    """

    name: str
    title: str
    tasks: frozenset[str]
    needs: Needs
    higher_is_better: bool
    function: Callable[..., float]
    low: float = -np.inf
    high: float = np.inf

    def score(
        self,
        truth: Array,
        answer: Array,
        probabilities: Array | None = None,
        weights: Array | None = None,
        n_classes: int | None = None,
    ) -> float:
        """The figure for these rows."""
        if self.needs == "numbers":
            return float(self.function(truth, answer, weights))
        if self.needs == "probabilities":
            if probabilities is None:
                raise ParameterError(
                    f"The metric {self.name!r} needs probabilities, and this learner gives none. "
                    "Choose a metric of its answers, such as 'accuracy'."
                )
            return float(self.function(truth, probabilities, weights))
        if n_classes is None:
            n_classes = int(max(truth.max(initial=-1), answer.max(initial=-1))) + 1
        return float(self.function(tallies(truth, answer, n_classes, weights)))

    def better(self, a: float, b: float) -> bool:
        """Whether a is better than b; nothing is worse than NaN."""
        if np.isnan(a) or np.isnan(b):
            return bool(np.isnan(b) and not np.isnan(a))
        return a > b if self.higher_is_better else a < b


# Of classes


def _accuracy(tally: Tallies) -> float:
    return tally.accuracy


def _balanced_accuracy(tally: Tallies) -> float:
    return tally.balanced_accuracy()


def _kappa(tally: Tallies) -> float:
    return tally.kappa()


def _matthews(tally: Tallies) -> float:
    return tally.matthews()


def _f1(tally: Tallies) -> float:
    return _shares(tally, 2 * tally.hits, tally.true + tally.answered)


def _precision(tally: Tallies) -> float:
    return _shares(tally, tally.hits, tally.answered)


def _recall(tally: Tallies) -> float:
    return _shares(tally, tally.hits, tally.true)


def _shares(tally: Tallies, part: Array, whole: Array) -> float:
    """A share of the second class of two, or its mean over the classes seen. 0/0 is 0, as nothing was found; but a
    second class that no row has cannot be found, and there the figure is undefined."""
    shares = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    if len(shares) == 2:
        return float(shares[1]) if tally.true[1] > 0 else float("nan")
    seen = (tally.true > 0) | (tally.answered > 0)
    return float(shares[seen].mean()) if seen.any() else float("nan")


# Of probabilities


def _over_classes(
    area: Callable[[Array, Array, Array | None], float], truth: Array, probabilities: Array, weights: Array | None
) -> float:
    """The area for the second class of two; else its mean over the classes that set rows apart."""
    classes = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    areas = []
    for c in classes:
        positive = truth == c
        if positive.any() and not positive.all():
            areas.append(area(positive, probabilities[:, c], weights))
    defined = [a for a in areas if not np.isnan(a)]
    return float(np.mean(defined)) if defined else float("nan")


def _auc(truth: Array, probabilities: Array, weights: Array | None) -> float:
    return _over_classes(auc_of, truth, probabilities, weights)


def _average_precision(truth: Array, probabilities: Array, weights: Array | None) -> float:
    return _over_classes(average_precision_of, truth, probabilities, weights)


def _log_loss(truth: Array, probabilities: Array, weights: Array | None) -> float:
    return weighted_mean(log_losses(truth, probabilities), weights)


def _brier(truth: Array, probabilities: Array, weights: Array | None) -> float:
    loss = weighted_mean(brier_losses(truth, probabilities), weights)
    return loss / 2 if probabilities.shape[1] == 2 else loss


# Of numbers


def _rmse(truth: Array, answer: Array, weights: Array | None) -> float:
    return float(np.sqrt(numeric.mse_of(truth, answer, weights)))


def _by_name(metrics: Iterable[Metric]) -> Mapping[str, Metric]:
    return MappingProxyType({m.name: m for m in metrics})


METRICS: Mapping[str, Metric] = _by_name(
    (
        Metric("accuracy", "accuracy", CLASSES, "labels", True, _accuracy, 0, 1),
        Metric("balanced_accuracy", "balanced accuracy", CLASSES, "labels", True, _balanced_accuracy, 0, 1),
        Metric("f1", "F₁", CLASSES, "labels", True, _f1, 0, 1),
        Metric("precision", "precision", CLASSES, "labels", True, _precision, 0, 1),
        Metric("recall", "recall", CLASSES, "labels", True, _recall, 0, 1),
        Metric("matthews", "Matthews correlation", CLASSES, "labels", True, _matthews, -1, 1),
        Metric("kappa", "Cohen's κ", CLASSES, "labels", True, _kappa, -1, 1),
        Metric("auc", "area under the ROC curve", CLASSES, "probabilities", True, _auc, 0, 1),
        Metric("average_precision", "average precision", CLASSES, "probabilities", True, _average_precision, 0, 1),
        Metric("log_loss", "log loss", CLASSES, "probabilities", False, _log_loss, 0),
        Metric("brier", "Brier score", CLASSES, "probabilities", False, _brier, 0, 2),
        Metric("rmse", "root mean squared error", NUMBERS, "numbers", False, _rmse, 0),
        Metric("mse", "mean squared error", NUMBERS, "numbers", False, numeric.mse_of, 0),
        Metric("mae", "mean absolute error", NUMBERS, "numbers", False, numeric.mae_of, 0),
        Metric("median_absolute_error", "median absolute error", NUMBERS, "numbers", False, numeric.median_error_of, 0),
        Metric("mape", "mean absolute percentage error", NUMBERS, "numbers", False, numeric.percentage_error_of, 0),
        Metric("max_error", "largest error", NUMBERS, "numbers", False, numeric.max_error_of, 0),
        Metric("r2", "R²", NUMBERS, "numbers", True, numeric.r2_of, -np.inf, 1),
        Metric(
            "explained_variance",
            "explained variance",
            NUMBERS,
            "numbers",
            True,
            numeric.explained_variance_of,
            -np.inf,
            1,
        ),
        Metric("pearson", "Pearson's r", NUMBERS, "numbers", True, numeric.pearson_of, -1, 1),
        Metric("spearman", "Spearman's ρ", NUMBERS, "numbers", True, numeric.spearman_of, -1, 1),
    )
)

#: What is measured unless something else is asked for.
DEFAULTS: Mapping[str, str] = MappingProxyType({"binary": "accuracy", "multiclass": "accuracy", "regression": "rmse"})

#: Other names people know these by, scikit-learn's scorers among them.
_ALSO = {
    "balanced_accuracy_score": "balanced_accuracy",
    "accuracy_score": "accuracy",
    "f1_macro": "f1",
    "mcc": "matthews",
    "matthews_corrcoef": "matthews",
    "roc_auc": "auc",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_squared_error": "mse",
    "neg_mean_absolute_error": "mae",
    "neg_median_absolute_error": "median_absolute_error",
}


def metric(name: str | Metric | Callable[..., Any]) -> Metric:
    """The metric of a name; one that is a metric already; or one made of a function.

    >>> metric("f1").higher_is_better, metric("rmse").higher_is_better
    (True, False)

    A function is called with the true values and the answers (codes of classes, or numbers) and returns a number of
    which more is better. To say more about it, make a `Metric`.
    """
    if isinstance(name, Metric):
        return name
    if callable(name):
        return _of_function(name)
    if not isinstance(name, str):
        raise ParameterError(f"metric={name!r} is not a metric. Expected a name such as 'accuracy', or a function.")
    if name in METRICS:
        return METRICS[name]
    near = difflib.get_close_matches(name.lower(), [*METRICS, *_ALSO], n=1)
    hint = f" Did you mean {_ALSO.get(near[0], near[0])!r}?" if near else ""
    raise ParameterError(f"There is no metric {name!r}.{hint} Expected one of {', '.join(map(repr, METRICS))}.")


def _of_function(function: Callable[..., Any]) -> Metric:
    name = str(getattr(function, "__name__", type(function).__name__))
    return Metric(name, name.replace("_", " "), CLASSES | NUMBERS, "numbers", True, _FunctionMetric(function))


@dataclass(frozen=True)
class _FunctionMetric:
    """A user's function of truth and answer, which knows of no weights."""

    function: Callable[..., Any]

    def __call__(self, truth: Array, answer: Array, weights: Array | None) -> float:
        if weights is not None:
            raise ParameterError(
                "A metric given as a function takes truth and answer only, but the rows have weights. "
                "Choose a metric by name, or leave the weights out."
            )
        return float(self.function(truth, answer))
