"""Walks along sequences by the kernels, in memory that is used again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.graphical.hmm.chain import Chain
from learnt.graphical.hmm.columns import ColumnSums
from learnt.graphical.hmm.emissions import Emissions, padded_states
from learnt.graphical.hmm.layout import Cells


@dataclass
class StepSums:
    """What one step of learning needs: sums of columns, pairs of neighbouring states, first states."""

    columns: ColumnSums
    pairs: Array
    starts: Array
    posterior: Array | None


class Walks:
    """Rows of sequences, and what was found of them last.

    `log_likelihood` is that of each sequence, −log y! of counts left out; `impossible` holds of each the row that no
    path reaches, or −1.
    """

    def __init__(self, cells: Cells, offsets: Array, states: int, weights: Array | None = None):
        self.cells, self.offsets, self.weights = cells, offsets, weights
        n, padded = cells.rows, padded_states(states)
        self.b, self.top = np.empty((n, padded)), np.empty(n)
        self.alpha, self.scale = np.empty((n, padded)), np.empty(n)
        self.beta: Array | None = None
        self.log_likelihood = np.empty(len(offsets) - 1)
        self.impossible = np.empty(len(offsets) - 1, np.int64)
        self._logs: Array | None = None  # once numbers were lost, logarithms are kept beside them

    def walk(self, chain: Chain, emissions: Emissions, *, back: bool, known: Array | None = None) -> Array:
        """Forward, and `back`: fills alpha, beta, scale; gives the pairs of sequences walked in logarithms."""
        if back and self.beta is None:
            self.beta = np.empty_like(self.alpha)
        pairs = np.zeros((chain.states, chain.states))
        if self._logs is None:
            emissions.fill_evidence(self.cells, known, self.b, self.top)
            if self._walk(chain, None, pairs, back):
                return pairs
            self._logs = np.empty_like(self.b)
        emissions.fill_evidence(self.cells, known, self._logs, None)
        _core.hmm_scale(self._logs, self.b, self.top)
        self._walk(chain, self._logs, pairs, back)
        return pairs

    def _walk(self, chain: Chain, logs: Array | None, pairs: Array, back: bool) -> bool:
        return _core.hmm_walk(
            self.b,
            self.offsets,
            self.weights,
            chain.start,
            chain.transition,
            top=self.top,
            logs=logs,
            alpha=self.alpha,
            beta=self.beta if back else None,
            scale=self.scale,
            log_likelihood=self.log_likelihood,
            impossible=self.impossible,
            pairs=pairs,
        )

    def sums(self, chain: Chain, emissions: Emissions, pairs: Array) -> StepSums:
        """After a walk there and back."""
        columns = ColumnSums.zeros(emissions.columns)
        found = StepSums(columns, pairs.copy(), np.zeros(chain.states), None)
        if emissions.needs_posterior:
            found.posterior = np.empty((self.cells.rows, chain.states))
        parts = (columns.moments, columns.counts, columns.tables, found.pairs, found.starts)
        self._sum(chain, emissions, found.posterior, parts)
        return found

    def posterior(self, chain: Chain, emissions: Emissions) -> Array:
        """The probability of each state at each row, after a walk there and back."""
        found = np.empty((self.cells.rows, chain.states))
        self._sum(chain, emissions, found, (None,) * 5)
        return found

    def _sum(
        self, chain: Chain, emissions: Emissions, posterior: Array | None, parts: tuple[Array | None, ...]
    ) -> None:
        cells = self.cells
        assert self.beta is not None
        moments, counts, tables, pairs, starts = parts
        _core.hmm_sums(
            cells.x,
            cells.y,
            cells.codes,
            *emissions.columns.arguments(),
            self.b,
            self.offsets,
            self.weights,
            chain.start,
            chain.transition,
            alpha=self.alpha,
            beta=self.beta,
            scale=self.scale,
            posterior=posterior,
            moments=moments,
            counts=counts,
            sums=tables,
            pairs=pairs,
            starts=starts,
        )


def best_paths(cells: Cells, offsets: Array, chain: Chain, emissions: Emissions) -> tuple[Array, Array]:
    """The most probable path, and its log-probability together with the rows, of each sequence."""
    logs = np.empty((cells.rows, padded_states(chain.states)))
    emissions.fill_evidence(cells, None, logs, None)
    path, probability = np.empty(cells.rows, np.int32), np.empty(len(offsets) - 1)
    _core.hmm_paths(logs, offsets, chain.start, chain.transition, path, probability)
    return path, probability
