"""Numbers as people write them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.data.kinds.words_box import read_cells

from learnt.data.form import Form
from learnt.errors import FileError

VALUES = np.array([0.5, 12.0, 999.25, 1234.5, -87654.75, 1234567.0])


def grouped(value, group, decimal):
    return f"{value:,.2f}".replace(",", "\0").replace(".", decimal).replace("\0", group)


GROUPS = [",", ".", " ", "'", "\u00a0", "\u202f", "\u2009", "’", ""]


@pytest.mark.parametrize(("decimal", "group"), [(d, g) for d in ".," for g in GROUPS if d != g])
@pytest.mark.parametrize("around", ["{}", "€{}", "{} €", "{}€", "$ {}", "{} %", "{}%", "CHF {}", "{} kg"])
@pytest.mark.parametrize("file_decimal", [".", ","])
def test_every_writing_gives_the_numbers_that_were_written(decimal, group, around, file_decimal):
    cells = [around.format(grouped(value, group, decimal)) for value in VALUES]
    column, _ = read_cells(cells, decimal=file_decimal)
    assert column.values.tolist() == VALUES.tolist()
    unit = around.replace("{}", "").strip()
    if unit:
        assert (column.form.unit, column.form.unit_first) == (unit, around.startswith(unit))
        assert column.schema.kind_name == "numeric"


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["(1,234)", "50"], [-1234, 50]),
        (["($4)", "$5"], [-4, 5]),
        (["−5", "3"], [-5, 3]),
        (["-$5", "$-6", "$7"], [-5, -6, 7]),
        (["+5 %", "-3 %"], [5, -3]),
        (["inf", "-Infinity", "1"], [np.inf, -np.inf, 1]),
        (['"1"', '"2.5"'], [1, 2.5]),
        (["00.5", "1"], [0.5, 1]),
        (["1e3 kg", "2 kg"], [1000, 2]),
        (["1,234", "2,5"], [1.234, 2.5]),
        (["0,123", "0,456"], [0.123, 0.456]),
        (["1.234,5", "1.500", "2"], [1234.5, 1500, 2]),
    ],
)
def test_signs_brackets_and_decimal_commas(cells, values):
    column, _ = read_cells(cells)
    assert column.values.tolist() == values


def test_a_comma_before_three_digits_sets_thousands_apart_and_the_doubt_is_said():
    column, decision = read_cells(["1,234", "2,345", "5"])
    assert column.values.tolist() == [1234, 2345, 5]
    (note,) = decision.notes
    assert note.text == "'x' is read as numbers: '1,234' is 1234. The comma could also be a decimal sign."
    assert (note.flag, note.setting) == ("--decimal ','", "decimal=','")
    assert not any("could" in n.text for n in read_cells(["1,234,567", "2"])[1].notes)


@pytest.mark.parametrize(
    "cells",
    [
        ["$5", "€6"],
        ["192.168.1.1", "10.0.0.1"],
        ["1-2", "3-4"],
        ["1st", "2nd"],
        ["12,34,5", "1,2"],
        ["(5", "6)"],
        ["1.2.3", "2.0.1"],
        ["5 apples", "6 pears"],
    ],
)
def test_what_is_not_one_writing_of_numbers_stays_text(cells):
    column, _ = read_cells(cells)
    assert column.kind == "nominal"
    assert column.labels() == cells


def test_a_unit_that_few_numbers_have_is_a_word():
    assert read_cells(["5", "6", "7 %"])[0].kind == "nominal"
    assert read_cells(["5 %", "6 %", "7"])[0].form == Form("number", "%")


@pytest.mark.parametrize(("n", "numeric"), [(19, True), (18, False), (499, True)])
def test_a_column_of_nearly_all_numbers_is_numeric_and_its_words_are_missing(n, numeric):
    column, decision = read_cells([*map(str, range(n)), "unknown"], name="age")
    assert (column.kind == "numeric") == numeric
    if numeric:
        assert column.labels() == [*range(n), None]
        (note,) = decision.notes
        assert note.text == f"In 'age', 'unknown' (1 cell, line {n + 2}) is not a number and counts as missing."
        assert (note.flag, note.setting) == ("--kind age=nominal", "kinds={'age': 'nominal'}")
        told, _ = read_cells([*map(str, range(n)), "unknown"], kinds={"x": "nominal"})
        assert told.labels() == [*map(str, range(n)), "unknown"]


def test_many_different_words_are_not_passed_over():
    words = [f"w{i}" for i in range(11)]
    assert read_cells([*map(str, range(1000)), *words])[0].kind == "nominal"
    assert read_cells([*map(str, range(1000)), *words[:10]])[0].kind == "numeric"


def test_markers_do_not_count_against_numbers():
    column, decision = read_cells(["1", "NA", "na", "-", "?", "#N/A", "n/a", "null", "None", "#VALUE!", ""])
    assert column.labels() == [1.0, *[None] * 10]
    assert decision.notes[0].text.startswith("In 'x', 'NA' (1 cell, line 3), 'na'")


def test_codes_with_leading_zeros_are_labels():
    column, decision = read_cells(["01067", "10115", "NA", "80331"], name="zip")
    assert column.labels() == ["01067", "10115", None, "80331"]
    assert decision.notes[-1].text == ("'zip' holds numbers with leading zeros, like '01067', and is read as labels.")
    assert decision.notes[-1].flag == "--kind zip=numeric"
    assert read_cells(["01067", "10115"], kinds={"x": "numeric"})[0].labels() == [1067, 10115]


def test_a_rare_leading_zero_is_a_number():
    column, _ = read_cells([*map(str, range(1, 300)), "007"])
    assert column.values[-1] == 7


def test_what_the_user_calls_numeric_must_be():
    with pytest.raises(FileError, match=r"Column 'x' holds 'two'. A number was expected.*line 3"):
        read_cells(["1", "two"], kinds={"x": "numeric"})
    assert read_cells(["1", "two", "NA"], kinds={"x": "numeric"}, missing=("two", "NA"))[0].labels() == [1, None, None]


def test_numbers_that_the_user_calls_missing_are():
    assert read_cells(["1", "-999", "5"], missing=("-999",))[0].labels() == [1, None, 5]
    assert read_cells(["1,5", "-9,9"], missing=("-9,9",), decimal=",")[0].labels() == [1.5, None]
