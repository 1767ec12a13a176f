"""What the pairs for rows of several numbers have in common: the names of the columns."""

from __future__ import annotations

from typing import Any, Self

from learnt.bayes.estimate.conjugate import ConjugatePair
from learnt.bayes.estimate.observations import moments_of_rows
from learnt.bayes.estimate.statistics import Moments


class ConjugatePairOfRows(ConjugatePair):
    """Observations are rows: any table of numbers with a column per coordinate.

    A row with a missing cell is left out and counted: a part of a row would need another update than the
    closed form. Columns with names are matched by name from the second update on.
    """

    _columns: tuple[str, ...] = ()

    def update(self, data: Any, weights: Any = None) -> Self:
        """The pair after these rows too; the object itself stays as it is."""
        seen, columns = moments_of_rows(data, self.width, self._columns, weights)
        return self._with(statistics=self.statistics + seen, _columns=columns)

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return len(self._prior["mean"])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the coordinates: those of the first table with names, x0, x1 … until then."""
        return self._columns or tuple(f"x{j}" for j in range(self.width))

    def _observe(self, data: Any, weights: Any) -> Moments:
        return moments_of_rows(data, self.width, self._columns, weights)[0]
