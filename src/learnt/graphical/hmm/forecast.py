"""What the next rows of a sequence will be like: states, and what they emit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.data.value_text import value_text
from learnt.errors import InputError
from learnt.graphical.hmm.emissions import Emissions
from learnt.graphical.hmm.layout import Layout
from learnt.learner.parameters import Real, check_parameters
from learnt.show.numbers import percent
from learnt.show.text_table import aligned
from learnt.show.words import label

MOST_STEPS = 30


@dataclass(frozen=True)
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
            low = np.full(len(self), -1.0)
            while (high - low > 1).any():
                middle = np.floor((low + high) / 2)
                below = (shares * pdtr(np.maximum(middle, 0)[:, None], means)).sum(axis=1) * (middle >= 0) >= q
                low, high = np.where(below, low, middle), np.where(below, middle, high)
                high = np.maximum(high, low + 1)
            return np.floor(high)
        for _ in range(100):
            middle = 0.5 * (low + high)
            below = (shares * ndtr((middle[:, None] - means) / sds)).sum(axis=1) >= q
            low, high = np.where(below, low, middle), np.where(below, middle, high)
        return 0.5 * (low + high)

    def __str__(self) -> str:
        best = self.state_probabilities.argmax(axis=1)
        heads = ["step", "state"]
        shown: list[list[str]] = [
            [str(h + 1) for h in range(len(self))],
            [
                f"{label(self.states[k])} {percent(p[k], 0)}"
                for k, p in zip(best, self.state_probabilities, strict=True)
            ],
        ]
        for column in self.schema:
            if column.coded:
                if not column.categories:
                    continue
                heads.append(column.name)
                p = self.probabilities[column.name]
                shown.append(
                    [
                        f"{label(column.categories[i])} {percent(row[i], 0)}"
                        for i, row in zip(p.argmax(axis=1), p, strict=True)
                    ]
                )
            else:
                heads += [column.name, "90 % between"]
                spread = float(self.sd[column.name].max())
                low, high = self.interval(column.name)
                shown.append([value_text(column.form, v, spread) for v in self.mean[column.name].tolist()])
                ends = zip(low.tolist(), high.tolist(), strict=True)
                shown.append(
                    [f"{value_text(column.form, a, spread)} and {value_text(column.form, b, spread)}" for a, b in ends]
                )
        rows = [heads, *[list(row) for row in zip(*shown, strict=True)][:MOST_STEPS]]
        more = "" if len(self) <= MOST_STEPS else f"\n… {len(self) - MOST_STEPS} more steps"
        return aligned(rows, left={1}) + more
