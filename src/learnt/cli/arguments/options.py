"""Options that several commands share: what is asked of the user in one way is told in one way."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from learnt.cli.arguments.completing import column_names, method_setting_names
from learnt.cli.arguments.inputs import FILE_HELP

File = Annotated[str, typer.Argument(metavar="FILE", help=FILE_HELP)]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns to leave out, separated by commas; may be given several times.",
        autocompletion=column_names,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns that are meant, though they look like identifiers or leaks.",
        autocompletion=column_names,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Rows of one group are never parted by a fold.", autocompletion=column_names),
]
Weight = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="A column with the weight of each row.", autocompletion=column_names),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN",
        help="Rows are sorted by it, and later ones tested by models of earlier ones.",
        autocompletion=column_names,
    ),
]
MethodSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-p",
        metavar="KEY=VALUE",
        help="A setting of the learner; may be given several times.",
        autocompletion=method_setting_names,
    ),
]

Report = Annotated[Path | None, typer.Option(help="Write a page with pictures, one HTML file, to this place.")]


def _without_warnings(quiet: bool) -> bool:
    if quiet:
        warnings.simplefilter("ignore")  # until the command ends: `learnt.cli.main` puts back what was there
    return quiet


#: The same on every command: the result as JSON on standard output, where nothing else is printed.
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, to standard output.")]
#: The same on every command. Where the result is a file, as with `train -o`, nothing is left to print.
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print the result and errors only: no progress, no notes.", callback=_without_warnings
    ),
]
