"""What the next rows of a sequence will be like: states, and what they emit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.data.value_text import value_text
from learnt.errors import InputError
from learnt.graphical.hmm.emissions import Emissions
from learnt.graphical.hmm.layout import Layout
from learnt.graphical.hmm.wording import name_text
from learnt.learner.parameters import Real, check_parameters
from learnt.show.numbers import percent
from learnt.show.text_table import aligned

if TYPE_CHECKING:
    from learnt.graphical.hmm.answers import Answers

MOST_STEPS = 30


@dataclass(frozen=True, repr=False)
class Forecast:
    """`state_probabilities` (steps × states); of numbers `mean` and `sd`, of categories `probabilities`, by column.

    Each column is a mixture of what the states emit, so that an `interval` is not mean ± sd.
    """

    states: tuple[Any, ...]
    state_probabilities: Array
    mean: dict[str, Array]
    sd: dict[str, Array]
    probabilities: dict[str, Array]
    schema: Schema
    layout: Layout
    emissions: Emissions

    @classmethod
    def of(
        cls, schema: Schema, layout: Layout, emissions: Emissions, states: tuple[Any, ...], shares: Array
    ) -> Forecast:
        mean, sd, probabilities = {}, {}, {}
        for j, column in enumerate(schema):
            if column.coded:
                probabilities[column.name] = shares @ emissions.probabilities(layout, j).T
                continue
            means, variances = emissions.moments(layout, j)
            mean[column.name] = shares @ means
            spread = shares @ variances + np.einsum("hk,hk->h", shares, (means - (shares @ means)[:, None]) ** 2)
            sd[column.name] = np.sqrt(spread)
        return cls(states, shares, mean, sd, probabilities, schema, layout, emissions)

    def __len__(self) -> int:
        return len(self.state_probabilities)

    def interval(self, column: str, level: float = 0.9) -> tuple[Array, Array]:
        """Where a number will be with this probability, equal chances on both sides; of counts, whole numbers."""
        check_parameters("interval", {"level": Real(above=0, below=1)}, {"level": level})
        if column not in self.mean:
            raise InputError(f"Column {column!r} is not one of numbers: {list(self.mean)}.")
        return self._quantiles(column, 0.5 - level / 2), self._quantiles(column, 0.5 + level / 2)

    def _quantiles(self, column: str, q: float) -> Array:
        """By halving: the share of all states below grows with the value."""
        from scipy.special import ndtr, pdtr

        j = self.schema.place(column)
        assert j is not None
        kind = self.layout.kind(j)
        if kind == "mixture":
            assert self.emissions.mixture is not None
            mixture, at = self.emissions.mixture, self.layout.mixture.index(j)
            means, sds = mixture.mean[:, :, at].ravel(), np.sqrt(mixture.variance[:, :, at].ravel())
            shares = (self.state_probabilities[:, :, None] * mixture.weight).reshape(len(self), -1)
        else:
            means, variances = self.emissions.moments(self.layout, j)
            sds, shares = np.sqrt(variances), self.state_probabilities
        low = np.full(len(self), (means - 40 * sds).min() - 1)
        high = np.full(len(self), (means + 40 * sds).max() + 1)
        if kind == "poisson":
            low, high = np.full(len(self), -1.0), np.ceil(high)
            while (high - low > 1).any():
                middle = np.floor((low + high) / 2)
                below = (shares * pdtr(np.maximum(middle, 0)[:, None], means)).sum(axis=1) * (middle >= 0) >= q
                low, high = np.where(below, low, middle), np.where(below, middle, high)
            return np.array(high)
        for _ in range(100):
            middle = 0.5 * (low + high)
            below = (shares * ndtr((middle[:, None] - means) / sds)).sum(axis=1) >= q
            low, high = np.where(below, low, middle), np.where(below, middle, high)
        return np.array(0.5 * (low + high))

    def __str__(self) -> str:
        heads = ["step", "state"]
        shown = [[str(h + 1) for h in range(len(self))], _likeliest(self.states, self.state_probabilities)]
        for column in self.schema:
            if column.categories:
                heads.append(column.name)
                shown.append(_likeliest(column.categories, self.probabilities[column.name]))
            elif not column.coded:
                heads += [column.name, "90 % between"]
                spread = float(self.sd[column.name].max())
                low, high = self.interval(column.name)
                mean, below, above = (
                    [value_text(column.form, v, spread) for v in values.tolist()]
                    for values in (self.mean[column.name], low, high)
                )
                shown += [mean, [f"{a} and {b}" for a, b in zip(below, above, strict=True)]]
        rows = [heads, *[list(row) for row in zip(*shown, strict=True)][:MOST_STEPS]]
        more = "" if len(self) <= MOST_STEPS else f"\n… {len(self) - MOST_STEPS} more steps"
        return aligned(rows, left={1}) + more

    __repr__ = __str__


def _likeliest(names: tuple[Any, ...], shares: Array) -> list[str]:
    """The likeliest of each row, and how likely it is."""
    best = shares.argmax(axis=1).tolist()
    return [f"{name_text(names[i])} {percent(float(row[i]), 0)}" for i, row in zip(best, shares, strict=True)]


def forecast_from(model: Answers, n: int, ends: Array | None) -> list[Forecast]:
    """After each of the ends (shares of states); of a model without rows, its first n."""
    first = model._chain.start
    if ends is None:
        shares = [np.vstack([first, model._chain.ahead(first, n - 1)])]
    else:
        shares = [model._chain.ahead(end, n) for end in ends]
    return [Forecast.of(model._schema, model._layout, model._emissions, model._states, share) for share in shares]
