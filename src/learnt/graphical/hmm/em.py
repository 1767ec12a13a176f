"""Baum and Welch's algorithm: the posterior of the states, then the most likely parameters for it, again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.graphical.hmm.chain import Chain, ChainSmoothing
from learnt.graphical.hmm.columns import Rules
from learnt.graphical.hmm.emissions import Emissions
from learnt.graphical.hmm.walks import Walks
from learnt.watch import report, watching


@dataclass(frozen=True)
class Fit:
    """Where learning ended: the model, its objective before each step, and the filtered states at the ends."""

    chain: Chain
    emissions: Emissions
    objective: list[float]
    converged: bool


@dataclass(frozen=True)
class Task:
    """Rows to learn from and how: `row_weights` are those of the sequences, row by row."""

    walks: Walks
    row_weights: Array
    known: Array | None
    rules: Rules
    smoothing: ChainSmoothing
    constant: float  # what the log-likelihood lacks: −Σ w log y!
    explain_impossible: Callable[[int], Exception]

    @property
    def weight(self) -> float:
        return float(self.row_weights.sum())

    def log_likelihood(self) -> float:
        """Of all sequences, by weight, after a walk."""
        weights, logs = self.walks.weights, self.walks.log_likelihood
        return float(logs.sum() if weights is None else weights @ logs) + self.constant

    def learn(self, chain: Chain, emissions: Emissions, max_iter: int, tol: float) -> Fit:
        """Steps until the objective per row gains no more than `tol`:

            (Σ w log p(sequence) + log prior) / Σ w

        It never falls.
        """
        objective: list[float] = []
        for iteration in range(1, max_iter + 1):
            pairs = self.walks.walk(chain, emissions, back=True, known=self.known)
            lost = np.flatnonzero(self.walks.impossible >= 0)
            if len(lost):
                raise self.explain_impossible(int(self.walks.impossible[lost[0]]))
            prior = chain.log_prior(self.smoothing) + emissions.columns.log_prior(self.rules)
            objective.append((self.log_likelihood() + prior) / self.weight)
            chain, emissions = self._stepped(chain, emissions, pairs)
            if watching():
                report("em", learner="HiddenMarkovModel", iteration=iteration, total=max_iter, objective=objective[-1])
            if iteration > 1 and objective[-1] - objective[-2] <= tol:
                return Fit(chain, emissions, objective, True)
        return Fit(chain, emissions, objective, False)

    def _stepped(self, chain: Chain, emissions: Emissions, pairs: Array) -> tuple[Chain, Emissions]:
        sums = self.walks.sums(chain, emissions, pairs)
        share = sums.posterior
        if share is not None and self.walks.weights is not None:
            share = share * self.row_weights[:, None]
        after = emissions.stepped(self.walks.cells, sums.columns, share, self.rules)
        return Chain.of_counts(sums.starts, sums.pairs, chain, self.smoothing), after
