"""Engines: who calls the passes of a plan, over which batches, in which order."""

from __future__ import annotations

import pickle
import tempfile
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.watch import report, watching

Plan = Generator[Pass, Any, Any]

#: Rows of a block when a pass over a table in memory does not thread inside. Fixed: results must
#: not depend on the number of threads.
BLOCK_ROWS = 65_536


class Source(Protocol):
    """What an engine needs to know of the training data."""

    in_memory: bool
    n_rows: int | None

    def batches(self) -> Iterator[Batch]: ...


class LocalEngine:
    """A table in memory: one batch, or fixed blocks of it on all threads."""

    def __init__(self, source: Source):
        (self.batch,) = source.batches()
        self.state: dict[int, Any] = {}

    def answer(self, request: Pass) -> Statistic:
        if request.whole:
            statistic, self.state[-1] = request(self.batch, self.state.get(-1))
            return statistic
        return self._over_blocks(request)

    def _over_blocks(self, request: Pass) -> Statistic:
        from learnt import _core

        total: Statistic | None = None
        starts = range(0, max(self.batch.n_rows, 1), BLOCK_ROWS)
        threads = _core.get_threads()
        waiting: deque[tuple[int, Future[tuple[Statistic, Any]]]] = deque()
        with ThreadPoolExecutor(threads) as pool, one_blas_thread():
            for number, start in enumerate(starts):
                block = self.batch.rows(start, start + BLOCK_ROWS)
                waiting.append((number, pool.submit(request, block, self.state.get(number))))
                # A short queue: statistics may be large, and they are added in order.
                if len(waiting) > 2 * threads or number + 1 == len(starts):
                    keep = 0 if number + 1 == len(starts) else 2 * threads
                    while len(waiting) > keep:
                        place, done = waiting.popleft()
                        statistic, self.state[place] = done.result()
                        total = statistic if total is None else total + statistic
        assert total is not None
        return total

    def close(self) -> None:
        self.state.clear()


class StreamEngine:
    """Batches read one after another, for data larger than memory. Required state goes to a scratch folder."""

    def __init__(self, source: Source):
        self.source = source
        self.scratch: tempfile.TemporaryDirectory[str] | None = None

    def answer(self, request: Pass) -> Statistic:
        total: Statistic | None = None
        seen = 0
        for number, batch in enumerate(self.source.batches()):
            state = self._load(number) if request.state == "required" else None
            statistic, state = request(batch, state)
            if request.state == "required":
                self._keep(number, state)
            total = statistic if total is None else total + statistic
            seen += batch.n_rows
            if watching():
                report(type(request).__name__, iteration=seen, total=self.source.n_rows, unit="rows")
        assert total is not None, "a source gives at least one batch, if only an empty one"
        return total

    def _path(self, number: int) -> Path:
        if self.scratch is None:
            self.scratch = tempfile.TemporaryDirectory(prefix="learnt-")
        return Path(self.scratch.name) / f"{number}.state"

    def _load(self, number: int) -> Any:
        path = self._path(number)
        if not path.exists():
            return None
        with path.open("rb") as file:  # written by this process a moment ago, in a private folder
            return pickle.load(file)

    def _keep(self, number: int, state: Any) -> None:
        with self._path(number).open("wb") as file:
            pickle.dump(state, file, protocol=5)

    def close(self) -> None:
        if self.scratch is not None:
            self.scratch.cleanup()


def run(plan: Plan, source: Source) -> Any:
    """Drive a plan to its end: answer each pass it yields with the added statistics, return its result."""
    engine = LocalEngine(source) if source.in_memory else StreamEngine(source)
    try:
        request = next(plan)
        while True:
            request = plan.send(engine.answer(request))
    except StopIteration as end:
        return end.value
    finally:
        plan.close()
        engine.close()
