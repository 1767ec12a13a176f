"""Vectors of words, learnt from the words that stand around them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Self

import numpy as np

from learnt.data.files.scan import Scan
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.data.texts import Texts
from learnt.data.tokens import Tokens
from learnt.engine.whole import OneMachine
from learnt.errors import InputError, SavedModelError
from learnt.lazy import cached_property
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.prepare.vectors.corpus import Corpus, corpus_of
from learnt.prepare.vectors.epochs import VectorSettings, train_vectors
from learnt.prepare.vectors.phrases import count_pairs, find_phrases
from learnt.prepare.vectors.word_numbers import WordNumbers, plain_numbers
from learnt.prepare.vectors.word_vectors import WordVectors
from learnt.prepare.words.documents import column_names_of, no_documents
from learnt.prepare.words.term_counts import TermCounts
from learnt.prepare.words.vocabulary import terms_kept
from learnt.prepare.words.word_settings import ColumnName, WordList


class Word2Vec(Transformer, listed=False):
    """Give words vectors that point the same way where the words stand among the same others.

        Σ over words w and neighbours b of them:  −log σ(x_b·y_w) − Σ_k log σ(−x_b·y_k)

    with k words drawn as noise, in proportion to n^0.75 of how often they are there. `vectors_` are the x.

    >>> texts = ["a cat drinks milk", "a kitten drinks milk", "the bank lends money", "the bank saves money"] * 50
    >>> model = Word2Vec(n_components=8, min_count=1, epochs=30, random_state=0).fit(texts)
    >>> model.vectors_.most_similar("cat", n=1)[0][0]
    'kitten'
    >>> model.transform(["milk for a kitten", None]).shape
    (2, 8)

    As a transformer it gives each document the mean of the vectors of its words, zeros where it knows none. Words are
    taken as by `BagOfWords`. Takes texts in a list, an array, a series, a column of a table or a `scan`; files, as
    `pathlib.Path`, whose lines are the documents; or a function that returns documents to iterate over, for it is read
    once for the words, for each round of phrases, and in each epoch. The same model comes out for any number of threads
    and however the documents are read.

    {settings}

    Attributes: `vectors_`, the `WordVectors`, frequent words first; `counts_`, how often each word is there;
    `document_frequency_`, in how many of the `n_documents_`; `loss_`, of each epoch for one word beside another,
    measured on one window in eight where the text has more than 131,072 words.

    References: T. Mikolov, I. Sutskever, K. Chen, G. Corrado, J. Dean, Distributed representations of words and
    phrases and their compositionality, 2013; S. Ji, N. Satish, S. Li, P. Dubey, Parallelizing word2vec in shared and
    distributed memory, 2016.
    """

    abilities = frozenset({"text", "missing", "passes"})

    n_components: int = setting(Whole(1, 10_000), "numbers in a vector", default=100, kw_only=False)
    method: str = setting(
        OneOf("skip_gram", "cbow"),
        'each neighbour tells the word, or "cbow", the mean of all neighbours does: faster, weaker on rare words',
        default="skip_gram",
    )
    window: int = setting(Whole(1, 1000), "how far neighbours may be away; each window draws 1 to so many", default=5)
    negative: int = setting(Whole(1, 1000), "noise words for each window", default=5)
    min_count: int = setting(Whole(1), "words that are there less often are left out", default=5)
    sample: float = setting(
        Real(0, 1),
        "t: of words that are a larger share f of the text, so many stay: √(t/f) + t/f; 0 for all",
        default=1e-3,
    )
    phrases: int = setting(Whole(0, 10), "how often words that belong together are joined, two at a time", default=0)
    phrase_threshold: float = setting(
        Real(above=0), "how many times more often than by chance joined words must stand together", default=100.0
    )
    learning_rate: float | None = setting(
        OneOf(None) | Real(above=0, high=10),
        "of the first step; it falls to nearly 0; None is 0.025, for CBOW 0.0375",
        default=None,
    )
    epochs: int = setting(Whole(1), "how often the documents are read", default=5)
    weighting: str = setting(
        OneOf("mean", "idf"),
        'of the words of a document: all alike, or "idf", by log((n + 1)/(n_j + 1)) + 1',
        default="mean",
    )
    lowercase: bool = setting(Flag(), "whether large and small letters are one", default=True)
    stop_words: Collection[str] | None = setting(WordList(), "words left out", default=None)
    column: str | None = setting(ColumnName(), "the column of text, where a table has several", default=None)
    random_state: Any = setting(Seed(), "seed of the start and of all draws", default=0)

    counts_: Array = attribute()
    document_frequency_: Array = attribute()
    n_documents_: int = attribute()
    loss_: Array = attribute()
    _array: Array = attribute()  # the vectors
    _text: Array = attribute()  # the words of the texts, one after the other, in UTF-8; see WordNumbers
    _ends: Array = attribute()
    _joined: Array = attribute()
    _rounds: Array = attribute()
    _places: Array = attribute()

    # Fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the vectors of the words of the documents `X`. `y` and `sample_weight` may name columns of a table,
        which then are left aside; weights of documents change nothing."""
        self._check_parameters()
        others = [role for role in (y, sample_weight) if isinstance(role, str)]
        OneMachine("goes from one document to the next").check(X, "Word2Vec")
        corpus = corpus_of(X, self.column, others, lowercase=bool(self.lowercase))
        schema = Schema((ColumnSchema(corpus.column or "x0", "nominal"),), named=corpus.column is not None)
        twin = self._twin(schema)
        twin._learn_words(corpus)
        return self._become(twin)

    def _learn_words(self, corpus: Corpus) -> None:
        numbers = self._count_words(corpus)
        rate = (0.0375 if self.method == "cbow" else 0.025) if self.learning_rate is None else float(self.learning_rate)
        settings = VectorSettings(
            int(self.n_components),
            int(self.window),
            int(self.negative),
            self.method == "cbow",
            float(self.sample),
            rate,
            int(self.epochs),
            seed_from(self.random_state),
        )
        self._array, _, self.loss_ = train_vectors(_Pieces(corpus, numbers, self._tokens()), self.counts_, settings)
        self._text, self._ends, self._places = numbers.text, numbers.ends, numbers.places
        self._joined, self._rounds = numbers.joined, numbers.rounds

    def _count_words(self, corpus: Corpus) -> WordNumbers:
        """The words that get vectors; sets how often they are there."""
        tokens, counts, least = self._tokens(), None, int(self.min_count)
        for texts in corpus.start():
            part = TermCounts(texts.n_rows, *tokens.count(texts))
            counts = part if counts is None else counts + part
        if counts is None or counts.rows == 0:
            raise no_documents(type(self).__name__)
        frequent = np.flatnonzero(counts.totals >= least)
        if len(frequent) == 0:
            raise _no_words(counts, least)
        numbers = plain_numbers(*terms_kept(counts, frequent))
        totals, documents = counts.totals[frequent], counts.documents[frequent]
        for _ in range(int(self.phrases)):
            found = self._count_pairs(corpus, numbers)
            pairs = find_phrases(found, least, float(self.phrase_threshold))
            if len(pairs) == 0:
                break
            numbers = numbers.with_phrases(pairs)
        if len(numbers.joined):
            found = self._count_pairs(corpus, numbers)
            totals, documents = found.totals, found.documents
        if not (totals >= least).any():
            raise InputError(
                f"With phrases={self.phrases} and phrase_threshold={self.phrase_threshold:g} all words join, "
                f"and no phrase is there {least} times. Join fewer, or lower min_count."
            )
        numbers, chosen = numbers.kept(totals, least)
        self.counts_, self.document_frequency_, self.n_documents_ = totals[chosen], documents[chosen], counts.rows
        return numbers

    def _count_pairs(self, corpus: Corpus, numbers: WordNumbers) -> Any:
        parts = (count_pairs(*piece, len(numbers.places)) for piece in _Pieces(corpus, numbers, self._tokens())())
        found = next(parts)
        for part in parts:
            found = found + part
        return found

    def _tokens(self) -> Tokens:
        stops = () if self.stop_words is None else tuple(sorted(map(str, self.stop_words)))
        return Tokens(bool(self.lowercase), (1, 1), stops)

    # Using

    @cached_property
    def vectors_(self) -> WordVectors:
        """The words and their vectors."""
        self._fitted_schema()
        return WordVectors(self._numbers.words(), self._array)

    @cached_property
    def _numbers(self) -> WordNumbers:
        return WordNumbers(self._text, self._ends, self._joined, self._rounds, self._places)

    def transform(self, X: Any) -> Any:
        """The mean vector of each document: an array, a frame or a `Table` as `X` is, or as `set_output` says."""
        schema = self._fitted_schema()
        column = self.column
        names = X.column_names if isinstance(X, Scan) else column_names_of(X)
        if column is None and schema.named and schema.names[0] in names:
            column = schema.names[0]
        corpus = corpus_of(X, column, (), lowercase=bool(self.lowercase))
        parts = [self._means(texts) for texts in corpus.start()]
        if sum(map(len, parts)) == 0:
            raise no_documents(type(self).__name__)
        return self._framed(np.concatenate(parts), X)

    def _means(self, texts: Texts) -> Array:
        from scipy.sparse import csr_matrix

        offsets, ids = self._numbers.sequences(texts, self._tokens())
        weights = np.ones(len(self._array))
        if self.weighting == "idf":
            weights = np.log((self.n_documents_ + 1) / (self.document_frequency_ + 1)) + 1.0
        known = ids >= 0
        before = np.concatenate([[0], np.cumsum(known)])
        words = csr_matrix((weights[ids[known]], ids[known], before[offsets]), shape=(len(offsets) - 1, len(weights)))
        sums = words @ self._array.astype(np.float64)
        of_all = np.asarray(words.sum(axis=1))
        means: Array = np.divide(sums, of_all, out=np.zeros_like(sums), where=of_all > 0)
        return means

    def table(self, X: Any) -> Table:
        """The mean vectors as a table with a column for each number."""
        return Table.of_matrix(np.asarray(self.transform(X)), [str(name) for name in self.get_feature_names_out()])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names "vector0", "vector1", …"""
        self._fitted_schema()
        return np.array([f"vector{j}" for j in range(self._array.shape[1])], dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        _check_words(self)


class _Pieces:
    """Documents as numbers, read anew each time it is called; those in memory are kept."""

    def __init__(self, corpus: Corpus, numbers: WordNumbers, tokens: Tokens):
        self.corpus, self.numbers, self.tokens = corpus, numbers, tokens
        self.kept: list[tuple[Array, Array]] | None = None

    def __call__(self) -> Iterator[tuple[Array, Array]]:
        if self.kept is not None:
            return iter(self.kept)
        made = (self.numbers.sequences(texts, self.tokens) for texts in self.corpus.start())
        if not self.corpus.in_memory:
            return made
        self.kept = list(made)
        return iter(self.kept)


def _no_words(counts: TermCounts, least: int) -> InputError:
    if len(counts.totals) == 0:
        return InputError(
            "empty vocabulary: no document has a word of two or more characters that is not a stop word. "
            "Expected at least one word. Look at the texts and at stop_words."
        )
    return InputError(
        f"None of {len(counts.totals)} words is there {least} times, the most frequent {int(counts.totals.max())}. "
        "Expected at least one. Lower min_count, or give more text."
    )


def _check_words(model: Word2Vec) -> None:
    """After loading: numbers of words lie within the words, and every word that has a vector has one."""
    n, d = model._array.shape if model._array.ndim == 2 else (0, 0)
    joined, rounds, places, ends = model._joined, model._rounds, model._places, model._ends
    if n == 0 or d != model.n_components or model._array.dtype != np.float32 or not np.isfinite(model._array).all():
        raise SavedModelError("The vectors are not rows of finite numbers, as many as n_components says.")
    if model.counts_.shape != (n,) or model.document_frequency_.shape != (n,):
        raise SavedModelError("There is not one count for each vector.")
    if np.any(model.counts_ < 1) or np.any(model.document_frequency_ < 1) or model.n_documents_ < 1:
        raise SavedModelError("A word with a vector is in no document.")
    text = model._text
    if text.dtype != np.uint8 or ends.dtype != np.int64 or text.ndim != 1 or ends.ndim != 1:
        raise SavedModelError("The words are not bytes with the places of their ends.")
    if len(ends) and (ends[0] < 0 or np.any(np.diff(ends) < 0) or ends[-1] != len(text)):
        raise SavedModelError("The words do not end where they should.")
    if joined.ndim != 2 or joined.shape[1] != 3 or joined.dtype != np.int32 or places.dtype != np.int32:
        raise SavedModelError("The phrases are not rows of three numbers.")
    if rounds.ndim != 1 or np.any(np.diff(rounds) < 0) or (rounds[-1:].sum() != len(joined)) or np.any(rounds < 0):
        raise SavedModelError("The rounds of phrases do not hold all of them.")
    if places.ndim != 1 or not np.array_equal(np.sort(places[places >= 0]), np.arange(n)) or np.any(places < -1):
        raise SavedModelError("The words and their vectors do not fit together.")
    known = len(ends)
    for first, second, becomes in joined.tolist():
        if not (0 <= first < known and 0 <= second < known and 0 <= becomes <= known):
            raise SavedModelError("A phrase is made of words that are not there.")
        known += becomes == known
    if known != len(places):
        raise SavedModelError("There is not one place for each word and phrase.")
    try:
        words = model._numbers.words()
    except UnicodeDecodeError as error:
        raise SavedModelError("The words are not text.") from error
    if len(set(words)) != n:
        raise SavedModelError("A word is there twice.")
