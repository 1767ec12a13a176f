"""What a column is, all files of a scan decide together."""

from __future__ import annotations

import pytest

from learnt.data import read, scan
from learnt.errors import FileError


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


def test_the_files_decide_as_one_file_with_all_their_rows(tmp_path):
    parts = ["1\n2\n3\n", "x\n5\n", "07\n"]
    folder = write(tmp_path, **{f"f{i}": "a\n" + rows for i, rows in enumerate(parts)})
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "all.csv").write_text("a\n" + "".join(parts))
    one, many = read(whole / "all.csv"), scan([folder / f"f{i}.csv" for i in range(3)])
    assert dict(many.kinds) == dict(one.kinds) == {"a": "nominal"}
    assert [cell for batch in many for cell in batch["a"].labels()] == one["a"].labels()


def test_an_order_of_dates_that_one_file_shows_holds_for_all(tmp_path):
    write(tmp_path, a="d\n01/02/2024\n03/04/2024\n", b="d\n02/25/2024\n")
    days = [str(cell) for batch in scan(tmp_path) for cell in batch["d"].labels()]
    assert days == ["2024-01-02", "2024-03-04", "2024-02-25"]


def test_a_cell_that_contradicts_the_user_is_named_with_its_file(tmp_path):
    write(tmp_path, a="x\n1\n", b="x\n2\nmany\n")
    with pytest.raises(FileError, match=r"'many'.*b\.csv.*line 3"):
        scan(tmp_path, kinds={"x": "numeric"}).schema
