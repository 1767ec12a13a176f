"""`learnt describe`: what is in a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import learnt
from learnt.cli.arguments.completing import column_names
from learnt.cli.arguments.inputs import load, without_columns
from learnt.cli.arguments.options import Drop, File, Json, Quiet, Weight
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.terminal.console import print_json, safe, say, width
from learnt.cli.terminal.notes import say_notes
from learnt.cli.terminal.progress import progress
from learnt.cli.writing.columns_read import column_facts, show_columns
from learnt.whole_file import check_place, write_whole

EXAMPLES = """\b
Examples:
  learnt describe dataset:labor
  learnt describe houses.csv --target price --html houses.html
  learnt describe towns.csv --notes
  learnt describe towns.csv --kind zip=nominal --ordinal size=S,M,L --missing unknown
"""


@reads_tables
def describe(
    file: File,
    target: Annotated[
        str | None, typer.Option(help="The column to predict from the others.", autocompletion=column_names)
    ] = None,
    drop: Drop = None,
    weight: Weight = None,
    reading: Reading = AS_FOUND,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page to this file as well.")] = None,
    notes: Annotated[
        bool, typer.Option("--notes", help="List what each column was read as, and the flag that changes it; no more.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe the columns of a table, and what in it deserves a second look.

    Where a column was not read as it is meant, --kind, --missing and --date-order say so, here and on every command.
    """
    if html is not None:
        check_place(html, "The page")
    with progress(quiet=as_json or quiet):
        table = load(file, target, reading)
        if notes:
            described = without_columns(table, drop)
            print_json(column_facts(described)) if as_json else show_columns(described)
            return
        description = learnt.describe(without_columns(table, drop), sample_weight=weight)
    if html is not None:
        write_whole(html, description.to_html(title=file), "The page")
    if as_json:
        print_json(description.to_dict())
        return
    say_notes(table.notes, file, quiet=quiet)
    text = Text(safe(description.to_text(width())))
    text.highlight_regex(r"(?m)^! .*(\n  .*)*", "yellow")
    text.highlight_regex(r"(?m)^(numeric|categories|target|goes with|correlations|worth a look)( .*)?$", "bold")
    text.highlight_regex(r"[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉]+", "cyan")
    Console().print(text, soft_wrap=True)
    if not quiet and sys.stdout.isatty():
        say("\n--notes lists what columns were read as, and what changes it.", "dim")
    if html is not None and not quiet:
        say(f"\nWritten: {html}", "dim")
