"""Files as people have them, one habit each, and the table that each must become.

`tests/data/nasty/expected.json` says for every file how many rows there are, and for every column its kind, how many
cells are missing and what the first cells are; which words the notes must have; and with which settings it is read.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from learnt.data import Table, read, scan

FOLDER = Path(__file__).parents[1] / "nasty"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


def shown(cell):
    """Dates and times as text, all else as it is."""
    text = str(cell)
    if cell is None or isinstance(cell, (str, bool, float, int)):
        return cell
    return text.removesuffix("+00:00")


def summary(table: Table, expected: dict) -> dict:
    columns = {}
    for name in table.names:
        column = table[name]
        first = [shown(cell) for cell in column.labels()[: len(expected["columns"].get(name, [0, 0, []])[2])]]
        columns[name] = [table.kinds[name], int(column.missing.sum()), first]
    return {"rows": table.n_rows, "columns": columns}


def settings_of(name: str) -> tuple[str, dict]:
    settings = dict(EXPECTED[name]["settings"])
    inner = settings.pop("table", None)
    return str(FOLDER / name) + (f"::{inner}" if inner else ""), settings


def test_every_file_has_its_table():
    assert {path.name for path in FOLDER.iterdir()} - {"expected.json", ".gitattributes"} == set(EXPECTED)
    assert len(EXPECTED) >= 60


@pytest.mark.parametrize("name", EXPECTED)
def test_a_nasty_file_becomes_the_table_it_must(name):
    path, settings = settings_of(name)
    expected = EXPECTED[name]
    table = read(path, **settings)
    assert summary(table, expected) == {"rows": expected["rows"], "columns": expected["columns"]}
    said = "\n".join(note.text for note in table.notes)
    assert [words for words in expected["notes"] if words not in said] == []


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name]["rows"]])
def test_a_scan_of_a_nasty_file_gives_the_same_cells(name):
    path, settings = settings_of(name)
    table, scanned = read(path, **settings), scan(path, batch_rows=2, **settings)
    batches = list(scanned)
    assert dict(scanned.kinds) == dict(table.kinds)
    for column in table.names:
        assert [cell for batch in batches for cell in batch[column].labels()] == table[column].labels()
