"""Documents into classes, in one line: words are counted, and each speaks for the classes it is frequent in."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from learnt.bayes.naive.event_models import MultinomialNB
from learnt.data.files.pieces import Piece, each_piece
from learnt.data.files.scan import Scan
from learnt.data.rows_where import rows_where
from learnt.data.table import Array, Column, Table
from learnt.engine.cluster.context import as_scan
from learnt.engine.target import class_codes
from learnt.engine.training import checked_weights
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.output import framed_classes
from learnt.learner.parameters import Domain
from learnt.learner.partial import OnePass
from learnt.learner.settings import clone
from learnt.prepare import WORD, BagOfWords
from learnt.show.numbers import MINUS


class Bag(Domain):
    words = "a BagOfWords, or None for one with its defaults"

    def __contains__(self, value: object) -> bool:
        return value is None or isinstance(value, BagOfWords)


class CountsClassifier(Domain):
    words = "a classifier that takes sparse matrices, or None for MultinomialNB"

    def __contains__(self, value: object) -> bool:
        return value is None or (isinstance(value, Classifier) and "sparse" in value.abilities)


def text_classifier(*, alpha: float = 1.0, priors: Any = None, **settings: Any) -> TextClassifier:
    """A classifier of documents: `BagOfWords` and `MultinomialNB`, whose settings these are.

    >>> mails = ["free money now", "money for free", "lunch at noon", "noon meeting, then lunch"]
    >>> model = text_classifier().fit(mails, ["spam", "spam", "ham", "ham"])
    >>> model.predict(["is lunch free at noon?"]).tolist()
    ['ham']
    """
    return TextClassifier(BagOfWords(**settings), MultinomialNB(alpha=alpha, priors=priors))


class TextClassifier(Classifier):
    """Classify documents by the counts of their words.

        log p(c | text) = log p(c) + Σ_w x_w · log θ_cw + const

    with x_w the count of word w in the text, θ_cw its share among the words of class c (`MultinomialNB`).

    >>> mails = ["free money now", "money for free", "lunch at noon", "noon meeting, then lunch"]
    >>> model = TextClassifier().fit(mails, ["spam", "spam", "ham", "ham"])
    >>> model.predict(["is lunch free at noon?"])
    array(['ham'], dtype='<U4')
    >>> print(model.highlight("is lunch free at noon?"))
    'ham': is lunch[+1] free[−1.2] at[+0.63] noon[+1]?

    {settings}

    `text_classifier(...)` takes the settings of both by their names. Documents come as `BagOfWords` takes them. The
    explanation gives the log-odds of each word; `highlight` shows them in the text.

    Attributes: `bag_` and `model_`, fitted; `classes_`.

    Reference: A. McCallum, K. Nigam, A comparison of event models for naive Bayes text classification, 1998.
    """

    abilities = frozenset({"text", "missing", "weights", "passes", "probabilities"})
    fit_cost = 20.0
    simplicity = 30.0

    bag: BagOfWords | None = setting(
        Bag(), "the `BagOfWords` that counts; None for one with its defaults", default=None, kw_only=False
    )
    model: Classifier | None = setting(
        CountsClassifier(), "the classifier of the counts; None for `MultinomialNB`", default=None, kw_only=False
    )

    bag_: BagOfWords = attribute()
    model_: Classifier = attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from documents `X` and their classes `y`: labels, or the name of the column that has them."""
        self._check_parameters()
        X, y, sample_weight = as_scan(X, y, sample_weight)
        twin = self._twin()
        twin.bag_ = BagOfWords() if self.bag is None else clone(self.bag)
        twin.model_ = MultinomialNB() if self.model is None else clone(self.model)
        if y is None:
            y = getattr(X, "target", None) if isinstance(X, Table | Scan) else None
        if y is None:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None. "
                "Give y as an array or as the name of a column of the table."
            )
        if isinstance(X, Scan):
            twin._fit_scan(X, y, sample_weight)
        else:
            X, y, sample_weight = _documents_that_count(X, y, sample_weight)
            table = X if isinstance(X, Table) and isinstance(y, str) else None
            rows = twin.bag_.fit_transform(X, y, sample_weight)
            twin.model_.fit(rows, _labels(y if table is None else table[y]), sample_weight)
        twin.classes_ = twin.model_.classes_
        twin._remember_columns(twin.bag_._fitted_schema())
        return self._become(twin)

    def _fit_scan(self, scan: Scan, y: Any, sample_weight: Any) -> None:
        """Two passes, of terms and of counts by class, over batches of the files."""
        for role in (y, sample_weight):
            if role is not None and not isinstance(role, str):
                raise InputError("With a scan, y and sample_weight are names of its columns.")
        fit_more = getattr(self.model_, "partial_fit", None)
        if fit_more is None:
            raise InputError(f"A {type(self.model_).__name__} cannot learn from a scan. Fit a table in memory.")
        self.bag_.fit(scan, y, sample_weight)
        counting = _Counting(self.bag_, self.model_, y, sample_weight, _classes_of(scan, y))
        if scan.workers is None:
            counting.go_on(scan)
            return
        if not isinstance(self.model_, OnePass):
            raise InputError(
                f"A {type(self.model_).__name__} learns from one batch after the other, which workers of a cluster "
                "cannot do side by side. Use MultinomialNB or BernoulliNB, or fit it to the files on one machine."
            )
        self.model_.add_up([model for model in each_piece(scan, counting) if model is not None])

    def _over(self, X: Any, hook: Any) -> Any:
        self._fitted_schema()
        source = self.bag_.source_of(X)
        parts = [hook(self.bag_.matrix_of(texts)) for texts in source.texts()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _probabilities(self, table: Any) -> Array:
        return np.asarray(self.model_.predict_proba(table))

    @property
    def class_log_prior_(self) -> Array:
        """Logarithms of the priors of the classes, where the model inside has some."""
        model: Any = self.model_
        logs: Array = model.class_log_prior_
        return logs

    def predict_log_proba(self, X: Any) -> Any:
        """Natural logarithms of `predict_proba`, exact also where that underflows to 0."""
        return framed_classes(self, self._over(X, self.model_.predict_log_proba), X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of documents, by weight, whose class is predicted right."""
        if isinstance(y, str):
            y = np.concatenate([_labels(c) for c in X.cells(y)]) if isinstance(X, Scan) else _labels(Table(X)[y])
        hit = self.predict(X) == np.asarray(y)
        return float(np.average(hit, weights=sample_weight))

    # Explaining

    def explain(self, X: Any) -> Explanations:
        """The log-odds of each word, for the predicted class against the runner-up."""
        self._fitted_schema()
        rows = self.bag_.transform(X)
        told, terms = self.model_.explain(rows), self.bag_.get_feature_names_out()

        def explain_words(i: int) -> Explanation:
            answer = told[i]
            evidence = tuple(replace(e, column=str(terms[int(e.column[1:])])) for e in answer.evidence)
            return replace(answer, evidence=evidence)

        return Explanations(rows.shape[0], explain_words).like(X)

    def highlight(self, text: str) -> Highlight:
        """One document with what each of its words adds: colours in a notebook, signs in print.

        The log-odds of a word are shared equally by the places where it stands. Terms of several words are in the
        explanation only.
        """
        answer = self.explain([text])[0]
        said = {e.column: e.contribution for e in answer.evidence}
        words = WORD.findall(text)
        names = self.bag_.get_feature_names_out()
        # The bag itself says which term a word is: in small letters, hashed, or none.
        rows = [row.indices for row in self.bag_.transform(list(dict.fromkeys(words)) or [""])]
        terms = {word: str(names[row[0]]) for word, row in zip(dict.fromkeys(words), rows, strict=False) if len(row)}
        times = Counter(terms[word] for word in words if word in terms)
        return Highlight(text, answer, {w: said[t] / times[t] for w, t in terms.items() if t in said})

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if not (self.bag_.__sklearn_is_fitted__() and self.model_.__sklearn_is_fitted__()):
            raise SavedModelError("The bag of words or the model inside is not fitted.")
        if self.model_.n_features_in_ != self.bag_._n_columns:
            raise SavedModelError("The model is not of the terms.")


@dataclass(frozen=True)
class _Counting:
    """A model that goes on with the documents of a scan."""

    bag: BagOfWords
    model: Any
    y: str
    weight: str | None
    classes: Array

    def go_on(self, scan: Scan) -> None:
        columns = [scan.cells(name) for name in (self.y, self.weight) if name is not None]
        for texts, target, *weights in zip(self.bag.source_of(scan).texts(), *columns, strict=True):
            self.model.partial_fit(self.bag.matrix_of(texts), _labels(target), self.classes, *map(_numbers, weights))

    def __call__(self, piece: Piece) -> Any:
        """A model of a piece alone; None if it has no documents."""
        alone = replace(self, model=clone(self.model))
        alone.go_on(piece.scan)
        return alone.model if alone.model.__sklearn_is_fitted__() else None


@dataclass(frozen=True)
class Highlight:
    """A text, why it got its class, and the log-odds that each word adds where it stands."""

    text: str
    explanation: Explanation
    words: dict[str, float]

    def _pieces(self) -> Iterator[tuple[str, float | None]]:
        """The text in pieces, words with what they add."""
        at = 0
        for match in WORD.finditer(self.text):
            yield self.text[at : match.start()], None
            yield match[0], self.words.get(match[0])
            at = match.end()
        yield self.text[at:], None

    def __str__(self) -> str:
        def show_piece(piece: str, weight: float | None) -> str:
            if weight is None:
                return piece
            size = "∞" if math.isinf(weight) else f"{abs(weight):.2g}"
            return f"{piece}[{'+' if weight >= 0 else MINUS}{size}]"

        words = "".join(show_piece(piece, weight) for piece, weight in self._pieces())
        return f"{self.explanation.prediction!r}: {words}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        most = max((abs(w) for w in self.words.values() if math.isfinite(w)), default=0) or 1.0

        def show_piece(piece: str, weight: float | None) -> str:
            if weight is None:
                return html.escape(piece)
            colour = "46, 125, 50" if weight >= 0 else "198, 40, 40"
            style = f"background: rgba({colour}, {min(abs(weight) / most, 1) * 0.6:.2f})"
            return f'<span style="{style}" title="{weight:+.3g}">{html.escape(piece)}</span>'

        words = "".join(show_piece(piece, weight) for piece, weight in self._pieces())
        answer = html.escape(str(self.explanation.prediction))
        return f'<div><b>{answer}</b><p style="white-space: pre-wrap">{words}</p></div>'


def _documents_that_count(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Array | None]:
    """Documents, classes and weights without those of weight 0: their words are not learnt."""
    if isinstance(y, str) or isinstance(sample_weight, str):
        X = Table(X)
    if sample_weight is None:
        return X, y, None
    if isinstance(sample_weight, str):
        name, sample_weight = sample_weight, X[sample_weight]
        X = X.drop(name)
    n_rows = len(next(iter(X.values()))) if isinstance(X, dict) else X.shape[0] if hasattr(X, "shape") else len(X)
    weights = checked_weights(sample_weight, n_rows)
    counts = weights > 0
    if counts.all() or not counts.any():
        return X, y, weights
    return rows_where(X, counts), y if isinstance(y, str) else rows_where(y, counts), weights[counts]


def _labels(target: Any) -> Any:
    """Labels as an array, of a column as of a list."""
    if not isinstance(target, Column):
        return target
    codes, labels = class_codes(target)
    return labels[codes]


def _numbers(column: Column) -> Array:
    return column.values if column.kind == "numeric" else np.array(column.labels(), dtype=np.float64)


def _classes_of(scan: Scan, y: str) -> Array:
    found = [classes for piece in each_piece(scan, partial(_classes_of_piece, y)) for classes in piece]
    if not found:
        raise InputError("The scan has no rows: Found array with 0 sample(s) while a minimum of 1 is required.")
    return np.unique(np.concatenate(found))


def _classes_of_piece(y: str, piece: Piece) -> list[Array]:
    found: list[Array] = []
    for column in piece.scan.cells(y):
        classes = class_codes(column)[1]
        found = [np.unique(np.concatenate([*found, classes]))]
    return found


__all__ = ["Highlight", "TextClassifier", "text_classifier"]
