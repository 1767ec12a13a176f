"""What `cluster` and `reduce` leave behind: a table, a model and a page, each if a place for it was named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.cli.arguments.reading import Reading
from learnt.cli.terminal.console import say
from learnt.cli.writing.steps import Steps
from learnt.whole_file import check_place, write_whole

if TYPE_CHECKING:
    from learnt.data.notes import Note
    from learnt.data.table import Table


@dataclass(frozen=True)
class Results:
    """The places that were named, None where nothing is wanted."""

    output: Path | None
    save: Path | None
    report: Path | None

    def check(self) -> None:
        """A place that cannot be written to is told before the work."""
        for place, what in ((self.output, "The table"), (self.save, "The model"), (self.report, "The report")):
            if place is not None:
                check_place(place, what)
        os.environ.setdefault("MPLBACKEND", "Agg")  # pictures go to a file, not to a screen

    def page_of(self, found: Any) -> str:
        """The page, if it is wanted."""
        return found.to_html() if self.report is not None else ""

    def write(
        self,
        steps: Steps,
        write_table: Callable[[Path], None],
        model: Any,
        page: str,
        notes: Mapping[str, Any] | None = None,
    ) -> list[Path]:
        """The table, the model and the page, each a step of its own; the places of those that are written now."""
        written = []
        for place, write in (
            (self.output, write_table),
            (self.save, lambda path: save_model(model, path, notes)),
            (self.report, lambda path: write_whole(path, page, "The report")),
        ):
            if place is not None:
                with steps.one():
                    write(place)
                    written.append(place)
        return written


def say_written(places: Sequence[Path]) -> None:
    for place in places:
        say(f"Written: {place}", "dim")


def write_columns(output: Path, beside: Table | None, names: Sequence[str], columns: Sequence[Any]) -> None:
    """New columns, of Arrow, behind those of `beside` and under names that none of these has, as CSV or a workbook."""
    from learnt.cli.writing.csv_cells import csv_line
    from learnt.cli.writing.predictions import csv_bytes, table_texts, unlike
    from learnt.cli.writing.workbooks import Workbook, is_workbook

    there = () if beside is None else beside.names
    header = [*there, *(unlike(name, there) for name in names)]
    if is_workbook(output):
        book = Workbook(header, str(output), "rows")
        kept = [] if beside is None else [column.labels() for column in beside.columns]
        book.add([*kept, *(column.to_pylist() for column in columns)])
        content = book.content()
    else:
        content = csv_line(header).encode() + csv_bytes([*([] if beside is None else table_texts(beside)), *columns])
    write_whole(output, content, "The table")


def kept_of(model: Any, table: Any, reading: Reading, notes: Iterable[Note] = ()) -> dict[str, Any]:
    """What a model's file keeps of how its table was read, and of where its columns lie; new rows are held to it."""
    from learnt.data.table import Table as TableClass
    from learnt.learner.moved import training_summary

    summary = training_summary(table, model._given_schema()) if isinstance(table, TableClass) else {}
    said = reading.settled_by(notes).to_dict()
    return {**({"reading": said} if said else {}), **({"columns": summary} if summary else {})}


def save_model(model: Any, output: Path, notes: Mapping[str, Any] | None = None) -> None:
    from learnt.saving import save

    save(model, output, notes=notes)
