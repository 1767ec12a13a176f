"""Numbers: digits at the edges of rounding, signs, what is no number, NumPy's scalars."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.show.numbers import MINUS, NOTHING, figure, fixed, number, percent, signed

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)
SHARES = st.floats(0, 1)


def read(text: str) -> float:
    return float(text.replace(MINUS, "-").replace("∞", "inf"))


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (9999.4, "9999"),
        (9999.6, "1e+04"),
        (10_000.4, "10000"),
        (999_999_999.4, "999999999"),
        (1e9, "1e+09"),
        (0.0001, "0.0001"),
        (0.00009999, "0.00009999"),
        (0.00001, "0.00001"),
        (0.0000099, "9.9e-06"),
        (-1e-300, "−1e-300"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_has_four_digits_and_no_exponent_where_that_is_readable(x, words):
    assert number(x) == words


@given(FINITE)
def test_a_number_read_again_is_off_by_less_than_a_unit_of_its_fourth_digit(x):
    if 1e-300 <= abs(x) <= 1e300:
        assert math.isclose(read(number(x)), x, rel_tol=6e-4)
    assert ("-" in number(x).split("e")[0]) is False


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint16, int, float])
def test_numbers_of_any_type_are_written_alike(kind):
    assert (number(kind(3)), signed(kind(3)), figure(kind(3)), fixed(kind(3), 1)) == ("3", "+3", "3", "3.0")
    assert percent(kind(1)) == "100 %"


def test_a_sign_is_shown_unless_nothing_is_left_to_sign():
    assert [signed(x) for x in (2, -2, 0.0, -0.0)] == ["+2", "−2", "+0", "+0"]
    assert [fixed(x, 2) for x in (-0.005, -0.004, -0.0, 0.125, -12.345)] == ["−0.01", "0.00", "0.00", "0.12", "−12.35"]
    assert percent(-0.0) == "0 %"
    assert percent(-0.25) == "−25 %"


def test_where_there_is_no_number_there_is_a_dash():
    assert figure(float("nan")) == fixed(np.nan, 3) == percent(np.float64("nan"), 1) == NOTHING
    assert (fixed(np.inf, 2), percent(-np.inf)) == ("∞", "−∞ %")


@pytest.mark.parametrize(
    ("share", "decimals", "words"),
    [
        (0.95, None, "95 %"),
        (0.9995, None, "99.95 %"),
        (0.632, 0, "63 %"),
        (0.0049, 0, "0.5 %"),
        (0.00049, 0, "0.05 %"),
        (0.000049, 0, "<0.01 %"),
        (0.994, 0, "99 %"),
        (0.9951, 0, "99.5 %"),
        (0.99999, 0, ">99.99 %"),
        (1 / 3, 1, "33.3 %"),
        (0.0, 1, "0.0 %"),
        (1.0, 1, "100.0 %"),
        (1e-9, None, "<0.001 %"),
        (2.5, None, "250 %"),
        (1 - 2**-53, 1, "100.0 %"),
        (1e-17, 1, "0.0 %"),
        (123.4, None, "12340 %"),
    ],
)
def test_per_cent_says_none_or_all_only_where_it_is_so(share, decimals, words):
    assert percent(share, decimals) == words


@given(SHARES, st.sampled_from([None, 0, 1, 2]))
def test_per_cent_is_the_share_to_its_digits_and_never_a_false_none_or_all(share, decimals):
    text = percent(share, decimals)
    value = float(text.removesuffix(" %").strip("<>"))
    assert text.endswith(" %")
    assert abs(value - 100 * share) <= (0.5001 if decimals == 0 else 0.0501 if decimals in (None, 1) else 0.00501)
    assert (value in (0, 100)) == (min(share, 1 - share) < 1e-12)
