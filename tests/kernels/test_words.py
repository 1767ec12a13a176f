"""Counting words against Python's own: re, str.lower, Counter and sorted."""

import random
import re
import sys
from collections import Counter

import numpy as np
import pytest
from tests.kernels.layouts import same_for_any_threads

from learnt import _core
from learnt.data.texts import _LAST, characters, decoded_terms, encoded_terms, texts_of

ODD = "abXY  .,'_-09éÉßẞİıΣσςΑα𝔘😀\u0301\u0307ṢȺⱥКкǅǆ中文٣٤\u00a0\u2028²½Ⅷªºﬁ가힣ʰ\u06dd\ud800"


def odd_texts(n, seed=0, length=60):
    rng = random.Random(seed)
    return ["".join(rng.choices(ODD, k=rng.randrange(length))) for _ in range(n)]


def python_terms(text, lowercase=True, least=1, most=1, stops=()):
    words = [w for w in re.findall(r"(?u)\b\w\w+\b", text.lower() if lowercase else text) if w not in stops]
    return [" ".join(words[i : i + n]) for n in range(least, most + 1) for i in range(len(words) - n + 1)]


def rules(lowercase=True, least=1, most=1, stops=()):
    return _core.TokenRules(
        lowercase, least, most, _core.Terms(*encoded_terms(list(stops))) if stops else None, characters()
    )


CASES = [{}, {"lowercase": False}, {"least": 1, "most": 3}, {"least": 2, "most": 2}, {"stops": ("ab", "éé", "x_")}]


@pytest.mark.costly
@pytest.mark.parametrize("case", CASES, ids=str)
def test_terms_and_counts_are_pythons_for_odd_texts(case):
    texts = odd_texts(1500)
    given = texts_of(texts, lowercase=case.get("lowercase", True)).documents
    wanted = [Counter(python_terms(text, **case)) for text in texts]
    terms = sorted(set().union(*wanted))
    (text, ends, documents, totals), (indptr, indices, data) = _core.count_and_encode_words(given, rules(**case), False)
    assert decoded_terms(text, ends) == terms
    assert documents.tolist() == [sum(term in counts for counts in wanted) for term in terms]
    assert totals.tolist() == [sum(counts[term] for counts in wanted) for term in terms]
    for i, counts in enumerate(wanted):
        row = slice(indptr[i], indptr[i + 1])
        assert [(terms[j], n) for j, n in zip(indices[row], data[row], strict=True)] == sorted(counts.items())
    again = _core.encode_words(given, rules(**case), _core.Terms(text, ends), True)
    assert again[2].dtype == np.float32
    for one, other in zip(again, (indptr, indices, data), strict=True):
        np.testing.assert_array_equal(one, other)


def test_every_character_is_a_word_character_or_not_as_python_says():
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    assert not any(c.isalnum() or c.lower() != c for c in every[_LAST:])  # what the tables leave out
    some = every[:0x3000] + every[0xA000:0x12000] + every[0x1D000:0x1F000]
    texts = [f"q{c}q {c}{c}" for c in some]
    found = _core.count_words(texts_of(texts).documents, rules())
    assert decoded_terms(*found[:2]) == sorted(set().union(*map(python_terms, texts)))


def test_long_words_and_long_documents_are_counted_like_short_ones():
    texts = ["w" * n for n in range(200)] + [" ".join(f"w{i % 777}" for i in range(50_000))]
    found = _core.count_words(texts_of(texts).documents, rules())
    wanted = Counter(term for text in texts for term in python_terms(text))
    assert dict(zip(decoded_terms(*found[:2]), found[3].tolist(), strict=True)) == wanted


def test_bits_of_word_counts_do_not_depend_on_threads():
    given = texts_of(odd_texts(3000, seed=3)).documents
    same_for_any_threads(lambda: _core.count_words(given, rules()))
    same_for_any_threads(lambda: [a for part in _core.count_and_encode_words(given, rules(), False) for a in part])
    same_for_any_threads(lambda: _core.hash_words(given, rules(most=2), 101, False))


