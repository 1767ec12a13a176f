"""What `describe --notes` lists of each column, and the flag that changes it."""

from __future__ import annotations

import io
import json
import shlex

import pytest

from learnt.cli.writing.columns_read import column_facts, show_columns
from learnt.data import read

TEXT = "zip code,price,when,word\n01067,€5,31.12.2024,a\n10115,€7,01.02.2024,b\n20095,n.a.,05.06.2024,a\n"


@pytest.fixture
def table():
    return read(io.BytesIO(TEXT.encode()))


def test_facts_name_every_column_its_kind_and_a_flag_the_shell_takes(table):
    facts = column_facts(table)
    assert [(c["name"], c["kind"]) for c in facts["columns"]] == list(table.kinds.items())
    assert facts["rows"] == 3
    json.dumps(facts)
    for column in facts["columns"]:
        flag, value = shlex.split(column["to_change"])
        assert flag == "--kind"
        name, _, kind = value.rpartition("=")
        assert name == column["name"]
        changed = read(io.BytesIO(TEXT.encode()), kinds={name: kind})
        assert changed.kinds[name] == kind != table.kinds[name]


def test_each_column_has_a_line_with_cells_as_people_write_them(table, capsys):
    show_columns(table)
    shown = capsys.readouterr().out
    for words in ("zip code", "'01067'", "€5", "2024-12-31", "what was done"):
        assert words in shown
