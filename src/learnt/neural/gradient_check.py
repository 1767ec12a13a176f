"""Gradients by backpropagation against finite differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import KindError
from learnt.neural.autoencoder.fitting import LearnsReconstruction
from learnt.neural.mlp import MultilayerPerceptron
from learnt.neural.net import NetRows
from learnt.show.numbers import number
from learnt.show.words import count_of
from learnt.statistics.sample import sample_places


@dataclass(frozen=True, eq=False)
class GradientCheck:
    """`gradient` by backpropagation beside `difference`, (L(θ + ε) − L(θ − ε)) / 2ε, for each parameter checked.

    `error` is the largest distance of the two, as a share of the largest gradient.
    """

    gradient: Array
    difference: Array
    loss: float
    epsilon: float

    @property
    def error(self) -> float:
        largest = max(float(np.abs(self.gradient).max(initial=0)), float(np.abs(self.difference).max(initial=0)))
        apart = float(np.abs(self.gradient - self.difference).max(initial=0))
        return apart / largest if largest > 0 else 0.0

    def __repr__(self) -> str:
        return (
            f"<GradientCheck of {count_of(len(self.gradient), 'parameter')} at a mean loss of {number(self.loss)}: "
            f"backpropagation and differences are {self.error:.1e} of the largest gradient apart>"
        )


def check_gradients(
    model: MultilayerPerceptron | LearnsReconstruction,
    X: Any,
    y: Any = None,
    *,
    epsilon: float = 1e-5,
    most: int = 500,
    random_state: int = 0,
) -> GradientCheck:
    """Compare the gradient that backpropagation gives a fitted net on some rows with finite differences of the loss.

    In double precision, without dropout and weight decay; of more than `most` parameters, so many are drawn. An error
    of 1e-7 or less says that backpropagation is right. At a corner of "relu" the two may differ by chance.

    >>> from learnt import MLPClassifier
    >>> table, labels = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}, ["no", "yes", "yes", "no"]
    >>> model = MLPClassifier(hidden_layer_sizes=(3,), activation="tanh", max_iter=5).fit(table, labels)
    >>> check_gradients(model, table, labels).error < 1e-7
    True
    """
    if not isinstance(model, MultilayerPerceptron | LearnsReconstruction):
        raise KindError(
            f"check_gradients was given a {type(model).__name__}. Expected a fitted net, e.g. MLPClassifier."
        )
    model._given_schema()
    inputs, rows, targets, given = _given_rows(model, X, y)
    net, n = model._net.in_double(), len(rows)
    loss, gradient = net.gradient(inputs, rows, targets, None, given)
    used = np.flatnonzero(net.used())
    places = used[sample_places(len(used), most, random_state)]
    differences = np.empty(len(places))
    for i, place in enumerate(places):
        value = net.parameters[place]
        ends = []
        for side in (1, -1):
            net.parameters[place] = value + side * epsilon
            ends.append(net.gradient(inputs, rows, targets, None, given)[0])
        net.parameters[place] = value
        differences[i] = (ends[0] - ends[1]) / (2 * epsilon)
    return GradientCheck(gradient[places] / n, differences / n, loss / n, epsilon)


def _given_rows(model: Any, X: Any, y: Any) -> tuple[Any, NetRows, Array, Any]:
    """Inputs, rows, targets and the user's own loss of a net; an autoencoder has none but the rows."""
    if isinstance(model, LearnsReconstruction):
        x = model._cells.encode(model._matched(X))
        return model._cells, NetRows(x, np.zeros((len(x), 0), np.int32)), np.zeros(len(x)), None
    training = model._prepare_as_given(X, y, None)
    rows = NetRows(*model._inputs.encode(model._matched(training.source)))
    return model._inputs, rows, model._truth(model._target_codes(training)), model._given_loss()
