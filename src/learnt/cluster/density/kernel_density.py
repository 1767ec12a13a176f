"""Kernel densities: how likely a row is, by the fitted rows around it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.cluster.density.bandwidths import by_cross_validation, rule_of_thumb
from learnt.cluster.density.kernels import KERNELS, draw_offsets
from learnt.cluster.density.sums import Sums, label_shares, mean_and_spread
from learnt.data.convert.out import to_array
from learnt.data.table import Array, Column, Table
from learnt.engine.training import checked_weights
from learnt.engine.whole import COMPARES_ROWS, WholeTable, uneven
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.lazy import cached_property
from learnt.learner.base import Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.partitions.scores import SumScore, sum_of_part
from learnt.learner.saved_settings import check_settings
from learnt.neighbors import KeptRows
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import short_name

#: Fitted rows that an explanation names.
_TOLD = 10


class Bandwidths(Domain):
    """A bandwidth for each column."""

    words = "a list of numbers ≥ 0, one for each column"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, list | tuple | np.ndarray) or len(value) == 0:
            return False
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        return numbers.ndim == 1 and bool(np.all((numbers >= 0) & np.isfinite(numbers)))


class KernelDensity(Learner, listed=False):
    """The density of rows: each fitted row spreads its weight around itself.

        f(x) = Σ_i w_i K(|x − x_i| / h) / (h^p ∫K · Σ_i w_i)

    >>> model = KernelDensity(bandwidth=1.0).fit({"x": [0.0, 1.0, 5.0]})
    >>> np.exp(model.score_samples({"x": [0.5, 3.0, 5.0]})).round(4).tolist()
    [0.2347, 0.0375, 0.133]

    Of labels a fitted row gives 1 − λ to its own and λ/(c − 1) to each of the other c − 1; the kernels of columns are
    multiplied. A cell that a row to be judged lacks is left out of its density; a cell that a fitted row lacks may be
    what the column's other cells are (a Gaussian, or their shares). Columns that never vary are left out.

    {settings}

    With "cv" the rows are most likely, each judged by all the others; rounded numbers get half a step at least, and
    copies are left out with their row. Attributes: `bandwidth_`, of each column (λ of
    labels, 0 if left out); with "cv" `factors_` and `likelihoods_`, the multiples of Scott's bandwidth that were
    tried and the mean log-density of rows left out.

    Reference: B. Silverman, Density estimation for statistics and data analysis, 1986.
    """

    task = "density"
    abilities = frozenset({"missing", "nominal", "weights"})
    whole = COMPARES_ROWS
    fit_cost = 2.0
    simplicity = 20.0

    bandwidth: Any = setting(
        OneOf("scott", "silverman", "cv") | Real(above=0) | Bandwidths(),
        'spread · n^(−1/(p+4)); "silverman"; "cv"; a number; or one for each column',
        default="scott",
    )
    kernel: Any = setting(
        OneOf(*KERNELS), 'or "exponential", "tophat", "epanechnikov", "linear", "cosine", "tricube"', default="gaussian"
    )
    rtol: float = setting(
        Real(0, 1), "how far a density may be off, as a share of it; 0 adds all kernels", default=1e-8
    )

    bandwidth_: Array = attribute()
    _rows: KeptRows = attribute()
    _weights: Array | None = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        if rows.table.sparse is not None:
            raise InputError("KernelDensity was given a sparse matrix, which it does not take. Pass X.toarray().")
        self._rows = KeptRows.of(rows.table, rows.weights)
        w = uneven(None if rows.weights is None else rows.weights[rows.weights > 0])
        self._weights = None if w is None else w.copy()
        table = self._rows.table
        thumb = rule_of_thumb(table, self._weights, "silverman" if self.bandwidth == "silverman" else "scott")
        if isinstance(self.bandwidth, str):
            self.bandwidth_ = thumb
            if self.bandwidth == "cv" and self._rows.n_rows > 1 and thumb.any():
                self.bandwidth_, self.factors_, self.likelihoods_ = by_cross_validation(self._sums_of(thumb))
            return
        given = np.asarray(self.bandwidth, dtype=np.float64)
        coded = np.array([c.coded for c in self._schema])
        if given.ndim == 0:
            # One number is for numbers; how far labels reach is another question.
            empty = np.array([bool(c.missing.all()) for c in table.columns])
            self.bandwidth_ = np.where(coded | empty, thumb, given)
            self._check_reach()
            return
        if given.shape != (len(self._schema),) or np.any(given[coded] > 1):
            raise ParameterError(
                f"bandwidth has {len(given)} entries, the largest {given.max():g}. Expected {len(self._schema)}, one "
                "for each column, and at most 1 for columns of labels."
            )
        self.bandwidth_ = given.copy()
        self._check_reach()

    def _check_reach(self) -> None:
        """Cells must be numbers of bandwidths: rows infinitely far from 0 have no distance."""
        sums = self._sums_of(self.bandwidth_)
        if len(sums.numeric) and np.isinf(sums.scaled(sums.table)).any():
            least = self.bandwidth_[sums.numeric].min()
            raise ParameterError(
                f"bandwidth is {least:g}, and a column holds numbers of more bandwidths than a number can say. "
                "Expected one nearer to the spread of the column. Take bandwidth='scott'."
            )

    def _sums_of(self, width: Array) -> Sums:
        return Sums(self._rows.table, self._weights, self.kernel, width, float(self.rtol))

    @cached_property
    def _sums(self) -> Sums:
        return self._sums_of(self.bandwidth_)

    # Using

    def score_samples(self, X: Any) -> Array:
        """The natural logarithm of the density at each row; −inf where no kernel reaches."""
        still = self._still()
        still._fitted_schema()
        logs: Array = still._over(X, still._sums.log_densities)
        return logs

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The log-likelihood of the rows: the sum of `score_samples`, by weight."""
        logs = self.score_samples(X)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(logs))
        return float(logs.sum() if weights is None else logs[weights > 0] @ weights[weights > 0])

    def _part_of_score(self, X: Any, y: Any, weights: Any) -> SumScore:
        return sum_of_part(self, X, y, weights)

    def sample(self, n_samples: int = 1, random_state: Any = 0) -> Any:
        """Rows drawn from the density: a table, or an array where fitting had one without names."""
        schema = self._fitted_schema()
        if n_samples not in Whole(1) or random_state not in Seed():
            raise ParameterError(f"n_samples is {n_samples!r}. Expected {Whole(1).words}; random_state {Seed.words}.")
        rng = np.random.default_rng(seed_from(random_state))
        table, w, sums = self._rows.table, self._weights, self._sums
        rows = rng.choice(table.n_rows, n_samples, p=None if w is None else w / w.sum())
        offsets = draw_offsets(self.kernel, n_samples, len(sums.numeric), rng)
        columns = []
        for j, column in enumerate(table.columns):
            own = column.values[rows]
            if column.schema.coded:
                drawn = _draw_labels(column, own, float(self.bandwidth_[j]), w, rng)
            elif j in sums.numeric:
                place = int(np.flatnonzero(sums.numeric == j)[0])
                mean, spread = mean_and_spread(column, w)
                other = mean + spread * rng.normal(size=n_samples)
                drawn = np.where(np.isnan(own), other, own + self.bandwidth_[j] * offsets[:, place])
            else:
                drawn = own.astype(np.float64)
            columns.append(Column.like(column, drawn))
        found = Table.of_columns(columns, named=schema.named)
        return found if schema.named or not schema.all_numeric else to_array(found)

    def _explain(self, table: Table) -> Explanations:
        def explain_row(i: int) -> Explanation:
            row = table.rows(i, i + 1)
            parts, apart = self._sums.shares(row)
            most = np.argsort(-parts, kind="stable")[:_TOLD]
            numbers = self._rows.named(np.arange(len(parts)))
            evidence = tuple(
                Evidence(f"row {numbers[r]}", float(apart[r]), float(parts[r]), "widths away") for r in most.tolist()
            )
            rest = math.fsum(np.delete(parts, most).tolist())
            density = rest + math.fsum(parts[most].tolist())
            words = f"the other {len(parts) - len(most)} rows" if rest else ""
            return Explanation(density, "sum", rest, words, evidence, density, "density")

        return Explanations(table.n_rows, explain_row)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        how = f", bandwidths by {self.bandwidth}" if isinstance(self.bandwidth, str) else ""
        cells = [["column", "bandwidth"]]
        for column, width in list(zip(self._schema, self.bandwidth_, strict=True))[:20]:
            told = "left out" if width == 0 else f"{number(width)} away" if column.coded else number(width)
            cells.append([short_name(column.name, 30), told])
        more = f"\n… and {len(self._schema) - 20} more columns" if len(self._schema) > 20 else ""
        return f"{self.kernel} kernels around {self._rows.n_rows} rows{how}\n{aligned(cells, left=(0,))}{more}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        self._rows.check(self._schema)
        width, w = self.bandwidth_, self._weights
        coded = np.array([c.coded for c in self._schema])
        if width.shape != (len(self._schema),) or width.dtype != np.float64:
            raise SavedModelError("The bandwidths do not fit the columns.")
        if not np.all((width >= 0) & np.isfinite(width)) or np.any(width[coded] > 1):
            raise SavedModelError("A bandwidth is negative or too large.")
        n = self._rows.n_rows
        if w is not None and not (w.shape == (n,) and w.dtype == np.float64 and np.all((w > 0) & np.isfinite(w))):
            raise SavedModelError("The weights do not fit the rows kept.")


def _draw_labels(column: Column, own: Array, away: float, weights: Array | None, rng: np.random.Generator) -> Array:
    k = len(column.categories)
    drawn: Array = own.copy()
    if k > 1:
        moves = (rng.random(len(own)) < away) & (own >= 0)
        drawn = np.where(moves, (own + rng.integers(1, k, len(own))) % k, own)
    if bool((own < 0).any()) and bool((column.values >= 0).any()):
        shares = label_shares(column, weights)
        drawn = np.where(own < 0, rng.choice(k, len(own), p=shares), drawn)
    return drawn.astype(np.int32)
