"""At the client: passes sent to the workers that have the pieces, and their statistics added.

A pass is one task for each worker, not for each piece. A worker that dies leaves its pieces to others, who read them
and run those passes on them again whose state the next ones need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any
from uuid import uuid4

from learnt.data.dask.frames import noting_needs
from learnt.data.files.scan import Scan
from learnt.engine.cluster.payload import packed
from learnt.engine.cluster.round import Round
from learnt.engine.cluster.session import Told, adopt, drop
from learnt.engine.cluster.shares import Places, settled, shared_out
from learnt.engine.cluster.tasks import Tasks
from learnt.engine.passes import Pass, Statistic
from learnt.engine.whole import InMemory, TakeWhole
from learnt.watch import watching

#: Cells of a source whose rows are still brought to the client by a pass that gathers them.
MOST_GATHERED = 100_000_000

GATHERS = InMemory("goes through all rows again and again, encoded, and these are more than the client should hold")


class ClusterEngine:
    """Drives passes over the pieces of a source, which stay at their workers."""

    def __init__(self, source: Any, learner: str, client: Any):
        self.source, self.learner = source, learner
        self.key = uuid4().hex
        self.tasks = Tasks(client)
        pieces = source.pieces()
        self.rows = [piece.n_rows for piece in pieces]
        with noting_needs() as needs:
            data = packed(pieces)
        self.pieces = self.tasks.data(data, large=1 << 10)
        self.partitions = [self.tasks.with_frames(piece)[1:] for piece in pieces] if needs else []
        self.adopted: dict[int, str] = {}  # by whom, of those that are partitions
        self.places: Places = {}
        self.earlier: list[Any] = []  # the passes so far that leave required state, packed
        self.serial = 0
        self.told: SimpleQueue[Told] = SimpleQueue()  # by workers, of rows they are done with in a pass
        self.watched = watching()
        if self.watched:
            client.subscribe_topic(self.key, _put_into(self.told))

    def answer(self, request: Pass | TakeWhole) -> Statistic:
        if isinstance(request, TakeWhole):
            raise TypeError(
                f"{self.learner or 'A plan'} asks for all rows of a cluster at once. "
                "A scan is refused before: check the source by an InMemory first."
            )
        if request.gathers:
            self._check_few()
        self._settle()
        self.serial += 1
        found = Round(self, request).run()
        if request.reads:
            self.source.check(found.total.seen)
        statistic: Statistic = found.total.statistic
        return statistic

    def _check_few(self) -> None:
        """Raise if all rows are to come to the client, and are too many for it."""
        scan = getattr(self.source, "source", None)
        if isinstance(scan, Scan) and sum(self.rows) * len(scan.schema) > MOST_GATHERED:
            numbers = "regression" if self.source.target is not None else ""
            GATHERS.check(scan, self.learner, "classification" if self.source.classes is not None else numbers)

    def _settle(self) -> None:
        """Share out the pieces; anew when workers came and there is no state yet that they would have to make."""
        threads = self.tasks.some_workers()
        if not self.places and self.partitions:
            self.places = settled(self._holders(), self.rows, threads)
        elif not self.places:
            self.places = shared_out(self.rows, threads)
        elif threads.keys() != self.places.keys() and not self.earlier:
            self.places = settled(self.places, self.rows, threads)

    def _holders(self) -> Places:
        """Who has which partitions now."""
        futures = [frames[0] for _, frames in self.partitions]
        held = self.tasks.client.who_has(futures)
        places: Places = {}
        for number, future in enumerate(futures):
            places.setdefault(next(iter(held.get(future.key, ())), ""), []).append(number)
        return places

    def adoption(self, address: str, numbers: Sequence[int]) -> list[Any]:
        """Tasks that hand a worker the partitions of these pieces, as far as it does not have them."""
        sent = []
        for number in numbers if self.partitions else ():
            if self.adopted.get(number) != address:
                self.adopted[number] = address
                keys, frames = self.partitions[number]
                sent.append(self.tasks.send("adopt", adopt, self.pieces, self.key, number, keys, frames, at=address))
        return sent

    def close(self) -> None:
        self.tasks.close()
        if self.watched and self.tasks.reachable():
            self.tasks.client.unsubscribe_topic(self.key)
        self.tasks.everywhere(drop, self.key)


def _put_into(told: SimpleQueue[Told]) -> Callable[[tuple[float, tuple[Any, ...]]], None]:
    """What a client does when workers tell something. It keeps that for ever, and so must not hold the engine."""
    return lambda event: told.put(Told(*event[1]))  # on the way it has become a plain tuple
