"""One pass, as the client sees it: who was asked for which pieces, what came back, and who is asked instead."""

from __future__ import annotations

from collections.abc import Sequence
from queue import Empty
from typing import TYPE_CHECKING, Any, NamedTuple

from learnt.engine.cluster.payload import packed, unpacked
from learnt.engine.cluster.session import Answer, Call, add_up, work
from learnt.engine.cluster.shares import handed_on
from learnt.engine.cluster.tasks import is_loss
from learnt.engine.cluster.tree import SumTree
from learnt.engine.passes import Pass
from learnt.watch import report, watching

if TYPE_CHECKING:
    from learnt.engine.cluster.engine import ClusterEngine

#: Answers of more workers than these are added by some of them, so many at a time, before they come to the client.
FAN_IN = 8


class Asked(NamedTuple):
    """A worker, and the pieces it was asked for."""

    address: str
    numbers: tuple[int, ...]


class Round:
    """A pass over all pieces."""

    def __init__(self, engine: ClusterEngine, request: Pass):
        self.engine, self.name = engine, type(request).__name__
        self.required = request.state == "required"
        self.request = engine.tasks.data(packed(request))
        self.needed = len(engine.earlier) if self.required else 0
        self.tree = SumTree(len(engine.rows))
        self.awaited: dict[str, tuple[Any, list[Asked]]] = {}
        self.done = 0  # rows
        self.told: dict[str, int] = {}  # rows that workers are done with whose answers have not come

    def run(self) -> SumTree:
        engine = self.engine
        self._ask_all([Asked(address, tuple(numbers)) for address, numbers in engine.places.items() if numbers])
        try:
            for future, answer, error in engine.tasks.ended(self._look_after):
                if future.key in self.awaited:
                    _, asked = self.awaited.pop(future.key)
                    self._take(asked, answer, error)
                if not self.awaited:
                    break
        except BaseException:
            engine.tasks.cancel([future for future, _ in self.awaited.values()])
            raise
        if self.required:
            engine.earlier.append(self.request)
        else:
            engine.tasks.release(self.request)
        return self.tree

    def _ask_all(self, asked: Sequence[Asked]) -> None:
        if len(asked) <= FAN_IN:
            for one in asked:
                self._ask(one, self.needed)
            return
        tasks = self.engine.tasks
        for start in range(0, len(asked), FAN_IN):
            group = list(asked[start : start + FAN_IN])
            answers = [
                tasks.submit(self.name, work, *self._arguments(one, self.needed), at=one.address) for one in group
            ]
            future = tasks.send("add-up", add_up, self.tree.n_pieces, answers)
            self.awaited[future.key] = future, group

    def _ask(self, asked: Asked, start: int) -> None:
        """Of one worker: the pass over these pieces, with the passes before it from a number on."""
        if asked.address not in self.engine.places:  # it was lost meanwhile
            self._hand_on(asked)
            return
        future = self.engine.tasks.send(self.name, work, *self._arguments(asked, start), at=asked.address)
        self.awaited[future.key] = future, [asked]

    def _arguments(self, asked: Asked, start: int) -> tuple[Any, ...]:
        engine, (address, numbers) = self.engine, asked
        kept = tuple(engine.places[address])
        call = Call(engine.key, engine.serial, numbers, kept, self.needed, start, engine.watched)
        earlier = engine.earlier[start : self.needed]
        return engine.pieces, call, self.request, earlier, engine.adoption(address, numbers)

    def _take(self, asked: list[Asked], answer: Answer | list[Answer] | None, error: BaseException | None) -> None:
        if error is not None:
            if not is_loss(error):
                raise error
            for one in asked:
                self._hand_on(one)
        elif isinstance(answer, list):  # not all of them could be added up
            for one, found in zip(asked, answer, strict=True):
                self._take_one(one, found)
        elif len(asked) > 1 and answer is not None:
            self._add(asked, answer)
        else:
            self._take_one(asked[0], answer)

    def _take_one(self, asked: Asked, answer: Answer | None) -> None:
        if answer is None or answer.stopped or answer.absent:
            for number in asked.numbers:
                self.engine.adopted.pop(number, None)
            self._ask(asked, 0)
        elif answer.error is not None:
            raise answer.error
        elif answer.behind is not None:
            self._ask(asked, answer.behind)
        else:
            self._add([asked], answer)

    def _add(self, asked: list[Asked], answer: Answer) -> None:
        self.tree.put_all(unpacked(answer.nodes))
        self.done += answer.rows
        for one in asked:
            self.told.pop(one.address, None)
        self._report()

    def _report(self) -> None:
        if watching():
            rows, total = self.done + sum(self.told.values()), sum(self.engine.rows)
            report(self.name, learner=self.engine.learner, iteration=min(rows, total), total=total, unit="rows")

    def _hear(self) -> None:
        """What workers told of rows they are done with in this pass."""
        news = False
        try:
            while True:
                told = self.engine.told.get_nowait()
                if told.serial == self.engine.serial:
                    self.told[told.address] = told.rows
                    news = True
        except Empty:
            pass
        if news:
            waited_for = {one.address for _, asked in self.awaited.values() for one in asked}
            self.told = {address: rows for address, rows in self.told.items() if address in waited_for}
            self._report()

    def _look_after(self) -> bool:
        """Hand on the pieces of workers that are gone. What they were to be added up with is asked for again, which
        those who have the answer give once more."""
        living = self.engine.tasks.threads()
        for future, asked in list(self.awaited.values()):
            if any(one.address not in living for one in asked):
                del self.awaited[future.key]
                self.engine.tasks.cancel([future])
                for one in asked:
                    self._hand_on(one)
        self._hear()
        return False

    def _hand_on(self, asked: Asked) -> None:
        engine, (address, numbers) = self.engine, asked
        threads = engine.tasks.some_workers()
        if address in threads and address in engine.places:  # it lost the task, not the pieces; or is new by that name
            self._ask(asked, 0)
            return
        lost = engine.places.pop(address, list(numbers))
        shares = handed_on(lost, engine.places, engine.rows, threads)
        for other, handed in shares.items():
            engine.places[other] = sorted({*engine.places.get(other, ()), *handed})
        for other, handed in shares.items():  # those that have answered this pass are asked for the next one
            again = tuple(number for number in handed if number in set(numbers))
            if again:
                self._ask(Asked(other, again), 0)
