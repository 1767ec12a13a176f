"""Documents that are read again and again."""

from pathlib import Path

import pytest

import learnt
from learnt.errors import FileError, InputError
from learnt.prepare.vectors import corpus
from learnt.prepare.vectors.corpus import corpus_of

TEXTS = ["one two", "three", "", "four five six"]


class Again:
    def __iter__(self):
        return iter(TEXTS)


def lengths(X, column=None):
    found = corpus_of(X, column, (), lowercase=True)
    first = [texts.n_rows for texts in found.start()]
    assert [texts.n_rows for texts in found.start()] == first
    return sum(first)


def test_every_source_gives_its_documents_twice(tmp_path):
    (tmp_path / "a.txt").write_text("one two\nthree\n", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"caf\xe9 four\n\n\xff\n")
    assert lengths(TEXTS) == lengths(Again()) == lengths(lambda: iter(TEXTS)) == 4
    assert lengths({"a": [1.0] * 4, "b": TEXTS}, "b") == 4
    assert lengths(tmp_path / "a.txt") == 2
    assert lengths([tmp_path / "a.txt", tmp_path / "b.txt"]) == 5


def test_a_stream_comes_in_pieces(monkeypatch):
    monkeypatch.setattr(corpus, "MOST_DOCUMENTS", 3)
    assert [t.n_rows for t in corpus_of(Again(), None, (), lowercase=True).start()] == [3, 1]
    monkeypatch.setattr(corpus, "MOST_CHARACTERS", 1)
    assert [t.n_rows for t in corpus_of(Again(), None, (), lowercase=True).start()] == [1, 1, 2]


def test_what_can_be_read_once_is_refused():
    with pytest.raises(InputError, match=r"once.*function"):
        corpus_of(iter(TEXTS), None, (), lowercase=True)
    with pytest.raises(InputError, match=r"returned a str"):
        list(corpus_of(lambda: "text", None, (), lowercase=True).start())


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match=r"none\.txt"):
        list(corpus_of(Path(tmp_path / "none.txt"), None, (), lowercase=True).start())


def test_a_scan_is_read_batch_by_batch(tmp_path):
    (tmp_path / "a.csv").write_text("n,text\n" + "1,some words here\n" * 5, encoding="utf-8")
    assert lengths(learnt.scan(tmp_path / "a.csv"), "text") == 5
