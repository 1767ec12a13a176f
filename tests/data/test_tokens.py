"""How documents are taken apart into words: the same as a regular expression of Python's does it."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from learnt import _core
from learnt.data.texts import decoded_terms, encoded_terms, texts_of
from learnt.data.tokens import Tokens

DOCUMENTS = ["The cat, the CAT and a dog", "", "Straße straße ÉTÉ été_2", "one two one two three", "a b c"]


def terms_of(document, tokens):
    words = re.findall(r"(?u)\b\w\w+\b", document.lower() if tokens.lowercase else document)
    words = [word for word in words if word not in tokens.stop_words]
    least, most = tokens.ngram_range
    return [" ".join(words[i : i + n]) for n in range(least, most + 1) for i in range(len(words) - n + 1)]


TOKENS = [
    Tokens(),
    Tokens(lowercase=False),
    Tokens(ngram_range=(1, 2)),
    Tokens(stop_words=("the", "one", "the")),
    Tokens(ngram_range=(2, 2), stop_words=("cat",), single=True),
]


@pytest.mark.parametrize("tokens", TOKENS, ids=str)
def test_counts_and_rows_are_those_of_a_regular_expression(tokens):
    per_document = [Counter(terms_of(document, tokens)) for document in DOCUMENTS]
    every = sorted(set().union(*per_document))
    texts = texts_of(DOCUMENTS, lowercase=tokens.lowercase)
    (text, ends, documents, totals), (indptr, indices, data) = tokens.count_and_encode(texts)
    assert decoded_terms(text, ends) == every
    assert documents.tolist() == [sum(term in counts for counts in per_document) for term in every]
    assert totals.tolist() == [sum(counts[term] for counts in per_document) for term in every]
    assert data.dtype == (np.float32 if tokens.single else np.float64)
    rows = [{every[j]: n for j, n in zip(indices[a:b], data[a:b], strict=True)} for a, b in itertools.pairwise(indptr)]
    assert rows == [dict(counts) for counts in per_document]
    for one, other in zip(tokens.count(texts), (text, ends, documents, totals), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_vocabulary_and_hashes_have_columns_of_their_own():
    tokens, texts = Tokens(), texts_of(["b a b a b", "ab cd ab zz"])
    vocabulary = _core.Terms(*encoded_terms(["zz", "ab"]))
    indptr, indices, data = tokens.encode(texts, vocabulary)
    assert (indptr.tolist(), dict(zip(indices.tolist(), data.tolist(), strict=True))) == ([0, 0, 2], {0: 1, 1: 2})
    _, hashed, counts = tokens.encode(texts, 4)
    assert hashed.max() < 4
    assert np.abs(counts).sum() <= 4
