"""Pairs of words that are joined."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from learnt.prepare.vectors.phrases import count_pairs, find_phrases, join_pairs, phrase_scores


def numbered(documents):
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    return offsets, np.array([word for document in documents for word in document], np.int32)


def documents(seed, n=40):
    rng = np.random.default_rng(seed)
    return [rng.integers(-1, 6, rng.integers(0, 9)).tolist() for _ in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_counted_as_by_hand(seed):
    texts = documents(seed)
    found = count_pairs(*numbered(texts), 6)
    words = Counter(w for text in texts for w in text if w >= 0)
    within = Counter(w for text in texts for w in set(text) if w >= 0)
    pairs = Counter((a, b) for text in texts for a, b in pairwise(text) if a >= 0 and b >= 0)
    assert found.rows == len(texts)
    assert found.totals.tolist() == [words[w] for w in range(6)]
    assert found.documents.tolist() == [within[w] for w in range(6)]
    keys = [(int(key) >> 32, int(key) & 0xFFFFFFFF) for key in found.keys]
    assert dict(zip(keys, found.pairs.tolist(), strict=True)) == dict(pairs)


@pytest.mark.parametrize("cut", [0, 1, 17, 40])
def test_counts_of_two_parts_add_to_those_of_the_whole(cut):
    texts = documents(3)
    both = count_pairs(*numbered(texts[:cut]), 6) + count_pairs(*numbered(texts[cut:]), 6)
    whole = count_pairs(*numbered(texts), 6)
    for name in ("rows", "totals", "documents", "keys", "pairs"):
        np.testing.assert_array_equal(getattr(both, name), getattr(whole, name))


def test_the_score_is_how_many_times_more_often_than_by_chance():
    assert phrase_scores(np.array([15]), np.array([20]), np.array([30]), 1000, 5).tolist() == [10 * 1000 / 600]


def test_pairs_above_the_threshold_are_found():
    texts = [[0, 1, 2]] * 10 + [[2, 3, 4, 5]] * 10 + [[5, 2]]
    found = find_phrases(count_pairs(*numbered(texts), 6), 5, 2.0)
    # n = 72: (0, 1), (3, 4) and their kind are there 10 times of 10 and 10: (10 − 5)·72/100 = 3.6; (1, 2), of 21: 1.7
    assert found.tolist() == [[0, 1], [3, 4]] + [[4, 5]] * ((10 - 5) * 72 / (10 * 11) > 2)


def joined_by_hand(text, pairs):
    out, i = [], 0
    while i < len(text):
        if i + 1 < len(text) and (text[i], text[i + 1]) in pairs:
            out.append(pairs[text[i], text[i + 1]])
            i += 2
        else:
            out.append(text[i])
            i += 1
    return out


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_joined_from_the_left(seed):
    texts = documents(seed)
    pairs = {(0, 0): 6, (0, 1): 7, (1, 2): 8, (2, 0): 9, (5, 5): 10}
    rows = np.array([(*pair, becomes) for pair, becomes in pairs.items()], np.int32)
    offsets, ids = join_pairs(*numbered(texts), rows)
    expected = [joined_by_hand(text, pairs) for text in texts]
    found = [ids[a:b].tolist() for a, b in pairwise(offsets)]
    assert found == expected


def test_no_pairs_change_nothing():
    offsets, ids = numbered([[0], [], [1, 2]])
    assert join_pairs(offsets, ids, np.zeros((0, 3), np.int32)) == (offsets, ids)
