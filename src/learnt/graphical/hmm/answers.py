"""What a fitted hidden Markov model answers."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError
from learnt.explain import Explanations
from learnt.graphical.hmm.chain import Chain, allowed_transitions
from learnt.graphical.hmm.emissions import Emissions
from learnt.graphical.hmm.layout import Cells, Layout
from learnt.graphical.hmm.matching import read_as_fitted
from learnt.graphical.hmm.sequences import Sequences, read_sequences
from learnt.graphical.hmm.walks import Walks, best_paths
from learnt.learner.base import Learner
from learnt.learner.fields import attribute
from learnt.learner.parameters import Whole, check_parameters
from learnt.storable import FiniteNumbers


class Answers(Learner, abstract=True):
    """Smoothing, filtering, decoding, forecasts, samples, explanations."""

    task = "sequences"
    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "order-dependent", "random"})
    fit_cost = 60.0
    simplicity = 30.0
    readable = True
    rows_stand_alone = False

    topology: Any = attribute()
    objectives_: Array = attribute()
    converged_: bool = attribute()
    log_likelihood_: float = attribute()
    _states: tuple[Any, ...] = attribute()
    _chain: Chain = attribute()
    _emissions: Emissions = attribute()
    _layout: Layout = attribute()
    _ends: FiniteNumbers = attribute()
    _sequence: str | None = attribute()
    _order: str | None = attribute()

    # Reading

    def _read(self, X: Any, sequence: str | None, order: str | None, lengths: Any, schema: Schema | None) -> Sequences:
        return read_sequences(X, sequence=sequence, order=order, lengths=lengths, schema=schema)

    def _given(self, X: Any, sequence: str | None, order: str | None, lengths: Any) -> tuple[Sequences, Cells]:
        """Sequences to be judged. Columns that were named when fitting are looked for again."""
        schema = self._fitted_schema()
        found = read_as_fitted(
            X,
            sequence=sequence,
            order=order,
            lengths=lengths,
            schema=schema,
            fitted_roles=(self._sequence, self._order),
            owner=type(self).__name__,
        )
        self._layout.check_counts(found.table)
        return found, self._layout.cells(found.table)

    def _walk(self, sequences: Sequences, cells: Cells, *, back: bool) -> Walks:
        walks = Walks(cells, sequences.offsets, self._chain.states)
        walks.walk(self._chain, self._emissions, back=back)
        lost = np.flatnonzero(walks.impossible >= 0)
        if len(lost):
            raise self._impossible(sequences, int(walks.impossible[lost[0]]))
        return walks

    def _impossible(self, sequences: Sequences, row: int) -> InputError:
        cells = self._layout.cells(sequences.table.rows(row, row + 1))
        logs = np.zeros((1, (self._chain.states + 7) // 8 * 8)) if hasattr(self, "_chain") else None
        alone = False
        if logs is not None:
            self._emissions.fill_evidence(cells, None, logs, None)
            alone = not np.isfinite(logs[0, : self._chain.states]).any()
        why = "No state can emit this row." if alone else "No state that can be reached by then can emit this row."
        return InputError(
            f"The sequence has probability 0 from {sequences.where(row)} on. {why} Look at the row, or learn with "
            "smoothing above 0."
        )

    # What was learnt

    @property
    def states_(self) -> Array:
        """The names of the states: numbers, or the labels they were given."""
        self._fitted_schema()
        return np.array(self._states, dtype=None if _same_type(self._states) else object)

    @property
    def start_(self) -> Array:
        """The probability of each state at the start of a sequence."""
        self._fitted_schema()
        return self._chain.start

    @property
    def transition_(self) -> Array:
        """The probability of each state (columns) after each state (rows)."""
        self._fitted_schema()
        return self._chain.transition

    @property
    def n_iter_(self) -> int:
        """Steps of the best start."""
        self._fitted_schema()
        return len(self.objectives_)

    @property
    def number_names_(self) -> list[str]:
        """The names of the columns of `means_` and `variances_`."""
        return [c.name for c in self._fitted_schema() if not c.coded]

    @property
    def means_(self) -> Array:
        """Means of the columns of numbers, states × columns."""
        return self._moments(0)

    @property
    def variances_(self) -> Array:
        """Variances of the columns of numbers, states × columns."""
        return self._moments(1)

    def _moments(self, which: int) -> Array:
        places = [j for j, c in enumerate(self._fitted_schema()) if not c.coded]
        found = [self._emissions.moments(self._layout, j)[which] for j in places]
        return np.array(found).T.reshape(self._chain.states, len(places))

    @property
    def covariances_(self) -> Array | None:
        """Covariances of the columns emitted as "full", states × columns × columns, or None."""
        self._fitted_schema()
        return None if self._emissions.full is None else self._emissions.full.covariance

    @property
    def probabilities_(self) -> dict[str, Array]:
        """By column: the probability of each category, states × categories."""
        names = self._fitted_schema().names
        return {names[j]: self._emissions.probabilities(self._layout, j).T.copy() for j in self._layout.categorical}

    @property
    def n_parameters_(self) -> int:
        """How many numbers were free to be learnt."""
        self._fitted_schema()
        first, allowed = allowed_transitions(self.topology, self._chain.states)
        free = int(first.sum()) - 1 + int((allowed.sum(axis=1) - 1).sum())
        return free + self._emissions.parameters()

    # Answers

    def smooth(self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None) -> Any:
        """The probability of each state at each row given the whole sequence, rows × states; of a list, a list."""
        still = self._still()
        sequences, cells = still._given(X, sequence, order, lengths)
        walks = still._walk(sequences, cells, back=True)
        return sequences.give_back(walks.posterior(still._chain, still._emissions))

    def predict_proba(self, X: Any, **how: Any) -> Any:
        """The same as `smooth`."""
        return self.smooth(X, **how)

    def filter(self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None) -> Any:
        """The probability of each state at each row given the rows up to it, rows × states; of a list, a list."""
        still = self._still()
        sequences, cells = still._given(X, sequence, order, lengths)
        walks = still._walk(sequences, cells, back=False)
        return sequences.give_back(np.ascontiguousarray(walks.alpha[:, : still._chain.states]))

    def predict(self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None) -> Any:
        """The states of the most probable path (Viterbi's), row by row; of a list, a list."""
        still = self._still()
        sequences, cells = still._given(X, sequence, order, lengths)
        path, _ = still._paths(sequences, cells)
        return sequences.give_back(still.states_[path])

    def decode(self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None) -> Any:
        """The most probable path of each sequence as a `StatePath`; of several sequences, a list of them."""
        from learnt.graphical.hmm.path import state_path

        still = self._still()
        sequences, cells = still._given(X, sequence, order, lengths)
        path, probability = still._paths(sequences, cells)
        found = [state_path(still, sequences, s, path, float(probability[s])) for s in range(len(sequences))]
        return found if sequences.several else found[0]

    def _paths(self, sequences: Sequences, cells: Cells) -> tuple[Array, Array]:
        path, probability = best_paths(cells, sequences.offsets, self._chain, self._emissions)
        if not np.isfinite(probability).all():
            self._walk(sequences, cells, back=False)  # says where
        return path, probability + sequences.sums(cells.log_factorials())

    def log_likelihood(
        self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None
    ) -> Array:
        """log p of each sequence; −inf where it is impossible."""
        return self._still()._likelihoods(X, sequence, order, lengths)[0]

    def _likelihoods(
        self, X: Any, sequence: str | None = None, order: str | None = None, lengths: Any = None
    ) -> tuple[Array, Array]:
        """log p of each sequence, and how many rows it has."""
        sequences, cells = self._given(X, sequence, order, lengths)
        walks = Walks(cells, sequences.offsets, self._chain.states)
        walks.walk(self._chain, self._emissions, back=False)
        return walks.log_likelihood + sequences.sums(cells.log_factorials()), np.diff(sequences.offsets)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **how: Any) -> float:
        """The log-likelihood per row, so that short and long sequences compare; weights are of sequences."""
        logs, rows = self._still()._likelihoods(X, **how)
        weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != rows.shape or not (weights >= 0).all() or not weights @ rows > 0:
            raise InputError(f"sample_weight has the shape {weights.shape}. Expected {len(rows)} numbers from 0 on.")
        there = weights > 0
        return float(weights[there] @ logs[there] / (weights @ rows))

    def bic(self, X: Any, **how: Any) -> float:
        """Schwarz's criterion on these sequences, lower is better; its rows are those of all of them."""
        logs, rows = self._still()._likelihoods(X, **how)
        return float(-2 * logs.sum() + self.n_parameters_ * np.log(rows.sum()))

    def aic(self, X: Any, **how: Any) -> float:
        """Akaike's criterion on these sequences, lower is better."""
        logs, _ = self._still()._likelihoods(X, **how)
        return float(-2 * logs.sum() + 2 * self.n_parameters_)

    def sample(self, n: int = 1, random_state: Any = 0) -> tuple[Table, Array]:
        """A new sequence of n rows, and its states."""
        from learnt.bayes import generator

        self._fitted_schema()
        rng = generator(type(self).__name__, n, random_state)
        labels = np.empty(n, np.int64)
        upto = np.cumsum(np.vstack([self._chain.start, self._chain.transition]), axis=1).tolist()
        row = upto[0]
        for t, u in enumerate(rng.random(n).tolist()):
            labels[t] = state = min(bisect_right(row, u * row[-1]), self._chain.states - 1)
            row = upto[1 + state]
        drawn = self._emissions.draw(rng, labels, self._layout)
        columns = [Column.like(c, np.ascontiguousarray(drawn[j])) for j, c in enumerate(self._schema)]
        return Table.of_columns(columns, named=self._schema.named), self.states_[labels]

    def forecast(
        self,
        n: int = 1,
        X: Any = None,
        *,
        sequence: str | None = None,
        order: str | None = None,
        lengths: Any = None,
    ) -> Any:
        """What the next n rows will be like: a `Forecast`; of several sequences a list of them.

        It goes on from the ends of `X`, or of the sequences that were fitted; a model made by `from_tables` begins.
        """
        from learnt.graphical.hmm.forecast import forecast_from

        still = self._still()
        still._fitted_schema()
        check_parameters("forecast", {"n": Whole(1)}, {"n": n})
        if X is None:
            found = forecast_from(still, n, still._ends if len(still._ends) else None)
            return found[0] if len(found) == 1 else found
        sequences, cells = still._given(X, sequence, order, lengths)
        alpha = still._walk(sequences, cells, back=False).alpha[:, : still._chain.states]
        empty = np.flatnonzero(np.diff(sequences.offsets) == 0)
        if len(empty):
            raise InputError(f"Sequence {empty[0]} has no rows, and nothing to go on from.")
        found = forecast_from(still, n, alpha[sequences.offsets[1:] - 1])
        return found if sequences.several else found[0]

    # Explaining

    def explain(
        self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None
    ) -> Explanations:
        """Why each row has its state on the most probable path: log-odds against the runner-up, from the past, from the
        row itself, column by column, and from the rows that follow. Rows of a list are counted through."""
        from learnt.graphical.hmm.explanation import explain_rows

        still = self._still()
        return explain_rows(still, *still._given(X, sequence, order, lengths)).like(X)

    def summary(self) -> str:
        """The states in words: what each typically emits, how long a stay in it lasts, what follows it."""
        from learnt.graphical.hmm.summary import model_summary

        self._fitted_schema()
        return model_summary(self)

    def __str__(self) -> str:
        return self.summary() if self.__sklearn_is_fitted__() else repr(self)

    def plot(self, X: Any, *, column: str | None = None, axes: Any = None, **how: Any) -> Any:
        """States over time of the first sequence: its cells coloured by state, and the probability of each state."""
        from learnt.plot.hidden_states import plot_states

        return plot_states(self, X, column, axes, how)

    def plot_trellis(self, X: Any, *, start: int = 0, most: int = 14, ax: Any = None, **how: Any) -> Any:
        """The trellis of the first sequence from row `start` on, at most so many rows, with the most probable path."""
        from learnt.plot.hidden_states import plot_trellis

        return plot_trellis(self, X, start, most, ax, how)


def _same_type(values: tuple[Any, ...]) -> bool:
    return len({type(v) for v in values}) == 1
