"""Text tables: every column begins at the same place of the terminal, whatever letters stand before it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.show.text_table import Field, aligned, aligned_lines, bar, cell_width, crop, fitted_table, pad, spark

E_ACUTE = "e" + chr(0x301)  # a letter and a combining mark
WORDS = st.lists(st.sampled_from(["a", "Z", "日", "ｱ", E_ACUTE, "…", "−", " "]), max_size=12).map("".join)


def places(text: str) -> int:
    """Independently of the library: wide letters take two places, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@given(WORDS)
def test_the_width_counts_places_not_characters(text):
    assert cell_width(text) == places(text)


@given(WORDS, st.integers(1, 14))
def test_what_is_cropped_fits_and_what_is_padded_fills(text, width):
    assert places(crop(text, width)) <= width
    assert places(pad(text, width)) == places(pad(text, width, right=True)) == width


@given(st.lists(st.tuples(WORDS.map(str.strip), WORDS.map(str.strip)), min_size=1, max_size=5))
def test_columns_end_at_one_place(rows):
    lines = aligned_lines([(*row, "|") for row in rows])
    assert len({places(line) for line in lines}) == 1


def test_columns_stand_left_or_right_without_blanks_at_the_end():
    assert aligned([("a", "日本", "x"), (E_ACUTE + "e", "b", "")], left=(0,)) == f"a   日本  x\n{E_ACUTE}e     b"


def test_what_can_be_spared_goes_first_and_names_shrink():
    fields = [
        Field("name", ["x" * 40, "y"], right=False),
        Field("kept", ["1", "2"]),
        Field("spared", ["long enough", ""], rank=2),
    ]
    wide, narrow = fitted_table(fields, 60, hidden=1200), fitted_table(fields, 20)
    assert wide.split("\n")[0].split() == ["name", "kept", "spared"]
    assert wide.endswith("… and 1200 more")
    assert narrow.split("\n")[0].split() == ["name", "kept"]
    assert "x" * 11 + "…" in narrow
    assert fitted_table([Field("name", [])], 40) == ""


@pytest.mark.parametrize(("part", "drawn"), [(0, ""), (1 / 64, "▏"), (0.5, "████"), (1, "████████")])
def test_a_bar_is_as_long_as_its_share(part, drawn):
    assert bar(part, 8) == drawn


def test_little_bars_leave_out_nothing_but_zero():
    assert spark([0, 1, 100, 50]) == " ▁█▄"
    assert spark([]) == ""
