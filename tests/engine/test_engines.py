"""Both engines give a plan the same answers, keep its state, and clean up behind it."""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import learnt
from learnt import Table
from learnt.engine import Batch, LocalEngine, Pass, Statistic, StreamEngine, engines, run
from learnt.engine.engines import BLOCK_ROWS
from learnt.engine.passes import Parts


@dataclass(frozen=True)
class Total(Statistic):
    rows: int
    value: float

    def _merge(self, other: Total) -> Total:
        return Total(self.rows + other.rows, self.value + other.value)


class Rows:
    """Rows 0, 1, 2, … with their numbers as the only column, in memory or in batches."""

    def __init__(self, n_rows: int, cuts: tuple[int, ...] = (), *, in_memory: bool = False):
        self.n_rows, self.in_memory, self.reads = n_rows, in_memory, 0
        self.cuts = (0, *cuts, n_rows)
        self.table = Table(np.arange(float(n_rows)).reshape(-1, 1))

    def batches(self):
        self.reads += 1
        for start, stop in zip(self.cuts, self.cuts[1:], strict=False):
            yield Batch(self.table.rows(start, stop), start)


class Remember(Pass):
    """Keeps the square of each row as state."""

    state = "required"

    def __call__(self, batch, state):
        assert state is None
        return Total(batch.n_rows, 0.0), batch.table.matrix[:, 0] ** 2


class Recall(Pass):
    """Adds what was kept, and keeps one more for each row."""

    state = "required"

    def __call__(self, batch, state):
        assert len(state) == batch.n_rows
        return Total(batch.n_rows, float(state.sum())), state + 1


class Peek(Pass):
    """Is given no state and returns some, which nobody asked for."""

    def __call__(self, batch, state):
        assert state is None
        return Total(batch.n_rows, float(batch.first_row)), "not to be kept"


class OverBlocks(Pass):
    """Sums whose last bits depend on the grouping, block by block."""

    whole = False

    def summarize(self, batch):
        return Total(batch.n_rows, float(np.sum(1 / (1 + batch.table.matrix[:, 0]))))


class Fail(Pass):
    def __init__(self, error, from_row=0):
        self.error, self.from_row = error, from_row

    def summarize(self, batch):
        if batch.first_row >= self.from_row:
            raise self.error
        return Total(batch.n_rows, 0.0)


def squares_twice():
    yield Remember()
    first = yield Recall()
    yield Peek()
    second = yield Recall()
    return first, second


def scratch_folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("learnt-*"))


@pytest.fixture(autouse=True)
def own_folder_for_scratch_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


EXPECTED = float((np.arange(100.0) ** 2).sum())


@pytest.mark.parametrize("cuts", [(), (0,), (1, 50, 50, 99), (100,), tuple(range(0, 100, 7))])
def test_state_stays_with_its_rows_however_they_are_cut(cuts) -> None:
    first, second = run(squares_twice(), Rows(100, cuts))
    assert first == Total(100, EXPECTED)
    assert second == Total(100, EXPECTED + 100)
    assert not scratch_folders()


def test_a_table_in_memory_gives_what_a_stream_gives() -> None:
    assert run(squares_twice(), Rows(100, in_memory=True)) == run(squares_twice(), Rows(100, (10, 60)))


@pytest.mark.parametrize("room", [0, 900])
def test_state_that_memory_has_no_room_for_goes_to_disk_and_is_gone_at_the_end(room, monkeypatch) -> None:
    monkeypatch.setattr(engines, "STATE_BYTES", room)

    def plan():
        yield Remember()
        assert len(list(next(iter(scratch_folders())).iterdir())) == (3 if room == 0 else 1)
        return (yield Recall())

    assert run(plan(), Rows(100, (10, 60))).value == EXPECTED
    assert not scratch_folders()


class RememberInParts(Pass):
    """State in two parts, made from the rows."""

    state = "required"

    def __call__(self, batch, state):
        numbers = batch.table.matrix[:, 0]
        return Total(batch.n_rows, 0.0), Parts({"numbers": numbers, "squares": numbers**2})


class AddOne(Pass):
    """Looks at state alone, and replaces one of its parts."""

    state, reads = "required", False

    def __call__(self, batch, state):
        assert batch.table.n_columns == 0
        assert batch.n_rows == len(state["numbers"])
        assert (state["numbers"] == batch.first_row + np.arange(batch.n_rows)).all()
        return Total(batch.n_rows, float(state["squares"].sum())), state.replaced(squares=state["squares"] + 1)


@pytest.mark.parametrize("room", [0, 10**6])
def test_passes_over_state_alone_read_no_rows_and_write_what_they_replace(room, monkeypatch) -> None:
    monkeypatch.setattr(engines, "STATE_BYTES", room)
    rows = Rows(100, (10, 60))
    genuine, reads = rows.batches, []
    rows.batches = lambda: [reads.append(1), genuine()][1]

    def plan():
        yield RememberInParts()
        if room == 0:
            kept = {path.name: path.stat().st_mtime_ns for path in next(iter(scratch_folders())).iterdir()}
        first, second = (yield AddOne()), (yield AddOne())
        if room == 0:
            now = {path.name: path.stat().st_mtime_ns for path in next(iter(scratch_folders())).iterdir()}
            assert all(now[name] == kept[name] for name in now if "numbers" in name)
        return first, second

    first, second = run(plan(), rows)
    assert (first.value, second.value) == (EXPECTED, EXPECTED + 100)
    assert len(reads) == 1
    assert not scratch_folders()


def test_state_that_can_be_made_again_is_not_spilled() -> None:
    class Cached(Recall):
        state = "cache"

        def __call__(self, batch, state):
            return Total(batch.n_rows, 1.0 if state is None else 0.0), np.zeros(3)

    def plan():
        yield Cached()
        return (yield Cached())

    assert run(plan(), Rows(100, (10,))).value == 2.0
    assert run(plan(), Rows(100, in_memory=True)).value == 0.0


