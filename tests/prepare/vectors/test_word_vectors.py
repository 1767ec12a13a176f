"""Which words are alike."""

import numpy as np
import pytest

from learnt import WordVectors
from learnt.errors import InputError, ParameterError

WORDS = ["king", "queen", "man", "woman", "apple"]
ROWS = [[2, 1, 0], [2, -1, 0], [0, 1, 0], [0, -1, 0], [0, 0, 3]]


@pytest.fixture
def vectors():
    return WordVectors(WORDS, ROWS)


def test_a_word_finds_its_vector(vectors):
    assert vectors["queen"].tolist() == [2, -1, 0]
    assert len(vectors) == 5
    assert list(vectors) == WORDS
    assert "man" in vectors
    assert "men" not in vectors


def test_similarity_is_the_cosine(vectors):
    assert vectors.similarity("king", "queen") == pytest.approx(3 / 5)
    assert vectors.similarity("man", "woman") == -1
    assert vectors.similarity("king", "apple") == 0


def test_the_most_similar_words_are_those_of_the_largest_cosines(vectors):
    unit = np.array(ROWS) / np.linalg.norm(ROWS, axis=1, keepdims=True)
    found = vectors.most_similar("king", n=4)
    order = np.argsort(-(unit @ unit[0])[1:], kind="stable") + 1
    assert [word for word, _ in found] == [WORDS[i] for i in order]
    np.testing.assert_allclose([c for _, c in found], np.sort(unit[1:] @ unit[0])[::-1], atol=1e-6)
    assert vectors.most_similar(["king", "woman"], ["man"], n=1)[0][0] == "queen"
    assert vectors.most_similar([0.0, 0.0, 1.0], n=1)[0][0] == "apple"
    assert vectors.most_similar(np.array([0.0, 0.0, 1.0]), n=1)[0][0] == "apple"
    assert vectors.most_similar("king", n=100)[-1][0] in WORDS


def test_an_analogy_is_completed(vectors):
    assert vectors.analogy("man", "king", "woman") == "queen"


def test_unknown_words_are_named_with_the_nearest_spelling(vectors):
    with pytest.raises(InputError, match=r"'quen' among 5 words\. Did you mean 'queen'\?"):
        vectors["quen"]
    with pytest.raises(InputError, match="Did you mean 'king'"):
        vectors.most_similar("KING")
    with pytest.raises(InputError, match="None of the words"):
        vectors.similarity("king", "zzzzzzz")
    with pytest.raises(InputError, match="is not a word"):
        vectors[3]
    with pytest.raises(InputError, match="3 finite numbers"):
        vectors.most_similar([1.0, 2.0])


@pytest.mark.parametrize("given", [(), [[0.0, 0.0, 0.0]], np.zeros(3)], ids=["none", "zeros", "array"])
def test_questions_without_a_word_are_refused(vectors, given):
    with pytest.raises(InputError, match="No word was given"):
        vectors.most_similar(given)
    with pytest.raises(ParameterError, match="n=0"):
        vectors.most_similar("king", n=0)


@pytest.mark.parametrize(
    ("words", "rows"),
    [(["a"], [[1], [2]]), (["a", "a"], [[1], [2]]), (["a"], [[np.nan]]), (["a"], [[]]), (["a"], [1])],
)
def test_words_and_vectors_must_fit(words, rows):
    with pytest.raises(InputError):
        WordVectors(words, rows)


def test_a_vector_of_zeros_is_like_none():
    vectors = WordVectors(["a", "b"], [[0, 0], [1, 0]])
    assert vectors.similarity("a", "b") == 0
    assert vectors.most_similar("a") == [("b", 0.0)]
    with pytest.raises(InputError, match="analogy"):
        vectors.analogy("a", "b", "b")
