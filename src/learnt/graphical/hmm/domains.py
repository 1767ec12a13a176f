"""What settings of hidden Markov models may be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from learnt.learner.parameters import Domain


class ByColumn(Domain):
    """How each column is emitted."""

    words = "a dict of columns and how they are emitted"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Mapping)


class Allowed(Domain):
    """Which states may follow which."""

    words = "a square of booleans, a row for each state"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 2
