"""Integrated gradients of nets that PyTorch differentiates (Sundararajan et al. 2017).

    part_j = (z_j − z̄_j) ∫₀¹ ∂F/∂z_j (z̄ + s (z − z̄)) ds,      Σ_j part_j = F(z) − F(z̄)

F is the log-odds of the answer against the runner-up; points of the way are added until the parts add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.explain import Evidence
from learnt.neural.attribution import TOLERANCE, IntegratedExplanation, shared_rest
from learnt.neural.torch_nets.runtime import computing, import_torch
from learnt.show.words import plain

if TYPE_CHECKING:
    from learnt.neural.torch_nets.torch_classifier import TorchClassifier

FIRST_POINTS, MOST_POINTS = 32, 8192
#: Numbers of inputs that are differentiated at once.
MOST_INPUTS = 2**20


def explain_item(model: TorchClassifier, one: Any, i: int, items: Any) -> IntegratedExplanation:
    """Why item i, which `one` alone holds, got its class."""
    logs = model._logs(one)[0]
    order = np.argsort(-logs, kind="stable").tolist()
    best, second = order[0], order[1]
    total = float(logs[best] - logs[second])
    torch = import_torch(type(model).__name__)
    cpu = torch.device("cpu")  # graphics cards differentiate memories only while they train
    with computing(torch, cpu, FIRST_POINTS * model._net.layers.work(one.places)):
        way = _Way(model, one, (best, second), torch, cpu)
        base, parts, points, gap, tolerance = way.integrated(total)
    base, parts = shared_rest(base, parts, total)
    evidence = tuple(Evidence(*part) for part in model._parts_of(items, i, parts))
    alternatives = tuple((plain(model.classes_[c]), float(logs[c] - logs[best])) for c in order[1:])
    return IntegratedExplanation(
        model.classes_[best], "log-odds", base, model._base_words, evidence, total, "log-odds", alternatives,
        points, gap, max(gap, tolerance),
    )  # fmt: skip


class _Way:
    """The straight way from the base to an item, in double precision."""

    def __init__(self, model: TorchClassifier, one: Any, pair: tuple[int, int], torch: Any, device: Any) -> None:
        self._torch, self._pair, self._layers = torch, pair, model._net.layers
        self._modules = model._net.modules(torch, device, double=True)
        self._batch = one.batch(torch, np.zeros(1, np.int64), device, torch.float64)
        with torch.no_grad():
            self._end = self._layers.inputs(torch, self._modules, self._batch)
        self._start = model._base_inputs(self._end)

    def integrated(self, total: float) -> tuple[float, Array, int, float, float]:
        """The base, the parts of the inputs, how many points it took, by how much they miss, and might."""
        with self._torch.no_grad():
            base = float(self._leads(self._start)[0])
        points = FIRST_POINTS
        while True:
            parts = self._parts(points)
            gap = abs(total - base - float(parts.sum()))
            tolerance = TOLERANCE * max(float(np.abs(parts).sum()), abs(total - base), 1e-9)
            if gap <= tolerance or points >= MOST_POINTS:
                return base, parts, points, gap, tolerance
            points *= 4

    def _leads(self, inputs: Any) -> Any:
        """F of each of several inputs of the shape of the item."""
        many = tuple(part.expand(len(inputs), *part.shape[1:]) for part in self._batch)
        f = self._layers.scores(self._torch, self._modules, inputs, many)
        return f[:, self._pair[0]] - f[:, self._pair[1]]

    def _parts(self, points: int) -> Array:
        """By the rule of midpoints."""
        torch, far = self._torch, self._end - self._start
        if not far.numel():  # an empty sequence
            return np.zeros(far.shape[1:])
        s = (torch.arange(points, dtype=torch.float64, device=far.device) + 0.5) / points
        at_once = max(1, min(256, MOST_INPUTS // max(far.numel(), 1)))
        total = torch.zeros_like(far)
        for some in s.split(at_once):
            z = (self._start + some.reshape(-1, *[1] * (far.ndim - 1)) * far).requires_grad_(True)
            (gradient,) = torch.autograd.grad(self._leads(z).sum(), z)
            total += gradient.sum(dim=0, keepdim=True)
        found: Array = (far * total / points)[0].detach().cpu().numpy()
        return found
