"""A net that gives back its inputs, through a code of few numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.neural.autoencoder.cells import TableCells
from learnt.neural.autoencoder.errors import column_parts
from learnt.neural.net import Net, NetRows
from learnt.storable import storable


@dataclass(frozen=True)
class Unscaled:
    """Of inputs that are taken as they are."""

    center: Array
    scale: Array
    clip: float = 0.0


@storable
@dataclass(frozen=True, eq=False)
class AutoencoderNet(Net):
    """Layers up to `code`, whose units are linear, are the encoder, the others the decoder. Tied weights are stored
    twice: those of the decoder are those of the encoder, turned. Noise is what training adds to inputs."""

    numbers: int = 0
    pairs: int = 0
    groups: tuple[int, ...] = ()
    code: int = 0
    tied: bool = False
    noise: str = "swap"
    level: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        n_outputs = self.numbers + self.pairs + sum(self.groups)
        if min(self.numbers, self.pairs, *self.groups, 0) < 0 or n_outputs > self.dense:
            raise ValueError("The cells of an autoencoder do not fit its inputs.")
        if self.units[-1] != max(n_outputs, 1) or not 0 <= self.code < len(self.units) - 1 or self.dims:
            raise ValueError("The layers of an autoencoder do not fit its cells.")
        if self.tied and (2 * (self.code + 1) != len(self.units) or self.units[:-1] != self.units[-2::-1]):
            raise ValueError("Tied layers are not those of a mirror.")

    @classmethod
    def start_for(
        cls, cells: TableCells, encoder: tuple[int, ...], decoder: tuple[int, ...], activation: str, *,
        tied: bool, bias: Array, seed: int, dtype: Any,
    ) -> AutoencoderNet:  # fmt: skip
        """With drawn weights; the last of `encoder` is the code. The scores begin at `bias`."""
        n_outputs = cells.n_outputs
        units = (*encoder, *decoder, max(n_outputs, 1))
        first = Net.start(cells, units, activation, "squared_error", seed=seed, dtype=dtype)  # type: ignore[arg-type]
        if n_outputs:
            most = float(np.finfo(dtype).max)  # numbers that are not scaled may be larger
            first.put_layer(len(units) - 1, None, np.clip(bias, -most, most))
        arrays = {name: getattr(first, name) for name in ("parameters", "speed", "square")}
        net = cls(
            units, activation, first.loss, 1.0, 0.0, first.dense, (), (), **arrays,
            numbers=len(cells.sorts.numbers), pairs=len(cells.sorts.pairs), groups=cells.group_widths,
            code=len(encoder) - 1, tied=tied,
        )  # fmt: skip
        for l, (weights, _) in enumerate(net.layer_views()):
            if tied and n_outputs and l < len(units) // 2:
                given_back = units[-1] if l == 0 else len(weights)
                net.put_layer(len(units) - 1 - l, weights[:given_back].T, None)
        return net

    @property
    def reconstruction(self) -> Any:
        """As the core takes it."""
        return _core.Reconstruction(
            numbers=self.numbers, pairs=self.pairs, groups=list(self.groups), code=self.code, tied=self.tied,
            noise=self.noise, level=self.level,
        )  # fmt: skip

    # Both halves

    def _part(self, units: tuple[int, ...], dense: int, parameters: Array) -> Net:
        none = np.zeros(0, parameters.dtype)
        return Net(units, self.activation, self.loss, 1.0, 0.0, dense, (), (), parameters, none, none)

    @property
    def encoder(self) -> Net:
        """Its scores are the code."""
        end = self._layout[2][self.code + 1][0]
        return self._part(self.units[: self.code + 1], self.dense, self.parameters[:end])

    @property
    def decoder(self) -> Net:
        first = self._layout[2][self.code + 1][0]
        return self._part(self.units[self.code + 1 :], self.units[self.code], self.parameters[first:])

    def codes(self, cells: TableCells, rows: NetRows) -> Array:
        """Rows × code."""
        return self.encoder.scores(cells, rows)  # type: ignore[arg-type]

    def decoded(self, codes: Array) -> Array:
        """Scores of the cells, rows × outputs."""
        codes = np.ascontiguousarray(codes, dtype=np.float64)
        k = codes.shape[1]
        inputs: Any = Unscaled(np.zeros(k), np.ones(k))
        return self.decoder.scores(inputs, NetRows(codes, np.zeros((len(codes), 0), np.int32)))

    # What training asks of a net

    def scores(self, inputs: Any, rows: NetRows) -> Array:
        return self.decoded(self.codes(inputs, rows))

    def row_losses(self, inputs: Any, rows: NetRows, targets: Array, given: Any = None) -> Array:
        found: Array = column_parts(inputs, rows.x, self.scores(inputs, rows)).sum(axis=1)
        return found

    def train(
        self, inputs: Any, rows: NetRows, order: Array, targets: Array, weights: Array | None, steps: Any, rates: Array,
        given: Any = None,
    ) -> float:  # fmt: skip
        x, _, center, scale, clip, _ = self._rows(inputs, rows)
        state = (self.parameters, self.speed, self.square)
        found: float = _core.train_autoencoder(
            self.shape, self.reconstruction, x, center, scale, clip, order, weights, steps, rates, *state
        )
        return found

    def gradient(
        self, inputs: Any, rows: NetRows, targets: Array, weights: Array | None, given: Any = None
    ) -> tuple[float, Array]:
        """Of tied weights the loss is that of the mean of both copies, so that each has half of the gradient."""
        x, _, center, scale, clip, _ = self._rows(inputs, rows)
        found = np.zeros_like(self.parameters)
        loss: float = _core.add_autoencoder_gradient(
            self.shape, self.reconstruction, x, center, scale, clip, weights, self.parameters, found
        )
        return loss, found

    def is_weight(self) -> Array:
        """The share of weight decay that applies to each parameter: ½ to each copy of a tied weight."""
        found = super().is_weight().astype(np.float64)
        for l in range(len(self.units) if self.tied else 0):
            panels, _ = self._panels(l, found)
            tied = min(panels.shape[1] - 1, self.units[-1]) if l == 0 else panels.shape[1] - 1
            panels[:, :tied] /= 2
        return found

    def with_noise(self, noise: str, level: float) -> AutoencoderNet:
        return replace(self, noise=noise, level=level)
