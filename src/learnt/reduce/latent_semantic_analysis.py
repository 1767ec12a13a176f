"""Latent semantic analysis of documents."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, Self

import numpy as np

from learnt.data.files.scan import Scan
from learnt.data.table import Array, Table, unknown_column
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.prepare import BagOfWords
from learnt.reduce.axes import Axes, by_random_start, by_scatter
from learnt.reduce.encoding import encoding
from learnt.reduce.pca import NARROW
from learnt.reduce.projection import Projection


class _Words(Domain):
    words = "None or a BagOfWords"

    def __contains__(self, value: object) -> bool:
        return value is None or isinstance(value, BagOfWords)


class LatentSemanticAnalysis(Projection):
    """Describe documents by few topics: words that are found in the same documents come to lie together.

        X ≈ U S Vᵀ,      scores = X V

    the singular value decomposition of the matrix of documents × terms, cut off after `n_components`. Nothing is
    centred, so that sparse rows stay sparse.

    >>> texts = ["the cat purrs", "cat and kitten", "the kitten purrs", "stocks and bonds", "bonds rise, stocks fall"]
    >>> model = LatentSemanticAnalysis(2, random_state=0).fit(texts)
    >>> model.similarity(["cat"], ["kitten", "bonds"]).round(1)
    array([[1. , 0.1]])

    Takes a list of documents, whose words it counts by `BagOfWords(weighting="tfidf")`; a sparse matrix of counts; or a
    table with a column for each term, such as `BagOfWords.table` gives. Other tables too: categories enter as
    indicators, missing cells as the mean.

    {settings}

    Attributes: `components_`, topics × terms; `singular_values_`; `explained_variance_ratio_`; `n_components_`;
    `n_iter_`, `converged_`.

    Reference: S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer, R. Harshman, Indexing by latent semantic
    analysis, 1990.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    fit_cost = 10.0
    simplicity = 25.0
    readable = True

    n_components: int = setting(
        Whole(1), "how many topics at most; never more than there are documents or terms", default=100, kw_only=False
    )
    words: Any = setting(
        _Words() | OneOf(None),
        "the `BagOfWords` that reads documents; if it is given, `X` are always documents",
        default=None,
    )
    tol: float = setting(Real(0), "how far a topic may still turn", default=1e-6)
    max_iter: int = setting(Whole(1), "most passes over the documents", default=20)
    random_state: Any = setting(Seed(), "seed of the start", default=0)

    singular_values_: Array = attribute()
    explained_variance_ratio_: Array = attribute()
    _words: BagOfWords | None = attribute()

    @property
    def _prefix(self) -> str:
        return "lsa"

    # Fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the topics of documents, or of a table of terms; see `Learner.fit`."""
        self._check_parameters()
        if self.words is None and not _are_documents(X):
            return super().fit(X, y, sample_weight)
        words = BagOfWords("tfidf") if self.words is None else clone(self.words)
        others = sample_weight if isinstance(sample_weight, str) else None
        table = words.fit(X, sample_weight=others).table(X)
        if others is not None:
            sample_weight = (X if isinstance(X, Table) else Table(X))[others].values
        twin = clone(self)
        twin.words = None
        Projection.fit(twin, table, None, sample_weight)
        twin._words, twin.words = words, self.words
        return self._become(twin)

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        self._words = None
        found = yield from encoding(training, False, scatter=len(training.schema) <= NARROW)
        count = min(self.n_components, found.n_rows, found.n_columns)
        if found.n_columns <= NARROW:
            axes = yield from by_scatter(found, count, centered=False)
        else:
            seed, name = seed_from(self.random_state), type(self).__name__
            axes = yield from by_random_start(
                found, training, count, seed, tol=self.tol, max_iter=self.max_iter, centered=False, learner=name
            )
        kept = max(axes.rank, 1)
        self._design, self.components_ = found.design, np.ascontiguousarray(axes.vectors[:kept])
        self.mean_ = np.zeros(found.n_columns)
        self.singular_values_ = np.sqrt(axes.squares[:kept]) / found.unit
        mean_scores = self.components_ @ found.mean
        total = float(found.variance.sum())
        variance = np.maximum(axes.squares[:kept] / found.weight - mean_scores**2, 0.0)
        self.explained_variance_ratio_ = variance / total if total > 0 else np.zeros(kept)
        self._settle(axes, kept)

    def _settle(self, axes: Axes, kept: int) -> None:
        self.n_components_, self.n_iter_, self.converged_ = kept, axes.n_iter, axes.converged
        if not axes.converged:
            warnings.warn(
                convergence_warning(
                    f"The last topics had not come to rest after {axes.n_iter} passes: some are about equally strong. "
                    "Raise max_iter or tol, or ask for fewer topics."
                ),
                stacklevel=2,
            )

    # Using

    def _matched(self, X: Any) -> Table:
        self._fitted_schema()
        if self._words is not None and (self.words is not None or _are_documents(X)):
            return super()._matched(self._words.table(X))
        return super()._matched(X)

    def transform(self, X: Any) -> Any:
        """The topics of each document: a `Table` or an array, or the frame chosen by `set_output`."""
        if isinstance(X, Scan) and "_words" in self.__dict__ and self._words is not None:
            X = self._words.table(X)  # the words of each document; texts themselves are not kept
            still = self._still()
            return still._framed(still._transform(Projection._matched(still, X)), X)
        return super().transform(X)

    def similarity(self, X: Any, Y: Any = None) -> Array:
        """Cosines of the angles between documents: 1 for the same topics, 0 for none in common.

        Of all pairs of X and Y, or among those of X. A document without a known word is like none, not even itself.
        """
        still = self._still()
        one = _unit_rows(still._scores(still._matched(X)))
        other = one if Y is None else _unit_rows(still._scores(still._matched(Y)))
        cosines: Array = np.clip(one @ other.T, -1.0, 1.0)
        return cosines

    def terms(self, c: int = 0, most: int = 10) -> list[tuple[str, float]]:
        """The terms that count most in a topic, with their loadings."""
        self._fitted_schema()
        loadings = self.components_[self._place(c)]
        order = np.argsort(-np.abs(loadings).round(9), kind="stable")[:most]
        names = self._design.names
        return [(names[j], float(loadings[j])) for j in order]

    def similar_terms(self, term: str, most: int = 10) -> list[tuple[str, float]]:
        """The terms that are found in the same documents, or with the same terms, most alike first."""
        self._fitted_schema()
        names = self._design.names
        if term not in names:
            raise InputError(unknown_column(term, names).replace("column", "term", 1))
        places = _unit_rows(self.components_.T * self.singular_values_)
        own = names.index(term)
        likeness = places @ places[own]
        order = [int(j) for j in np.argsort(-likeness.round(9), kind="stable") if j != own][:most]
        return [(names[j], float(likeness[j])) for j in order]

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        lines = [f"{c}: {', '.join(term for term, _ in self.terms(c, 6))}" for c in range(min(self.n_components_, 10))]
        more = [f"… and {self.n_components_ - 10} more"] if self.n_components_ > 10 else []
        return "\n".join([*lines, *more])

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (len(self.components_),)
        if self.singular_values_.shape != shape or self.explained_variance_ratio_.shape != shape:
            raise SavedModelError("There is not one singular value per topic.")
        self._check_numbers("singular_values_", "explained_variance_ratio_")
        if self._words is not None:
            if not isinstance(self._words, BagOfWords):
                raise SavedModelError("What reads the documents is not a BagOfWords.")
            self._words._check_fitted_state()
            if tuple(map(str, self._words.get_feature_names_out())) != self._schema.names:
                raise SavedModelError("The words are not the terms of the topics.")


def _are_documents(X: Any) -> bool:
    """Whether X is a list, a series or a 1-D array of texts."""
    if isinstance(X, (Table, Scan, dict, str)) or len(getattr(X, "shape", (0,))) != 1:
        return False
    try:
        first = next((text for text in X if text is not None and text == text), None)
    except (TypeError, ValueError):
        return False
    return isinstance(first, str)


def _unit_rows(rows: Array) -> Array:
    most = np.finfo(np.float64).max
    rows = np.clip(rows, -most, most)  # infinite ones have no direction, the largest have
    size = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    rows = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0)  # squares neither overflow nor vanish
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Array = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
