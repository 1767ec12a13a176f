"""Where a gradient descent stands, so that it can be taken up again."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.storable import Numbers, storable


@storable
@dataclass(eq=False)
class DescentState:
    """Weights of the centred and scaled columns, one row per unit, and all that the next step depends on."""

    coef: Numbers
    intercept: Numbers
    coef_sum: Numbers | None  # over all steps, for the average
    intercept_sum: Numbers | None
    speed: Numbers | None  # what momentum or Adam remember, the intercept last
    scale: Numbers | None
    steps: float = 0.0
    epochs: int = 0

    def __post_init__(self) -> None:
        k, p = self.coef.shape
        expected = {
            "intercept": (k,),
            "coef_sum": (k, p),
            "intercept_sum": (k,),
            "speed": (k, p + 1),
            "scale": (k, p + 1),
        }
        for name, shape in expected.items():
            found = getattr(self, name)
            if found is not None and found.shape != shape:
                raise ValueError(f"{name} of a descent does not fit its coefficients.")

    @classmethod
    def start(cls, units: int, p: int, *, average: bool, batches: bool) -> DescentState:
        def zeros(*shape: int, wanted: bool = True) -> Any:
            return np.zeros(shape) if wanted else None

        return cls(
            zeros(units, p),
            zeros(units),
            zeros(units, p, wanted=average),
            zeros(units, wanted=average),
            zeros(units, p + 1, wanted=batches),
            zeros(units, p + 1, wanted=batches),
        )

    def copy(self) -> DescentState:
        return copy.deepcopy(self)

    def weights(self) -> tuple[Array, Array]:
        """The coefficients and intercepts to predict with: the last, or the average over all steps."""
        if self.coef_sum is None or self.intercept_sum is None or self.steps == 0:
            return self.coef, self.intercept
        return self.coef_sum / self.steps, self.intercept_sum / self.steps

    def kernel_arguments(self) -> tuple[Any, ...]:
        """Weights, sums and memory as the kernels take them."""
        sums = None if self.coef_sum is None else (self.coef_sum, self.intercept_sum)
        memory = None if self.speed is None else (self.speed, self.scale)
        return (self.coef, self.intercept), sums, memory
