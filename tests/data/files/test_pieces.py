"""Scans cut into pieces: by the files alone, all rows once, in their order."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.data.files.pieces import Piece, each_piece, row_counts, runs_of_groups
from learnt.data.workers import working


class Recording:
    """Workers that are this process, and remember what they were given."""

    def __init__(self):
        self.given: list[int] = []

    def each(self, function, pieces):
        self.given.append(len(pieces))
        copies = pickle.loads(pickle.dumps(list(pieces)))
        return [function(piece) for piece in copies]

    def engine(self, source, learner):
        raise NotImplementedError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("learnt.data.files.pieces.PIECE_ROWS", 100)
    rows = pd.DataFrame({"x": np.arange(1000.0), "town": np.array(["b", "a", "c"])[np.arange(1000) % 3]})
    (tmp_path / "year=2024").mkdir()
    rows.iloc[:700].to_parquet(tmp_path / "year=2024" / "0.parquet", row_group_size=60)
    (tmp_path / "year=2025").mkdir()
    rows.iloc[700:].to_parquet(tmp_path / "year=2025" / "1.parquet", row_group_size=1000)
    return tmp_path


def cells(piece: Piece) -> tuple[int, list[float]]:
    return piece.first_row, np.concatenate([t["x"].values for t in piece.scan.batches(["x"])]).tolist()


@pytest.mark.parametrize("counts", [[], [5], [99, 1, 100], [1] * 250])
def test_runs_of_row_groups_are_all_groups_and_long_enough_but_for_the_last(counts, monkeypatch):
    monkeypatch.setattr("learnt.data.files.pieces.PIECE_ROWS", 100)
    runs = list(runs_of_groups(counts))
    assert [number for start, stop in runs for number in range(start, stop)] == list(range(len(counts)))
    assert all(sum(counts[start:stop]) >= 100 for start, stop in runs[:-1])


def test_the_pieces_of_a_scan_are_its_rows(folder):
    scan = learnt.scan(folder)
    assert scan.schema["year"].kind == "numeric"
    pieces = scan.pieces()
    assert [piece.n_rows for piece in pieces] == [120] * 5 + [100, 300]
    assert all(piece.schema == scan.schema for piece in pieces)
    joined = [row for piece in pieces for batch in piece.batches() for row in batch.to_dict()["year"]]
    assert joined == [2024.0] * 700 + [2025.0] * 300
    assert [len(piece.pieces()) for piece in pieces] == [1] * 7


def test_workers_get_pieces_that_know_their_first_row(folder):
    workers = Recording()
    with working(workers):
        found = each_piece(learnt.scan(folder), cells)
    assert [first for first, _ in found] == [0, 120, 240, 360, 480, 600, 700]
    assert [x for _, held in found for x in held] == list(range(1000))


def test_without_workers_the_scan_is_the_only_piece(folder):
    assert each_piece(learnt.scan(folder), cells) == [(0, list(range(1000)))]


def test_a_survey_by_workers_finds_the_same_schema(tmp_path):
    (tmp_path / "a.csv").write_text("n,when,word\n1,2024-01-02,x\n?,2024-01-03,y\n")
    (tmp_path / "b.csv").write_text("n,when,word\n2,2024-02-01,z\n3,,10\n")
    (tmp_path / "c.csv").write_text("n,when,word\n2,2024-02-01,\n")
    workers = Recording()
    with working(workers):
        together = learnt.scan(tmp_path)
        assert together.schema == learnt.scan(tmp_path).schema
    alone = learnt.scan(tmp_path)
    assert together.schema == alone.schema
    assert together.n_rows == alone.n_rows == 5
    assert together.notes == alone.notes
    assert workers.given[0] == 3


def test_rows_are_counted_where_no_metadata_tells(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4\n")
    schema = learnt.scan(tmp_path / "a.csv").schema
    unknown = learnt.scan(tmp_path / "a.csv").with_schema(schema)
    assert unknown.n_rows is None
    assert row_counts(None, [unknown]) == [2]


def test_texts_that_a_model_knows_as_numbers_are_decided_by_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr("learnt.data.files.pieces.PIECE_ROWS", 1)
    numbers = learnt.Table({"price": [1.5, 2.5], "size": [1.0, 2.0]}).schema
    pd.DataFrame({"price": ["1,5", "2,5"], "size": [1.0, 2.0]}).to_parquet(tmp_path / "texts.parquet", row_group_size=1)
    pd.DataFrame({"price": [1.5, 2.5], "size": [1.0, 2.0]}).to_parquet(tmp_path / "numbers.parquet", row_group_size=1)
    assert len(learnt.scan(tmp_path / "texts.parquet").with_schema(numbers).pieces()) == 1
    assert len(learnt.scan(tmp_path / "numbers.parquet").with_schema(numbers).pieces()) == 2


def test_whoever_looks_at_every_batch_has_them_here(folder):
    with working(Recording()):
        scan = learnt.scan(folder)
        assert scan.workers is not None
        assert scan.with_schema(scan.schema, lambda table: None).workers is None
