"""Terms of documents, in how many they are and how often: those of Python's Counter, however the rows are cut."""

import re
from collections import Counter

import numpy as np
import pytest

from learnt import Table
from learnt.data.texts import decoded_terms, texts_of
from learnt.data.tokens import Tokens
from learnt.engine.passes import Batch
from learnt.prepare.words.term_counts import CountDocuments, CountTerms

DOCUMENTS = ["red red blue", "", "Blue sky, red wine", "été über été", "wine wine wine sky", "a b c"]
COUNTERS = [Counter(re.findall(r"\b\w\w+\b", document.lower())) for document in DOCUMENTS]


@pytest.mark.parametrize("cut", [0, 1, 3, 6])
@pytest.mark.parametrize("kind", [texts_of, lambda documents: Table({"text": documents})], ids=["texts", "table"])
def test_counts_are_pythons_however_the_rows_are_cut(kind, cut):
    look = CountTerms(Tokens())
    parts = [look.summarize(Batch(kind(part))) for part in (DOCUMENTS[:cut], DOCUMENTS[cut:]) if part]
    found = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    words = decoded_terms(found.text, found.ends)
    assert found.rows == 6
    assert words == sorted(set().union(*COUNTERS))
    assert found.documents.tolist() == [sum(word in counter for counter in COUNTERS) for word in words]
    assert found.totals.tolist() == [sum(counter[word] for counter in COUNTERS) for word in words]


def test_documents_with_each_hash_are_counted_and_add_up():
    look = CountDocuments(Tokens(), 1 << 20, 1 << 20)  # so many that no two words meet
    one, two = (look.summarize(Batch(texts_of(part))) for part in (DOCUMENTS[:2], DOCUMENTS[2:]))
    found = one + two
    assert found.rows == 6
    n_documents = Counter(word for counter in COUNTERS for word in counter)
    assert sorted(found.documents[found.documents > 0].tolist()) == sorted(n_documents.values())
    np.testing.assert_array_equal(found.documents, look.summarize(Batch(texts_of(DOCUMENTS))).documents)
