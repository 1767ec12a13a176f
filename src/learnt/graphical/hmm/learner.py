"""Hidden Markov models: fitting."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Table
from learnt.engine.sizes import check_sizes, refused_overflow
from learnt.engine.survey import check_finite
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.graphical.hmm.answers import Answers
from learnt.graphical.hmm.chain import Chain, ChainSmoothing, allowed_transitions
from learnt.graphical.hmm.columns import ColumnSums, TableMoments
from learnt.graphical.hmm.domains import Allowed, ByColumn
from learnt.graphical.hmm.em import Fit, Task
from learnt.graphical.hmm.emissions import Emissions, learning_rules
from learnt.graphical.hmm.layout import KINDS, Layout, emission_kinds
from learnt.graphical.hmm.sequences import Sequences, sequence_weights
from learnt.graphical.hmm.start import (
    FIRMNESS,
    counted_chain,
    cut_states,
    even_chain,
    kmeans_states,
    known_states,
    random_states,
    shares_of,
    started_emissions,
)
from learnt.graphical.hmm.walks import Walks
from learnt.learner.fields import setting
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.show.words import count_of


class StartModel(Domain):
    """A model to start from."""

    words = "a HiddenMarkovModel that is fitted or made by from_tables"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, HiddenMarkovModel) and value.__sklearn_is_fitted__()


class HiddenMarkovModel(Answers, listed=False):
    """Explain sequences by hidden states that follow each other and emit what is seen.

        p(x, s) = start[s_1] Π_t transition[s_{t−1}, s_t] Π_t p(x_t | s_t)

    >>> weather = HiddenMarkovModel.from_tables(
    ...     start={"rain": 0.5, "sun": 0.5},
    ...     transition={"rain": {"rain": 0.7, "sun": 0.3}, "sun": {"rain": 0.3, "sun": 0.7}},
    ...     emission={"rain": {"umbrella": 0.9, "none": 0.1}, "sun": {"umbrella": 0.2, "none": 0.8}},
    ... )
    >>> weather.filter(["umbrella", "umbrella"])[:, 0].round(3).tolist()
    [0.818, 0.883]
    >>> weather.predict(["umbrella", "umbrella", "none", "umbrella"]).tolist()
    ['rain', 'rain', 'sun', 'rain']

    Rows are given in order: one table or array is one sequence, a list of them several; a table with several names the
    columns of their ids and their order: `fit(table, sequence="id", order="time")`. Within a state columns are
    independent, but for those emitted as "full" or "mixture". A missing cell says nothing, a row without cells only
    that time passes. A category that was not there when fitting counts as missing.

    {settings}

    Attributes: `states_`, `start_`, `transition_`, `means_` and `variances_` (states × columns of numbers,
    `number_names_`), `probabilities_` (by column: states × categories), `objectives_` (per row, before each step, never
    falling), `log_likelihood_` (of all that was fitted), `n_iter_`, `converged_`, `n_parameters_`.

    Reference: L. Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989.
    """

    n_states: int = setting(Whole(1), "how many states, unless labels say", default=2, kw_only=False)
    emissions: Any = setting(
        OneOf("auto", *KINDS) | ByColumn(),
        'numbers "gaussian", labels "categorical"; or of all numbers "full", "mixture", "poisson"; or by column',
        default="auto",
    )
    n_components: int = setting(Whole(1), 'Gaussians of each state, of columns emitted as "mixture"', default=2)
    topology: Any = setting(
        OneOf("any", "left-to-right", "cycle") | Allowed(), "which states may follow which", default="any"
    )
    init: Any = setting(
        OneOf("kmeans", "random") | StartModel(),
        "start: groups of rows, at random, or a model",
        default="kmeans",
    )
    n_init: int = setting(Whole(1), "starts, of which the best is kept", default=1)
    max_iter: int = setting(Whole(1), "most steps of one start", default=100)
    tol: float = setting(Real(0), "stop when the objective per row gains no more in a step", default=1e-4)
    smoothing: float = setting(
        Real(0), "so many rows of the whole table, added to the categories and counts of each state", default=0.1
    )
    transition_smoothing: float = setting(Real(0), "count added to each allowed transition", default=0.0)
    start_smoothing: float = setting(Real(0), "count added to each allowed first state", default=0.0)
    variance_floor: float = setting(
        Real(above=0), "the least variance of a state, as a share of the column's", default=1e-4
    )
    random_state: Any = setting(Seed(), "seed", default=0)

    # Fitting

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        sequence: str | None = None,
        order: str | None = None,
        lengths: Any = None,
    ) -> Self:
        """Learn from sequences: a table or array (one of them), a list, or a table with several.

        `sequence` and `order` name the columns that tell sequences apart and put their rows in order; `lengths` cut
        a table whose sequences follow each other. `y` holds the states of rows where they are known (an array, a list
        of arrays, or the name of a column): known everywhere, they are counted; missing here and there, the rest is
        learnt. `sample_weight` gives each sequence a weight; 2 means that it stands there twice.
        """
        self._check_parameters()
        sequences, known, weights = self._taken(X, y, sample_weight, sequence, order, lengths)
        table = self._as_emitted(sequences.table)
        row_weights = None if weights is None else sequences.row_weights(weights)
        training = self._prepare(table, None, row_weights, only_counting=True)
        assert isinstance(training.source, Table)
        check_finite(training.source)
        check_sizes(training.source)
        schema = self.init._schema if isinstance(self.init, HiddenMarkovModel) else training.schema
        rows = training.source.matched(schema)
        twin = self._twin(schema)
        twin._sequence, twin._order = sequence, order
        sequences = replace(sequences, table=rows)
        if weights is not None and not weights.all():  # a sequence of weight 0 is none
            counts, there = np.repeat(weights > 0, np.diff(sequences.offsets)), weights > 0
            sequences, weights = sequences.only(there), weights[there]
            known = None if known is None else [state for state, counted in zip(known, counts, strict=True) if counted]
        with refused_overflow():
            twin._learn_sequences(sequences, known, weights)
        return self._become(twin)

    def _taken(
        self, X: Any, y: Any, sample_weight: Any, sequence: str | None, order: str | None, lengths: Any
    ) -> tuple[Sequences, Any, Array | None]:
        """Sequences without the columns that have another role, known states in their order, weights of sequences."""
        sequences = self._read(X, sequence, order, lengths, None)
        named = [name for name in (y, sample_weight) if isinstance(name, str)]
        given = None
        if named:
            if sequences.listed:
                raise InputError("A column of weights or states is named for one table. For a list, give a list.")
            given = X if isinstance(X, Table) else Table(X)
        weights = sequence_weights(sample_weight, sequences, given)
        known = None
        if y is not None:
            if isinstance(y, str):
                assert given is not None
                if y not in given:
                    raise InputError(f"y={y!r} is not a column of the table.")
                column = given[y]
            else:
                listed = sequences.listed
                column = to_vector(np.concatenate([np.asarray(part) for part in y]) if listed else y, "y")
            if len(column) != sequences.table.n_rows:
                raise InputError(
                    f"y has {len(column)} states, X has {sequences.table.n_rows} rows. Give one for each row."
                )
            labels = column.labels()
            places = np.arange(len(labels)) if sequences.listed else sequences.places
            known = [labels[i] for i in places.tolist()]
        if named:
            sequences = replace(sequences, table=sequences.table.drop(*named))
        return sequences, known, weights

    def _as_emitted(self, table: Table) -> Table:
        """Numbers that are emitted as categories, as categories."""
        if isinstance(self.emissions, Mapping):
            coded = [n for n, kind in self.emissions.items() if kind == "categorical" and n in table]
        else:
            coded = list(table.names) if self.emissions == "categorical" else []
        kinds: dict[str, Any] = {name: "nominal" for name in coded if table[name].kind == "numeric"}
        return Table(table, kinds=kinds) if kinds else table

    def _learn_sequences(self, sequences: Sequences, known: Any, weights: Array | None) -> None:
        if sequences.table.n_rows == 0:
            raise InputError("The sequences have no rows. Give at least one.")
        states, codes = known_states(known)
        started = self.init if isinstance(self.init, HiddenMarkovModel) else None
        if states is None:
            states = tuple(range(self.n_states)) if started is None else started._states
        elif started is not None:
            raise InputError("Known states are counted. Give either them as y, or a model as init.")
        k = len(states)
        if started is not None and started._chain.states != self.n_states:
            raise InputError(f"The model to start from has {count_of(k, 'state')}, but n_states={self.n_states}.")
        self._states = states
        self._layout = Layout.of(self._schema, emission_kinds(self.emissions, self._schema))
        if started is not None and started._layout != self._layout:
            raise InputError(
                "The model to start from emits other columns, or emits them otherwise. Give it as 'emissions'."
            )
        self._layout.check_counts(sequences.table)
        cells = self._layout.cells(sequences.table)
        row_weights = sequences.row_weights(weights)
        whole = TableMoments.of(cells, row_weights)
        neutral = Emissions.neutral(cells, row_weights, whole, k, self._layout, self.n_components)
        first, allowed = allowed_transitions(self.topology, k)
        task = Task(
            walks=Walks(cells, sequences.offsets, k, weights),
            row_weights=row_weights,
            known=codes,
            rules=learning_rules(whole, neutral.columns, float(self.variance_floor), float(self.smoothing)),
            smoothing=ChainSmoothing(float(self.start_smoothing), float(self.transition_smoothing), first, allowed),
            constant=float(row_weights @ cells.log_factorials()),
            explain_impossible=lambda row: self._impossible(sequences, row),
        )
        if codes is not None and (codes >= 0).all():
            best = self._counted(task, neutral, sequences)
        else:
            best = self._best_start(task, neutral, sequences, started)
        self._keep(best, task, sequences)

    def _counted(self, task: Task, neutral: Emissions, sequences: Sequences) -> Fit:
        """All states are known: nothing is hidden, shares of counts are most likely."""
        assert task.known is not None
        rng = np.random.default_rng(seed_from(self.random_state))
        weights, cells = task.row_weights, task.walks.cells
        share = shares_of(task.known, len(self._states)) * weights[:, None]
        before = even_chain(task.smoothing)
        chain = counted_chain(task.known, sequences.offsets, weights, before, task.smoothing)
        emissions = started_emissions(neutral, cells, share, task.rules, rng)
        if not emissions.needs_posterior:
            return Fit(chain, emissions, [], True)
        for _ in range(self.max_iter):  # missing cells, and components of mixtures, are hidden still
            sums = ColumnSums.of_shares(emissions.columns, cells, share)
            emissions = emissions.stepped(cells, sums, share, task.rules)
        return Fit(chain, emissions, [], True)

    def _best_start(
        self, task: Task, neutral: Emissions, sequences: Sequences, started: HiddenMarkovModel | None
    ) -> Fit:
        if started is not None:
            chain, emissions = started._chain, started._emissions
            return task.learn(_restricted(chain, task.smoothing), emissions, self.max_iter, float(self.tol))
        rng = np.random.default_rng(seed_from(self.random_state))
        best: Fit | None = None
        for attempt in range(self.n_init if len(self._states) > 1 else 1):
            chain, emissions = self._start(task, neutral, sequences, rng, attempt)
            found = task.learn(chain, emissions, self.max_iter, float(self.tol))
            if best is None or found.objective[-1] > best.objective[-1]:
                best = found
        assert best is not None
        return best

    def _start(
        self, task: Task, neutral: Emissions, sequences: Sequences, rng: np.random.Generator, attempt: int
    ) -> tuple[Chain, Emissions]:
        k, offsets = len(self._states), sequences.offsets
        if self.init == "random" or task.known is not None:
            guess = random_states(task.walks.cells.rows, k, rng)
        elif isinstance(self.topology, str) and self.topology == "left-to-right" and attempt == 0:
            guess = cut_states(offsets, k)
        else:
            guess = kmeans_states(sequences.table, k, rng)
        firm = FIRMNESS
        if task.known is not None:
            guess = np.where(task.known >= 0, task.known, -1 if attempt == 0 else guess)
        elif self.init == "random":
            firm = 1 / k + 0.2 * (1 - 1 / k)
        gentle = replace(task.smoothing, start=1.0, transition=1.0)
        before = even_chain(task.smoothing)
        chain = counted_chain(guess, offsets, task.row_weights, before, gentle)
        share = shares_of(guess, k, firm) * task.row_weights[:, None]
        return chain, started_emissions(neutral, task.walks.cells, share, task.rules, rng)

    def _keep(self, best: Fit, task: Task, sequences: Sequences) -> None:
        self._chain, self._emissions = best.chain, best.emissions
        self.objectives_ = np.array(best.objective)
        self.converged_ = best.converged
        task.walks.walk(best.chain, best.emissions, back=False, known=task.known)
        self.log_likelihood_ = task.log_likelihood()
        lasts = sequences.offsets[1:][np.diff(sequences.offsets) > 0] - 1
        self._ends = np.ascontiguousarray(task.walks.alpha[lasts, : len(self._states)])
        if not best.converged:
            warnings.warn(
                convergence_warning(
                    f"HiddenMarkovModel stopped after {self.max_iter} steps, still gaining more than tol={self.tol} a "
                    "step. Raise max_iter or tol, or try another start."
                ),
                stacklevel=4,
            )

    # A model of given tables

    @classmethod
    def from_tables(cls, start: Any, transition: Any, emission: Any, **settings: Any) -> Self:
        """A model whose probabilities are known: nothing is learnt, and all questions can be asked.

        `start` and `transition` are arrays, or dicts by state. `emission` is, by state, a dict of labels and their
        probabilities, `{"mean": 3, "sd": 1}` or `{"rate": 2}`; of several columns a dict of such; or a dict of arrays
        with a row for each state: "means" with "variances" or "covariances", "rates", or "probabilities".
        """
        from learnt.graphical.hmm.given import read_tables

        given = read_tables(start, transition, emission)
        model = cls(len(given.states), emissions=given.kinds, **settings)
        model._check_parameters()
        twin = model._twin(given.schema)
        twin._states, twin._chain, twin._emissions = given.states, given.chain, given.emissions
        twin._layout = given.layout
        twin._sequence = twin._order = None
        twin._ends = np.zeros((0, len(given.states)))
        twin.objectives_, twin.converged_, twin.log_likelihood_ = np.zeros(0), True, float("nan")
        return model._become(twin)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k, e, layout = len(self._states), self._emissions, self._layout
        places = sorted([*layout.gaussian, *layout.poisson, *layout.categorical, *layout.full, *layout.mixture])
        levels = tuple(len(self._schema.columns[j].categories) for j in layout.categorical)
        if (
            places != list(range(len(self._schema)))
            or levels != layout.levels
            or e.columns.levels.tolist() != list(levels)
            or self._chain.states != k
            or e.states != k
            or len(e.columns.mean) != len(layout.gaussian)
            or len(e.columns.rate) != len(layout.poisson)
            or (e.full is None) != (not layout.full)
            or (e.mixture is None) != (not layout.mixture)
            or (e.full is not None and e.full.mean.shape != (k, len(layout.full)))
            or (e.mixture is not None and (len(e.mixture.weight), e.mixture.mean.shape[2]) != (k, len(layout.mixture)))
            or self._ends.ndim != 2
            or self._ends.shape[1] != k
            or any(self._schema.columns[j].coded != (j in layout.categorical) for j in places)
        ):
            raise SavedModelError("The parts of the model contradict each other.")


def _restricted(chain: Chain, smoothing: ChainSmoothing) -> Chain:
    """A chain to start from without the transitions that are not allowed."""
    return Chain.of_counts(
        chain.start, chain.transition, even_chain(smoothing), replace(smoothing, start=0.0, transition=0.0)
    )
