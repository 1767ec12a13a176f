"""Documents as numbers of words and phrases."""

import numpy as np

from learnt.data.texts import encoded_terms, texts_of
from learnt.data.tokens import Tokens
from learnt.prepare.vectors.word_numbers import plain_numbers


def numbers():
    return plain_numbers(*encoded_terms(["new", "times", "york"]))


def test_words_that_are_not_known_are_minus_one():
    offsets, ids = numbers().sequences(texts_of(["New York, old York", None, "times"]), Tokens())
    assert offsets.tolist() == [0, 4, 4, 5]
    assert ids.tolist() == [0, 2, -1, 2, 1]


def test_phrases_are_joined_round_by_round_and_named_by_their_words():
    two = numbers().with_phrases(np.array([[0, 2], [2, 1]])).with_phrases(np.array([[3, 1], [0, 4]]))
    assert two.all_words() == ["new", "times", "york", "new york", "york times", "new york times"]
    assert two.joined.tolist() == [[0, 2, 3], [2, 1, 4], [3, 1, 5], [0, 4, 5]]  # two ways to one phrase
    _, ids = two.sequences(texts_of(["the New York Times of York Times"]), Tokens())
    assert ids.tolist() == [-1, 5, -1, 4]


def test_those_that_are_often_there_get_rows_frequent_ones_first():
    kept, chosen = numbers().kept(np.array([3, 9, 1]), 2)
    assert kept.places.tolist() == [1, 0, -1]
    assert chosen.tolist() == [1, 0]
    assert kept.words() == ["times", "new"]
