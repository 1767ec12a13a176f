"""The layers of a net for images.

block:   a ← pool(max(0, γ (conv(a) − μ)/σ + β)),   conv 3 × 3,   pool the largest of 2 × 2, but for the last block
scores:  f = b + W mean(a)                          the mean over all places of the last block
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.storable import storable

KERNEL = 3


@storable
@dataclass(frozen=True)
class ConvLayers:
    """`channels` of each block, from so many `colours` to scores of so many `classes`."""

    colours: int
    channels: tuple[int, ...]
    classes: int

    def __post_init__(self) -> None:
        if not self.channels or min(self.colours, self.classes, *self.channels) < 1:
            raise ValueError("A net of images has at least one block, one channel and one class.")

    #: The length that gradients are shortened to; 0 leaves them.
    longest_gradient = 0.0

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The names and shapes of all tensors."""
        found: dict[str, tuple[int, ...]] = {}
        for l, (n_in, n_out) in enumerate(zip((self.colours, *self.channels), self.channels, strict=False)):
            found[f"conv{l}.weight"] = (n_out, n_in, KERNEL, KERNEL)
            for part in ("weight", "bias", "running_mean", "running_var"):
                found[f"norm{l}.{part}"] = (n_out,)
        found["out.weight"], found["out.bias"] = (self.classes, self.channels[-1]), (self.classes,)
        return found

    def work(self, places: float) -> float:
        """Additions and multiplications of the largest block, for an image of so many pixels."""
        sizes = zip((self.colours, *self.channels), self.channels, strict=False)
        return max(2 * max(1.0, places / 4.0**l) * KERNEL**2 * n_in * n_out for l, (n_in, n_out) in enumerate(sizes))

    def first_tensors(self, rng: np.random.Generator) -> dict[str, Array]:
        """Weights drawn so that sums keep their spread from block to block (He et al. 2015); scores begin with none."""
        found: dict[str, Array] = {}
        for name, shape in self.shapes().items():
            if name.startswith("conv"):
                found[name] = rng.normal(scale=np.sqrt(2 / np.prod(shape[1:])), size=shape)
            else:
                found[name] = np.ones(shape) if _begins_as_one(name) else np.zeros(shape)
        return found

    def modules(self, torch: Any, dropout: float) -> Any:
        nn = torch.nn
        made = {"dropout": nn.Dropout(dropout), "out": nn.Linear(self.channels[-1], self.classes)}
        for l, (n_in, n_out) in enumerate(zip((self.colours, *self.channels), self.channels, strict=False)):
            made[f"conv{l}"] = nn.Conv2d(n_in, n_out, KERNEL, padding=KERNEL // 2, bias=False)
            made[f"norm{l}"] = nn.BatchNorm2d(n_out)
        return nn.ModuleDict(made)

    def inputs(self, torch: Any, modules: Any, batch: tuple[Any, ...]) -> Any:
        """What scores are functions of: the scaled pixels, images × colours × height × width."""
        return batch[0]

    def scores(self, torch: Any, modules: Any, inputs: Any, batch: tuple[Any, ...]) -> Any:
        """Images × classes."""
        functional, a = torch.nn.functional, inputs
        last = len(self.channels) - 1
        for l in range(len(self.channels)):
            a = functional.relu(self._normed(modules[f"norm{l}"], modules[f"conv{l}"](a)))
            if l < last:
                a = functional.max_pool2d(a, 2, ceil_mode=True)  # an image of one pixel stays one
        return modules["out"](modules["dropout"](a.mean(dim=(2, 3))))

    @staticmethod
    def _normed(norm: Any, a: Any) -> Any:
        """One number a channel has no spread: it is normed by what was seen before."""
        if norm.training and a.shape[0] * a.shape[2] * a.shape[3] == 1:
            norm.eval()
            found = norm(a)
            norm.train()
            return found
        return norm(a)


def _begins_as_one(name: str) -> bool:
    return name.startswith("norm") and name.endswith((".weight", ".running_var"))
