"""Gaussian discriminants: spheres, one ellipsoid for all classes, or one for each."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnt.bayes.class_priors import CLASS_PRIORS, log_priors
from learnt.bayes.decision.probabilities import class_place
from learnt.bayes.design_rows import drawn_table
from learnt.bayes.discriminant.class_products import ClassProducts, StandardView, TakeClassProducts
from learnt.bayes.discriminant.covariances import Covariances, covariances
from learnt.bayes.discriminant.expectation import MOST_STEPS, Expectation, by_expectation
from learnt.bayes.discriminant.gaussians import BellCurves, regular
from learnt.bayes.discriminant.noise import Noise, noise_by_column
from learnt.bayes.discriminant.weak_prior import WeakPrior
from learnt.bayes.naive.draw import generator
from learnt.bayes.posterior import BLOCK_ROWS, JointClassifier, log_odds
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.data.value_text import value_text
from learnt.engine.blas import one_blas_thread
from learnt.engine.first_look import first_look
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey
from learnt.engine.training import Training
from learnt.errors import InputError, ParameterError, SavedModelError, convergence_warning
from learnt.explain import Explanation
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.show.numbers import number, signed
from learnt.show.words import label
from learnt.storable import Numbers

#: A covariance of more columns than this is not estimated.
WIDE = 2000


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """Where two classes are equally probable: `w`·(x − `x0`) = 0; that product is the log-odds of `a` against `b`."""

    w: Array
    x0: Array
    names: tuple[str, ...]
    a: Any
    b: Any

    def __str__(self) -> str:
        text = f"log-odds of {label(self.a)} against {label(self.b)} ="
        for w, name, x in zip(self.w.tolist(), self.names, self.x0.tolist(), strict=True):
            text += f"\n  {signed(w)} · ({name} {signed(-x)[0]} {number(abs(x))})"
        return text


class DiscriminantClassifier(JointClassifier):
    """Classify by the Gaussian each class has over all columns together.

        log p(c | x) = log p(c) − ½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c) − ½ log |Σ_c| + constant

    >>> people = {"height": [1.5, 1.6, 1.6, 1.8, 1.9, 1.9], "weight": [50, 70, 60, 70, 80, 90]}
    >>> model = DiscriminantClassifier().fit(people, ["short"] * 3 + ["tall"] * 3)
    >>> model.predict({"height": [1.65, None], "weight": [60, 85]}).tolist()
    ['short', 'tall']

    Numbers enter as they are, ordered categories by rank, other categories by indicators. A cell missing when
    predicting is integrated out exactly. When fitting, means and covariances are the most probable ones given the cells
    that are there (EM algorithm), as if cells were missing at random; a weak prior against correlations, of a tenth of
    a row for each cell that a row misses on average, decides what they leave open.

    Directions in which a class hardly varies (less than 1e-8 of the total variance) are given that variance;
    `raised_` counts them, and a warning names the class.

    {settings}

    Attributes: `means_`, classes × columns of the design `column_names_`; `covariance_`, one for all or one per
    class; `class_prior_`, `class_log_prior_`; `shrinkage_`; `condition_` and `raised_`, per covariance; `n_iter_` and
    `converged_`, of EM.

    Reference: R. O. Duda, P. E. Hart, D. G. Stork, Pattern Classification, 2001, section 2.6.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})
    fit_cost = 4.0
    simplicity = 18.0
    search_space: ClassVar[dict[str, Any]] = {
        "covariance": ("spherical", "shared", "diagonal", "full"),
        "shrinkage": (0, 0.1, 0.5),
    }

    covariance: str = setting(
        OneOf("shared", "spherical", "full", "diagonal"),
        '"spherical" σ²I, "shared" Σ (linear boundaries), "full" Σ_c, "diagonal" Σ_c',
        default="shared",
        kw_only=False,
    )
    shrinkage: float | str = setting(
        Real(0, 1) | OneOf("auto"),
        'from 0 to 1: how far covariances move to the mean variance times I; "auto" by Chen\'s OAS',
        default=0,
    )
    priors: Any = setting(
        CLASS_PRIORS, 'class probabilities, a list or a dict; "uniform"; None for the shares of the rows', default=None
    )
    ddof: int = setting(
        OneOf(0, 1), "0: variances divide by n; 1: by n − 1, shared ones by n − number of classes", default=0
    )
    noise: Any = setting(
        Noise(), 'variance of the noise in measuring the rows to predict, by column: `{"height": 0.01}`', default=None
    )
    max_categories: int = setting(
        Whole(1), "most indicators of a nominal column: its most frequent categories get one", default=100
    )

    means_: Array = attribute()
    covariance_: Array = attribute()
    _view: StandardView = attribute()
    _curves: BellCurves = attribute()
    _typical: Numbers = attribute()

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        noise = noise_by_column(self.noise, training.schema)
        look = yield from first_look(training, drop_reference=True, reads_left=1)
        design, (center, variance) = look.design, look.moments
        # Rounding may leave a trace of variance in a column that never varies.
        with np.errstate(over="ignore"):
            varies = variance > 1e-28 * np.maximum(center**2, np.finfo(np.float64).tiny)
        used = np.flatnonzero(varies & _frequent(look.surveyed, design, int(self.max_categories)))
        if len(used) > WIDE:
            raise InputError(
                f"The table becomes {len(used)} numbers a row, with indicators for categories. A covariance of more "
                f"than {WIDE} is not estimated. Leave columns out, lower max_categories, or use naive Bayes."
            )
        self._view = StandardView(design, used, center[used], np.sqrt(variance[used]))
        self._typical = center
        gaps = bool(look.surveyed.missing.any())
        products: ClassProducts = yield TakeClassProducts(self._view, len(self.classes_), gaps)
        self.n_iter_, self.converged_ = 1, True
        if gaps and self.covariance in ("shared", "full"):  # those of single columns are over the cells that are there
            prior = WeakPrior.of(products, self.covariance)
            rising = self.shrinkage == 0  # else covariances are not the most probable ones, but nearer to spheres
            found: Expectation = yield from by_expectation(self._view, products, prior, self._estimate, rising=rising)
            products, self.n_iter_, self.converged_ = found.products, found.n_iter, found.converged
        with one_blas_thread():
            self._solve(products, noise[self._view.owner])

    def _estimate(self, products: ClassProducts) -> tuple[Array, Array]:
        """Means and covariances of standardised columns: the M-step, shrunk as the model will be."""
        unit = self._view.scale
        with one_blas_thread():
            found = covariances(products, unit, self.covariance, self.shrinkage, 0)
        with np.errstate(over="ignore"):  # told by name where the curves are made
            return products.means()[0], found.raw / np.outer(unit, unit)

    def _solve(self, products: ClassProducts, noise: Array) -> None:
        self.class_log_prior_ = log_priors(self.priors, self.classes_, products.class_weight, type(self).__name__)
        z_means, _ = products.means()
        unit = self._view.scale
        self.means_ = self._view.center + unit * z_means
        found: Covariances = covariances(products, unit, self.covariance, self.shrinkage, self.ddof)
        self.covariance_ = found.raw[0] if found.shared else found.raw
        self.shrinkage_ = found.shrinkage
        with np.errstate(over="ignore"):  # told by name where the curves are made
            standard = found.raw / np.outer(unit, unit)
        spread, raised, condition = zip(*(regular(covariance) for covariance in standard), strict=True)
        self.raised_, self.condition_ = np.array(raised), np.array(condition)
        self._curves = BellCurves(z_means, np.array(spread), noise / unit**2)
        if self.raised_.any():
            c = int(self.raised_.argmax())
            whose = "The shared covariance" if found.shared else f"The covariance of class {label(self.classes_[c])}"
            warnings.warn(
                f"{whose} is singular or nearly so in {self.raised_[c]} of {len(unit)} directions: it is given "
                "a little variance there. Set shrinkage=, leave out columns that repeat others, or give more rows.",
                stacklevel=2,
            )
        elif not self.converged_:
            warnings.warn(
                convergence_warning(
                    f"The EM algorithm stopped after {MOST_STEPS} steps before they gained little: too many "
                    "cells are missing to determine means and covariances well. Set shrinkage=, or leave out columns."
                ),
                stacklevel=2,
            )

    # What was learnt

    @property
    def class_prior_(self) -> Array:
        """The probability of each class before a row is seen."""
        return np.exp(self.class_log_prior_)

    @property
    def column_names_(self) -> tuple[str, ...]:
        """What the columns of means and covariances stand for: a column, or `column=category`; all that vary."""
        return self._view.names

    def hyperplane(self, a: Any, b: Any) -> Hyperplane:
        """The plane between two classes, for covariances they share.

        w = Σ⁻¹ (μ_a − μ_b),   x0 = ½ (μ_a + μ_b) − ln(p(a)/p(b)) / (w·(μ_a − μ_b)) · (μ_a − μ_b)
        """
        self._fitted_schema()
        if len(self._curves.covariance) > 1:
            raise ParameterError(
                f"covariance={self.covariance!r} gives each class its own, so the boundary is curved. "
                "A plane needs covariance='shared' or 'spherical'."
            )
        classes = self.classes_.tolist()
        i, j = class_place(a, classes), class_place(b, classes)
        apart = self._curves.mean[i] - self._curves.mean[j]
        root = self._curves.whitening()[0][0]
        with np.errstate(over="ignore", invalid="ignore"):
            w = root.T @ (root @ apart)
            square = float(w @ apart)
        if not (np.isfinite(w).all() and np.isfinite(square)):
            raise InputError(
                f"Classes {label(a)} and {label(b)} spread so little next to how far they lie apart that the plane "
                "between them is beyond all numbers. Set shrinkage."
            )
        if square == 0:
            raise ParameterError(
                f"Classes {label(a)} and {label(b)} have the same mean: there is no plane between them."
            )
        ratio = float(self.class_log_prior_[i] - self.class_log_prior_[j])
        x0 = (self._curves.mean[i] + self._curves.mean[j]) / 2 - ratio / square * apart
        view = self._view
        return Hyperplane(w / view.scale, view.center + view.scale * x0, view.names, classes[i], classes[j])

    def discriminants(self, X: Any) -> Array:
        """The discriminant functions log p(c) + log p(x | c), rows × classes; the largest decides."""

        def of_block(table: Table) -> Array:
            units = np.where(self._view.present(table), np.log(self._view.scale), 0.0).sum(axis=1)
            found: Array = self._joint(table).T - units[:, None]  # densities in the units of the table
            return found

        def by_blocks(table: Table) -> Array:
            starts = range(0, table.n_rows, BLOCK_ROWS)
            return np.concatenate([of_block(table.rows(s, s + BLOCK_ROWS)) for s in starts])

        found: Array = self._over(X, by_blocks)
        return found

    def decision_function(self, X: Any) -> Array:
        """The discriminant functions; of two classes the log-odds of the second."""
        found = self.discriminants(X)
        if found.shape[1] != 2:
            return found
        with np.errstate(invalid="ignore"):
            odds = found[:, 1] - found[:, 0]
        # A row that no class can have given tells nothing: it keeps the priors.
        return np.where(np.isneginf(found).all(axis=1), self.class_log_prior_[1] - self.class_log_prior_[0], odds)

    def sample(self, n: int = 1, random_state: Any = 0) -> tuple[Table, Array]:
        """New rows and their classes, drawn from the fitted distribution.

        Indicators are drawn as numbers like the rest, and the category with the largest one is taken.
        """
        self._fitted_schema()
        rng = generator(type(self).__name__, n, random_state)
        codes = rng.choice(len(self.classes_), n, p=self.class_prior_ / self.class_prior_.sum())
        used = self._view.used
        normal = rng.standard_normal((n, len(used)))
        roots = [np.linalg.cholesky(sigma) for sigma in self._curves.covariance]
        x = np.tile(self._typical, (n, 1))
        for c in range(len(self.classes_)):
            rows = codes == c
            z = self._curves.mean[c] + normal[rows] @ roots[c % len(roots)].T
            x[np.ix_(rows, used)] += z * self._view.scale
        return drawn_table(self._view.design, x), self.classes_[codes]

    # Predicting and explaining

    def _joint(self, table: Table) -> Array:
        one = copy(self)  # of one fit: another thread may be fitting anew
        joint: Array = (
            one._curves.log_density(one._view.rows(table), one._view.present(table)) + one.class_log_prior_[:, None]
        )
        return joint

    def _explain_row(self, row: Table) -> Explanation:
        posterior = self._log_posterior(row)[0]
        best = int(np.exp(posterior).argmax())
        other = next((int(c) for c in np.argsort(-posterior, kind="stable") if c != best), best)
        terms, volume = self._curves.terms(self._view.rows(row)[0], self._view.present(row)[0])
        folded = np.zeros((len(self.classes_), row.n_columns))
        np.add.at(folded.T, self._view.owner, terms.T)
        cells = [column.labels()[0] for column in row.columns]
        evidence = [
            (name, cell, folded[:, j], self._words(j, cell, best, other))
            for j, (name, cell) in enumerate(zip(row.names, cells, strict=True))
        ]
        shared = len(self._curves.covariance) == 1
        words = "prior odds" if shared else "prior odds × ratio of volumes"
        base = self.class_log_prior_ + (0.0 if shared else volume)
        return log_odds(self.classes_.tolist(), best, posterior, base, words, evidence)

    def _words(self, j: int, cell: Any, best: int, other: int) -> str:
        """Where the two classes lie: `averages 5.006 and 5.936`."""
        if cell is None:
            return "missing, integrated out"
        place = np.flatnonzero(self._view.owner == j)
        if self._schema.columns[j].kind != "numeric" or len(place) == 0:
            return "with the other columns" if len(place) else "it never varied"
        form = self._schema.columns[j].form
        one, two = (value_text(form, float(self.means_[c, place[0]])) for c in (best, other))
        return f"averages {one} and {two}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (len(self.classes_), len(self._view.used))
        if (
            self.means_.shape != shape
            or self._curves.mean.shape != shape
            or self._typical.shape != (self._view.design.n_columns,)
            or self._view.design.schema != self._schema
        ):
            raise SavedModelError("The means and covariances do not fit the classes and columns.")


def _frequent(survey: Survey, design: Design, most: int) -> Array:
    """Which columns of the design to keep: of a nominal column's indicators the most frequent ones."""
    keep = np.ones(design.n_columns, dtype=bool)
    for j, weights in enumerate(survey.categories):
        if survey.schema.columns[j].kind == "nominal" and len(weights) - 1 > most:
            shown = np.delete(weights, design.reference[j])
            first = int(design.starts[j])
            keep[first + np.argsort(-shown, kind="stable")[most:]] = False
    return keep
