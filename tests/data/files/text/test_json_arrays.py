"""JSON arrays of objects, and JSON that means harm."""

from __future__ import annotations

import io
import json

import pytest

from learnt.data import read, scan
from learnt.errors import FileError, KindError

ROWS = [{"a": i, "s": 'x"}] \\ é' * (i % 3), "b": i % 2 == 0} for i in range(500)]


def bytes_of(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_an_array_is_the_table_of_its_lines(indent, mark, tmp_path):
    lines = read(bytes_of("\n".join(map(json.dumps, ROWS))))
    text = mark + json.dumps(ROWS, indent=indent, ensure_ascii=False)
    assert read(bytes_of(text)).to_dict() == lines.to_dict()
    (tmp_path / "t.json").write_text(text, encoding="utf-8")
    assert sum(b.n_rows for b in scan(tmp_path / "t.json", batch_rows=99)) == 500


def test_arrays_longer_than_a_chunk_are_cut_right():
    rows = [{"k": i, "s": '"\\' * (i % 50) + "[{"} for i in range(20_000)]
    assert read(bytes_of(json.dumps(rows)))["s"].labels() == [row["s"] for row in rows]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[\n{"a": 1},\n7]', 3, "Objects"),
        ('[{"a": 1},\n["b"]]', 2, "Objects"),
        ('[{"a": 1},\n{"a": 2}', 2, "not closed"),
        ('[{"a": 1}]\n[', 2, "after the end"),
        ('[\n{"a": 1},\n\n{"a": }]', 4, "not JSON"),
        ('[{"a": 1},\n{"a": "x"}]', 2, "'a'"),
        ("[]", None, "empty"),
        ('[{"a": "cut', 1, "not closed"),
    ],
)
def test_mistakes_are_told_with_their_line(text, line, words):
    with pytest.raises(FileError, match=words) as caught:
        read(bytes_of(text), format="jsonl")
    assert caught.value.line == line


@pytest.mark.parametrize("whole", ["{}", "[{}]", "[{}", '{{"b": 1}}\n{}'])
def test_bottomless_values_are_refused_and_not_followed(whole):
    deep = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    with pytest.raises(FileError, match="nested deeper"):
        read(bytes_of(whole.replace("{{", "{").replace("}}", "}").replace("{}", deep)), format="jsonl")


def test_brackets_inside_strings_are_not_deep():
    assert read(bytes_of(json.dumps({"a": "[{" * 1000}) + "\n"))["a"].labels() == ["[{" * 1000]
    with pytest.raises(KindError, match="nested values"):
        read(bytes_of('[{"a": [1, 2]}]'))


def test_keys_that_differ_in_every_object_are_refused():
    with pytest.raises(FileError, match="different keys"):
        read(bytes_of("\n".join(f'{{"k{i}": 1}}' for i in range(20_000))))
    assert read(bytes_of("\n".join(f'{{"k{i}": 1}}' for i in range(300)))).shape == (300, 300)
