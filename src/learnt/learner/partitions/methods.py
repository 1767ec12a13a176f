"""Which methods of learners take Dask collections, and the one place where they are told from other rows.

Whatever a class writes, `predict` or a method of its family, is wrapped when the class is defined: given a collection,
it is called on each partition, when Dask comes to it; given anything else, it runs as it is written. The score on a
scan that a cluster works on is put together from those of its pieces.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from learnt.data.dask.kinds import is_dask
from learnt.data.files.scan import Scan

F = TypeVar("F", bound=Callable[..., Any])

#: What answers each row by itself, so that partitions can be asked one by one.
ROW_BY_ROW = frozenset(
    {
        "apply",
        "decision_function",
        "decision_path",
        "discriminants",
        "distances",
        "explain",
        "gate_proba",
        "hidden_activations",
        "inverse_transform",
        "neighbors_within",
        "p_values",
        "position",
        "predict",
        "predict_interval",
        "predict_log_proba",
        "predict_proba",
        "predict_quantiles",
        "reconstruct",
        "score_samples",
        "transform",
        "unmix",
    }
)
SCORES = frozenset({"score"})


def take_collections(cls: type) -> None:
    """Make the methods that this class writes, or has from one mixed in, take Dask collections too."""
    for name in ROW_BY_ROW | SCORES:
        owner = next((other for other in cls.__mro__ if name in vars(other)), None)
        method = None if owner is None else vars(owner)[name]
        if callable(method) and not hasattr(method, "on_rows_here"):
            setattr(cls, name, taking_collections(method))


def taking_collections(method: F) -> F:
    """A method that takes rows, and now Dask collections of them."""

    @functools.wraps(method)
    def on_any_rows(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if method.__name__ in SCORES and isinstance(X, Scan) and X.workers is not None and self.rows_stand_alone:
            from learnt.learner.partitions.scans import score_of_pieces

            return score_of_pieces(self, X, *args, **kwargs)
        if not is_dask(X) or not self.rows_stand_alone:
            with np.errstate(over="ignore"):  # what is answered to cells of 1e300 may be infinite
                return method(self, X, *args, **kwargs)
        if method.__name__ in SCORES:
            from learnt.learner.partitions.scores import score_of_partitions

            return score_of_partitions(self, X, *args, **kwargs)
        from learnt.learner.partitions.mapping import answers_of_partitions

        return answers_of_partitions(self, method.__name__, X, args, kwargs)

    on_any_rows.on_rows_here = method  # type: ignore[attr-defined]  # a mark on a function
    return cast("F", on_any_rows)
