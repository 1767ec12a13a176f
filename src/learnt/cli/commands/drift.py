"""`learnt drift`: has a table moved since the last one, and does a saved model still hold?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from learnt.cli.arguments.completing import column_names
from learnt.cli.arguments.inputs import column_list, load, load_model
from learnt.cli.arguments.options import Drop, Json, Quiet
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.terminal.console import print_json, say
from learnt.cli.terminal.notes import say_notes
from learnt.cli.terminal.progress import progress
from learnt.whole_file import check_place

EXAMPLES = """\b
Examples:
  learnt drift january.csv june.csv
  learnt drift january.csv june.csv --model churn.learnt --report drift.html
"""


@reads_tables
def drift(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The older table, such as that a model learnt from.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The newer one.")],
    model: Annotated[str | None, typer.Option(help="A saved model, whose answers to both are compared.")] = None,
    target: Annotated[
        str | None,
        typer.Option(help="The column it predicts; models of learnt train know it.", autocompletion=column_names),
    ] = None,
    drop: Drop = None,
    alpha: Annotated[float, typer.Option(help="How often any column may be called moved by chance.")] = 0.05,
    reading: Reading = AS_FOUND,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page to this file as well.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two tables of the same columns: which moved, by how much, and what that does to a saved model.

    Exit status 0 whether or not something moved; --json says which ("drift": true or false).
    """
    from learnt.cli.arguments.labelled import read_like
    from learnt.drift import find_drift
    from learnt.report.drift import drift_page
    from learnt.saving import read_notes

    if report is not None:
        check_place(report, "The page")
    with progress(quiet=as_json or quiet):
        before = load(old, None, reading)
        after = read_like(before.schema, new, reading, AS_FOUND)
        fitted = None if model is None else load_model(model)
        wanted = target
        if target is None and model is not None:  # of rows whose truth is not known yet the column may be absent
            learnt_of = read_notes(model).get("target")
            wanted = learnt_of if learnt_of in (*before.names, *after.names) else None
        left_out = column_list(drop, (*before.names, *after.names))
        found = find_drift(before, after, model=fitted, target=wanted, drop=left_out, alpha=alpha)
    if report is not None:
        drift_page(found, old, new).write(report)
    if as_json:
        print_json(found.to_dict())
        return
    say_notes(before.notes, old, quiet=quiet)
    print(found)
    if report is not None and not quiet:
        say(f"\nWritten: {report}", "dim")
