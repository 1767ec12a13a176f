"""Mixtures of Gaussians: groups of rows as overlapping Gaussians."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.cluster.mixture.base import Mixture
from learnt.cluster.mixture.columns import ColumnComponents, ColumnSums
from learnt.cluster.mixture.full import FullComponents, FullSums
from learnt.cluster.mixture.given import GIVEN, given_covariances, given_means, given_weights
from learnt.cluster.mixture.rules import Rules
from learnt.cluster.mixture.start import drawn_shares, kmeans_shares, row_means
from learnt.cluster.mixture.view import MixtureView
from learnt.data.table import Array
from learnt.engine.survey import Survey
from learnt.errors import InputError, KindError, ParameterError, SavedModelError
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole
from learnt.learner.parameters import Rows as RowsDomain
from learnt.statistics.sample import HashedSample

#: Covariances of more columns than this are not estimated.
WIDE = 2000


class GaussianMixture(Mixture):
    """Describe rows as a mixture of Gaussians, and put each row into the component that most likely gave it.

        p(x) = Σ_c π_c N(x; μ_c, Σ_c),   found by EM: it raises Σ_i w_i log p(x_i) in every round

    >>> x = [[1.0], [1.2], [0.8], [5.0], [5.3], [4.6]]
    >>> model = GaussianMixture(2, random_state=0).fit(x)
    >>> sorted(model.means_.ravel().round(2).tolist())
    [1.0, 4.97]

    Numbers, and ordered categories by rank. A missing cell is integrated out exactly: in each component it is
    expected where the cells that are there put it, with the variance they leave. For tables with nominal or
    boolean columns there is `MixtureModel`.

    {settings}

    Attributes: `weights_`, `means_`, `covariances_`, `precisions_`, `lower_bounds_` (one per round, per row; never
    falling), `lower_bound_`, `n_iter_`, `converged_`, `n_parameters_`, `labels_` (not after a scan).

    `reg_covar` is relative, where scikit-learn's is absolute: units do not matter. No component can shrink onto a
    single row: every cell counts as x + ε, ε with the variance reg_covar · Var(column), which adds that to the
    diagonal of each covariance, and ½ reg_covar · tr(Σ_c⁻¹ diag Var) is what it takes from the log densities.

    Reference: A. Dempster, N. Laird, D. Rubin, Maximum likelihood from incomplete data via the EM algorithm, 1977.
    """

    abilities = frozenset({"missing", "weights", "probabilities", "passes", "order-dependent"})
    fit_cost = 30.0
    simplicity = 30.0

    n_components: int = setting(Whole(1), "how many Gaussians", default=1, kw_only=False)
    covariance_type: str = setting(
        OneOf("full", "tied", "diag", "spherical"),
        '"full" Σ_c, "tied" one Σ, "diag" columns independent, "spherical" σ_c²I',
        default="full",
    )
    tol: float = setting(Real(0), "stop when the mean log-likelihood of a row gains no more in a round", default=1e-3)
    reg_covar: float = setting(
        Real(0), "noise every number is taken to have: this share of its column's variance", default=1e-6
    )
    max_iter: int = setting(Whole(1), "most rounds of one start", default=100)
    n_init: int = setting(Whole(1), "starts, of which the best is kept", default=1)
    init_params: str = setting(
        OneOf("kmeans", "k-means++", "random_from_data", "random"),
        'its groups; rows: "k-means++" far apart, "random_from_data" any; "random" shares',
        default="kmeans",
    )
    weights_init: Any = setting(GIVEN, "weights to start from", default=None)
    means_init: Any = setting(OneOf(None) | RowsDomain(), "means to start from, k × columns", default=None)
    precisions_init: Any = setting(
        GIVEN, "inverse covariances to start from, in the shape of `covariances_`", default=None
    )
    equal_weights: bool = setting(Flag(), "all components have the weight 1/k, which is not learnt", default=False)
    sigma: float | None = setting(
        OneOf(None) | Real(above=0),
        'a known standard deviation of all components and columns; for "spherical"',
        default=None,
    )
    weight_concentration_prior: float = setting(
        Real(1), "α of a Dirichlet prior on the weights: each has α − 1 more rows", default=1.0
    )
    covariance_prior: float = setting(
        Real(0), "so many rows added to each component, with the columns' variances / k^(2/columns)", default=0.0
    )
    random_state: Any = setting(Seed(), "seed", default=0)

    # Fitting

    def _look(self, survey: Survey) -> tuple[MixtureView, Rules]:
        self._check(survey)
        places = np.arange(len(survey.schema))
        view = MixtureView.of(survey, places, one_unit=self.covariance_type == "spherical")
        variance = None
        if self.sigma is not None:
            with np.errstate(over="ignore"):
                variance = float(np.square(self.sigma * view.scale[0]))
            if not 0 < variance < math.inf:
                raise ParameterError(
                    f"GaussianMixture: sigma={self.sigma:g} has no variance in numbers. Expected a standard deviation "
                    "of the size of the columns."
                )
        return view, Rules(
            self.covariance_type,
            float(self.reg_covar),
            concentration=float(self.weight_concentration_prior),
            rows_of_prior=float(self.covariance_prior),
            target=float(self.n_components) ** (-2 / max(int((~view.constant).sum()), 1)),
            equal_weights=bool(self.equal_weights),
            variance=variance,
        )

    def _check(self, survey: Survey) -> None:
        odd = next((c for c in survey.schema if c.kind not in ("numeric", "ordinal")), None)
        if odd is not None:
            raise KindError(
                f"Column {odd.name!r} is {odd.kind}. GaussianMixture takes numbers and ordered categories. "
                "Use MixtureModel, which takes all kinds, or leave the column out."
            )
        if self.sigma is not None and self.covariance_type != "spherical":
            raise ParameterError(
                f"GaussianMixture: sigma={self.sigma} is one standard deviation for all, which "
                f"covariance_type={self.covariance_type!r} has not. Expected covariance_type='spherical'."
            )
        if len(survey.schema) > WIDE and not self._by_columns:
            raise InputError(
                f"The table has {len(survey.schema)} columns. A covariance of more than {WIDE} is not estimated. "
                "Use covariance_type='diag', or leave columns out."
            )

    @property
    def _by_columns(self) -> bool:
        return self.covariance_type in ("diag", "spherical")

    def _draws_start(self) -> bool:
        return self.n_components > 1 and self.means_init is None

    def _start(self, sample: HashedSample | None, rules: Rules, rng: np.random.Generator) -> Any:
        k, view = self.n_components, self._view
        start: Any = self._neutral(k)
        table, row_weights = (None, None) if sample is None else sample.taken
        if sample is not None and self.init_params in ("kmeans", "random"):
            if self.init_params == "kmeans":
                share = kmeans_shares(sample, k, "k-means++", rng)
            else:
                share = drawn_shares(sample, k, rng)
            x, codes = view.cells(table), view.codes(table)
            sums = (ColumnSums if self._by_columns else FullSums).of_shares(
                view, x, codes, row_weights, share, rules.blur
            )
            start = start.moved(sums, rules.gently(float(sums.weight.sum()) / k))
        elif sample is not None:
            spread = self.init_params == "k-means++"
            z = view.scaled(view.cells(table))
            start = self._make_components(
                start.weights, row_means(z, row_weights, k, spread, rng), self._spreads(start)
            )
        weights = given_weights(self.weights_init, k, start.weights)
        if self.equal_weights:
            weights = np.full(k, 1 / k)
        mean = given_means(self.means_init, k, self._schema, view, start.mean)
        spreads = given_covariances(self.precisions_init, self.covariance_type, view, k, self._spreads(start))
        if rules.variance is not None:
            spreads = np.full_like(spreads, rules.variance)
        return self._make_components(weights, mean, spreads)

    def _neutral(self, k: int) -> Any:
        if self._by_columns:
            return ColumnComponents.neutral(k, self._view, np.zeros(0))
        return FullComponents.neutral(k, len(self._view.numbers), self.covariance_type == "tied")

    def _spreads(self, components: Any) -> Array:
        found: Array = components.variance if self._by_columns else components.covariance
        return found

    def _make_components(self, weights: Array, mean: Array, spreads: Array) -> Any:
        if self._by_columns:
            none = np.zeros((0, len(weights)))
            return ColumnComponents(weights, mean, spreads, self._view.levels, none, np.zeros(0, dtype=bool))
        return FullComponents(weights, mean, spreads)

    # What was learnt

    @property
    def means_(self) -> Array:
        """The means, components × columns."""
        self._fitted_schema()
        found: Array = self._components.mean / self._view.scale + self._view.shift
        return found

    @property
    def covariances_(self) -> Array:
        """By `covariance_type`: k × p × p, p × p, k × p variances, or k variances."""
        self._fitted_schema()
        unit = 1 / self._view.scale
        with np.errstate(over="ignore"):  # in units so large that a variance is no number any more
            if isinstance(self._components, ColumnComponents):
                found: Array = self._components.variance * unit * unit
                return found[:, 0].copy() if self.covariance_type == "spherical" else found
            found = self._components.covariance * unit[:, None] * unit
        return found[0] if self.covariance_type == "tied" else found

    @property
    def precisions_(self) -> Array:
        """The inverses of `covariances_`, in the same shape."""
        self._fitted_schema()
        # In units so small that the inverse of a variance is no number any more.
        with np.errstate(over="ignore", divide="ignore"):
            if isinstance(self._components, ColumnComponents):
                return 1 / self.covariances_
            root, unit = self._components.whole.root, self._view.scale
            found: Array = (root.swapaxes(1, 2) @ root) * unit[:, None] * unit
        return found[0] if self.covariance_type == "tied" else found

    def _shape(self) -> str:
        return "known" if self.sigma is not None else self.covariance_type

    def _free_weights(self) -> int:
        return 0 if self.equal_weights else super()._free_weights()

    def _base_words(self) -> str:
        return "prior odds" if self.covariance_type in ("tied", "diag") else "prior odds × ratio of volumes"

    def plot(self, X: Any, columns: Any = None, ax: Any = None) -> Any:
        """Rows in two columns, coloured by component, with ellipses at 1 and 2 σ; returns the matplotlib axes."""
        from learnt.plot.mixtures import plot_ellipses

        return plot_ellipses(self, X, columns, ax)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        from learnt.cluster.mixture.words import gaussian_text

        return gaussian_text(self)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = {"tied": (1,), "full": (len(self._components.weights),)}
        wanted = ColumnComponents if self._by_columns else FullComponents
        if not isinstance(self._components, wanted) or len(self._view.coded):
            raise SavedModelError("The components do not fit the covariance_type.")
        if isinstance(self._components, FullComponents):
            if self._components.covariance.shape[:1] != shape.get(self.covariance_type):
                raise SavedModelError("The covariances do not fit the covariance_type.")
            try:
                self._components.roots(np.ones(self._components.mean.shape[1], dtype=bool))
            except InputError as error:
                raise SavedModelError("A covariance is not positive definite.") from error
