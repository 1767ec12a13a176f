"""What can be seen of a fitted net: weights, a step of backpropagation, losses, hidden units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import ParameterError
from learnt.learner.fields import attribute
from learnt.neural.mlp_settings import NetSettings
from learnt.neural.net import Net, NetRows
from learnt.neural.textbook import Forward, NetTrace, net_inputs, trace_step
from learnt.show.words import spell
from learnt.storable import Numbers


class NetViews(NetSettings, abstract=True):
    """Members say what targets the core takes."""

    n_iter_: int = attribute()
    converged_: bool = attribute()
    loss_curve_: Numbers = attribute()
    validation_curve_: Numbers = attribute()
    best_iter_: int = attribute()
    _net: Net = attribute()
    _average: Numbers = attribute()  # the inputs of the average row, where explanations start

    def _truth(self, y: Array) -> Array:
        """Targets as the core takes them."""
        raise NotImplementedError

    @property
    def coefs_(self) -> list[Array]:
        """The weights of each layer, inputs × outputs; of scaled inputs, normalisations included."""
        self._fitted_schema()
        return [weights for weights, _ in self._net.plain().layer_views()]

    @property
    def intercepts_(self) -> list[Array]:
        """The biases of each layer."""
        self._fitted_schema()
        return [biases for _, biases in self._net.plain().layer_views()]

    def trace(self, X: Any, y: Any = None) -> NetTrace:
        """One step of backpropagation on the rows of `X`, shown: activations, deltas and gradients of every layer."""
        still = self._still()
        still._given_schema()
        training = still._prepare_as_given(X, y, None)
        rows = NetRows(*still._inputs.encode(still._matched(training.source)))
        targets = still._truth(still._target_codes(training))
        return trace_step(still._inputs, still._net, rows, targets, still._given_loss())

    def _target_codes(self, training: Training) -> Array:
        return np.asarray(training.target)

    def plot_losses(self, ax: Any = None) -> Any:
        """Draw the mean loss epoch by epoch, of rows learnt from and of rows held out; returns the matplotlib axes."""
        from learnt.plot.neural import plot_losses

        self._fitted_schema()
        return plot_losses(self.loss_curve_, self.validation_curve_, self.best_iter_, ax)

    def hidden_activations(self, X: Any, layer: int = 1) -> Array:
        """What the units of a hidden layer answer, rows × units; layers count from 1."""
        still = self._still()
        table = still._matched(X)
        hidden = len(still._net.units) - 1
        if not (isinstance(layer, int) and 1 <= layer <= hidden):
            raise ParameterError(
                f"{type(self).__name__}: layer={spell(layer)} is not a hidden layer. Expected a whole number from 1 to "
                f"{hidden}." if hidden else f"{type(self).__name__} has no hidden layers."
            )  # fmt: skip
        check_finite(table)
        z = net_inputs(still._inputs, still._net, NetRows(*still._inputs.encode(table)))
        return Forward.of(still._net, z).activations[layer]

    def plot_units(
        self, X: Any, columns: Sequence[str] | None = None, *, layer: int = 1, resolution: int = 60, axes: Any = None
    ) -> Any:
        """Draw what hidden units see in two columns of `X` (the first two numeric ones by default): a panel for each of
        up to twelve units, those that move the next layer most; returns the matplotlib axes. Other columns are held at
        their median or most frequent label."""
        from learnt.plot.neural import plot_units

        self._fitted_schema()
        return plot_units(self, X, columns, layer, resolution, axes)
