"""Gaussian discriminants: spheres, one ellipsoid for all classes, or one for each."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnt.bayes.bell_curves import BellCurves, regular
from learnt.bayes.class_products import ClassProducts, TakeClassProducts, present, standardized
from learnt.bayes.covariances import Covariances, covariances
from learnt.bayes.decisions import checked_priors, class_place
from learnt.bayes.design_rows import drawn_table
from learnt.bayes.draw import generator
from learnt.bayes.posterior import BLOCK_ROWS, JointClassifier, log_odds
from learnt.bayes.priors import Priors
from learnt.data.design import Design
from learnt.data.schema import Schema
from learnt.data.table import Array, Table, unknown_column
from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.explain import Explanation
from learnt.parameters import Domain, OneOf, Real
from learnt.wording import label, number

#: A covariance of more columns than this is refused.
WIDE = 2000


class _Noise(Domain):
    words = "None, or the variance of the noise by column name, each a number ≥ 0"

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        return isinstance(value, Mapping) and len(value) > 0 and all(v in Real(0) for v in value.values())


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """Where two classes are equally probable: `w`·(x − `x0`) = 0; that product is the log-odds of `a` against `b`."""

    w: Array
    x0: Array
    names: tuple[str, ...]
    a: Any
    b: Any

    def __str__(self) -> str:
        terms = [f"{number(w)}·({name} − {number(x)})" for w, name, x in zip(self.w, self.names, self.x0, strict=True)]
        return f"log-odds of {label(self.a)} against {label(self.b)} = " + " + ".join(terms)


class DiscriminantClassifier(JointClassifier):
    """Classify by the bell each class draws over all columns together.

        log p(c | x) = log p(c) − ½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c) − ½ log |Σ_c| + constant

    >>> people = {"height": [1.5, 1.6, 1.7, 1.8], "weight": [50, 62, 68, 81]}
    >>> model = DiscriminantClassifier().fit(people, ["short", "short", "tall", "tall"])
    >>> model.predict({"height": [1.62, None], "weight": [60, 70]}).tolist()
    ['short', 'tall']

    Numbers enter as they are, ordered categories by rank, other categories by indicators. A cell missing when
    predicting is integrated out exactly. When fitting, each mean is over the cells that are there, and each
    covariance over the rows that have both cells.

    Directions in which a class hardly varies (less than 1e-8 of the total variance) are given that variance;
    `raised_` counts them, and a warning names the class.

    | setting | default | meaning |
    |---|---|---|
    | `covariance` | "shared" | "spherical" σ²I, "shared" Σ (linear boundaries), "full" Σ_c, "diagonal" Σ_c |
    | `shrinkage` | 0 | from 0 to 1: how far covariances move to the mean variance times I; "auto" by Chen's OAS |
    | `priors` | None | class probabilities, a list or a dict; "uniform"; None for the shares of the rows |
    | `ddof` | 0 | 0: variances divide by n; 1: by n − 1, shared ones by n − number of classes |
    | `noise` | None | variance of the noise in measuring the rows to predict, by column: `{"height": 0.01}` |

    Attributes: `means_`, classes × columns of the design `column_names_`; `covariance_`, one for all or one per
    class; `class_prior_`, `class_log_prior_`; `shrinkage_`; `condition_` and `raised_`, per covariance.

    Reference: R. O. Duda, P. E. Hart, D. G. Stork, Pattern Classification, 2001, section 2.6.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})
    domains: ClassVar[dict[str, Domain]] = {
        "covariance": OneOf("shared", "spherical", "full", "diagonal"),
        "shrinkage": Real(0, 1) | OneOf("auto"),
        "priors": OneOf(None, "uniform") | Priors(),
        "ddof": OneOf(0, 1),
        "noise": _Noise(),
    }

    means_: Array
    covariance_: Array
    _design: Design
    _center: Array
    _scale: Array
    _used: Array
    _curves: BellCurves

    def __init__(
        self,
        covariance: str = "shared",
        *,
        shrinkage: float | str = 0,
        priors: Any = None,
        ddof: int = 0,
        noise: Any = None,
    ):
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.priors = priors
        self.ddof = ddof
        self.noise = noise

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        noise = _noise_by_column(self.noise, training.schema)
        survey: Survey = yield TakeSurvey()
        design = Design.of(survey, drop_reference=True)
        if design.n_columns > WIDE:
            raise InputError(
                f"The table becomes {design.n_columns} numbers a row, with an indicator per category. A covariance of "
                f"more than {WIDE} columns is not estimated. Leave out columns of many categories, or use naive Bayes."
            )
        center, variance = design.moments(survey)
        # Rounding may leave a trace of variance in a column that never varies.
        used = variance > 1e-28 * np.maximum(center**2, np.finfo(np.float64).tiny)
        scale = np.where(used, np.sqrt(np.where(used, variance, 1.0)), 1.0)
        k, gaps = len(self.classes_), bool(survey.missing.any())
        products: ClassProducts = yield TakeClassProducts(design, center, scale, k, gaps)
        self._design, self._center, self._scale, self._used = design, center, scale, np.flatnonzero(used)
        with one_blas_thread():
            self._solve(products, noise[design.owner])

    def _solve(self, products: ClassProducts, noise: Array) -> None:
        share = products.class_weight / products.class_weight.sum()
        if isinstance(self.priors, str):
            share = np.full(len(share), 1 / len(share))
        elif self.priors is not None:
            share = checked_priors(self.priors, self.classes_.tolist(), "DiscriminantClassifier: priors")
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(share)
        z_means, _ = products.means()
        self.means_ = self._center + self._scale * z_means
        found: Covariances = covariances(products, self._scale, self._used, self.covariance, self.shrinkage, self.ddof)
        self.covariance_ = found.raw[0] if found.shared else found.raw
        self.shrinkage_ = found.shrinkage
        at, unit = np.ix_(self._used, self._used), self._scale[self._used]
        spread, raised, condition = zip(*(regular(raw[at] / np.outer(unit, unit)) for raw in found.raw), strict=True)
        self.raised_, self.condition_ = np.array(raised), np.array(condition)
        self._curves = BellCurves(z_means[:, self._used], np.array(spread), noise[self._used] / unit**2)
        if self.raised_.any():
            c = int(self.raised_.argmax())
            whose = "The shared covariance" if found.shared else f"The covariance of class {label(self.classes_[c])}"
            warnings.warn(
                f"{whose} is singular or nearly so in {self.raised_[c]} of {len(self._used)} directions: it is given "
                "a little variance there. Set shrinkage=, leave out columns that repeat others, or give more rows.",
                stacklevel=2,
            )

    # What was learnt

    @property
    def class_prior_(self) -> Array:
        """The probability of each class before a row is seen."""
        return np.exp(self.class_log_prior_)

    @property
    def column_names_(self) -> tuple[str, ...]:
        """What the columns of means and covariances stand for: a column, or `column=category`."""
        return self._design.names

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
        w = root.T @ (root @ apart)
        square = float(w @ apart)
        if square == 0:
            raise ParameterError(
                f"Classes {label(a)} and {label(b)} have the same mean: there is no plane between them."
            )
        ratio = float(self.class_log_prior_[i] - self.class_log_prior_[j])
        x0 = (self._curves.mean[i] + self._curves.mean[j]) / 2 - ratio / square * apart
        whole_w, whole_x0 = np.zeros(len(self._scale)), self._center.copy()
        whole_w[self._used] = w / self._scale[self._used]
        whole_x0[self._used] += self._scale[self._used] * x0
        return Hyperplane(whole_w, whole_x0, self.column_names_, classes[i], classes[j])

    def discriminants(self, X: Any) -> Array:
        """The discriminant functions log p(c) + log p(x | c), rows × classes; the largest decides."""

        def by_blocks(table: Table) -> Array:
            starts = range(0, table.n_rows, BLOCK_ROWS)
            return np.concatenate([self._joint(table.rows(s, s + BLOCK_ROWS)).T for s in starts])

        found: Array = self._over(X, by_blocks)
        return found

    def decision_function(self, X: Any) -> Array:
        """The discriminant functions; of two classes the log-odds of the second."""
        found = self.discriminants(X)
        return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found

    def sample(self, n: int = 1, random_state: Any = None) -> tuple[Table, Array]:
        """New rows and their classes, drawn from the fitted distribution.

        Indicators are drawn as numbers like the rest, and the category with the largest one is taken.
        """
        self._fitted_schema()
        rng = generator(type(self).__name__, n, random_state)
        codes = rng.choice(len(self.classes_), n, p=self.class_prior_ / self.class_prior_.sum())
        normal = rng.standard_normal((n, len(self._used)))
        roots = [np.linalg.cholesky(sigma) for sigma in self._curves.covariance]
        x = np.tile(self._center, (n, 1))
        for c in range(len(self.classes_)):
            rows = codes == c
            z = self._curves.mean[c] + normal[rows] @ roots[c % len(roots)].T
            x[np.ix_(rows, self._used)] += z * self._scale[self._used]
        return drawn_table(self._design, x), self.classes_[codes]

    # Predicting and explaining

    def _joint(self, table: Table) -> Array:
        one = copy(self)  # of one fit: another thread may be fitting anew
        z = standardized(table, one._design, one._center, one._scale)[:, one._used]
        there = present(table, one._design)[:, one._used]
        joint: Array = one._curves.log_density(z, there) + one.class_log_prior_[:, None]
        return joint

    def _explain_row(self, row: Table) -> Explanation:
        posterior = self._log_posterior(row)[0]
        best = int(np.exp(posterior).argmax())
        other = next((int(c) for c in np.argsort(-posterior, kind="stable") if c != best), best)
        z = standardized(row, self._design, self._center, self._scale)[0, self._used]
        there = present(row, self._design)[0, self._used]
        terms, volume = self._curves.terms(z, there)
        by_column = np.zeros((len(self.classes_), len(self._scale)))
        by_column[:, self._used] = terms
        folded = self._design.fold(by_column)
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
        column, first = self._design.schema.columns[j], int(self._design.starts[j])
        if column.kind != "numeric":
            return "with the other columns"
        return f"averages {number(self.means_[best, first])} and {number(self.means_[other, first])}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p, k = self._design.n_columns, len(self.classes_)
        used = self._used
        whole = used.ndim == 1 and used.dtype.kind == "i" and len(set(used.tolist())) == len(used)
        if (
            not whole
            or (len(used) and (used.min() < 0 or used.max() >= p))
            or self._center.shape != (p,)
            or self._scale.shape != (p,)
            or self.means_.shape != (k, p)
            or self._curves.mean.shape != (k, len(used))
            or self._design.schema != self._schema
        ):
            raise SavedModelError("The means and covariances do not fit the classes and columns.")


def _noise_by_column(noise: Mapping[str, float] | None, schema: Schema) -> Array:
    """The variance of the noise of each column of the table."""
    found = np.zeros(len(schema))
    for name, variance in (noise or {}).items():
        place = schema.place(name)
        if place is None:
            raise ParameterError(f"DiscriminantClassifier: noise. {unknown_column(str(name), schema.names)}")
        if schema.columns[place].kind != "numeric":
            raise ParameterError(
                f"DiscriminantClassifier: noise is given for {name!r}, which is {schema.columns[place].kind}. "
                "Only numeric columns have noise of measurement."
            )
        found[place] = variance
    return found
