"""The layers of a net for sequences: a long short-term memory, its states pooled.

i, f, o = sigmoid(W z_t + U h_{t−1} + b),   g = tanh(W z_t + U h_{t−1} + b),   each with its own W, U, b
c_t = f c_{t−1} + i g,   h_t = o tanh(c_t)
scores = b + V [last h, mean of h, largest h]       over the steps of the sequence, none of the padding
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.storable import storable

MOST_LAYERS = 64


@storable
@dataclass(frozen=True)
class LstmLayers:
    """Steps of `dense` numbers, and of embedded columns of so many `categories` with vectors of so many `dims`; `units`
    of memory in each of `layers`, along the sequence and, if `both_ways`, against it."""

    dense: int
    categories: tuple[int, ...]
    dims: tuple[int, ...]
    units: int
    layers: int
    both_ways: bool
    classes: int

    #: The length that gradients are shortened to: those of long sequences may explode (Pascanu et al. 2013).
    longest_gradient = 1.0

    def __post_init__(self) -> None:
        sizes = (self.units, self.layers, self.classes, *self.categories, *self.dims)
        if min(sizes) < 1 or self.layers > MOST_LAYERS or self.dense < 0 or len(self.dims) != len(self.categories):
            raise ValueError("A net of sequences has units, layers and classes, and a size for each embedded column.")

    @property
    def width(self) -> int:
        """Numbers of a step; one that is always 0 where there are none."""
        return max(1, self.dense + sum(self.dims))

    @property
    def ways(self) -> int:
        return 2 if self.both_ways else 1

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The names and shapes of all tensors."""
        found: dict[str, tuple[int, ...]] = {}
        for k, (size, dim) in enumerate(zip(self.categories, self.dims, strict=True)):
            found[f"embed{k}.weight"] = (size, dim)
        for l in range(self.layers):
            n_in = self.width if l == 0 else self.ways * self.units
            for way in ("", "_reverse")[: self.ways]:
                found[f"lstm.weight_ih_l{l}{way}"] = (4 * self.units, n_in)
                found[f"lstm.weight_hh_l{l}{way}"] = (4 * self.units, self.units)
                found[f"lstm.bias_ih_l{l}{way}"] = found[f"lstm.bias_hh_l{l}{way}"] = (4 * self.units,)
        found["out.weight"], found["out.bias"] = (self.classes, 3 * self.ways * self.units), (self.classes,)
        return found

    def work(self, places: float) -> float:
        """Additions and multiplications of one step of a sequence, since each waits for the one before."""
        return 8.0 * self.units * self.units

    def first_tensors(self, rng: np.random.Generator) -> dict[str, Array]:
        """Memories begin by keeping what they hold: the bias of the gate f is 1 (Jozefowicz et al. 2015)."""
        found: dict[str, Array] = {}
        edge = 1 / np.sqrt(self.units)
        for name, shape in self.shapes().items():
            if name.startswith("embed"):
                found[name] = rng.normal(size=shape)
            elif name.startswith("lstm.weight"):
                found[name] = rng.uniform(-edge, edge, size=shape)
            else:
                found[name] = np.zeros(shape)
            if name.startswith("lstm.bias_ih"):
                found[name][self.units : 2 * self.units] = 1.0
        return found

    def modules(self, torch: Any, dropout: float) -> Any:
        nn = torch.nn
        between = dropout if self.layers > 1 else 0.0
        made = {
            "lstm": nn.LSTM(
                self.width, self.units, self.layers,
                batch_first=True, dropout=between, bidirectional=self.both_ways,
            ),
            "dropout": nn.Dropout(dropout),
            "out": nn.Linear(3 * self.ways * self.units, self.classes),
        }  # fmt: skip
        for k, (size, dim) in enumerate(zip(self.categories, self.dims, strict=True)):
            made[f"embed{k}"] = nn.Embedding(size, dim)
        return nn.ModuleDict(made)

    def inputs(self, torch: Any, modules: Any, batch: tuple[Any, ...]) -> Any:
        """What scores are functions of: sequences × steps × width. The code −1 is a vector of zeros."""
        dense, codes, _ = batch
        parts = [dense]
        for k in range(len(self.dims)):
            code = codes[:, :, k]
            parts.append(modules[f"embed{k}"](code.clamp(min=0)) * (code >= 0).unsqueeze(2))
        if not self.dense and not self.dims:
            parts.append(dense.new_zeros(*dense.shape[:2], 1))
        return torch.cat(parts, dim=2)

    def scores(self, torch: Any, modules: Any, inputs: Any, batch: tuple[Any, ...]) -> Any:
        """Sequences × classes. Steps beyond the length of a sequence are not looked at."""
        lengths = batch[2]
        rnn, longest = torch.nn.utils.rnn, inputs.shape[1]
        if longest == 0:  # there are empty sequences only
            inputs, longest = inputs.new_zeros(len(inputs), 1, self.width), 1
        packed = rnn.pack_padded_sequence(inputs, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False)
        states, (last, _) = modules["lstm"](packed)
        states, _ = rnn.pad_packed_sequence(states, batch_first=True, total_length=longest)
        there = (torch.arange(longest, device=lengths.device) < lengths[:, None]).unsqueeze(2)
        some = (lengths > 0).unsqueeze(1)
        last = last[-self.ways :].transpose(0, 1).reshape(len(inputs), -1) * some
        mean = (states * there).sum(dim=1) / lengths.clamp(min=1).unsqueeze(1)
        largest = states.masked_fill(~there, -2.0).amax(dim=1) * some  # states lie within −1 and 1
        return modules["out"](modules["dropout"](torch.cat([last, mean, largest], dim=1)))
