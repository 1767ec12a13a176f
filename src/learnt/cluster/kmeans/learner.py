"""k-means on any table, in memory or over files."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, Self

import numpy as np

from learnt.cluster.kmeans.bounds import AssignByBounds, plain_rounds, worthwhile
from learnt.cluster.kmeans.centers_model import CentersModel
from learnt.cluster.kmeans.exchange import exchange
from learnt.cluster.kmeans.lloyd import Assign, Lloyd, Means, lloyd, means
from learnt.cluster.kmeans.minibatch import MiniBatches, by_minibatches, ended_rounds
from learnt.cluster.kmeans.modes import huang_gamma, means_and_modes, with_mismatches
from learnt.cluster.kmeans.rows import Rows, check_scale
from learnt.cluster.kmeans.sample import TakeSample
from learnt.cluster.kmeans.start import any_rows, spread_rows
from learnt.data.table import Array, Table
from learnt.engine.first_look import first_look
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.engine.whole import InMemory
from learnt.errors import InputError, ParameterError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.parameters import Rows as RowsDomain
from learnt.learner.partial import Continuing
from learnt.statistics.sample import HashedSample

#: A scan is too large to draw starts from; this much of a sample of it is kept.
_SAMPLE_BYTES = 64_000_000


class KMeans(Continuing, CentersModel):
    """Put each row into the group whose mean is nearest, with means that make the groups tight.

        minimise Σ_i w_i · min_c |x_i − μ_c|²

    >>> table = {"height": [1.0, 1.1, 8.0, 8.2], "colour": ["red", "red", "blue", "blue"]}
    >>> KMeans(2, random_state=0).fit(table).labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True

    Numbers enter as they are; ordered categories by rank, other categories as one indicator each, so
    that two different ones lie √2 apart; missing cells as the mean or the most frequent category.

    {settings}

    Attributes: `cluster_centers_` (in the columns of `get_design_names()`), `cluster_sizes_` (rows, or their weight),
    `labels_` (not after a scan), `inertia_`, `n_iter_`, `converged_`, `algorithm_` ("lloyd" or "bounds" for "auto"),
    `gamma_` (with modes).

    A table in memory starts from all its rows, a `scan` from a hashed sample of them. A centre that
    loses all its rows moves to the row farthest from its own centre.

    Reference: S. Lloyd, Least squares quantization in PCM, 1982.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse", "order-dependent", "random"})
    readable = True
    finds_infinities = True

    n_clusters: int = setting(Whole(1), "k, the number of groups", default=8, kw_only=False)
    init: Any = setting(
        OneOf("k-means++", "random") | RowsDomain(),
        'rows far apart (greedily chosen), "random" rows, or k given rows',
        default="k-means++",
    )
    n_init: Any = setting(
        OneOf("auto") | Whole(1),
        'starts, of which the best is kept: 1 for "k-means++" and given rows, 10 for "random"',
        default="auto",
    )
    max_iter: int = setting(Whole(1), "most rounds of one start", default=300)
    tol: float = setting(
        Real(0), "stop when centres move less (squared, relative to the mean variance of the columns)", default=1e-4
    )
    algorithm: str = setting(
        OneOf("auto", "lloyd", "bounds", "exchange", "minibatch"),
        '"lloyd" rounds; the same by "bounds", faster for many clusters; "exchange" of single rows after '
        'them; "minibatch"',
        default="auto",
    )
    batch_size: int = setting(Whole(1), "rows of a mini-batch", default=1024)
    standardize: Any = setting(
        OneOf("auto") | Flag(),
        "divide numbers by their standard deviation: True, False, or if there are categories",
        default="auto",
    )
    categories: str = setting(
        OneOf("indicators", "modes"),
        'or "modes": centres hold a category of each nominal column, and another one costs `gamma`',
        default="indicators",
    )
    gamma: Any = setting(
        OneOf("auto") | Real(0), "that cost: half the mean standard deviation of the numbers", default="auto"
    )
    random_state: Any = setting(Seed(), "seed", default=0)

    n_iter_: int = attribute()

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        self._check_choices(training)
        variance = yield from self._begin(training)
        seed = seed_from(self.random_state)
        rng = np.random.default_rng(seed)
        limit = None if training.in_memory else self._sample_size()
        sample: HashedSample = yield TakeSample(self._design, self._shift, limit, seed)
        x, weights = sample.taken
        rows = Rows(x, weights, self._shift)
        check_scale(self._design, variance, rows)
        self.algorithm_ = self._algorithm(rows, training.in_memory)
        best: Lloyd | None = None
        for _ in range(self._starts()):
            if self.algorithm_ == "minibatch":
                found = yield from self._by_minibatches(rows, rng, training.in_memory)
            else:
                found = yield from self._by_rounds(rows, self._start(rows, rng), variance, training.in_memory)
            if best is None or found.inertia < best.inertia:
                best = found
        assert best is not None
        self._keep(best, rows)

    def _check_choices(self, training: Training) -> None:
        if self.categories == "modes" and self.algorithm in ("exchange", "minibatch"):
            raise ParameterError(
                f"KMeans: algorithm={self.algorithm!r} moves means, and categories='modes' has none of them. "
                "Expected algorithm 'auto', 'lloyd' or 'bounds' with it."
            )
        if self.algorithm in ("bounds", "exchange"):
            in_memory = InMemory("keeps what it knows of each row", "use algorithm 'lloyd' or 'minibatch'")
            in_memory.check(training.source, f"KMeans with algorithm={self.algorithm!r}")

    def _begin(self, training: Training) -> Generator[Pass, Any, Array]:
        """Set the design, and what rows are shifted by; returns the variance of the design's columns."""
        look = yield from first_look(training, drop_reference=False, standardize=self.standardize)
        survey, design = look.surveyed, look.design
        # A row of weight 2 stands there twice: weight counts like rows here.
        if max(survey.rows_with_weight, survey.row_weight) < self.n_clusters:
            raise InputError(
                f"n_samples={survey.rows_with_weight} should be >= n_clusters={self.n_clusters}. Ask for "
                "fewer clusters."
            )
        self._shift, variance = look.moments
        if self.categories == "modes":
            self.gamma_ = huang_gamma(design, variance) if self.gamma == "auto" else float(self.gamma)
            design = with_mismatches(design, self.gamma_)
            self._shift, variance = design.moments(survey)
        self._design = design
        return variance

    def _sample_size(self) -> int:
        return max(20 * self.n_clusters, _SAMPLE_BYTES // (8 * max(self._design.n_columns, 1)))

    def _algorithm(self, rows: Rows, in_memory: bool) -> str:
        if self.algorithm == "bounds" and not rows.dense:
            return "lloyd"  # sparse rows have no such bounds: centres are compared column by column anyway
        if self.algorithm != "auto":
            return self.algorithm
        return "bounds" if in_memory and worthwhile(rows, self.n_clusters) else "lloyd"

    def _starts(self) -> int:
        if self.n_init == "auto":
            return 10 if isinstance(self.init, str) and self.init == "random" else 1
        return 1 if not isinstance(self.init, str) else int(self.n_init)

    def _by_rounds(self, rows: Rows, start: Array, variance: Array, in_memory: bool) -> Generator[Pass, Any, Lloyd]:
        assign = Assign(self._design, self._shift)
        if self.algorithm_ == "bounds" or (self.algorithm_ == "exchange" and worthwhile(rows, self.n_clusters)):
            wait = 0 if self.algorithm == "bounds" else plain_rounds(rows)
            assign = AssignByBounds(self._design, self._shift, rows, self.n_clusters, wait)
        move: Means = means_and_modes(self._design) if self.categories == "modes" else means
        found = yield from lloyd(
            assign,
            start,
            max_iter=self.max_iter,
            tolerance=self.tol * float(variance.mean()) if len(variance) else 0.0,
            labels=in_memory,
            means=move,
        )
        return exchange(rows, found, max_iter=self.max_iter) if self.algorithm_ == "exchange" else found

    def _by_minibatches(self, rows: Rows, rng: np.random.Generator, in_memory: bool) -> Generator[Pass, Any, Lloyd]:
        few = min(rows.n_rows, max(3 * self.batch_size, 3 * self.n_clusters))
        chosen = rows if few == rows.n_rows else rows.some(np.sort(rng.choice(rows.n_rows, few, replace=False)))
        if chosen.weights is not None and not chosen.weights.any():
            chosen = rows
        start = self._start(chosen, rng)
        state, steps, settled = by_minibatches(rows, start, rng, batch_size=self.batch_size, max_iter=self.max_iter)
        last = yield from Assign(self._design, self._shift).labels(state.centers, in_memory)
        return ended_rounds(state, steps, settled, last)

    def _start(self, rows: Rows, rng: np.random.Generator) -> Array:
        if isinstance(self.init, str):
            rows = rows.in_order()  # so that the order of the rows does not matter
            if self.init == "random":
                return any_rows(rows, self.n_clusters, rng).astype(np.float64)
            return spread_rows(rows, self.n_clusters, rng).astype(np.float64)
        given = Table(self.init)
        if given.shape != (self.n_clusters, self.n_features_in_):
            raise InputError(
                f"init has shape {given.shape}. Expected one row per cluster in the columns of the table: "
                f"({self.n_clusters}, {self.n_features_in_})."
            )
        check_finite(given)
        encoded = self._design.encode(given.matched(self._schema))
        return np.asarray(encoded if isinstance(encoded, np.ndarray) else encoded.todense(), dtype=np.float64)

    def _keep(self, best: Lloyd, rows: Rows) -> None:
        self.cluster_centers_ = best.centers.astype(rows.x.dtype)
        self.inertia_, self.n_iter_, self.converged_ = best.inertia, best.n_iter, best.converged
        self.cluster_sizes_ = best.weight
        if best.labels is not None:
            self.labels_ = best.labels
            self.cluster_sizes_ = np.bincount(best.labels, rows.weights, self.n_clusters).astype(np.float64)
        if best.empty:
            warnings.warn(
                convergence_warning(
                    f"Only {self.n_clusters - best.empty} of {self.n_clusters} clusters hold rows: "
                    "there are fewer distinct rows than clusters."
                ),
                stacklevel=2,
            )

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, one mini-batch, whatever `algorithm` is: each centre becomes the mean of all rows
        it was nearest to when they came.

        The first call fixes the columns, their categories and scales, and starts from its rows, of which there must
        be one per cluster. `fit` begins anew, and `partial_fit` goes on from it. `labels_` and `inertia_` are then
        those of the last rows given.
        """
        if self.categories == "modes":
            raise ParameterError("KMeans: partial_fit moves means, and categories='modes' has none. Use fit.")
        return self._fit_more(X, y, sample_weight)

    def _continue(self, training: Training, earlier: Self | None) -> Generator[Pass, Any, None]:
        steps = 0 if earlier is None else earlier.n_iter_
        rng = np.random.default_rng([seed_from(self.random_state), steps])
        variance = np.zeros(0)
        if earlier is None:
            variance = yield from self._begin(training)
        else:
            self._design, self._shift = earlier._design, earlier._shift
            assert isinstance(training.source, Table)
            check_finite(training.source)
        sample: HashedSample = yield TakeSample(self._design, self._shift, None, 0)
        x, weights = sample.taken
        rows = Rows(x, weights, self._shift)
        if earlier is None:
            check_scale(self._design, variance, rows)
            state = MiniBatches(self._start(rows, rng), np.zeros(self.n_clusters))
        else:
            if len(earlier.cluster_centers_) != self.n_clusters:
                raise ParameterError(
                    f"KMeans: n_clusters={self.n_clusters}, but the model has {len(earlier.cluster_centers_)}. "
                    "Set it back, or call fit."
                )
            if rows.x.dtype != earlier.cluster_centers_.dtype:
                rows = Rows(rows.x.astype(earlier.cluster_centers_.dtype), rows.weights, self._shift)
            state = MiniBatches(earlier.cluster_centers_, getattr(earlier, "cluster_sizes_", np.ones(self.n_clusters)))
        state.step(rows, rng)
        self.cluster_centers_ = state.centers.astype(rows.x.dtype)
        self.labels_ = np.empty(rows.n_rows, np.int32)
        self.inertia_ = rows.assign(self.cluster_centers_, self.labels_, None, None)
        self.cluster_sizes_, self.n_iter_, self.converged_ = state.seen, steps + 1, False
        self.algorithm_ = "minibatch"
