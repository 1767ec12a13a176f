"""How far two ways of grouping the same rows agree: clusters and classes, or two clusterings."""

from __future__ import annotations

from typing import Any

from learnt.cluster.judging import partitions
from learnt.cluster.judging.partitions import SharedCounts, shared_counts
from learnt.errors import ParameterError
from learnt.evaluate.metrics.labels import code_labels
from learnt.show.words import spell

_AVERAGES = ("arithmetic", "geometric", "min", "max")


def _crossed_labels(labels_true: Any, labels_pred: Any) -> SharedCounts:
    a, b = code_labels(y_true=labels_true), code_labels(y_true=labels_pred)
    if len(a.truth) != len(b.truth):
        raise ParameterError(
            f"labels_true has {len(a.truth)} rows and labels_pred {len(b.truth)}. Expected one of each per row."
        )
    return shared_counts(a.truth, b.truth)


def rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The share of pairs of rows that both put together or both put apart."""
    return partitions.rand_index(_crossed_labels(labels_true, labels_pred))


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The Rand index beyond chance: 0 as by chance, 1 for the same groups, whatever they are called.

    >>> adjusted_rand_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    return partitions.adjusted_rand_index(_crossed_labels(labels_true, labels_pred))


def mutual_info_score(labels_true: Any, labels_pred: Any) -> float:
    """What one grouping says about the other, in nats."""
    return partitions.mutual_information(_crossed_labels(labels_true, labels_pred))


def normalized_mutual_info_score(labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic") -> float:
    """Mutual information as a share of the mean of both entropies: 0 to 1."""
    return partitions.normalized_information(_crossed_labels(labels_true, labels_pred), _average(average_method))


def adjusted_mutual_info_score(labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic") -> float:
    """The same beyond chance: 0 as by chance, 1 for the same groups."""
    return partitions.adjusted_information(_crossed_labels(labels_true, labels_pred), _average(average_method))


def homogeneity_score(labels_true: Any, labels_pred: Any) -> float:
    """1 if every cluster holds rows of one class only."""
    return partitions.homogeneity_completeness(_crossed_labels(labels_true, labels_pred))[0]


def completeness_score(labels_true: Any, labels_pred: Any) -> float:
    """1 if all rows of a class lie in one cluster."""
    return partitions.homogeneity_completeness(_crossed_labels(labels_true, labels_pred))[1]


def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    """The harmonic mean of homogeneity and completeness, the latter counted `beta` times."""
    if not beta >= 0:
        raise ParameterError(f"beta is {spell(beta)}. Expected a number of at least 0.")
    return partitions.v_measure(*partitions.homogeneity_completeness(_crossed_labels(labels_true, labels_pred)), beta)


def fowlkes_mallows_score(labels_true: Any, labels_pred: Any) -> float:
    """Pairs together in both, over the geometric mean of the pairs together in each."""
    return partitions.fowlkes_mallows(_crossed_labels(labels_true, labels_pred))


def purity_score(labels_true: Any, labels_pred: Any) -> float:
    """The share of rows that are of the most frequent class of their cluster.

    >>> purity_score(["cat", "cat", "dog", "dog"], [0, 0, 0, 1])
    0.75
    """
    return partitions.purity(_crossed_labels(labels_pred, labels_true))


def _average(method: str) -> str:
    if method not in _AVERAGES:
        raise ParameterError(f"average_method={method!r} is not allowed. Expected one of {', '.join(_AVERAGES)}.")
    return method
