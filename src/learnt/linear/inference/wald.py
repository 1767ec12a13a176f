"""Estimates with standard errors, taken as normal: what Wald's approximation makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.linear.inference.printed import Printed


@dataclass(frozen=True, eq=False, repr=False)
class WaldEstimates(Printed):
    """Errors are NaN where there are none, and so is what follows from them."""

    names: tuple[str, ...]
    estimates: Array
    standard_errors: Array
    level: float

    @property
    def z_values(self) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.estimates / self.standard_errors

    @property
    def p_values(self) -> Array:
        """Of the hypothesis that the coefficient is 0, two-sided."""
        from scipy.special import ndtr

        p: Array = 2 * ndtr(-np.abs(self.z_values))
        return p

    @property
    def low(self) -> Array:
        return self.estimates - self._reach()

    @property
    def high(self) -> Array:
        return self.estimates + self._reach()

    def _reach(self) -> Array:
        from scipy.special import ndtri

        reach: Array = float(ndtri(0.5 + self.level / 2)) * self.standard_errors
        return reach
