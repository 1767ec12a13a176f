"""`learnt describe`: what is in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import learnt
from learnt.cli.arguments.completing import column_names
from learnt.cli.arguments.inputs import kinds_of, load, ordinal_of, without_columns
from learnt.cli.arguments.options import Drop, File, Json, Kinds, Ordinal, Quiet, Weight
from learnt.cli.terminal.console import print_json, safe, say, width, write_text
from learnt.cli.terminal.progress import progress

EXAMPLES = """\b
Examples:
  learnt describe dataset:labor
  learnt describe houses.csv --target price --html houses.html
  learnt describe towns.csv --kinds zip=nominal --ordinal size=S,M,L
"""


def describe(
    file: File,
    target: Annotated[
        str | None, typer.Option(help="The column to predict from the others.", autocompletion=column_names)
    ] = None,
    drop: Drop = None,
    weight: Weight = None,
    kinds: Kinds = None,
    ordinal: Ordinal = None,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page to this file as well.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe the columns of a table, and what in it deserves a second look."""
    with progress(quiet=as_json or quiet):
        table = load(file, target, kinds_of(kinds), ordinal_of(ordinal))
        description = learnt.describe(without_columns(table, drop), sample_weight=weight)
    if html is not None:
        write_text(html, description.to_html(title=file))
    if as_json:
        print_json(description.to_dict())
        return
    text = Text(safe(description.to_text(width())))
    text.highlight_regex(r"(?m)^! .*(\n  .*)*", "yellow")
    text.highlight_regex(r"(?m)^(numeric|categories|target|goes with|correlations|worth a look)( .*)?$", "bold")
    text.highlight_regex(r"[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉]+", "cyan")
    Console().print(text, soft_wrap=True)
    if html is not None and not quiet:
        say(f"\nWritten: {html}", "dim")
