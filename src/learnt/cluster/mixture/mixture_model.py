"""Mixtures for tables of any kinds: latent classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cluster.mixture.base import Mixture
from learnt.cluster.mixture.columns import ColumnComponents, ColumnSums
from learnt.cluster.mixture.rules import Rules
from learnt.cluster.mixture.start import drawn_shares, kmeans_shares
from learnt.cluster.mixture.view import MixtureView, number_places
from learnt.data.table import Table
from learnt.engine.survey import Survey, check_finite
from learnt.errors import InputError, SavedModelError
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf, Real, Seed, Whole
from learnt.learner.parameters import Rows as RowsDomain
from learnt.show.numbers import percent
from learnt.statistics.sample import HashedSample


class MixtureModel(Mixture):
    """Explain a table by hidden classes, within each of which columns are independent.

        p(x) = Σ_c π_c Π_j p_c(x_j),   p_c a Gaussian for a number, a table of probabilities for a category

    >>> pets = {"legs": [4, 4, 4, 2, 2, 2], "says": ["wuff", "wuff", None, "tweet", "tweet", "tweet"]}
    >>> model = MixtureModel(2, random_state=0).fit(pets)
    >>> labels = model.predict(pets).tolist()
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    True

    Missing cells are left out, exactly; so is a category that was not there when fitting.

    {settings}

    Attributes: `weights_`, `means_` and `variances_` (classes × numeric columns, `number_names_`), `probabilities_`
    (by column: classes × categories), `lower_bounds_` (the objective per row in each round, never falling),
    `lower_bound_`, `n_iter_`, `converged_`, `n_parameters_`, `labels_` (not after a scan). `summary()` tells what is
    typical of each class.

    References: P. Lazarsfeld, N. Henry, Latent Structure Analysis, 1968; P. Cheeseman, J. Stutz, Bayesian
    Classification (AutoClass), 1996.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "order-dependent", "random"})
    fit_cost = 40.0
    simplicity = 25.0
    readable = True

    n_components: int = setting(Whole(1), "how many classes", default=2, kw_only=False)
    init: Any = setting(
        OneOf("kmeans", "random") | RowsDomain(),
        'start from its groups, from "random" shares, or from k given rows',
        default="kmeans",
    )
    n_init: int = setting(Whole(1), "starts, of which the best is kept", default=1)
    max_iter: int = setting(Whole(1), "most rounds of one start", default=100)
    tol: float = setting(Real(0), "stop when the objective per row gains no more in a round", default=1e-4)
    smoothing: float = setting(
        Real(0), "so many rows, spread over the categories as in the whole table, added to each class", default=1.0
    )
    variance_prior: float = setting(
        Real(0), "so many rows of the whole column's variance / k^(2/numbers), added to each class", default=1.0
    )
    reg_covar: float = setting(
        Real(0), "noise every number is taken to have: this share of its column's variance", default=1e-6
    )
    weight_concentration_prior: float = setting(
        Real(1), "α of a Dirichlet prior on the weights: each has α − 1 more rows", default=1.0
    )
    random_state: Any = setting(Seed(), "seed", default=0)

    # Fitting

    def _look(self, survey: Survey) -> tuple[MixtureView, Rules]:
        numbers = number_places(survey.schema, ("numeric",))
        view = MixtureView.of(survey, numbers, silent=True)
        counts = [survey.categories[j] for j in view.coded.tolist()]
        shares = [c / max(float(c.sum()), np.finfo(np.float64).tiny) for c in counts]
        return view, Rules(
            "diag",
            float(self.reg_covar),
            concentration=float(self.weight_concentration_prior),
            rows_of_prior=float(self.variance_prior),
            target=float(self.n_components) ** (-2 / max(int((~view.constant).sum()), 1)),
            smoothing=float(self.smoothing),
            frequency=np.concatenate([np.zeros(0), *shares]),
        )

    def _starts(self) -> int:
        return super()._starts() if isinstance(self.init, str) else 1

    def _start(self, sample: HashedSample | None, rules: Rules, rng: np.random.Generator) -> Any:
        k, view = self.n_components, self._view
        assert rules.frequency is not None
        start = ColumnComponents.neutral(k, view, rules.frequency)
        if sample is None:
            return start
        if isinstance(self.init, str) and self.init == "random":
            share = drawn_shares(sample, k, rng)
        else:
            share = kmeans_shares(sample, k, "k-means++" if isinstance(self.init, str) else self._given_start(), rng)
        table, weights = sample.taken
        x, codes = view.cells(table), view.codes(table)
        sums = ColumnSums.of_shares(view, x, codes, weights, share, rules.blur)
        return start.moved(sums, rules.gently(float(sums.weight.sum()) / k))

    def _given_start(self) -> Table:
        given = Table(self.init)
        if given.shape != (self.n_components, self.n_features_in_):
            raise InputError(
                f"init has shape {given.shape}. Expected one row per class in the columns of the table: "
                f"({self.n_components}, {self.n_features_in_})."
            )
        check_finite(given)
        return given.matched(self._schema)

    # What was learnt

    @property
    def number_names_(self) -> list[str]:
        """The names of the columns of `means_` and `variances_`."""
        return [self._fitted_schema().names[j] for j in self._view.numbers.tolist()]

    @property
    def means_(self) -> Any:
        """Means of the numeric columns, classes × columns."""
        self._fitted_schema()
        return self._view.unscaled(self._components.mean)

    @property
    def variances_(self) -> Any:
        """Variances of the numeric columns, classes × columns; 0 where a column never varied."""
        self._fitted_schema()
        with np.errstate(over="ignore"):  # in units so large that a variance is no number any more
            return np.where(self._view.constant, 0.0, self._components.variance / self._view.scale / self._view.scale)

    @property
    def probabilities_(self) -> dict[str, Any]:
        """By column: the probability of each category, classes × categories; 0 for one that never occurred."""
        names, parts = self._fitted_schema().names, self._components
        found = {}
        for m, j in enumerate(self._view.coded.tolist()):
            place = slice(int(parts.starts[m]), int(parts.starts[m + 1]))
            found[names[j]] = np.where(parts.occurs[place, None], np.exp(parts.tables[place]), 0.0).T.copy()
        return found

    def summary(self, most: int = 5) -> str:
        """What is typical of each class, in words: the columns that set it apart from the whole, most telling first."""
        from learnt.cluster.mixture.words import class_summary

        self._fitted_schema()
        return class_summary(self, most)

    def __str__(self) -> str:
        return self.summary(3) if self.__sklearn_is_fitted__() else repr(self)

    def _shape(self) -> str:
        return "diag"

    def _words(self, j: int, cell: Any, best: int, other: int) -> str:
        if cell is None:
            return "missing, left out"
        if j in self._view.numbers.tolist():
            at = self._view.numbers.tolist().index(j)
            return "it never varied" if self._view.constant[at] else super()._words(j, cell, best, other)
        labels = list(self._schema.columns[j].categories)
        p = self.probabilities_[self._schema.names[j]][:, labels.index(cell)]
        if best == other:
            return f"probability {percent(p[best])}"
        return f"{percent(p[best])} against {percent(p[other])}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        kinds = [self._schema.columns[j].kind for j in self._view.numbers.tolist()]
        if not isinstance(self._components, ColumnComponents) or any(kind != "numeric" for kind in kinds):
            raise SavedModelError("The components do not fit the kinds of the columns.")
        if self._components.levels.tolist() != self._view.levels.tolist():
            raise SavedModelError("The probabilities do not fit the categories.")
