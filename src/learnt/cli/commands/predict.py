"""`learnt predict`: a model's answer to every row of a file of any size."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from learnt.cli.arguments.clusters import ClusterAddress, at_cluster
from learnt.cli.arguments.inputs import DATASET, STANDARD_INPUT, load, load_model
from learnt.cli.arguments.options import Json, Quiet
from learnt.cli.arguments.reading import AS_FOUND, Reading, check_kinds, reads_tables
from learnt.cli.terminal.console import print_json, say
from learnt.cli.terminal.new_rows import NewRows
from learnt.cli.terminal.progress import byte_progress
from learnt.cli.writing.csv_blocks import Block, CsvBlocks
from learnt.cli.writing.csv_cells import PLAIN, CsvStyle
from learnt.cli.writing.model_rows import csv_blocks, wanted_columns
from learnt.cli.writing.pieces_answered import Answer, Answering, answers_of_cluster, tables_to_answer
from learnt.cli.writing.predictions import Predictions, csv_bytes, in_order, safe_texts
from learnt.cli.writing.sinks import sink
from learnt.cli.writing.workbooks import Workbook, is_workbook
from learnt.data.files.scan import Scan, scan_by
from learnt.data.files.source import source_of
from learnt.data.table import Table
from learnt.errors import FileError, InputError, ParameterError
from learnt.saving import read_notes
from learnt.threads import threads
from learnt.whole_file import check_place

EXAMPLES = """\b
Examples:
  learnt predict model.learnt new.csv                      to the terminal
  learnt predict model.learnt new.csv -o answers.csv
  learnt predict model.learnt new.xlsx -o answers.xlsx
  learnt predict model.learnt new.parquet --append --proba -o answers.csv
  zcat huge.csv.gz | learnt predict model.learnt - | head
  learnt predict model.learnt 'parts/*.parquet' --cluster tcp://10.0.0.1:8786 -o answers.csv
