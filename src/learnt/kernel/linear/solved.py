"""How the machines of a fit ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array


@dataclass(frozen=True, eq=False)
class Solved:
    """Coefficients of scaled rows, machines × columns; and of each machine intercept, objective, gap, violation,
    rounds, and whether it converged."""

    coef: Array
    ends: Array

    intercept = property(lambda self: self.ends[:, 0])
    objective = property(lambda self: self.ends[:, 1])
    gap = property(lambda self: self.ends[:, 2])
    violation = property(lambda self: self.ends[:, 3])
    rounds = property(lambda self: self.ends[:, 4].astype(np.int64))
    converged = property(lambda self: self.ends[:, 5] != 0)

    @classmethod
    def join(cls, parts: list[Solved]) -> Solved:
        return cls(np.concatenate([s.coef for s in parts]), np.concatenate([s.ends for s in parts]))
