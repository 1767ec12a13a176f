"""Documents as counts of their words."""

from __future__ import annotations

from collections.abc import Collection, Generator
from typing import Any, Self

import numpy as np

from learnt import _core
from learnt.data.files.scan import Scan
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.data.texts import Texts, decoded_terms, encoded_terms
from learnt.data.tokens import Rows, Tokens
from learnt.engine.cluster.context import as_scan
from learnt.engine.engines import run
from learnt.engine.passes import Pass
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.lazy import cached_property, optional_package
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.output import check_name_count
from learnt.learner.parameters import Flag, OneOf, Whole
from learnt.prepare.words.documents import TextSource, column_names_of, no_documents, text_source
from learnt.prepare.words.term_counts import CountDocuments, CountTerms, DocumentCounts, TermCounts
from learnt.prepare.words.vocabulary import columns_kept, given_terms, terms_kept
from learnt.prepare.words.word_settings import ColumnName, NumberedWords, Share, WordList, WordRange


class BagOfWords(Transformer):
    """Count the words of each document: one row per document, one column per word.

        x_ij = how often word j is in document i;    tf-idf: x_ij · (log((n + 1)/(n_j + 1)) + 1), rows of length 1

    with n documents, n_j of them with word j.

    >>> bag = BagOfWords().fit(["To be, or not to be", "Let be!"])
    >>> bag.get_feature_names_out().tolist()
    ['be', 'let', 'not', 'or', 'to']
    >>> bag.transform(["be that as it may be"]).toarray()
    array([[2., 0., 0., 0., 0.]])

    Words are runs of two or more letters, digits or underscores of any script. Takes a list, an array, a series or
    an Arrow column of texts, or a table with one column of text; a missing text is an empty one. The result is a SciPy
    matrix in compressed rows; `table` gives a `Table` with a column for each word.

    {settings}

    Attributes: `vocabulary_`, the column of each term (terms are in the order of their characters);
    `document_frequency_`, in how many of the `n_documents_` each is; `idf_`.

    A `scan` of files is read batch by batch; only the terms are kept.

    Reference: G. Salton, C. Buckley, Term-weighting approaches in automatic text retrieval, 1988.
    """

    abilities = frozenset({"text", "missing", "passes"})

    weighting: str = setting(
        OneOf("counts", "presence", "tfidf"),
        'or "presence", 1 for a word that is there, or "tfidf"',
        default="counts",
        kw_only=False,
    )
    lowercase: bool = setting(Flag(), "whether large and small letters are one", default=True)
    ngram_range: tuple[int, int] = setting(
        WordRange(), "how many words in a row make a term, at least and at most", default=(1, 1)
    )
    stop_words: Collection[str] | None = setting(WordList(), "words left out", default=None)
    min_df: float = setting(
        Whole(1) | Share(),
        "terms of fewer or of more documents are left out: a number, or a share (a float)",
        default=1,
    )
    max_df: float = setting(
        Whole(1) | Share(),
        "terms of fewer or of more documents are left out: a number, or a share (a float)",
        default=1.0,
    )
    max_features: int | None = setting(
        OneOf(None) | Whole(1),
        "of the terms left so many most frequent ones are kept, of equal ones the first",
        default=None,
    )
    vocabulary: Any = setting(
        WordList() | NumberedWords(),
        "the terms, given: in the order of their columns, or a dict of these",
        default=None,
    )
    n_features: int | None = setting(
        OneOf(None) | Whole(1, 2**31 - 1),
        "columns of a hashed vocabulary: terms share columns by chance, and none is kept",
        default=None,
    )
    smooth_idf: bool = setting(Flag(), "tf-idf: whether one document more, with every word, is counted", default=True)
    sublinear_tf: bool = setting(Flag(), "tf-idf: 1 + log of a count takes its place", default=False)
    norm: str | None = setting(
        OneOf("l2", "l1", None), 'tf-idf: length of a row made 1, or "l1", the sum, or None', default="l2"
    )
    dtype: str = setting(OneOf("float64", "float32"), 'or "float32"', default="float64")
    column: str | None = setting(ColumnName(), "the column of text, where a table has several", default=None)

    document_frequency_: Array | None = attribute()
    n_documents_: int = attribute()
    idf_: Array | None = attribute()
    _text: Array = attribute()  # the terms, one after the other, in UTF-8
    _ends: Array = attribute()

    # Fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the terms of the documents `X`. `y` and `sample_weight` may name columns of a table, which then are
        left aside; weights of documents change nothing."""
        self._fit(self._source_to_fit(X, y, sample_weight))
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the rows of `X` transformed: words are looked for once."""
        source = self._source_to_fit(X, y, sample_weight)
        if not source.in_memory or self._columns_given():
            self._fit(source)
            return self.transform(X)
        counts, rows = self._tokens().count_and_encode(source.given)
        kept = self._fit(source, TermCounts(source.given.n_rows, *counts))
        assert kept is not None
        return self._framed(self._weighed_rows(columns_kept(rows, kept), self._n_columns), X)

    def _source_to_fit(self, X: Any, y: Any, sample_weight: Any) -> TextSource:
        self._check_parameters()
        if self._columns_given() and self.vocabulary is not None and self.n_features is not None:
            raise ParameterError("BagOfWords: vocabulary and n_features are both set. Expected one of them at most.")
        limits = {"min_df": 1, "max_df": 1.0, "max_features": None}
        for name, default in limits.items():
            if self._columns_given() and getattr(self, name) != default:
                raise ParameterError(
                    f"BagOfWords: {name}={getattr(self, name)!r} limits a vocabulary that is "
                    f"{'given' if self.n_features is None else 'hashed'}. Expected one or the other. Leave out {name}."
                )
        X, y, sample_weight = as_scan(X, y, sample_weight)
        others = [role for role in (y, sample_weight) if isinstance(role, str)]
        source = text_source(X, self.column, others, lowercase=bool(self.lowercase))
        if source.in_memory and source.n_rows == 0:
            raise no_documents(type(self).__name__)
        return source

    def _fit(self, source: TextSource, counts: TermCounts | None = None) -> Array | None:
        """Become fitted to the documents, or to what is known of them; returns which of all terms were kept."""
        column = ColumnSchema(source.column or "x0", "nominal")
        twin = self._twin(Schema((column,), named=source.column is not None))
        kept: Array | None = run(twin._plan_texts(counts), source, type(self).__name__)
        self._become(twin)
        return kept

    def _plan_texts(self, counts: TermCounts | None) -> Generator[Pass, Any, Array | None]:
        tokens, kept = self._tokens(), None
        self.document_frequency_, self.n_documents_ = None, 0
        if self._columns_given():
            self._text, self._ends = encoded_terms(given_terms(self.vocabulary) if self.n_features is None else [])
            if self.weighting == "tfidf":
                found: DocumentCounts = yield CountDocuments(tokens, self._columns, self._n_columns)
                self.document_frequency_, self.n_documents_ = found.documents, found.rows
        else:
            if counts is None:
                counts = yield CountTerms(tokens)
            assert counts is not None
            kept = self._kept_terms(counts)
            self._text, self._ends = terms_kept(counts, kept)
            self.document_frequency_, self.n_documents_ = counts.documents[kept], counts.rows
        self.idf_ = self._inverse_frequency() if self.weighting == "tfidf" else None
        return kept

    def _tokens(self) -> Tokens:
        least, most = self.ngram_range
        stops = () if self.stop_words is None else tuple(sorted(map(str, self.stop_words)))
        return Tokens(bool(self.lowercase), (int(least), int(most)), stops, self.dtype == "float32")

    def _columns_given(self) -> bool:
        return self.vocabulary is not None or self.n_features is not None

    def _kept_terms(self, counts: TermCounts) -> Array:
        """The numbers of the terms within the limits, rising."""
        if len(counts.ends) == 0:
            raise InputError(
                "empty vocabulary; perhaps the documents only contain stop words: no document has a word of two or "
                "more characters. Expected at least one word. Look at the texts and at stop_words."
            )
        n = counts.rows
        most = self.max_df * n if isinstance(self.max_df, float) else self.max_df
        least = self.min_df * n if isinstance(self.min_df, float) else self.min_df
        if most < least:
            raise InputError(
                f"max_df corresponds to < documents than min_df: {most:g} and {least:g} of {n}. "
                "Expected at least as many. Raise max_df or lower min_df."
            )
        kept = np.flatnonzero((counts.documents <= most) & (counts.documents >= least))
        if self.max_features is not None:
            often = counts.documents if self.weighting == "presence" else counts.totals
            kept = np.sort(kept[np.argsort(-often[kept], kind="stable")[: self.max_features]])
        if len(kept) == 0:
            raise InputError(
                f"After pruning, no terms remain of {len(counts.ends)}. Expected at least one. "
                "Try a lower min_df or a higher max_df."
            )
        return kept

    def _inverse_frequency(self) -> Array:
        assert self.document_frequency_ is not None
        more = int(self.smooth_idf)
        with np.errstate(divide="ignore"):
            frequency = (self.n_documents_ + more) / (self.document_frequency_ + more)
            idf: Array = np.log(frequency) + 1.0
        return idf

    # Transforming

    def transform(self, X: Any) -> Any:
        """The documents as rows of a SciPy CSR matrix, or as the frame chosen by `set_output`."""
        return self._framed(self._matrix(X), X)

    def table(self, X: Any) -> Table:
        """The same numbers as a `Table` whose columns are called after the terms; it stays sparse."""
        return Table.of_matrix(self._matrix(X), [str(name) for name in self.get_feature_names_out()])

    def _matrix(self, X: Any) -> Any:
        from scipy.sparse import vstack

        parts = [self.matrix_of(texts) for texts in self.source_of(X).texts()]
        if sum(part.shape[0] for part in parts) == 0:
            raise no_documents(type(self).__name__)
        return parts[0] if len(parts) == 1 else vstack(parts, format="csr")

    def source_of(self, X: Any) -> TextSource:
        """The documents of `X`, in the column this was fitted on if that has a name."""
        schema = self._fitted_schema()
        name = schema.names[0] if schema.named else None
        names = X.column_names if isinstance(X, Scan) else column_names_of(X)
        column = self.column if self.column is not None else name if name in names else None
        return text_source(X, column if len(names) > 0 else None, lowercase=bool(self.lowercase))

    def matrix_of(self, texts: Texts) -> Any:
        """The matrix of documents that were prepared by `source_of`."""
        return self._weighed_rows(self._tokens().encode(texts, self._columns), self._n_columns)

    def _weighed_rows(self, rows: Rows, n_columns: int) -> Any:
        from scipy.sparse import csr_matrix

        indptr, indices, values = rows
        if self.weighting == "presence":
            values.fill(1.0)
        elif self.weighting == "tfidf":
            norm = {None: 0, "l1": 1, "l2": 2}[self.norm]
            _core.weigh_words(indptr, indices, self.idf_, bool(self.sublinear_tf), norm, values)
        if indptr[-1] < 2**31:
            indptr = indptr.astype(np.int32)
        matrix = csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, n_columns), copy=False)
        matrix.has_sorted_indices = matrix.has_canonical_format = True
        return matrix

    def _framed(self, values: Any, X: Any, passed: Collection[str] = ()) -> Any:
        from learnt.learner.output import chosen_output

        wanted = chosen_output(self)
        if wanted == "default":  # a matrix of words, mostly zeros: no frame, whatever came in
            return values
        names = [str(name) for name in self.get_feature_names_out()]
        if wanted == "pandas":
            pd = optional_package("pandas")

            index = X.index if isinstance(X, pd.DataFrame | pd.Series) else None
            sparse: Any = pd.DataFrame.sparse
            return sparse.from_spmatrix(values, columns=names, index=index)
        pl = optional_package("polars")

        return pl.DataFrame(values.toarray(), schema=names, orient="row")

    # The terms

    @property
    def _n_columns(self) -> int:
        return int(self.n_features) if self.n_features is not None else len(self._ends)

    @property
    def _columns(self) -> Any:
        return int(self.n_features) if self.n_features is not None else self._terms

    @cached_property
    def _terms(self) -> Any:
        return _core.Terms(self._text, self._ends)

    @cached_property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each term; none are known of a hashed vocabulary."""
        self._fitted_schema()
        return {term: j for j, term in enumerate(decoded_terms(self._text, self._ends))}

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The terms in the order of their columns; of a hashed vocabulary "hash0", "hash1", …"""
        self._fitted_schema()
        if self.n_features is not None:
            check_name_count(self.n_features)
            return np.array([f"hash{j}" for j in range(self.n_features)], dtype=object)
        return np.array(decoded_terms(self._text, self._ends), dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        texts, ends = self._text, self._ends
        if texts.dtype != np.uint8 or ends.dtype != np.int64 or texts.ndim != 1 or ends.ndim != 1:
            raise SavedModelError("The terms are not bytes with the places of their ends.")
        try:
            terms = set(decoded_terms(texts, ends))
        except UnicodeDecodeError as error:
            raise SavedModelError("The terms are not text.") from error
        if len(terms) != len(ends) or (
            len(ends) and (ends[0] < 0 or np.any(np.diff(ends) < 0) or ends[-1] != len(texts))
        ):
            raise SavedModelError("The terms do not end where they should, or one is there twice.")
        if self.weighting == "tfidf" and (self.idf_ is None or self.idf_.shape != (self._n_columns,)):
            raise SavedModelError("The weights do not fit the terms.")
