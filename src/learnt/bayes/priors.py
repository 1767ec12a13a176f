"""What may be said about classes before a row is seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.learner.parameters import Domain


class Priors(Domain):
    """Probabilities that add up to 1: in the order of the classes, or a dict by class (or by whatever is `of`)."""

    def __init__(self, of: tuple[str, str] = ("classes", "class")):
        self.words = f"probabilities that add up to 1, in the order of the {of[0]} or as a dict by {of[1]}"

    def __contains__(self, value: Any) -> bool:
        numbers = list(value.values()) if isinstance(value, Mapping) else value
        if not isinstance(numbers, list | tuple | np.ndarray):
            return False
        try:
            p = np.asarray(numbers, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            return False
        return p.ndim == 1 and len(p) > 0 and bool((p >= 0).all()) and abs(float(p.sum()) - 1) <= 1e-6
