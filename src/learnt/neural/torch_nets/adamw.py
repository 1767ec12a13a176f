"""AdamW (Loshchilov, Hutter 2019). PyTorch's own loads its compiler with the first step, longer than small nets train.

m = β₁ m + (1 − β₁) g,   v = β₂ v + (1 − β₂) g²,   w ← w − η α w − η (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
"""

from __future__ import annotations

import math
from typing import Any

BETA1, BETA2, EPSILON = 0.9, 0.99, 1e-8


class AdamW:
    """Steps of modules; only tensors of two dimensions and more decay. Gradients longer than `longest` are cut."""

    def __init__(self, torch: Any, modules: Any, alpha: float, longest: float) -> None:
        self._torch, self._alpha, self._longest = torch, alpha, longest
        self._parameters = [p for p in modules.parameters() if p.requires_grad]
        self._mean = [torch.zeros_like(p) for p in self._parameters]
        self._square = [torch.zeros_like(p) for p in self._parameters]
        self._steps = 0

    def step(self, rate: float) -> None:
        """One step against the gradients, which are cleared."""
        torch = self._torch
        self._steps += 1
        first, second = 1 - BETA1**self._steps, 1 - BETA2**self._steps
        with torch.no_grad():
            if self._longest:
                torch.nn.utils.clip_grad_norm_(self._parameters, self._longest)
            for p, m, v in zip(self._parameters, self._mean, self._square, strict=True):
                if p.grad is None:
                    continue
                m.mul_(BETA1).add_(p.grad, alpha=1 - BETA1)
                v.mul_(BETA2).addcmul_(p.grad, p.grad, value=1 - BETA2)
                if p.ndim > 1:
                    p.mul_(1 - rate * self._alpha)
                p.addcdiv_(m, v.sqrt().div_(math.sqrt(second)).add_(EPSILON), value=-rate / first)
                p.grad = None
