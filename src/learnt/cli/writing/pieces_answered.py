"""Answers to the pieces of a scan, given where they are read: by this process, or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from learnt.cli.terminal.new_rows import NewRows
from learnt.cli.writing.csv_cells import CsvStyle
from learnt.cli.writing.predictions import Predictions, csv_bytes, table_texts
from learnt.data.files.scan import Scan
from learnt.data.schema import Schema
from learnt.data.table import Table
from learnt.engine.cluster.machine import Machine
from learnt.engine.cluster.payload import packed, unpacked
from learnt.engine.cluster.tasks import Tasks, is_loss
from learnt.errors import ClusterError, LearntError

#: Pieces for each thread that are asked about ahead of the one that is written.
AHEAD = 2

#: A piece with which so many workers died is not given to another.
LOST = 3

Answer = tuple[int, bytes, int]  # rows, what is written of them, bytes of the file taken


def tables_to_answer(found: Table | Scan, schema: Schema, fresh: NewRows, append: bool) -> Iterator[Table]:
    """The rows as a model can take them; `append` asks for all columns."""
    if isinstance(found, Table) or append or not schema.named:
        for table in [found] if isinstance(found, Table) else found.batches():
            if table.n_rows:
                fresh.look(table)
                yield table
    elif len(schema) == 1 and schema.columns[0].coded and not schema.columns[0].categories:
        # Documents: a model of words knows no list of texts.
        yield from (Table.of_columns([column]) for column in found.cells(schema.names[0]))
    else:
        yield from found.with_schema(schema, fresh.look).batches()


@dataclass(frozen=True)
class Answering:
    """What is asked of each piece; pickled to workers."""

    model: Any
    known: Mapping[str, Any]  # what is kept with the model
    names: tuple[str, ...]  # columns of the input that are kept in front
    proba: bool
    as_json: bool
    style: CsvStyle

    @property
    def told(self) -> Predictions:
        return Predictions(self.model, proba=self.proba, beside=self.names, style=self.style)

    def of_table(self, told: Predictions, table: Table) -> Answer:
        if self.as_json:
            return table.n_rows, told.objects(table).encode(), 0
        beside = table_texts(table) if self.names else []
        return table.n_rows, csv_bytes([*beside, *told.of(table)], told.style), 0

    def of_piece(self, piece: Scan) -> tuple[int, bytes, Any]:
        """Rows, what is written of them, and what is to be said of them."""
        schema = self.model._given_schema()
        fresh, told = NewRows(schema, self.known), self.told
        tables = tables_to_answer(piece, schema, fresh, bool(self.names))
        answers = [self.of_table(told, table) for table in tables]
        joined = (b",\n" if self.as_json else b"").join(content for _, content, _ in answers)
        return sum(rows for rows, _, _ in answers), joined, fresh.seen()


def answers_of_cluster(client: Any, asked: Answering, pieces: Sequence[Scan], fresh: NewRows) -> Iterator[Answer]:
    """The answers in the order of the pieces, a few of which are held at a time; no row comes here."""
    tasks = Tasks(client)
    there: dict[int, tuple[int, bytes, Any]] = {}  # answers by the number of the piece
    asked_by: dict[str, int] = {}  # pieces by the key of the task
    lost = [0] * len(pieces)
    try:
        function = tasks.data(packed(asked))
        ahead = AHEAD * sum(tasks.some_workers().values())
        ended = tasks.ended(lambda: not tasks.some_workers())  # or an error

        def send(number: int) -> None:
            asked_by[tasks.send("learnt-predict", _answer_at_worker, function, packed(pieces[number])).key] = number

        sent = 0
        for number in range(len(pieces)):
            while sent < min(number + ahead, len(pieces)):
                send(sent)
                sent += 1
            while number not in there:
                future, result, error = next(ended)
                place = asked_by.pop(future.key)
                lost[place] += error is not None
                if error is not None and is_loss(error) and lost[place] < LOST:
                    tasks.some_workers()
                    send(place)
                else:
                    there[place] = _checked(result, error)
            rows, content, seen = there.pop(number)
            fresh.add(seen)
            yield rows, content, 0
    finally:
        tasks.close()


def _answer_at_worker(asked: bytes, piece: bytes) -> tuple[Any, LearntError | None]:
    try:
        with Machine.this().threads():
            return unpacked(asked).of_piece(unpacked(piece)), None
    except LearntError as error:  # told at the client, not in the log of a worker
        return None, error


def _checked(result: Any, error: BaseException | None) -> Any:
    if error is not None:
        raise ClusterError(
            f"The cluster could not answer: {type(error).__name__}: {error}. The log of its workers says more. They "
            "need the packages that are here, and the files at the same paths."
        ) from error
    answer, refused = result
    if refused is not None:
        raise refused
    return answer
