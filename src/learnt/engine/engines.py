"""Engines: who calls the passes of a plan, over which batches, in which order."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from learnt.data.table import Table
from learnt.data.workers import Workers
from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Batch, Parts, Pass, Statistic
from learnt.engine.room import Room
from learnt.engine.sizes import refused_overflow
from learnt.engine.whole import TakeWhole, WholeTable
from learnt.leftovers import ROOM_FOR_TEMPORARY_FILES, ScratchFolder
from learnt.unwritable import write_errors
from learnt.watch import report, watching

#: What a plan may ask for: a pass, answered by the statistics of all batches added up, or all rows at once.
Request = Pass | TakeWhole

Plan = Generator[Request, Any, Any]

#: Rows of a block when a pass over a table in memory does not thread inside. Fixed: results must
#: not depend on the number of threads.
BLOCK_ROWS = 65_536

#: So many bytes of a stream's state stay in memory; what comes on top goes to disk.
STATE_BYTES = 1 << 25

WHOLE = -1  # where the state of passes over the whole table is kept; blocks count from 0


class Rows(Protocol):
    """Rows that can be read again and again."""

    @property
    def n_rows(self) -> int | None: ...
    def batches(self) -> Iterator[Batch]: ...


class Source(Rows, Protocol):
    """What an engine needs to know of the training data."""

    @property
    def in_memory(self) -> bool: ...


class Engine(Protocol):
    """Whoever answers the requests of a plan."""

    def answer(self, request: Request) -> Any: ...
    def close(self) -> None: ...


class LocalEngine:
    """A table in memory: one batch, or fixed blocks of it on all threads."""

    def __init__(self, source: Source):
        (self.batch,) = source.batches()
        self.state: dict[int, Any] = {}

    def answer(self, request: Request) -> Statistic | WholeTable:
        if isinstance(request, TakeWhole):
            return WholeTable.of(self.batch)
        if not request.whole:
            return self._over_blocks(request)
        statistic, state = request(self.batch, self._state(request, WHOLE))
        self._keep(request, WHOLE, state)
        return statistic

    def _state(self, request: Pass, place: int) -> Any:
        if request.state == "none":
            return None
        other = self.state.keys() - {WHOLE} if request.whole else self.state.keys() & {WHOLE}
        if request.state == "required" and other:
            left_by = "blocks" if request.whole else "the whole table"
            raise TypeError(
                f"{type(request).__name__} requires state that a pass over {left_by} left behind. "
                "Passes that share state must agree on `whole`."
            )
        return self.state.get(place)

    def _keep(self, request: Pass, place: int, state: Any) -> None:
        if request.state != "none":
            self.state[place] = state

    def _over_blocks(self, request: Pass) -> Statistic:
        from learnt import _core

        total: Statistic | None = None
        starts = range(0, max(self.batch.n_rows, 1), BLOCK_ROWS)
        if len(starts) == 1:  # no thread for small tables: a plan of many passes would start one each time
            total, state = _alone(request, self.batch.rows(0, BLOCK_ROWS), self._state(request, 0))
            self._keep(request, 0, state)
            return total
        threads = _core.get_threads()
        waiting: deque[tuple[int, Future[tuple[Statistic, Any]]]] = deque()
        pool = ThreadPoolExecutor(threads)
        try:
            for number, start in enumerate(starts):
                block = self.batch.rows(start, start + BLOCK_ROWS)
                waiting.append((number, pool.submit(_alone, request, block, self._state(request, number))))
                # A short queue: statistics may be large, and they are added in order.
                while len(waiting) > (0 if number + 1 == len(starts) else 2 * threads):
                    place, done = waiting.popleft()
                    statistic, state = done.result()
                    self._keep(request, place, state)
                    total = statistic if total is None else total + statistic
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # after an error or Ctrl-C the rest is not waited for
        assert total is not None
        return total

    def close(self) -> None:
        self.state.clear()


def _alone(request: Pass, block: Batch, state: Any) -> tuple[Statistic, Any]:
    with one_blas_thread():  # the blocks are the threads
        return request(block, state)


class StreamEngine:
    """Batches read one after another, for data larger than memory. Much required state goes to a scratch folder."""

    def __init__(self, source: Rows, learner: str = "", room: Room | None = None):
        self.source, self.learner = source, learner
        self.room = Room(STATE_BYTES) if room is None else room
        self.scratch: ScratchFolder | None = None
        self.memory: dict[tuple[int, str], tuple[int, Any]] = {}  # by batch and part: bytes and state
        self.in_parts: set[int] = set()  # batches whose state is in parts
        self.cuts: list[tuple[int, int]] = []  # first row and rows of each batch of the last pass over rows

    def answer(self, request: Request) -> Statistic:
        if isinstance(request, TakeWhole):
            raise TypeError(
                f"{self.learner or 'A plan'} asks for all rows of a stream at once. "
                "A scan is refused before: check the source by an InMemory first."
            )
        total = self.added(request)
        assert total is not None, "a source gives at least one batch, if only an empty one"
        return total

    def added(self, request: Pass) -> Statistic | None:
        """The statistics of all batches added up; None if there is no batch, as in an empty piece of a source."""
        total: Statistic | None = None
        seen = 0
        for number, batch in enumerate(self._batches(request)):
            state = self._load(number) if request.state == "required" else None
            statistic, state = request(batch, state)
            if request.state == "required":
                self._keep(number, state)
            total = statistic if total is None else total + statistic
            seen += batch.n_rows
            if watching():
                what, total_rows = type(request).__name__, self.source.n_rows
                report(what, learner=self.learner, iteration=seen, total=total_rows, unit="rows")
        return total

    def _batches(self, request: Pass) -> Iterator[Batch]:
        if not request.reads:
            yield from (Batch(Table.of_columns((), n_rows=rows), first_row) for first_row, rows in self.cuts)
            return
        self.cuts = []
        for batch in self.source.batches():
            self.cuts.append((batch.first_row, batch.n_rows))
            yield batch

    def _load(self, number: int) -> Any:
        if number in self.in_parts:
            return Parts({}, lambda part: self._read(number, part))
        return self._read(number)

    def _keep(self, number: int, state: Any) -> None:
        if not isinstance(state, Parts):
            self.in_parts.discard(number)
            self._write(state, number)
            return
        self.in_parts.add(number)
        for part, value in state.fresh.items():
            self._write(value, number, part)

    def _path(self, number: int, part: str) -> Path:
        if self.scratch is None:
            self.scratch = ScratchFolder()
        return self.scratch.path / f"{number}.{part}.state"

    def _read(self, number: int, part: str = "") -> Any:
        if (number, part) in self.memory:
            return self.memory[number, part][1]
        path = None if self.scratch is None else self._path(number, part)
        if path is None or not path.exists():
            return None
        with path.open("rb") as file:  # written by this process a moment ago, in a private folder
            return pickle.load(file)

    def _write(self, value: Any, number: int, part: str = "") -> None:
        data = pickle.dumps(value, protocol=5)
        self.room.give_back(self.memory.pop((number, part), (0, None))[0])
        if self.room.take(len(data)):
            # A copy: what was given may be a view that holds the whole batch.
            self.memory[number, part] = len(data), pickle.loads(data)
        else:
            path = self._path(number, part)
            with write_errors("Temporary files", path.parent, advice=ROOM_FOR_TEMPORARY_FILES):
                path.write_bytes(data)

    def close(self) -> None:
        self.room.give_back(sum(size for size, _ in self.memory.values()))
        self.memory.clear()
        if self.scratch is not None:
            self.scratch.close()


def run(plan: Plan, source: Source, learner: str = "") -> Any:
    """Drive a plan to its end: answer each pass it yields with the added statistics, or its wish for all rows
    with them, and return its result.

    `learner` is the name that is reported to whoever watches.
    """
    engine = _engine_for(source, learner)
    found: Statistic | WholeTable | None = None
    try:
        with one_blas_thread(), refused_overflow():
            while True:
                try:
                    request = plan.send(found)
                except StopIteration as end:  # of the plan; one raised by a pass is an error like any other
                    return end.value
                found = engine.answer(request)
    finally:
        plan.close()
        engine.close()


def _engine_for(source: Source, learner: str) -> Engine:
    if source.in_memory:
        return LocalEngine(source)
    workers: Workers | None = getattr(source, "workers", None)
    if workers is None:
        return StreamEngine(source, learner)
    engine: Engine = workers.engine(source, learner)
    return engine
