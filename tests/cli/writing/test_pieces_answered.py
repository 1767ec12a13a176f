"""Answers of a cluster come in the order of the pieces, whatever becomes of the workers."""

from __future__ import annotations

from concurrent.futures import CancelledError
from types import SimpleNamespace
from typing import Any

import pytest

from learnt.cli.writing import pieces_answered
from learnt.errors import ClusterError, InputError


class Workers:
    """In the place of a cluster: the last task sent ends first, and some end badly."""

    def __init__(self, bad: dict[int, list[Any]]):
        self.bad, self.sent, self.most, self.closed = bad, [], 0, False

    def data(self, data: bytes) -> bytes:
        return data

    def some_workers(self) -> dict[str, int]:
        return {"one": 1}

    def send(self, name: str, function: Any, asked: bytes, piece: bytes) -> Any:
        future = SimpleNamespace(key=f"task {len(self.sent)} of {piece!r}")
        self.sent.append((future, pieces_answered.unpacked(piece)))
        self.most = max(self.most, len(self.sent))
        return future

    def ended(self, until: Any) -> Any:
        while True:
            future, piece = self.sent.pop()
            ends = self.bad.get(piece, [])
            error = ends.pop(0) if ends else None
            yield future, (None if error else ((1, b"%d;" % piece, {}), None)), error

    def close(self) -> None:
        self.closed = True


def answered(monkeypatch: pytest.MonkeyPatch, workers: Workers, n: int = 7) -> bytes:
    pytest.importorskip("distributed", reason="a cluster needs the extra dask")
    monkeypatch.setattr(pieces_answered, "Tasks", lambda client: workers)
    fresh = SimpleNamespace(add=lambda seen: None)
    try:
        return b"".join(found[1] for found in pieces_answered.answers_of_cluster(None, "asked", list(range(n)), fresh))
    finally:
        assert workers.closed


def test_answers_come_in_the_order_of_the_pieces_and_few_are_ahead(monkeypatch):
    workers = Workers({})
    assert answered(monkeypatch, workers) == b"0;1;2;3;4;5;6;"
    assert workers.most <= pieces_answered.AHEAD


def test_a_piece_whose_worker_died_is_given_to_another(monkeypatch):
    assert answered(monkeypatch, Workers({2: [CancelledError(), CancelledError()], 5: [CancelledError()]})) == (
        b"0;1;2;3;4;5;6;"
    )


def test_a_piece_that_ends_every_worker_is_told(monkeypatch):
    with pytest.raises(ClusterError, match="CancelledError"):
        answered(monkeypatch, Workers({2: [CancelledError()] * 3}))


def test_an_error_that_is_no_loss_is_told_at_once(monkeypatch):
    with pytest.raises(ClusterError, match="disk is gone"):
        answered(monkeypatch, Workers({1: [OSError("disk is gone")]}))


def test_what_the_model_refuses_is_raised_as_it_is(monkeypatch):
    workers = Workers({})
    workers.ended = lambda until: ((future, (None, InputError("no such column")), None) for future, _ in workers.sent)
    with pytest.raises(InputError, match="no such column"):
        answered(monkeypatch, workers)
