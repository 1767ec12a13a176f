"""A net: its sizes, its parameters, and what the core makes of rows with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.lazy import cached_property
from learnt.neural.inputs import NetInputs
from learnt.neural.losses import LossFunction, row_losses
from learnt.storable import storable

#: Outputs that lie side by side in a layer's parameters; see core/neural/shape.hpp.
PANEL = 16
#: Added to variances of normalised units, as in core/neural/normalise.hpp.
VARIANCE_FLOOR = 1e-5
ACTIVATIONS = ("relu", "gelu", "tanh", "sigmoid", "identity")


@dataclass(frozen=True, eq=False)
class NetRows:
    """Rows as the core takes them: cells, all of them or (CSR) those that are not 0, and codes of embedded columns."""

    x: Any
    codes: Array

    def __len__(self) -> int:
        return int(self.x.shape[0])

    def take(self, places: Array) -> NetRows:
        return NetRows(self.x[places], np.ascontiguousarray(self.codes[places]))

    @property
    def is_sparse(self) -> bool:
        return not isinstance(self.x, np.ndarray)

    def below(self, other: NetRows) -> NetRows:
        """These rows, then others."""
        if self.is_sparse:
            from scipy.sparse import vstack

            x = vstack([self.x, other.x], format="csr")
        else:
            x = np.concatenate([self.x, other.x])
        return NetRows(x, np.concatenate([self.codes, other.codes]))

    def given(self, dtype: Any) -> tuple[Array, Any]:
        """The cells as the core wants them, of double precision if the net is: a matrix, or one without rows and what
        is stored."""
        x = self.x if dtype == np.float32 or self.x.dtype == np.float64 else self.x.astype(np.float64)
        if not self.is_sparse:
            return x, None
        return np.zeros((0, x.shape[1]), x.dtype), (x.data, x.indices.astype(np.int32, copy=False), x.indptr)


@storable
@dataclass(frozen=True, eq=False)
class Net:
    """Layers of `units`, the last of which are the scores. `parameters` are laid out as the core wants them; `speed`
    and `square` are what its steps remember of gradients, empty once `fit` is done. Training changes the arrays."""

    units: tuple[int, ...]
    activation: str
    loss: str
    width: float
    smoothing: float
    dense: int
    categories: tuple[int, ...]
    dims: tuple[int, ...]
    parameters: Array
    speed: Array
    square: Array
    steps: int = 0
    epochs: int = 0
    normalised: bool = False  # sums of hidden units, batch by batch; see core/neural/normalise.hpp

    def __post_init__(self) -> None:
        size = _core.net_layout(self.shape)[0]
        for part in (self.parameters, self.speed, self.square):
            if part.dtype not in (np.float32, np.float64) or part.dtype != self.parameters.dtype:
                raise ValueError("The parameters of a net are not numbers of one precision.")
            if part.shape != (size,) and (part is self.parameters or part.shape != (0,)):
                raise ValueError("The parameters of a net do not fit its layers.")

    @property
    def shape(self) -> Any:
        """As the core takes it."""
        sizes = (self.dense, self.categories, self.dims)
        return net_shape(
            self.units, self.activation, self.loss, self.width, self.smoothing, *sizes, normalised=self.normalised
        )

    @classmethod
    def start(
        cls, inputs: NetInputs, units: tuple[int, ...], activation: str, loss: str, *,
        smoothing: float = 0.0, bias: Array | None = None, seed: int = 0, dtype: Any = np.float32,
        normalised: bool = False,
    ) -> Net:  # fmt: skip
        """With weights drawn so that sums keep their spread from layer to layer (He et al. 2015; Glorot, Bengio 2010);
        the scores begin at `bias`, with weights of 0."""
        sizes = (inputs.n_dense, inputs.categories, inputs.dims)
        size = _core.net_layout(net_shape(units, activation, loss, 1.0, smoothing, *sizes, normalised=normalised))[0]
        first, speed, square = (np.zeros(size, dtype) for _ in range(3))
        net = cls(units, activation, loss, 1.0, smoothing, *sizes, first, speed, square, normalised=normalised)
        rng = np.random.default_rng(seed)
        last = len(units) - 1
        for l, (weights, _) in enumerate(net.layer_views()):
            n_in, n_out = weights.shape
            if l < last:
                grows = activation in ("relu", "gelu")
                spread = np.sqrt(2 / max(n_in, 1)) if grows else np.sqrt(2 / (n_in + n_out))
                net.put_layer(l, rng.normal(scale=spread, size=(n_in, n_out)), None)
                edge = 1 / np.sqrt(max(n_in, 1))
                net.put_layer(l, None, rng.uniform(-edge, edge, n_out))
            elif bias is not None:
                net.put_layer(l, None, bias)
        for table in net.embeddings():
            table[...] = rng.normal(scale=1.0, size=table.shape)
        net._zero_unused_inputs()
        for l, (factor, _, _, variance) in enumerate(net.normalisations()):
            factor[: units[l]] = variance[: units[l]] = 1
        return net

    # The parameters as matrices

    @cached_property
    def _layout(self) -> Any:
        return _core.net_layout(self.shape)

    @property
    def embedded_from(self) -> int:
        """The first input that is a number of an embedding."""
        return int(self._layout[1])

    @property
    def n_inputs(self) -> int:
        return int(self._layout[2][0][1])

    def _panels(self, l: int, values: Array) -> tuple[Array, int]:
        offset, n_in, n_out = self._layout[2][l]
        panels = -(-n_out // PANEL)
        return values[offset : offset + panels * (n_in + 1) * PANEL].reshape(panels, n_in + 1, PANEL), n_out

    def layer_views(self, values: Array | None = None) -> Iterator[tuple[Array, Array]]:
        """Weights (inputs × outputs) and biases of each layer, copies; of a gradient, if it is given."""
        values = self.parameters if values is None else values
        for l in range(len(self.units)):
            panels, n_out = self._panels(l, values)
            flat = panels.transpose(1, 0, 2).reshape(panels.shape[1], -1)[:, :n_out]
            yield flat[:-1], flat[-1]

    def put_layer(self, l: int, weights: Array | None, biases: Array | None) -> None:
        panels, n_out = self._panels(l, self.parameters)
        for o in range(0, n_out, PANEL):
            width = min(PANEL, n_out - o)
            if weights is not None:
                panels[o // PANEL, :-1, :width] = weights[:, o : o + width]
            if biases is not None:
                panels[o // PANEL, -1, :width] = biases[o : o + width]

    def embeddings(self, values: Array | None = None) -> list[Array]:
        """The vectors of each embedded column, views of the parameters: categories × numbers."""
        values = self.parameters if values is None else values
        return [values[at : at + size * dim].reshape(size, dim) for at, size, dim in self._layout[3]]

    def normalisations(self, values: Array | None = None) -> list[tuple[Array, Array, Array, Array]]:
        """γ, β, running means and running variances of each normalised layer, views of the parameters."""
        values = self.parameters if values is None else values
        quarters = [values[at : at + 4 * width].reshape(4, width) for at, width in self._layout[4]]
        return [(part[0], part[1], part[2], part[3]) for part in quarters]

    def used(self) -> Array:
        """Which parameters belong to units and inputs that exist."""
        found = np.zeros(len(self.parameters), dtype=bool)
        for l in range(len(self.units)):
            panels, n_out = self._panels(l, found)
            for o in range(0, n_out, PANEL):
                panels[o // PANEL, :, : min(PANEL, n_out - o)] = True
            if l == 0:
                panels[:, self.dense : self.embedded_from] = False
        for table in self.embeddings(found):
            table[...] = True
        for units, (factor, shift, _, _) in zip(self.units, self.normalisations(found), strict=False):
            factor[:units] = shift[:units] = True
        return found

    def is_weight(self) -> Array:
        """Which parameters weight decay applies to: all but biases and those of normalisations."""
        found = self.used()
        for part in self.normalisations(found):
            for values in part:
                values[:] = False
        for l in range(len(self.units)):
            self._panels(l, found)[0][:, -1] = False
        return found

    def _zero_unused_inputs(self) -> None:
        self.parameters[~self.used()] = 0

    # Rows

    def without_memory(self) -> Self:
        """For a net that is done."""
        empty = np.zeros(0, self.parameters.dtype)
        return replace(self, speed=empty, square=empty)

    def with_memory(self, **changes: Any) -> Self:
        """A copy that can be trained."""
        zeros = {name: np.zeros_like(self.parameters) for name in ("speed", "square") if not getattr(self, name).size}
        return self.copy(**(zeros | changes))

    def copy(self, **changes: Any) -> Self:
        arrays = {name: getattr(self, name).copy() for name in ("parameters", "speed", "square")}
        return replace(self, **(arrays | changes))

    def scores(self, inputs: NetInputs, rows: NetRows) -> Array:
        """Rows × scores. Single precision inside, unless the net is of double precision."""
        return self.scores_if_finite(inputs, rows)[0]

    def scores_if_finite(self, inputs: NetInputs, rows: NetRows) -> tuple[Array, bool]:
        """The same, and whether all cells are finite or missing."""
        found = np.empty((len(rows), self.units[-1]))
        net = self.plain()
        infinite = _core.score_net(net.shape, *net._rows(inputs, rows), net.parameters, found)
        return found, not infinite

    def row_losses(self, inputs: NetInputs, rows: NetRows, targets: Array, given: LossFunction | None = None) -> Array:
        """The loss of each row."""
        return row_losses(given or self.loss, self.scores(inputs, rows), targets)

    def plain(self) -> Net:
        """The net of the same scores without normalisations: running means and variances become part of the weights."""
        if not self.normalised:
            return self
        sizes = (self.dense, self.categories, self.dims)
        shape = net_shape(self.units, self.activation, self.loss, self.width, self.smoothing, *sizes)
        size = _core.net_layout(shape)[0]
        empty = np.zeros(0, self.parameters.dtype)
        net = replace(self, normalised=False, parameters=self.parameters[:size].copy(), speed=empty, square=empty)
        layers = list(self.layer_views())
        for l, (factor, shift, mean, variance) in enumerate(self.normalisations()):
            (weights, biases), own = layers[l], slice(self.units[l])
            gain = factor[own] / np.sqrt(variance[own].astype(np.float64) + VARIANCE_FLOOR)
            net.put_layer(l, weights * gain, (biases - mean[own]) * gain + shift[own])
        return net

    def train(
        self,
        inputs: NetInputs,
        rows: NetRows,
        order: Array,
        targets: Array,
        weights: Array | None,
        steps: Any,
        rates: Array,
        given: LossFunction | None = None,
    ) -> float:
        """Changes the parameters by steps over the rows in `order`; Σ w L, each L before its step."""
        cells = self._rows(inputs, rows)
        state = (self.parameters, self.speed, self.square)
        found: float = _core.train_net(self.shape, *cells, order, targets, weights, steps, rates, *state, given)
        return found

    def gradient(
        self, inputs: NetInputs, rows: NetRows, targets: Array, weights: Array | None, given: LossFunction | None = None
    ) -> tuple[float, Array]:
        """Σ w L, and its gradient by the parameters."""
        found = np.zeros_like(self.parameters)
        loss: float = _core.add_net_gradient(
            self.shape, *self._rows(inputs, rows), targets, weights, self.parameters, found, given
        )
        return loss, found

    def _rows(self, inputs: NetInputs, rows: NetRows) -> tuple[Array, Any, Array, Array, float, Array]:
        return *rows.given(self.parameters.dtype), inputs.center, inputs.scale, inputs.clip, rows.codes

    def in_double(self) -> Net:
        """The same net in double precision."""
        arrays = {name: getattr(self, name).astype(np.float64) for name in ("parameters", "speed", "square")}
        return replace(self, **arrays)


def net_shape(
    units: tuple[int, ...], activation: str, loss: str, width: float, smoothing: float,
    dense: int, categories: tuple[int, ...], dims: tuple[int, ...], *, normalised: bool = False,
) -> Any:  # fmt: skip
    """What the core is told of a net."""
    return _core.NetShape(
        dense=dense,
        categories=list(categories),
        dims=list(dims),
        units=list(units),
        activation=activation,
        loss=loss,
        width=width,
        normalised=normalised,
        smoothing=smoothing,
    )
