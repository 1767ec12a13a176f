"""At a worker: the pieces of a fit that it has, with their rows and state, and the passes over them.

State never leaves its worker. Whoever asks for a pass says how many passes with required state were before it; a piece
that has not seen them all is brought there by running them again, from the source.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from learnt.data.dask.frames import Key, present
from learnt.data.dask.partition import AbsentPartitionError
from learnt.engine.blas import one_blas_thread
from learnt.engine.cluster.kept_rows import KeptRows, StoppedError
from learnt.engine.cluster.machine import Machine
from learnt.engine.cluster.payload import packed, unpacked
from learnt.engine.cluster.state import PieceEngine
from learnt.engine.cluster.tree import Node, Sum, SumTree, in_few
from learnt.engine.cluster.words import told_at_client
from learnt.engine.passes import Pass
from learnt.engine.room import Room
from learnt.errors import LearntError

#: Shares of a worker's memory: for rows that need not be read again, and for state that need not go to disk.
ROWS_SHARE, STATE_SHARE = 0.25, 0.15

#: Seconds between two words of a worker on how far it is, where somebody watches.
TOLD_EVERY = 0.3

#: A session that nobody asked anything for so long (seconds) is dropped: its client is gone. One that is not is made
#: anew by replay.
FORGOTTEN = 1800.0


@dataclass(frozen=True)
class Call:
    """A pass over some pieces. `earlier` are those passes with required state, from number `start` on, that the worker
    may not have run on them; `needed` is how many there were."""

    session: str
    serial: int  # of the pass, to know a call that comes again
    numbers: tuple[int, ...]
    kept: tuple[int, ...]  # all pieces this worker is to have
    needed: int = 0
    start: int = 0
    watched: bool = False  # whether the client wants to know how far it is


@dataclass(frozen=True)
class Answer:
    """Sums over nodes of the tree, packed; or what stood in their way."""

    nodes: bytes = b""
    rows: int = 0
    behind: int | None = None  # passes from this number on are needed
    error: LearntError | None = None
    stopped: bool = False
    absent: bool = False  # partitions that it had adopted are not there any more


class Told(NamedTuple):
    """How many rows of a pass a worker is done with."""

    address: str
    serial: int
    rows: int


def adopt(pieces: bytes, session: str, number: int, keys: Sequence[Key], frames: Sequence[Any]) -> Answer:
    """The task that hands a worker the partition of one of its pieces, which it keeps in its own way."""
    try:
        with present(dict(zip(keys, frames, strict=True))):
            _session_of(session, pieces, Machine.this()).adopt(number)
    except StoppedError:
        return Answer(stopped=True)
    except LearntError as error:
        return Answer(error=told_at_client(error))
    return Answer()


def work(pieces: bytes, call: Call, request: bytes, earlier: Sequence[bytes], adopted: Sequence[Answer] = ()) -> Answer:
    """The task of a pass: run by a worker over its pieces, once it has adopted those that are partitions."""
    machine = Machine.this()
    for one in adopted:
        if one.error is not None or one.stopped:
            return one
    try:
        session = _session_of(call.session, pieces, machine)
        with session.lock, machine.threads(), one_blas_thread():
            return session.answer(call, request, earlier)
    except StoppedError:
        return Answer(stopped=True)
    except AbsentPartitionError:
        return Answer(absent=True)
    except LearntError as error:  # told at the client, not in the log of a worker
        return Answer(error=told_at_client(error))


def add_up(n_pieces: int, answers: Sequence[Answer]) -> Answer | list[Answer]:
    """The task that adds what some workers found; as they are, unless all have found something."""
    if not all(answer.nodes for answer in answers):
        return list(answers)
    tree = SumTree(n_pieces)
    for answer in answers:
        tree.put_all(unpacked(answer.nodes))
    return Answer(packed(in_few(tree.nodes)), sum(answer.rows for answer in answers))


def drop(key: str) -> None:
    """End a session here: what runs stops at its next batch, what comes late is not begun, what is held is let go."""
    _ended.append(key)
    for place in [place for place in list(_sessions) if place[1] == key]:
        session = _sessions.pop(place, None)
        if session is not None:
            session.stop.set()
            threading.Thread(target=session.close, daemon=True).start()  # not in the loop that answers the scheduler


def open_sessions() -> int:
    """How many sessions this process has."""
    return len(_sessions)


_ended: deque[str] = deque(maxlen=1000)  # sessions that nobody waits for any more
_sessions: dict[tuple[str, str], Session] = {}
_guard = threading.Lock()


def _session_of(key: str, pieces: bytes, machine: Machine) -> Session:
    if key in _ended:
        raise StoppedError
    with _guard:
        for place, old in list(_sessions.items()):
            if place != (machine.name, key) and time.monotonic() - old.used_at > FORGOTTEN and not old.lock.locked():
                old.close()
                del _sessions[place]
        if (machine.name, key) not in _sessions:
            _sessions[machine.name, key] = Session(unpacked(pieces), machine)
        return _sessions[machine.name, key]


@runtime_checkable
class SumsAtOnce(Protocol):
    """A pass whose statistics are whole numbers, which add in any order: it adds all batches of a call in one place.

    After `begin` it is called with batches, and what it returns for each adds nothing; `found` is their sum, None if
    there were none.
    """

    def begin(self) -> None: ...
    def found(self) -> Any: ...


class Session:
    """The pieces of one fit at one worker."""

    def __init__(self, sources: Sequence[Any], machine: Machine):
        self.machine, self.n_pieces = machine, len(sources)
        self.lock, self.stop = threading.Lock(), threading.Event()
        self.rows, self.state = Room(int(machine.memory * ROWS_SHARE)), Room(int(machine.memory * STATE_SHARE))
        self.sources = sources
        self.pieces: dict[int, Piece] = {}
        self.answers: dict[tuple[int, ...], Answer] = {}  # of the last pass, for calls that come again
        self.serial = -1
        self.reads_left: int | None = None  # passes over the rows that come after the last one, as far as known
        self.used_at = time.monotonic()

    def answer(self, call: Call, request: bytes, earlier: Sequence[bytes]) -> Answer:
        self.used_at = time.monotonic()
        asked: Pass = unpacked(request)
        if call.serial != self.serial:
            self.serial, self.answers = call.serial, {}
            self.reads_left = reads_left(asked, self.reads_left)
        if call.numbers in self.answers:
            return self.answers[call.numbers]
        for number in self.pieces.keys() - set(call.kept):
            self.pieces.pop(number).close()
        pieces = [self._piece(number) for number in call.numbers]
        for piece in pieces:
            piece.rows.worth_keeping = self.reads_left is None or self.reads_left > 1
        if asked.state == "required":
            behind = min(piece.place_before(call.needed) for piece in pieces)
            if behind < call.start:
                return Answer(behind=behind)
        before = _Earlier(call.start, earlier)
        tree = SumTree(self.n_pieces)
        rows, told_at = 0, time.monotonic()
        at_once = asked if isinstance(asked, SumsAtOnce) else None
        if at_once is not None:
            at_once.begin()
        for number, found in zip(call.numbers, self._sums(asked, pieces, call.needed, before), strict=True):
            if at_once is not None:  # all that was summed stands with the last piece
                found = Sum(at_once.found() if number == call.numbers[-1] else None, found.seen)
            tree.put(Node(0, number), found)
            rows += found.seen.rows
            if call.watched and time.monotonic() - told_at > TOLD_EVERY:
                told_at = time.monotonic()
                self.machine.tell(call.session, Told(self.machine.name, call.serial, rows))
        answer = Answer(packed(in_few(tree.nodes)), rows)
        self.answers[call.numbers] = answer
        return answer

    def _sums(self, asked: Pass, pieces: Sequence[Piece], needed: int, before: _Earlier) -> Iterator[Sum]:
        """Piece by piece where the kernel threads inside; side by side on all threads otherwise."""
        if asked.whole or self.machine.n_threads == 1 or len(pieces) == 1:
            for piece in pieces:
                yield piece.sum(asked, needed, before)
            return
        with ThreadPoolExecutor(self.machine.n_threads) as pool:
            try:
                yield from pool.map(lambda piece: _alone(piece, asked, needed, before), pieces)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def adopt(self, number: int) -> None:
        with self.lock:
            self._piece(number).rows.adopt()

    def _piece(self, number: int) -> Piece:
        if number not in self.pieces:
            self.pieces[number] = Piece(self.sources[number], self.rows, self.state, self.stop)
        return self.pieces[number]

    def close(self) -> None:
        with self.lock:
            for piece in self.pieces.values():
                piece.close()
            self.pieces.clear()
            self.answers.clear()
        if "pyarrow" in sys.modules:
            import pyarrow as pa

            pa.default_memory_pool().release_unused()


def reads_left(asked: Pass, before: int | None) -> int | None:
    """What is known after a pass: what it says, or one less than before. One not expected may be one of many."""
    if not asked.reads:
        return before
    if asked.reads_left is not None:
        return asked.reads_left
    return before - 1 if before else None


def _alone(piece: Piece, asked: Pass, needed: int, before: _Earlier) -> Sum:
    with one_blas_thread():  # the pieces are the threads
        return piece.sum(asked, needed, before)


class _Earlier:
    """The passes with required state that were before, unpacked when a piece lacks them."""

    def __init__(self, start: int, packed_passes: Sequence[bytes]):
        self._start, self._packed = start, packed_passes

    def __getitem__(self, number: int) -> Pass:
        found: Pass = unpacked(self._packed[number - self._start])
        return found


class Piece:
    """A piece with its rows and its state; `done` counts the passes with required state that it has seen."""

    def __init__(self, source: Any, rows: Room, state: Room, stop: threading.Event):
        self.rows = KeptRows(source, rows, stop)
        self.engine = PieceEngine(self.rows, room=state)
        self._state_room = state
        self.done: int | None = 0  # None: stopped within a pass, no one knows where

    def place_before(self, needed: int) -> int:
        """How many passes are done of those needed. A piece beyond them, whose answer was lost, begins anew."""
        if self.done is None or self.done > needed:
            self.engine.close()
            self.engine, self.done = PieceEngine(self.rows, room=self._state_room), 0
        return self.done

    def sum(self, asked: Pass, needed: int, before: _Earlier) -> Sum:
        if asked.state != "required":
            return Sum(self.engine.added(asked), self.rows.seen)
        for number in range(self.place_before(needed), needed):
            self._advance(before[number])
        return Sum(self._advance(asked), self.rows.seen)

    def _advance(self, asked: Pass) -> Any:
        done, self.done = self.done, None
        found = self.engine.added(asked)
        self.done = 1 if done is None else done + 1
        return found

    def close(self) -> None:
        self.engine.close()
        self.rows.close()
