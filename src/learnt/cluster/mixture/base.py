"""What all mixtures do alike: start, EM, memberships, densities, information criteria, explanations, new rows."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.cluster.mixture.em import Fit, em
from learnt.cluster.mixture.rules import Rules
from learnt.cluster.mixture.start import TakeRows
from learnt.cluster.mixture.view import MixtureView
from learnt.data.table import Array, Column, Table
from learnt.data.value_text import value_text
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey, TakeSurvey, check_finite
from learnt.engine.training import Training, prepare
from learnt.errors import InputError, KindError, SavedModelError, convergence_warning
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Clusterer
from learnt.learner.fields import attribute
from learnt.learner.parameters import seed_from
from learnt.statistics.sample import HashedSample

#: Rows that a start is looked for in: all of a smaller table.
SAMPLE_ROWS = 20_000


class Mixture(Clusterer, abstract=True):
    """Members write `_look` (survey → view and rules), `_start`, and `_words` for explanations."""

    finds_infinities = True

    n_components: int = attribute()
    n_init: int = attribute()
    max_iter: int = attribute()
    tol: float = attribute()
    random_state: Any = attribute()
    lower_bounds_: Array = attribute()
    converged_: bool = attribute()

    _view: MixtureView = attribute()
    _components: Any = attribute()

    # Fitting

    def _look(self, survey: Survey) -> tuple[MixtureView, Rules]:
        raise NotImplementedError

    def _start(self, sample: HashedSample | None, rules: Rules, rng: np.random.Generator) -> Any:
        raise NotImplementedError

    def _draws_start(self) -> bool:
        """Whether the start needs rows to be drawn."""
        return self.n_components > 1

    def _starts(self) -> int:
        """How many starts are tried."""
        return self.n_init if self._draws_start() else 1

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        if training.is_sparse:
            raise KindError(
                f"{type(self).__name__} takes no sparse matrix: every cell, zero or not, has a density. Use toarray()."
            )
        survey: Survey = yield TakeSurvey()
        survey.check_finite()
        if max(survey.rows_with_weight, survey.row_weight) < self.n_components:
            raise InputError(
                f"n_samples={survey.rows_with_weight} should be >= n_components={self.n_components}. "
                "Ask for fewer components."
            )
        self._view, rules = self._look(survey)
        seed = seed_from(self.random_state)
        rng = np.random.default_rng(seed)
        sample = None
        if self._draws_start():
            sample = yield TakeRows(max(SAMPLE_ROWS, 50 * self.n_components), seed)
        units = self._view.total_log_units(survey)
        best: Fit | None = None
        for _ in range(self._starts()):
            found = yield from em(
                self._start(sample, rules, rng),
                self._view,
                rules,
                weight=survey.row_weight,
                units=units,
                max_iter=self.max_iter,
                tol=self.tol,
                learner=type(self).__name__,
            )
            if best is None or found.bounds[-1] > best.bounds[-1]:
                best = found
        assert best is not None
        self._keep(best)
        if isinstance(training.source, Table):
            self.labels_ = self._predict(training.source)

    def _keep(self, best: Fit) -> None:
        self._components = best.components
        self.lower_bounds_ = np.array(best.bounds)
        self.converged_ = best.converged
        if not best.converged:
            warnings.warn(
                convergence_warning(
                    f"{type(self).__name__} stopped after {self.max_iter} rounds, still gaining more than "
                    f"tol={self.tol} a round. Raise max_iter or tol, or try another start."
                ),
                stacklevel=2,
            )

    # What was learnt

    @property
    def lower_bound_(self) -> float:
        """The objective per row: the mean log-likelihood, less what blur and priors take. See `lower_bounds_`."""
        self._fitted_schema()
        return float(self.lower_bounds_[-1])

    @property
    def n_iter_(self) -> int:
        """Rounds of the best start."""
        self._fitted_schema()
        return len(self.lower_bounds_)

    @property
    def weights_(self) -> Array:
        """The share of each component."""
        self._fitted_schema()
        weights: Array = self._components.weights
        return weights

    # Using

    def _ask(self, table: Table, what: str) -> Array:
        check_finite(table)
        x, codes = self._view.cells(table), self._view.codes(table)
        shape = (table.n_rows, len(self._components.weights)) if what == "shares" else (table.n_rows,)
        out: Array = np.empty(shape, np.int32 if what == "labels" else np.float64)
        self._components.ask(self._view, x, codes, **{what: out})
        if what == "log_density":
            out += self._view.log_units(x)
        return out

    def _predict(self, table: Table) -> Array:
        return self._ask(table, "labels")

    def predict_proba(self, X: Any) -> Array:
        """The probability of each component for each row, given its cells: the responsibilities."""
        still = self._still()
        found: Array = still._over(X, lambda table: still._ask(table, "shares"))
        return found

    def predict_log_proba(self, X: Any) -> Array:
        """Natural logarithms of `predict_proba`, exact also where that is nearly 0."""
        still = self._still()
        found: Array = still._over(X, still._log_shares)
        return found

    def _log_shares(self, table: Table) -> Array:
        joint = self._joint(table)
        apart = joint - joint.max(axis=1, keepdims=True)
        logs: Array = apart - np.log(np.exp(apart).sum(axis=1, keepdims=True))
        return logs

    def _joint(self, table: Table) -> Array:
        """log π_c + log p(z | c), rows × components."""
        check_finite(table)
        x, codes = self._view.cells(table), self._view.codes(table)
        joint = np.empty((table.n_rows, len(self._components.weights)))
        for c in range(joint.shape[1]):
            of_component = np.empty(table.n_rows)
            self._components.one(c).ask(self._view, x, codes, log_density=of_component)
            joint[:, c] = of_component
        return joint

    def score_samples(self, X: Any) -> Array:
        """The log density of each row, of the cells it has."""
        still = self._still()
        found: Array = still._over(X, lambda table: still._ask(table, "log_density"))
        return found

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean log density of the rows: the larger the better."""
        total, weight = self._log_likelihood(X, sample_weight)
        return total / weight

    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Schwarz's criterion −2 log p(X) + parameters · log(rows): the lower the better."""
        total, weight = self._log_likelihood(X, sample_weight)
        return -2 * total + self.n_parameters_ * float(np.log(weight))

    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Akaike's criterion −2 log p(X) + 2 · parameters: the lower the better."""
        return -2 * self._log_likelihood(X, sample_weight)[0] + 2 * self.n_parameters_

    def _log_likelihood(self, X: Any, sample_weight: Any) -> tuple[float, float]:
        still = self._still()
        total = weight = 0.0
        for batch in prepare(X, None, sample_weight, None, type(self).__name__).batches():
            logs = still._ask(still._matched(batch.table), "log_density")
            total += float(logs.sum() if batch.weights is None else logs @ batch.weights)
            weight += float(batch.n_rows if batch.weights is None else batch.weights.sum())
        return total, weight

    def _shape(self) -> str:
        """The word that `parameters` counts by."""
        raise NotImplementedError

    def _free_weights(self) -> int:
        return len(self._components.weights) - 1

    @property
    def n_parameters_(self) -> int:
        """How many numbers were learnt."""
        self._fitted_schema()
        return int(self._components.parameters(self._shape())) + self._free_weights()

    def sample(self, n: int = 1, random_state: Any = 0) -> tuple[Table, Array]:
        """New rows and their components, drawn from the mixture."""
        from learnt.bayes import generator

        self._fitted_schema()
        rng = generator(type(self).__name__, n, random_state)
        weights = self._components.weights
        labels = rng.choice(len(weights), n, p=weights / weights.sum())
        z, codes = self._components.draw(rng, labels)
        x = self._view.unscaled(z)
        drawn = dict(zip(self._view.numbers.tolist(), x.T, strict=True))
        drawn |= dict(zip(self._view.coded.tolist(), codes.T, strict=True))
        columns = []
        for j, column in enumerate(self._schema):
            values = np.ascontiguousarray(drawn[j])
            if column.kind != "numeric" and values.dtype != np.int32:  # ranks
                values = np.clip(np.rint(values), 0, max(len(column.categories) - 1, 0)).astype(np.int32)
            columns.append(Column.like(column, values))
        return Table.of_columns(columns, named=self._schema.named), labels

    # Explaining

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        from learnt.bayes import log_odds

        view = self._view
        z, codes = view.scaled(view.cells(row))[0], view.codes(row)[0]
        base, parts = self._components.terms(z, codes)
        places = np.concatenate([view.numbers, view.coded])
        by_column = np.zeros_like(parts)
        by_column[:, places] = parts
        cells = [column.labels()[0] for column in row.columns]
        answer = int(self._predict(row)[0])
        logs = self._log_shares(row)[0]
        if len(base) == 1:
            return self._explain_density(row, float(base[0]), by_column[0], cells, z)
        other = int(np.argsort(-np.where(np.arange(len(logs)) == answer, -np.inf, logs), kind="stable")[0])
        evidence = [
            (name, cell, by_column[:, j], self._words(j, cell, answer, other))
            for j, (name, cell) in enumerate(zip(row.names, cells, strict=True))
        ]
        return log_odds(range(len(base)), answer, logs, base, self._base_words(), evidence)

    def _explain_density(self, row: Table, base: float, parts: Array, cells: list[Any], z: Array) -> Explanation:
        """With one component there is no choice to explain; the density is taken apart instead."""
        there = np.zeros(len(parts))
        there[self._view.numbers] = np.where(np.isnan(z), 0.0, np.log(self._view.scale))
        evidence = tuple(
            Evidence(name, cell, float(part), self._words(j, cell, 0, 0))
            for j, (name, cell, part) in enumerate(zip(row.names, cells, parts, strict=True))
        )
        start = base + float(there.sum())
        total = start + float(parts.sum())
        return Explanation(0, "log-density", start, "log density at the mean", evidence, total, "log density")

    def _base_words(self) -> str:
        return "prior odds"

    def _words(self, j: int, cell: Any, best: int, other: int) -> str:
        """Where the two components lie: `averages 5.006 and 5.936`."""
        if cell is None:
            return "missing, integrated out"
        at = np.flatnonzero(self._view.numbers == j)
        if len(at) == 0:
            return ""
        means = self._components.mean[:, at[0]] / self._view.scale[at[0]] + self._view.shift[at[0]]
        one, two = (value_text(self._schema.columns[j].form, float(means[c])) for c in (best, other))
        return f"average {one}" if best == other else f"averages {one} and {two}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        kinds = [self._schema.columns[j] for j in self._view.coded.tolist()] if self._fits() else []
        if not self._fits() or [len(c.categories) for c in kinds] != self._view.levels.tolist():
            raise SavedModelError("The components do not fit the columns.")
        if self.lower_bounds_.ndim != 1 or len(self.lower_bounds_) == 0 or self.lower_bounds_.dtype != np.float64:
            raise SavedModelError("The lower bounds are damaged.")

    def _fits(self) -> bool:
        return self._view.n_columns == len(self._schema) and self._components.mean.shape[1] == len(self._view.numbers)
