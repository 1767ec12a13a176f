"""A worker's pieces: state that is made again where it was lost, calls that come twice, room that is given back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.engine import Batch, Pass, Statistic
from learnt.engine.cluster.kept_rows import StoppedError
from learnt.engine.cluster.machine import Machine
from learnt.engine.cluster.payload import packed, unpacked
from learnt.engine.cluster.session import Answer, Call, Session
from learnt.engine.cluster.tree import SumTree
from learnt.engine.rows_seen import RowsSeen


@dataclass
class Numbers:
    """A piece: two batches of numbers, read as often as is counted."""

    first: int
    read: int = 0
    n_rows: int = 4

    def rows(self):
        self.read += 1
        for start in (self.first, self.first + 2):
            yield Batch(Table({"x": np.arange(start, start + 2, dtype=float)}), start)

    def seen(self, batch):
        return RowsSeen.of(batch, ends=False)


@dataclass(frozen=True)
class Total(Statistic):
    rows: int
    total: float

    def _merge(self, other: Total) -> Total:
        return Total(self.rows + other.rows, self.total + other.total)


class Plain(Pass):
    def summarize(self, batch: Batch) -> Total:
        return Total(batch.n_rows, float(batch.table["x"].values.sum()))


class OnThreads(Plain):
    whole = False


@dataclass(frozen=True)
class Multiply(Pass):
    """State: the numbers, multiplied by one factor after the other. Nothing but the rows brings back a lost one."""

    factor: float
    state = "required"

    def __call__(self, batch, state):
        values = (batch.table["x"].values if state is None else state) * self.factor
        return Total(batch.n_rows, float(values.sum())), values


class Failing(Multiply):
    def __call__(self, batch, state):
        if batch.first_row % 4:
            raise ZeroDivisionError
        return super().__call__(batch, state)


def session(n_pieces: int = 3, memory: int = 1 << 20, threads: int = 1) -> Session:
    return Session([Numbers(4 * number) for number in range(n_pieces)], Machine("here", threads, memory, False))


def ask(worker: Session, request: Pass, numbers, serial: int, earlier=(), start: int = 0, needed=None) -> Answer:
    needed = start + len(earlier) if needed is None else needed
    call = Call("fit", serial, tuple(numbers), tuple(range(3)), needed, start)
    return worker.answer(call, packed(request), [packed(one) for one in earlier])


def total(answer: Answer, n_pieces: int = 3) -> float:
    tree = SumTree(n_pieces)
    tree.put_all(unpacked(answer.nodes))
    return sum(found.statistic.total for found in tree.nodes.values())


def test_a_pass_runs_over_the_pieces_asked_for():
    answer = ask(session(), Plain(), [0, 2], 1)
    assert total(answer) == sum(range(4)) + sum(range(8, 12))
    assert answer.rows == 8


def test_passes_that_do_not_thread_run_side_by_side_with_the_same_sums():
    assert ask(session(threads=3), OnThreads(), [0, 1, 2], 1) == ask(session(), OnThreads(), [0, 1, 2], 1)


def test_rows_are_read_once_where_there_is_room_and_each_time_where_there_is_none():
    for memory, times in ((1 << 20, 1), (0, 3)):
        worker = session(memory=memory)
        for serial in range(3):
            assert total(ask(worker, Plain(), [0, 1, 2], serial)) == 66
        assert [source.read for source in worker.sources] == [times] * 3


def test_rows_are_kept_once_they_are_read_oftener_than_was_said():
    worker, looks = session(), [Plain() for _ in range(5)]
    looks[0].reads_left = 1
    for serial, (look, times) in enumerate(zip(looks, (1, 2, 3, 3, 3), strict=True)):
        assert total(ask(worker, look, [0, 1, 2], serial)) == 66
        assert [source.read for source in worker.sources] == [times] * 3


def test_a_call_that_comes_again_is_answered_again_and_changes_no_state():
    worker = session()
    first = ask(worker, Multiply(2), [0, 1, 2], 1)
    assert ask(worker, Multiply(2), [0, 1, 2], 1) == first
    assert total(ask(worker, Multiply(3), [0, 1, 2], 2, [Multiply(2)])) == 6 * 66


def test_a_piece_that_comes_from_another_worker_is_brought_up_by_the_passes_it_lacks():
    done = [Multiply(2), Multiply(3)]
    assert total(ask(session(), Multiply(5), [1], 3, done)) == 30 * sum(range(4, 8))


def test_a_worker_that_is_not_told_enough_says_what_it_lacks():
    worker = session()
    answer = ask(worker, Multiply(5), [1], 3, [Multiply(3)], start=1)
    assert answer.behind == 0
    assert total(ask(worker, Multiply(5), [1], 3, [Multiply(2), Multiply(3)])) == 30 * sum(range(4, 8))


def test_a_pass_that_broke_off_is_forgotten():
    worker = session()
    with pytest.raises(ZeroDivisionError):
        ask(worker, Failing(2), [0], 1)
    assert total(ask(worker, Multiply(3), [0], 2, [Multiply(2)])) == 6 * sum(range(4))


def test_an_answer_that_was_lost_is_made_again_from_the_source():
    worker = session()
    ask(worker, Multiply(2), [0, 1, 2], 1)
    assert total(ask(worker, Multiply(2), [1], 1)) == 2 * sum(range(4, 8))  # other numbers: not the answer kept
    assert total(ask(worker, Multiply(3), [0, 1, 2], 2, [Multiply(2)])) == 6 * 66


def test_pieces_that_moved_to_another_worker_are_let_go():
    worker = session()
    ask(worker, Multiply(2), [0, 1, 2], 1)
    used = worker.rows.used, worker.state.used
    call = Call("fit", 2, (0,), (0,))
    worker.answer(call, packed(Plain()), [])
    assert set(worker.pieces) == {0}
    assert 0 < worker.rows.used < used[0]
    assert 0 < worker.state.used < used[1]


def test_a_session_that_ends_gives_back_its_room():
    worker = session()
    ask(worker, Multiply(2), [0, 1, 2], 1)
    worker.close()
    assert worker.rows.used == worker.state.used == 0


def test_a_session_that_is_to_stop_stops_at_the_next_batch():
    worker = session()
    worker.stop.set()
    with pytest.raises(StoppedError):
        ask(worker, Plain(), [0], 1)


class AtOnce(Plain):
    """A pass that sums all batches by itself."""

    def __init__(self):
        self.sums: list[Total] | None = None

    def __call__(self, batch, state):
        found = self.summarize(batch)
        if self.sums is None:
            return found, state
        self.sums.append(found)
        return Total(0, 0.0), state

    def begin(self):
        self.sums = []

    def found(self):
        return sum(self.sums[1:], self.sums[0]) if self.sums else None


def test_a_pass_that_sums_at_once_gives_one_sum_for_all_pieces():
    worker = session()
    assert total_of_all(ask(worker, AtOnce(), [0, 1, 2], 1)) == Total(12, 66.0)
    two = ask(worker, AtOnce(), [0, 2], 2)
    assert total_of_all(two, ask(worker, AtOnce(), [1], 2)) == Total(12, 66.0)
    sums = [found.statistic for _, found in unpacked(two.nodes)]
    assert [one for one in sums if one] == [Total(8, 44.0)]  # sent once, however many parts of the tree a worker has


def total_of_all(*answers: Answer) -> Total:
    tree = SumTree(3)
    for answer in answers:
        tree.put_all(unpacked(answer.nodes))
    return tree.total.statistic
