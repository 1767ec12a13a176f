"""`learnt explain`: the arithmetic behind one prediction."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from learnt.cli.arguments.inputs import DATASET, load, load_model
from learnt.cli.arguments.options import File, Json, Quiet
from learnt.cli.arguments.reading import AS_FOUND, Reading, check_kinds, reads_tables
from learnt.cli.terminal.console import name, print_json, say
from learnt.cli.terminal.new_rows import say_about_rows
from learnt.cli.terminal.notes import note_facts
from learnt.cli.writing.model_rows import csv_blocks, wanted_columns
from learnt.data.files.scan import scan_by
from learnt.data.table import Table
from learnt.errors import InputError
from learnt.explain import Explanation
from learnt.learner.base import Learner
from learnt.learner.differences import UnseenLabels
from learnt.saving import read_notes
from learnt.whole_file import check_place, write_whole

EXAMPLES = """\b
Examples:
  learnt explain labor.learnt dataset:labor --row 0
  learnt explain loans.learnt new.csv --row 17 --html why.html
"""


@reads_tables
def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that learnt train, or learnt.save, wrote.")],
    file: File,
    row: Annotated[int, typer.Option(min=0, help="The number of the row, counted from 0.")] = 0,
    most: Annotated[int, typer.Option(min=1, help="List at most so many columns.")] = 10,
    reading: Reading = AS_FOUND,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page to this file as well.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Explain the prediction of one row: what each column adds to it, in the words of the columns."""
    fitted = load_model(model)
    check_kinds(fitted._given_schema(), reading)
    if html is not None:
        check_place(html, "The page")
    if not hasattr(fitted, "predict"):
        raise InputError(f"The model is a {type(fitted).__name__}, which predicts nothing to be explained.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of columns where the model was fitted without any
        kept = Reading.from_dict(read_notes(model).get("reading"))
        fresh = UnseenLabels(fitted._given_schema())
        told = fitted.explain(_row(fitted, file, reading.over(kept), row, fresh))[0]
    if html is not None:
        _write_page(html, told, type(fitted).__name__, file, row)
    if as_json:
        print_json({**told.to_dict(), "notes": note_facts(fresh.notes())})
    else:
        say_about_rows(fresh.notes(), quiet=quiet)
        say(told.text(most))
        if html is not None and not quiet:
            say(f"\nWritten: {html}", "dim")


def _row(model: Learner, file: str, reading: Reading, row: int, fresh: UnseenLabels) -> Table:
    """One row of a file; those before it are read over, those after it are not read."""
    seen = 0
    for given, table in _tables(model, file, reading):
        if row < seen + table.n_rows:
            fresh.look(given.rows(row - seen, row - seen + 1))
            return table.rows(row - seen, row - seen + 1)
        seen += table.n_rows
    raise InputError(f"There is no row {row}. {name(repr(file))} has {seen:,} rows, counted from 0.")


def _tables(model: Learner, file: str, reading: Reading) -> Iterator[tuple[Table, Table]]:
    """The rows as the file has them and as the model wants them, text as `learnt predict` reads it."""
    if file.startswith(DATASET):
        table = load(file)
        yield table, table
        return
    with csv_blocks(file, reading) as blocks:
        if blocks is not None:
            columns = wanted_columns(model._given_schema(), blocks, type(model).__name__)
            readings = blocks.readings(columns.columns)
            for block in blocks.blocks():  # one after the other: few are read
                yield from ((table, table) for table in blocks.tables(block, columns.names, readings))
            return
    found, schema, given = scan_by(file, reading.options), model._given_schema(), deque[Table]()
    if schema.named and all(c.categories or c.documents or not c.coded for c in schema):
        for table in found.with_schema(schema, given.append).batches():
            yield given.popleft(), table
    else:
        yield from ((table, table) for table in found.batches())


def _write_page(path: Path, told: Explanation, learner: str, file: str, row: int) -> None:
    from learnt.report import Page

    page = Page(f"Row {row} of {name(file, 80)}", f"Why {learner} predicts what it does.")
    page.add("The arithmetic", "", told)
    write_whole(path, page.render(), "The page")
