"""Naive Bayes on any table: each column has the likelihood of its kind."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.bayes.class_priors import CLASS_PRIORS, log_priors
from learnt.bayes.naive.likelihoods import (
    CUTTING,
    Kernels,
    LevelPriors,
    Likelihoods,
    add_counted,
    add_gaussian,
    chosen,
    level_codes,
    level_labels,
    level_prior,
    smoothed_log_probabilities,
)
from learnt.bayes.naive.probability_tables import ProbabilityTables, naive_tables
from learnt.bayes.naive.statistics import (
    ClassStatistics,
    kept_cells,
    numbers_at,
    table_moments,
)
from learnt.bayes.posterior import JointClassifier
from learnt.data.table import Array, Table
from learnt.engine.engines import Plan, Request
from learnt.engine.passes import Batch, Statistic
from learnt.engine.sizes import check_columns
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, TakeWhole, WholeTable
from learnt.errors import InputError, SavedModelError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.learner.partial import OnePass
from learnt.prepare import Ends, FindEnds, equal_width, find_cuts
from learnt.statistics.counts import weigh_codes, weigh_pairs
from learnt.statistics.moments import joined_moments
from learnt.storable import Numbers, are_rising

#: A smaller variance has no reciprocal.
LEAST_VARIANCE = float(np.finfo(np.float64).tiny)
#: What smoothing may add: with the variance of the cells it is still a number.
LARGEST_SMOOTHING = float(np.finfo(np.float64).max) / 8
#: Of likelihoods that are not counts and moments.
ALL_CELLS = InMemory("keeps or sorts the cells of that column", "use 'gaussian' for it")


class NaiveBayesClassifier(OnePass, JointClassifier):
    """Multiply the prior of each class with what each column's cell is worth in it, as if columns were independent.

        log p(c | x) = log p(c) + Σ_j log p(x_j | c) − log p(x)

    >>> table = {"sky": ["sun", "sun", "rain", "rain"], "degrees": [25, 19, 12, 15]}
    >>> model = NaiveBayesClassifier().fit(table, ["yes", "yes", "no", "yes"])
    >>> model.predict({"sky": ["sun", None], "degrees": [22, 12]})
    array(['yes', 'no'], dtype='<U3')

    Numbers follow a normal distribution in each class, categories and booleans are counted. Missing cells say nothing,
    when fitting and when predicting; summing over all they could be would give the same.

    {settings}

    "kernel" keeps the cells and "mdl" and "frequency" sort them: they take a table in memory, no `scan`, and, like
    "width", no `partial_fit`. All others are counts and moments of one pass, which add.

    Attributes: `class_count_`; `class_log_prior_`; `likelihoods_`, the name by column; `theta_`, `var_` and
    `epsilon_` of the Gaussian columns; `feature_log_prob_`, classes × levels by counted column; `edges_` of
    intervals; `kernels_`. `tables()` prints them as a textbook would.

    Reference: G. John, P. Langley, Estimating continuous distributions in Bayesian classifiers, 1995.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse", "probabilities"})
    fit_cost = 2.0
    simplicity = 12.0
    takes_text = "presence"  # counts of words are far from any Gaussian
    search_space: ClassVar[dict[str, Any]] = {
        "likelihoods": ("gaussian", "frequency", "mdl"),
        "alpha": (0.1, 1.0, 10.0),
    }

    likelihoods: Any = setting(
        Likelihoods(),
        'of numeric columns, or by column: "gaussian", "kernel", "mdl", "width", "frequency", …',
        default=None,
    )
    priors: Any = setting(
        CLASS_PRIORS, 'of the classes: their shares, "uniform", or given by class', default=None, bounds="sum to 1"
    )
    alpha: float = setting(Real(0), "added to each count; 1 is Laplace's rule", default=1.0)
    m: float | None = setting(
        OneOf(None) | Real(above=0), "takes the place of `alpha`: weight of `m_prior` in the m-estimate", default=None
    )
    m_prior: Any = setting(
        LevelPriors(),
        'each label\'s share in all classes, or "uniform", or given: {column: {label: p}}',
        default="column",
    )
    ddof: int = setting(OneOf(0, 1), "variances divide by n − `ddof`", default=0, bounds="0, 1")
    var_smoothing: float = setting(Real(0), "this part of a column's variance is added to its variances", default=1e-9)
    n_bins: int = setting(Whole(1), 'intervals of "width" and "frequency"', default=10)
    unseen: str = setting(
        OneOf("missing", "error"), 'a category never seen counts as missing, or is an "error"', default="missing"
    )

    likelihoods_: dict[str, str] = attribute()
    class_count_: Array = attribute()
    theta_: Array = attribute()
    var_: Array = attribute()
    epsilon_: Array | float = attribute()  # a number in files of version 0.1.0
    feature_log_prob_: dict[str, Numbers] = attribute()
    edges_: dict[str, Array] = attribute()
    kernels_: dict[str, Kernels | None] = attribute()

    # Fitting

    def _plan(self, training: Training) -> Plan:
        name = type(self).__name__
        self.likelihoods_ = chosen(training.schema, self.likelihoods, name)
        holding = [c for c, likelihood in self.likelihoods_.items() if likelihood == "kernel"]
        cutting = [c for c, likelihood in self.likelihoods_.items() if likelihood in CUTTING]
        for column in holding + [c for c in cutting if self.likelihoods_[c] != "width"]:
            owner = f"{name}, where column {column!r} has the likelihood {self.likelihoods_[column]!r},"
            ALL_CELLS.check(training.source, owner)
        self.edges_ = (yield from self._find_edges(training)) if cutting else {}
        yield from super()._plan(training)
        if holding or cutting:
            del self._statistic

    def _kept_statistic(self) -> Statistic:
        if "_statistic" in self.__dict__:
            return super()._kept_statistic()
        name = next(n for n, likelihood in self.likelihoods_.items() if likelihood in ("kernel", *CUTTING))
        raise InputError(
            f"Column {name!r} has the likelihood {self.likelihoods_[name]!r}, which needs all rows at once, not more "
            "by partial_fit. Expected counts and moments. Use 'gaussian' for it, or fit a table in memory."
        )

    def _find_edges(self, training: Training) -> Generator[Request, Any, dict[str, Array]]:
        """Smallest cell, cuts and largest cell of each column that is cut."""
        numeric = [c.name for c in training.schema if c.kind == "numeric"]
        wanted = {name: self.likelihoods_[name] for name in numeric if self.likelihoods_[name] in CUTTING}
        found: Ends = yield FindEnds()
        ends = {name: pair[np.isfinite(pair)] for name, pair in zip(numeric, found.ends, strict=True)}
        cuts = {name: equal_width(ends[name], self.n_bins) for name in wanted}
        for strategy in sorted(set(wanted.values()) - {"width"}):
            rows: WholeTable = yield TakeWhole()
            each = zip(numeric, find_cuts(rows.batch, strategy, self.n_bins, len(self.classes_)), strict=True)
            cuts |= {name: cut for name, cut in each if wanted.get(name) == strategy}
        return {name: np.concatenate([ends[name][:1], cut, ends[name][1:]]) for name, cut in cuts.items()}

    def summarize(self, batch: Batch) -> ClassStatistics:
        assert batch.target is not None
        codes, weights, k = batch.target, batch.weights, len(self.classes_)
        return ClassStatistics(
            batch.n_rows,
            weigh_codes(codes, k, weights),
            *table_moments(batch.table, self._places("gaussian"), codes, weights, k),
            tuple(
                weigh_pairs(codes, k, level_codes(batch.table[name], edges), len(labels), weights)
                for name, edges, labels in self._counted_columns()
            ),
            tuple(kept_cells(batch.table.columns[j].values, codes, weights) for j in self._places("kernel")),
        )

    def _places(self, likelihood: str) -> list[int]:
        return [j for j, name in enumerate(self._schema.names) if self.likelihoods_[name] == likelihood]

    def _counted_columns(self) -> list[tuple[str, Array | None, tuple[Any, ...]]]:
        """Name, edges and labels of each column whose levels are counted."""
        found = []
        for column in self._schema:
            if self.likelihoods_[column.name] not in ("gaussian", "kernel"):
                edges = self.edges_.get(column.name)
                found.append((column.name, edges, level_labels(column, edges)))
        return found

    def solve(self, statistic: ClassStatistics) -> None:
        self.class_count_ = statistic.class_weight
        self.class_log_prior_ = log_priors(self.priors, self.classes_, statistic.class_weight, type(self).__name__)
        self._solve_gaussians(statistic)
        self.feature_log_prob_ = {}
        for (name, _, labels), counts in zip(self._counted_columns(), statistic.counts, strict=True):
            prior = None if self.m is None else level_prior(self.m_prior, name, labels, counts)
            self.feature_log_prob_[name] = smoothed_log_probabilities(counts, self.alpha, self.m, prior)
        kernels = [self._schema.names[j] for j in self._places("kernel")]
        self.kernels_ = {
            name: Kernels.of(cells, len(self.classes_)) for name, cells in zip(kernels, statistic.cells, strict=True)
        }

    def _solve_gaussians(self, statistic: ClassStatistics) -> None:
        """Means and variances; a class without a cell in a column takes those of the column."""
        weight, deviation = statistic.weight, statistic.deviation
        column = (np.zeros(weight.shape[1]),) * 3
        with np.errstate(over="ignore", invalid="ignore"):  # told by name below
            for c in range(len(weight)):
                column = joined_moments(column, (weight[c], statistic.mean[c], deviation[c]))
        overall = np.divide(column[2], column[0], out=np.zeros_like(column[2]), where=column[0] > 0)
        check_columns([self._schema.names[j] for j in self._places("gaussian")], column[1], overall)
        # By column, so that units do not matter: one of large numbers would drown the others.
        with np.errstate(over="ignore"):
            share = np.minimum(self.var_smoothing * overall, LARGEST_SMOOTHING)
        self.epsilon_ = np.where(share > 0, share, float(self.var_smoothing))
        free = weight - self.ddof
        variance = np.divide(deviation, free, out=np.zeros_like(free), where=free > 0)
        self.theta_ = np.where(weight > 0, statistic.mean, column[1])
        self.var_ = np.where(weight > 0, variance, overall) + self.epsilon_
        if not np.all(self.var_ >= LEAST_VARIANCE):
            c, j = np.argwhere(~(self.var_ >= LEAST_VARIANCE))[0]
            name = self._schema.names[self._places("gaussian")[j]]
            if self.var_[c, j] > 0:
                raise InputError(
                    f"Column {name!r} varies so little in class {self.classes_.tolist()[c]!r} that its density "
                    "overflows. Scale it up first, or raise var_smoothing."
                )
            raise InputError(
                f"Column {name!r} does not vary in class {self.classes_.tolist()[c]!r}, and with var_smoothing=0 its "
                "density is infinite. Expected a spread above 0. Leave the column out, or set var_smoothing."
            )

    # Predicting

    def _joint(self, table: Table) -> Array:
        joint = np.repeat(self.class_log_prior_[:, None], table.n_rows, axis=1)
        gaussian = self._places("gaussian")
        if gaussian:
            add_gaussian(joint, numbers_at(table, gaussian), self.theta_, self.var_)
        for name, log_probability in self.feature_log_prob_.items():
            add_counted(joint, log_probability, level_codes(table[name], self.edges_.get(name)))
        for name, kernels in self.kernels_.items():
            if kernels is not None:
                kernels.add(joint, table[name].values)
        return joint

    def _evidence(self, row: Table) -> list[tuple[str, Any, Array, str]]:
        found, places = [], self._places("gaussian")
        for j, name in enumerate(self._schema.names):
            column, logs = row.columns[j], np.zeros((len(self.classes_), 1))
            if name in self.feature_log_prob_:
                add_counted(logs, self.feature_log_prob_[name], level_codes(column, self.edges_.get(name)))
            elif name not in self.kernels_:
                g = places.index(j)
                cells = column.values.reshape(-1, 1)
                add_gaussian(logs, cells, self.theta_[:, g : g + 1], self.var_[:, g : g + 1])
            elif (kernels := self.kernels_[name]) is not None:
                kernels.add(logs, column.values)
            found.append((name, column.labels()[0], logs[:, 0], "says nothing" if column.missing[0] else ""))
        return found

    def _matched(self, X: Any) -> Table:
        if self.unseen == "missing":
            return super()._matched(X)
        given = X if isinstance(X, Table) else Table(X)
        table = super()._matched(given)
        for j, column in enumerate(table.columns):
            cells = given[column.name] if column.name in given else given.columns[j]
            strange = np.flatnonzero(column.missing & ~cells.missing)
            if len(strange):
                raise InputError(
                    f"Column {column.name!r} has {cells.labels()[strange[0]]!r} in row {strange[0]}, a category never "
                    "seen when fitting. Expected one of those. With unseen='missing' it would count as missing."
                )
        return table

    # Showing and drawing

    def tables(self) -> ProbabilityTables:
        """The learnt probabilities, a table for the classes and one for each column: print them."""
        self._fitted_schema()
        return naive_tables(self)

    def sample(self, n: int = 1, random_state: Any = 0) -> tuple[Table, Array]:
        """`n` new rows drawn from the model, and their classes."""
        from learnt.bayes.naive.draw import naive_rows

        self._fitted_schema()
        return naive_rows(self, n, random_state)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if list(self.likelihoods_) != list(self._schema.names):
            raise SavedModelError("The likelihoods are not those of the columns.")
        chosen(self._schema, self.likelihoods_, type(self).__name__)
        k, p = len(self.classes_), len(self._places("gaussian"))
        shapes = self.theta_.shape, self.var_.shape, np.broadcast_shapes(np.shape(self.epsilon_), (p,))
        if shapes != ((k, p), (k, p), (p,)) or not np.all(self.var_ > 0):
            raise SavedModelError("The means and variances do not fit the columns and classes.")
        kernels = [self._schema.names[j] for j in self._places("kernel")]
        if list(self.kernels_) != kernels or any(v is not None and len(v.widths) != k for v in self.kernels_.values()):
            raise SavedModelError("The kernel densities do not fit the columns and classes.")
        cut = [name for name, likelihood in self.likelihoods_.items() if likelihood in CUTTING]
        if list(self.edges_) != cut or not all(are_rising(e) for e in self.edges_.values()):
            raise SavedModelError("The edges are not rising numbers of the columns cut into intervals.")
        sizes = {name: (k, len(labels)) for name, _, labels in self._counted_columns()}
        if {name: table.shape for name, table in self.feature_log_prob_.items()} != sizes:
            raise SavedModelError("The tables of probabilities do not fit the columns and classes.")
