"""Edits between texts, beside the table of the textbook."""

import random
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnt import _core
from learnt.distance import check_metric, levenshtein, pairwise
from learnt.distance.text_edits import edits
from learnt.errors import InputError

LEVELS = ["baseline", "avx2", "avx512"]


def by_table(a, b):
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
        above = row
    return above[-1]


@pytest.fixture(params=LEVELS)
def level(request):
    before = _core.simd_level()
    try:
        _core.set_simd_level(request.param)
    except ValueError:
        pytest.skip(f"this processor has no {request.param}")
    yield request.param
    _core.set_simd_level(before)


def texts(n, longest, alphabet, seed):
    rng = random.Random(seed)
    return ["".join(rng.choices(alphabet, k=rng.randint(0, longest))) for _ in range(n)]


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("kitten", "sitting", 3),
        ("saturday", "sunday", 3),
        ("intention", "execution", 5),
        ("Zürich", "Zurich", 1),
        ("naïve", "nai\u0308ve", 2),  # code points: i with dots is one, or i and the dots
        ("😀😃", "😃", 1),
        ("\udc80x", "x", 1),  # half a pair, as from a file name
        ("a\0b", "ab", 1),
    ],
)
def test_known_pairs(a, b, edits):
    assert levenshtein(a, b) == levenshtein(b, a) == edits
    assert pairwise([a], [b], metric="levenshtein")[0, 0] == edits


@pytest.mark.costly
@pytest.mark.parametrize("longest", [3, 8, 16, 33, 64, 65, 128, 200])
def test_all_pairs_take_the_edits_of_the_table(level, longest):
    for alphabet in ("ab", "abcdéfg", "日本語中文字😀"):
        a, b = texts(6, longest, alphabet, 1), texts(21, longest, alphabet, 2) + texts(3, 9, alphabet, 3)
        expected = np.array([[by_table(x, y) for y in b] for x in a])
        np.testing.assert_array_equal(pairwise(a, b, metric="levenshtein"), expected)
        np.testing.assert_array_equal(pairwise(b, a, metric="levenshtein"), expected.T)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=90), st.text(max_size=90))
def test_any_two_texts_take_the_edits_of_the_table(a, b):
    assert levenshtein(a, b) == by_table(a, b)
    assert pairwise([a, b], metric="levenshtein").tolist() == [[0, levenshtein(a, b)], [levenshtein(a, b), 0]]


def test_more_patterns_than_lanes_of_every_width_come_back_in_their_places(level):
    mixed = [t for pair in zip(texts(150, 8, "abc", 1), texts(150, 70, "abc", 2), strict=True) for t in pair]
    few = texts(4, 40, "abc", 3)
    expected = np.array([[levenshtein(x, y) for y in mixed] for x in few])
    np.testing.assert_array_equal(pairwise(few, mixed, metric="levenshtein"), expected)
    among = pairwise(mixed, metric="levenshtein")
    np.testing.assert_array_equal(among, among.T)
    np.testing.assert_array_equal(among, pairwise(mixed, list(mixed), metric="levenshtein"))


def test_long_texts_of_very_many_characters_are_compared_without_a_table_of_all_of_them(level):
    many = ["".join(map(chr, range(1000 + 7 * i, 9000 + 50 * i))) for i in range(3)]
    np.testing.assert_array_equal(
        pairwise(many, metric="levenshtein"), [[levenshtein(a, b) for b in many] for a in many]
    )
    # Ranges that overlap differ by what hangs over on either side.
    assert levenshtein(many[0], many[1]) == 7 + 50


def test_columns_of_text_add_up():
    x = {"first": ["Ann", "Anne"], "last": ["Meier", "Meyer"]}
    np.testing.assert_array_equal(pairwise(x, metric="levenshtein"), [[0, 2], [2, 0]])
    y = {"first": ["An"], "last": ["Maier"]}  # neither was there before
    np.testing.assert_array_equal(pairwise(x, y, "levenshtein"), [[2], [4]])


def test_edits_obey_the_axioms_and_their_share_of_the_longer_text_does_not():
    words = ["ab", "aba", "ba", "", "abba"]
    assert check_metric("levenshtein", words).holds
    found = check_metric("mixed", {"word": ["ab", "aba", "ba"]}, text_columns=["word"])
    assert [failure.axiom for failure in found.failures] == ["triangle"]
    assert found["triangle"].rows in ((0, 1, 2), (2, 1, 0))


def test_what_is_no_text_is_refused():
    with pytest.raises(InputError, match="Row 1 of X is None"):
        pairwise(["a", None], ["b"], "levenshtein")


def test_ctrl_c_ends_a_long_comparison():
    a = "ab" * 300_000
    asked = []

    def interrupt():
        asked.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    def compare():
        threading.Timer(0.3, interrupt).start()
        levenshtein(a, a[1:] + "c")

    with pytest.raises(KeyboardInterrupt):
        compare()
    assert time.process_time() - asked[0] < 5


def test_a_missing_text_is_far_from_an_empty_one_too():
    gone, empty = np.array([None], dtype=object), np.array([""], dtype=object)
    assert edits(gone, empty, relative=True)[0, 0] == 1.0
    assert edits(empty, gone, relative=True)[0, 0] == 1.0
    assert edits(empty, empty, relative=True)[0, 0] == 0.0


def test_texts_without_names_of_columns_are_compared_also_if_only_one_side_has_them():
    x, y = np.array([["ab"], ["b"]], dtype=object), np.array([["ax"], ["b"]], dtype=object)
    np.testing.assert_array_equal(pairwise(x, y, metric="levenshtein"), [[1.0, 1.0], [2.0, 0.0]])