def test_joined_vocabularies_are_the_sorted_union():
    one, two = ["ab", "cd", "éé"], ["aa", "cd", "zz", "😀"]
    text, ends, here, there = _core.join_terms(*encoded_terms(one), *encoded_terms(two))
    union = sorted({*one, *two})
    assert decoded_terms(text, ends) == union
    assert [union[i] for i in here] == one
    assert [union[i] for i in there] == two
    empty = encoded_terms([])
    assert decoded_terms(*_core.join_terms(*empty, *encoded_terms(two))[:2]) == two
    assert len(_core.join_terms(*empty, *empty)[1]) == 0


def test_arrow_pieces_and_strings_are_the_same_documents():
    texts = ["Rain, rain", "", "sun and été"]
    raw = "".join(texts).encode()
    ends = np.cumsum([0, *(len(t.encode()) for t in texts)], dtype=np.int64)
    pieces = _core.Documents(np.frombuffer(raw, np.uint8), ends, None)
    for one, other in zip(
        _core.count_words(pieces, rules()), _core.count_words(texts_of(texts).documents, rules()), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    gone = _core.Documents(np.frombuffer(raw, np.uint8), ends, np.array([True, True, False]))
    assert decoded_terms(*_core.count_words(gone, rules())[:2]) == ["rain"]


def test_pieces_outside_of_the_text_are_refused():
    text = np.frombuffer(b"rain", np.uint8)
    for offsets in ([0, 5], [-1, 2], [3, 2], [0, 2**62]):
        with pytest.raises(ValueError, match="Document 0 lies outside"):
            _core.Documents(text, np.array(offsets, np.int64), None)
    with pytest.raises(ValueError, match="'offsets' is empty"):
        _core.Documents(text, np.zeros(0, np.int64), None)
    with pytest.raises(ValueError, match="Term 1 lies outside"):
        _core.Terms(text, np.array([2, 9], np.int64))
    with pytest.raises(ValueError, match="Term 1 stands there twice"):
        _core.Terms(np.frombuffer(b"abab", np.uint8), np.array([2, 4], np.int64))


def test_bytes_that_are_no_text_do_no_harm():
    rng = np.random.default_rng(0)
    raw = rng.integers(0, 256, 20_000).astype(np.uint8)
    offsets = np.append(np.sort(rng.integers(0, 20_000, 300)), 20_000)
    offsets[0] = 0
    counted = _core.count_words(_core.Documents(raw, offsets, None), rules())
    assert all(len(term) >= 2 for term in decoded_terms(*counted[:2]))


def test_objects_that_are_no_text_are_refused():
    with pytest.raises(TypeError, match="Document 1 is neither"):
        _core.Documents(("ab", 5))


def test_word_ranges_that_make_no_sense_are_refused():
    for least, most in ((0, 1), (2, 1)):
        with pytest.raises(ValueError, match="Expected 1 or more"):
            _core.TokenRules(True, least, most, None, None)
    with pytest.raises(ValueError, match="no such character"):
        _core.Characters(np.array([[0, 2**30]], np.int32), *(np.zeros(0, np.int32),) * 3)


@pytest.mark.parametrize("norm", [0, 1, 2])
@pytest.mark.parametrize("sublinear", [False, True])
def test_weighing_is_numpys(norm, sublinear, dtype):
    rng = np.random.default_rng(1)
    indptr = np.array([0, 0, 3, 10, 10], np.int64)
    indices, values = rng.integers(0, 6, 10).astype(np.int32), rng.integers(1, 9, 10).astype(dtype)
    factor = rng.random(6)
    wanted = (1 + np.log(values.astype(float)) if sublinear else values.astype(float)) * factor[indices]
    for a, b in ((0, 3), (3, 10)):
        wanted[a:b] /= 1 if norm == 0 else np.linalg.norm(wanted[a:b], norm)
    _core.weigh_words(indptr, indices, factor, sublinear, norm, values)
    np.testing.assert_allclose(values, wanted, rtol=1e-6 if dtype == np.float32 else 1e-14)


def test_weighing_refuses_what_points_outside():
    values = np.ones(2)
    with pytest.raises(ValueError, match="Row 0 of the sparse matrix"):
        _core.weigh_words(np.array([0, 3]), np.zeros(2, np.int32), None, False, 0, values)
    with pytest.raises(ValueError, match="has no factor"):
        _core.weigh_words(np.array([0, 2]), np.array([0, 7], np.int32), np.ones(3), False, 0, values)
