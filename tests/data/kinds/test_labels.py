"""Labels, missing markers, booleans and texts."""

from __future__ import annotations

import numpy as np
import pytest
from tests.data.kinds.words_box import raw_column, read_cells

from learnt.data.kinds import ReadOptions, decide, finish, suspect_sentinels
from learnt.data.raw import RawColumn, Words
from learnt.data.table import Column


@pytest.mark.parametrize("marker", ["-", "?", ".", "NA", "None", "null", "NaN", "n/a"])
def test_a_marker_among_labels_is_a_label_and_that_is_said(marker):
    column, decision = read_cells(["+", marker, marker, "", "+"], name="class")
    assert column.labels() == ["+", marker, marker, None, "+"]
    (note,) = decision.notes
    assert note.text == f"'{marker}' stands 2 times in 'class' and is kept as a label."
    assert note.setting == f"missing=['{marker}']"


def test_given_markers_are_missing_everywhere_but_in_quotes():
    column, decision = read_cells(["a", "NA", '"NA"', "-"], missing=("NA",))
    assert column.labels() == ["a", None, "NA", "-"]
    assert not decision.notes
    assert read_cells(["1", "NA", '"NA"'], missing=("NA",))[0].labels() == [1, None, None]


def test_bare_markers_among_quoted_labels_are_missing():
    column, decision = read_cells(['"a"', '"NA"', "NA", '"b"'])
    assert column.labels() == ["a", "NA", None, "b"]
    assert decision.notes[0].text == "In 'x', 'NA' (1 cell, line 4) without quotes stands for missing cells."
    assert read_cells(['"a"', '"NA"', "NA", '"b"'], missing=())[0].labels() == ["a", "NA", "NA", "b"]


def test_declared_labels_are_never_missing():
    assert read_cells(["-", "+", "?"], ordinal={"x": ["-", "+"]}, missing=("-", "?"))[0].labels() == ["-", "+", None]


def test_booleans_are_true_and_false_and_nothing_else():
    column, decision = read_cells(["true", "False", "TRUE", "?", ""])
    assert column.kind == "boolean"
    assert column.labels() == [True, False, True, None, None]
    assert decision.notes[0].flag == "--kind x=nominal"
    assert read_cells(["yes", "no"])[0].kind == "nominal"
    assert read_cells(["true", "1"])[0].labels() == ["true", "1"]


def test_a_column_of_one_marker_is_missing_throughout():
    column, decision = read_cells(["?", "?", ""])
    assert column.labels() == [None] * 3
    assert decision.notes[0].text == "'x' is missing throughout: '?' (2 cells, first in line 2)."


def test_numbers_that_the_user_calls_labels_are_left_to_whoever_has_them():
    column, _ = read_cells(["1", "2"], kinds={"x": "nominal"})
    assert column.values.tolist() == [1, 2]
    column, _ = read_cells(["1", "2", "3+"], ordinal={"x": ["1", "2", "3+"]})
    assert column.labels() == ["1", "2", "3+"]
    assert read_cells(["1", "2"], ordinal={"x": ["2", "1"]})[0].labels() == ["1", "2"]


def test_long_texts_that_differ_are_text():
    texts = [f"the parcel number {i} came late and the box was open" for i in range(40)]
    column, decision = read_cells(texts, name="review")
    assert column.schema.kind_name == "text"
    assert column.labels() == texts
    assert decision.notes[0].flag == "--kind review=nominal"
    assert read_cells(texts, kinds={"x": "nominal"})[0].schema.kind_name == "nominal"
    assert read_cells(["one", "two"], kinds={"x": "text"})[0].schema.kind_name == "text"
    assert read_cells(texts[:5] * 20)[0].schema.kind_name == "nominal"


def test_a_block_is_read_by_the_decision_of_the_whole():
    whole = raw_column(["b", "a", "c", "NA"])
    decision = decide("x", whole.words, 0, 0, ReadOptions())
    block = finish(raw_column(["c", "a", "zz"]), decision)
    assert block.categories == ("NA", "a", "b", "c")
    assert block.labels() == ["c", "a", None]


def test_labels_of_many_are_sorted_as_those_of_few():
    rng = np.random.default_rng(0)
    texts = tuple({f"{a}é{b}" for a, b in rng.integers(0, 10**6, (12_000, 2))})
    n = len(texts)
    words = Words(texts, np.zeros(n, bool), np.ones(n, np.int64), np.arange(n))
    decision = decide("x", words, 0, 0, ReadOptions())
    assert decision.categories == tuple(sorted(texts))
    column = finish(RawColumn("x", words, np.arange(n, dtype=np.int32)), decision)
    assert column.labels() == list(texts)


def test_an_empty_column_is_numeric():
    assert read_cells([])[0].kind == "numeric"
    assert read_cells(["", ""])[0].labels() == [None, None]


def test_sentinels_are_suspected_and_nothing_is_changed():
    values = np.array([*range(20, 60), -999, -999, -999, -999.0])
    (note,) = suspect_sentinels([Column("age", "numeric", values)])
    assert note.text.startswith("-999 stands in 4 cells of 'age', far from its other numbers.")
    assert (note.flag, note.setting) == ("--missing -999", "missing=['-999']")
    steps = Column("x", "numeric", np.arange(-1100.0, 1100.0))
    assert not suspect_sentinels([steps, Column("y", "numeric", np.array([99.0] * 5 + [98.0] * 5))])