def test_passes_that_disagree_on_whole_cannot_share_required_state() -> None:
    class RecallBlocks(Recall):
        whole = False

    def plan():
        yield Remember()
        yield RecallBlocks()

    with pytest.raises(TypeError, match="RecallBlocks"):
        run(plan(), Rows(10, in_memory=True))


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), MemoryError(), StopIteration()])
@pytest.mark.parametrize("in_memory", [True, False])
def test_an_error_in_a_pass_comes_out_and_closes_plan_and_scratch(error, in_memory) -> None:
    closed = []

    def plan():
        try:
            yield Remember()
            yield Fail(error)
        finally:
            closed.append(True)

    source = Rows(100, in_memory=True) if in_memory else Rows(100, (10,))
    with pytest.raises(BaseException) as raised:
        run(plan(), source)
    assert raised.value is error or isinstance(raised.value, RuntimeError)
    assert closed == [True]
    assert not scratch_folders()


def test_an_error_in_the_plan_comes_out_and_closes_scratch() -> None:
    def plan():
        yield Remember()
        raise LookupError("in the plan")

    with pytest.raises(LookupError, match="in the plan"):
        run(plan(), Rows(100, (10,)))
    assert not scratch_folders()


def test_a_plan_without_passes_returns_its_result() -> None:
    def plan():
        return 7
        yield

    assert run(plan(), Rows(3, in_memory=True)) == 7


@pytest.mark.parametrize("n_rows", [0, 1, BLOCK_ROWS, BLOCK_ROWS + 1, 7 * BLOCK_ROWS + 13])
def test_blocks_give_the_same_bits_for_any_number_of_threads(n_rows) -> None:
    engine = LocalEngine(Rows(n_rows, in_memory=True))
    found = []
    for count in (1, 2, 5):
        with learnt.threads(count):
            found.append(engine.answer(OverBlocks()))
    assert found[0] == found[1] == found[2]
    assert found[0].rows == n_rows
    np.testing.assert_allclose(found[0].value, np.sum(1 / (1 + np.arange(n_rows))), rtol=1e-12)


def test_blocks_know_their_first_row_and_keep_their_state() -> None:
    class Numbered(Pass):
        whole = False
        state = "required"

        def __call__(self, batch, state):
            x = batch.table.matrix[:, 0]
            assert x[0] == batch.first_row
            kept = x.copy() if state is None else state
            return Total(batch.n_rows, float(np.abs(kept - x).sum())), kept

    def plan():
        yield Numbered()
        return (yield Numbered())

    assert run(plan(), Rows(3 * BLOCK_ROWS + 5, in_memory=True)) == Total(3 * BLOCK_ROWS + 5, 0.0)


def test_an_error_in_a_block_comes_out_and_the_rest_is_cancelled() -> None:
    seen = []

    class FailInBlock(Pass):
        whole = False

        def summarize(self, batch):
            seen.append(batch.first_row)
            if batch.first_row == BLOCK_ROWS:
                raise ValueError("second block")
            return Total(batch.n_rows, 0.0)

    with learnt.threads(1), pytest.raises(ValueError, match="second block"):
        LocalEngine(Rows(40 * BLOCK_ROWS, in_memory=True)).answer(FailInBlock())
    assert len(seen) < 20


def test_blocks_run_side_by_side() -> None:
    gate = threading.Barrier(2, timeout=600)

    class Meet(Pass):
        whole = False

        def summarize(self, batch):
            gate.wait()  # breaks unless two blocks are here at once
            return Total(batch.n_rows, 0.0)

    with learnt.threads(2):
        assert LocalEngine(Rows(2 * BLOCK_ROWS, in_memory=True)).answer(Meet()).rows == 2 * BLOCK_ROWS


def test_a_single_block_is_passed_over_in_the_calling_thread() -> None:
    class Where(Pass):
        whole = False

        def summarize(self, batch):
            return Total(batch.n_rows, float(threading.get_ident() == own))

    own = threading.get_ident()
    assert LocalEngine(Rows(BLOCK_ROWS, in_memory=True)).answer(Where()) == Total(BLOCK_ROWS, 1.0)
    assert LocalEngine(Rows(2 * BLOCK_ROWS, in_memory=True)).answer(Where()).value == 0.0


def test_every_pass_reads_a_stream_once() -> None:
    source = Rows(100, (50,))
    run(squares_twice(), source)
    assert source.reads == 4


def test_a_stream_reports_rows_read_to_whoever_watches() -> None:
    with learnt.watch() as log:
        run(squares_twice(), Rows(100, (10, 60)), "Toy")
    assert log["iteration"][:3] == [10, 60, 100]
    assert set(log["total"]) == {100}
    assert set(log["learner"]) == {"Toy"}
    assert log.steps[0].what == "Remember"


def test_a_watcher_that_raises_stops_a_stream_and_cleans_up() -> None:
    def stop(step):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"), learnt.watch(stop):
        run(squares_twice(), Rows(100, (10, 60)))
    assert not scratch_folders()


def test_a_stream_of_one_empty_batch_gives_an_empty_statistic() -> None:
    assert not StreamEngine(Rows(0)).answer(OverBlocks())


def test_numbers_that_overflow_while_fitting_are_refused_in_one_line():
    rows, y = {"c": [0.0, 1.5714889024344053e150]}, [5.918721750853009e150, 7.294439685935574e150]
    with pytest.raises(learnt.errors.InputError, match=r"too large.*overflow.* Scale them first") as told:
        learnt.ElasticNet(standardize=True).fit(rows, y)
    assert "\n" not in str(told.value)
