"""Lines cut into cells: by a sign, by runs of blanks, or at the same places."""

from __future__ import annotations

import csv

from learnt.data.files.text.cutting import LONGEST_CELL, Cutting


def test_rows_are_told_with_their_last_line_and_blank_lines_are_none():
    text = 'a,b\n\n1,"x\ny"\n2,\n'
    assert Cutting(",", '"').rows(text) == [(1, ["a", "b"]), (4, ["1", "x\ny"]), (5, ["2", ""])]
    assert Cutting(",", '"').rows(text, complete=False)[-1] == (4, ["1", "x\ny"])


def test_the_three_ways_cut_one_table_alike():
    rows = [["name", "age"], ["Ann", "31"], ["Bob", "45"]]
    by_sign = "\n".join(map(";".join, rows)) + "\n"
    by_blanks = "\n".join(f"{a}   \t {b} " for a, b in rows) + "\n"
    by_place = "\n".join(f"{a:<8}{b:>4}" for a, b in rows) + "\n"
    found = [
        Cutting(";", '"').rows(by_sign),
        Cutting(" ", '"', runs=True).rows(by_blanks),
        Cutting("\t", "", gaps=((4, 9),)).rows(by_place),
    ]
    assert all([row for _, row in cut] == rows for cut in found)


def test_the_longest_cell_does_not_depend_on_what_others_told_the_csv_module():
    text = "a,b\n1," + "x" * (LONGEST_CELL + 1) + "\n2,y\n"
    usual = csv.field_size_limit((1 << 31) - 1)
    try:
        assert Cutting(",", '"').rows(text) == [(1, ["a", "b"])]
    finally:
        csv.field_size_limit(usual)
    assert Cutting(",", '"').rows(text) == [(1, ["a", "b"])]