"""


@reads_tables
def predict(
    context: typer.Context,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that learnt train, or learnt.save, wrote.")],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file, folder or pattern, dataset:NAME, or - for CSV from a pipe.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file, CSV or .xlsx, not to standard output.")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add a column with the probability of each class.")] = False,
    append: Annotated[bool, typer.Option("--append", help="Keep the columns of the input, in front.")] = False,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
    cluster: ClusterAddress = None,
    quiet: Quiet = False,
) -> None:
    """Predict every row of a file. The file is read, answered and written in pieces, so it may have any size.

    The file is read as the one the model learnt from: kinds, missing cells and the order of dates are kept with the
    model. Labels it has not seen, columns it does not use and columns that are far from those it learnt from are said.

    Answers are written as the file is: with its delimiter, decimal sign and encoding, or as a workbook. Cells of text
    that a spreadsheet would take for a formula get a ' in front; numbers stay as they are.

    With --cluster, files and parts of large Parquet files are answered by the workers that read them.
    """
    fitted = load_model(model)
    check_kinds(fitted._given_schema(), reading)
    known = read_notes(model)
    fresh = NewRows(fitted._given_schema(), known)
    reading = reading.over(Reading.from_dict(known.get("reading")))
    _check_abilities(fitted, proba=proba, append=append, as_json=as_json and output is None)
    if output is not None:
        check_place(output, "The answers")
    if cluster is not None and is_workbook(output):
        raise ParameterError("A cluster writes CSV or JSON, not workbooks. Name another file with -o, such as a .csv.")
    client = context.with_resource(at_cluster(cluster))
    begun, n_rows = time.perf_counter(), 0
    with warnings.catch_warnings(), sink(output) as out, byte_progress(_size(file), _silent(quiet, output)) as advance:
        warnings.simplefilter("ignore")  # names of columns where the model was fitted without any, and the like
        if is_workbook(output):
            answers = _in_workbook(fitted, file, reading, fresh, proba, append, output)
        elif client is not None:
            answers = _of_cluster(
                client, fitted, file, output, reading, fresh, known, proba, append, as_json and output is None
            )
        else:
            answers = _answers(fitted, file, output, reading, fresh, proba, append, as_json and output is None)
        for rows, content, taken in _as_array(answers) if as_json and output is None else answers:
            out.write(content)
            n_rows += rows
            advance(taken)
    fresh.say(quiet=quiet)
    if output is None:
        return
    seconds = time.perf_counter() - begun
    if as_json:
        print_json({"file": str(output), "rows": n_rows, "seconds": round(seconds, 3)})
    elif not quiet:
        say(f"Written: {output} ({n_rows:,} rows, {seconds:.1f} s)", "dim", to_stderr=True)


def _check_abilities(model: Any, *, proba: bool, append: bool, as_json: bool) -> None:
    called = type(model).__name__
    if not hasattr(model, "predict"):
        raise ParameterError(
            f"The model is a {called}, which predicts nothing. Expected a classifier, regressor or clusterer."
        )
    if proba and not hasattr(model, "predict_proba"):
        raise ParameterError(f"The model is a {called}, which gives no probabilities. Leave out --proba.")
    if append and as_json:
        raise ParameterError("--append and --json were given together. JSON holds the answers alone; give one of them.")


def _silent(quiet: bool, output: Path | None) -> bool:
    """A bar between the lines of an answer would be a nuisance."""
    return quiet or (output is None and sys.stdout.isatty())


def _size(file: str) -> int | None:
    """The bytes to read, where that is known."""
    path = Path(file)
    return path.stat().st_size if path.is_file() and source_of(path).compression is None else None


def _as_array(answers: Iterator[Answer]) -> Iterator[Answer]:
    """JSON objects as one array, an object a line; it is written while it grows."""
    before = b"[\n"
    for rows, content, taken in answers:
        if content:
            yield rows, before + content, taken
            before = b",\n"
    yield 0, b"\n]\n" if before == b",\n" else b"[]\n", 0


def _in_workbook(
    model: Any, file: str, reading: Reading, fresh: NewRows, proba: bool, append: bool, output: Path | None
) -> Iterator[Answer]:
    """The answers as one workbook, which is written when it is whole."""
    found = load(file, None, reading) if file == STANDARD_INPUT else _found(file, reading)
    fresh.look_at_names(_names(found))
    told = Predictions(model, proba=proba, beside=_names(found) if append else ())
    book = Workbook([*(_names(found) if append else ()), *told.names], str(output))
    for table in tables_to_answer(found, model._given_schema(), fresh, append):
        book.add([*([column.labels() for column in table.columns] if append else []), *told.values(table)])
        yield table.n_rows, b"", 0
    yield 0, book.content(), 0


def _found(file: str, reading: Reading) -> Table | Scan:
    return load(file) if file.startswith(DATASET) else scan_by(file, reading.options)


def _answers(
    model: Any,
    file: str,
    output: Path | None,
    reading: Reading,
    fresh: NewRows,
    proba: bool,
    append: bool,
    as_json: bool,
) -> Iterator[Answer]:
    """The answers in the order of the rows, the header first."""
    with csv_blocks(file, reading) as blocks:
        if blocks is not None:
            fresh.look_at_names(blocks.names)
            style = blocks.style.for_file(output)
            yield from _of_blocks(model, blocks, style, fresh, proba, append, as_json)
            fresh.file_notes = blocks.notes
            return
    found = _found(file, reading)
    fresh.look_at_names(_names(found))
    asked = Answering(model, {}, _names(found) if append else (), proba, as_json, PLAIN.for_file(output))
    told = asked.told
    if not as_json:
        yield 0, told.header(), 0

    def answer(table: Table) -> Answer:
        return asked.of_table(told, table)

    yield from in_order(answer, tables_to_answer(found, model._given_schema(), fresh, append), threads())


def _of_cluster(
    client: Any,
    model: Any,
    file: str,
    output: Path | None,
    reading: Reading,
    fresh: NewRows,
    known: dict[str, Any],
    proba: bool,
    append: bool,
    as_json: bool,
) -> Iterator[Answer]:
    """The same, with the pieces of the files answered by those who read them."""
    if file == STANDARD_INPUT or file.startswith(DATASET):
        raise ParameterError(f"{file!r} is not a file that the workers of a cluster could read. Leave out --cluster.")
    with csv_blocks(file, reading) as blocks:
        style = (PLAIN if blocks is None else blocks.style).for_file(output)
    found = scan_by(file, reading.options)
    fresh.look_at_names(_names(found))
    asked = Answering(model, known, _names(found) if append else (), proba, as_json, style)
    if not as_json:
        yield 0, asked.told.header(), 0
    yield from answers_of_cluster(client, asked, found.pieces(), fresh)
    fresh.file_notes = found.notes if append else ()


def _names(found: Table | Scan) -> tuple[str, ...]:
    return found.column_names if isinstance(found, Scan) else found.names


def _of_blocks(
    model: Any, blocks: CsvBlocks, style: CsvStyle, fresh: NewRows, proba: bool, append: bool, as_json: bool
) -> Iterator[Answer]:
    columns = wanted_columns(model._given_schema(), blocks, type(model).__name__)
    readings = blocks.readings(columns.columns)
    told = Predictions(model, proba=proba, beside=blocks.names if append else (), style=style)
    if not as_json:
        yield 0, told.header(), 0

    def answer(block: Block) -> Answer:
        try:
            return answered(block)
        except InputError as error:
            if isinstance(error, FileError):
                raise
            place = f"(rows counted from line {block.lines_before + 1} of {blocks.name!r})"
            raise InputError(f"{error} {place}") from error

    def answered(block: Block) -> Answer:
        tables = blocks.tables(block, columns.names, readings)
        for table in tables:
            fresh.look(table)
        rows, taken = sum(table.n_rows for table in tables), len(block.content)
        if as_json:
            return rows, ",\n".join(told.objects(table) for table in tables if table.n_rows).encode(), taken
        if not append:
            return rows, b"".join(csv_bytes(told.of(table), told.style) for table in tables), taken
        kept, lines, at = [safe_texts(c, told.style) for c in blocks.texts(block).columns], [], 0
        for table in tables:
            lines.append(csv_bytes([*(c.slice(at, table.n_rows) for c in kept), *told.of(table)], told.style))
            at += table.n_rows
        return rows, b"".join(lines), taken

    yield from in_order(answer, blocks.blocks(), threads())
