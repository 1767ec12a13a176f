"""`learnt describe` and `learnt datasets`: what is in a table, and which tables are bundled."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import learnt
from learnt.cli.completing import column_names, dataset_names
from learnt.cli.console import print_json, safe, say, show_table, width, write_text
from learnt.cli.inputs import DATASET, kinds_of, load, ordinal_of
from learnt.cli.options import File, Json, Kinds, Ordinal, Quiet
from learnt.cli.progress import progress

DESCRIBE_EXAMPLES = """\b
Examples:
  learnt describe dataset:labor
  learnt describe houses.csv --target price --html houses.html
  learnt describe towns.csv --kinds zip=nominal --ordinal size=S,M,L
"""
DATASETS_EXAMPLES = """\b
Examples:
  learnt datasets
  learnt datasets iris
"""


def describe(
    file: File,
    target: Annotated[
        str | None, typer.Option(help="The column to predict from the others.", autocompletion=column_names)
    ] = None,
    kinds: Kinds = None,
    ordinal: Ordinal = None,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page to this file as well.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe the columns of a table, and what in it deserves a second look."""
    with progress(quiet=as_json or quiet):
        table = load(file, target, kinds_of(kinds), ordinal_of(ordinal))
        description = learnt.describe(table)
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


def datasets(
    dataset: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Tell more about this one.", autocompletion=dataset_names)
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the bundled tables; use one as a file by the name dataset:NAME."""
    bundled = learnt.datasets
    chosen = bundled.names() if dataset is None else [dataset.removeprefix(DATASET)]
    about = [bundled.info(key) for key in chosen]
    if as_json:
        facts = ("name", "rows", "columns", "target", "title")
        print_json([{fact: getattr(one, fact) for fact in facts} for one in about])
    elif dataset is not None:
        print(about[0])
    else:
        rows = [(i.name, str(i.rows), str(i.columns), i.target, i.title) for i in about]
        show_table(("name", "rows", "columns", "target", "title"), rows, right=(1, 2))
