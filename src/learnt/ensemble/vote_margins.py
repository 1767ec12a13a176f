"""Margins: how clearly the members of an ensemble vote for the right class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.training import prepare
from learnt.errors import InputError
from learnt.learner.base import Classifier
from learnt.show.numbers import number


@dataclass(frozen=True, eq=False)
class Margins:
    """The margin of each row, from −1 (all votes for one wrong class) to 1 (all for the right one).

    >>> found = Margins(np.array([-0.2, 0.1, 0.5, 1.0]))
    >>> print(found)
    4 margins: least −0.2, median 0.3, mean 0.35; 0.25 of them not above 0
    >>> found.share_below(0.5)
    0.75
    """

    values: Array

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype) if copy is not False else np.asarray(self.values, dtype=dtype)

    def share_below(self, margin: float) -> float:
        """The share of the rows whose margin is at most this."""
        return float(np.mean(self.values <= margin))

    def __str__(self) -> str:
        least, median, mean = self.values.min(), np.median(self.values), self.values.mean()
        return (
            f"{len(self)} margins: least {number(least)}, median {number(median)}, mean {number(mean)}; "
            f"{number(self.share_below(0.0))} of them not above 0"
        )

    def plot(self, ax: Any = None, *, label: str | None = None) -> Any:
        """Draw the share of rows up to each margin; returns the matplotlib axes. Call it again on them to compare."""
        from learnt.plot.descent import plot_margins

        return plot_margins(self.values, ax, label=label)


class VotesHaveMargins:
    """For classifiers whose members vote: the method `margins`."""

    if TYPE_CHECKING:

        def _probabilities(self, table: Table) -> Array: ...

    def margins(self, X: Any, y: Any = None) -> Margins:
        """The votes for the right class minus those for the best wrong one, as shares of all votes, row by row."""
        return margins(self, X, y)

    def _vote_shares(self, table: Table) -> Array:
        """The share of each class in the votes; the probabilities, where those are the votes."""
        return self._probabilities(table)


def margins(model: Any, X: Any, y: Any = None) -> Margins:
    """The margins of a fitted classifier that votes: boosting, bagging, forests.

        margin(x, y) = v_y(x) − max_{c ≠ y} v_c(x),   v_c the share of the votes for class c

    A row is answered right when its margin is above 0. `y` is an array, or the name of a column of `X`. Of a
    classifier without votes the probabilities are taken.

    Reference: R. Schapire, Y. Freund, P. Bartlett, W. S. Lee, Boosting the margin, 1998.
    """
    if not isinstance(model, Classifier):
        raise InputError(f"Margins need a classifier. Got {type(model).__name__}.")
    model._fitted_schema()
    test = prepare(X, y, None, "classes", type(model).__name__)
    assert test.classes is not None
    known = {label: code for code, label in enumerate(model.classes_.tolist())}
    of_label = np.array([known.get(label, -1) for label in test.classes.tolist()])
    votes_of = getattr(model, "_vote_shares", model._probabilities)
    parts = []
    for batch in test.batches():
        assert batch.target is not None
        parts.append(_margins(votes_of(model._matched(batch.table)), of_label[batch.target]))
    return Margins(np.concatenate(parts))


def _margins(votes: Array, truth: Array) -> Array:
    """Of votes rows × classes; a class that never had a vote (−1) has none, and one class alone has no rival."""
    rows, votes = np.arange(len(votes)), votes.copy()
    right = np.where(truth >= 0, votes[rows, truth], 0.0)
    votes[rows[truth >= 0], truth[truth >= 0]] = -np.inf
    rival = votes.max(axis=1)
    return right - np.where(np.isfinite(rival), rival, 0.0)
