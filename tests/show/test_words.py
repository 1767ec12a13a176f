"""Words: labels, names, counts, lists."""

from __future__ import annotations

import numpy as np
import pytest

from learnt.show.words import count_of, first_of, label, list_of, plain, plural, short_name, short_repr, wrap_words


def test_a_label_is_quoted_short_or_said_in_words():
    values = ["a", 'a "b"', None, float("nan"), np.float32(0.1), np.int64(3), np.bool_(True), np.str_("x"), "a\nb"]
    words = ["'a'", "'a \"b\"'", "missing", "missing", "0.1", "3", "True", "'x'", r"'a\nb'"]
    assert [label(value) for value in values] == words


@pytest.mark.parametrize("value", [np.float64(2), np.int32(2), np.array(2)])
def test_a_scalar_of_numpy_becomes_pythons(value):
    assert type(plain(value)) in (int, float)
    assert plain([value]) == [value]


def test_a_hostile_name_stays_on_its_line_and_in_its_width():
    assert short_name("a\nb\x1b[31m", 40) == r"a\nb\x1b[31m"
    assert short_name("x" * 50, 10) == "x" * 9 + "…"
    assert short_name(3, 10) == "3"
    assert short_repr([0] * 100, 10) == "[0, 0, ..."


@pytest.mark.parametrize("n", [0, 2, 1.5, np.int64(5)])
def test_all_but_one_are_many(n):
    assert plural(n, "row") == "rows"
    assert plural(n, "class") == "classes"
    assert (count_of(1, "row"), count_of(np.float64(1), "row").endswith(" row")) == ("1 row", True)


def test_thousands_are_parted():
    assert count_of(1_234_567, "row") == "1,234,567 rows"


@pytest.mark.parametrize(
    ("words", "most", "text"),
    [
        ([], None, ""),
        (["a"], None, "a"),
        (["a", "b"], None, "a or b"),
        (["a", "b", "c"], 3, "a, b or c"),
        (["a", "b", "c"], 2, "a, b or 1 more"),
    ],
)
def test_a_list_reads_like_a_sentence(words, most, text):
    assert list_of(words, "or", most) == text


def test_of_many_the_first_are_shown():
    assert first_of(["a", "b"], 2) == "a, b"
    assert first_of([], 2) == ""


def test_lines_keep_to_the_width_and_words_whole():
    text = wrap_words("well-known words " * 10, 40, "! ", "  ")
    assert all(len(line) <= 40 for line in text.split("\n"))
    assert text.startswith("! well-known")
    assert "\n  w" in text
    assert "well-\n" not in text
