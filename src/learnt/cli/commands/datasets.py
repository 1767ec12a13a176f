"""`learnt datasets`: which tables are bundled."""

from __future__ import annotations

from typing import Annotated

import typer

import learnt
from learnt.cli.arguments.completing import dataset_names
from learnt.cli.arguments.inputs import DATASET
from learnt.cli.arguments.options import Json, Quiet
from learnt.cli.terminal.console import print_json, show_table

EXAMPLES = """\b
Examples:
  learnt datasets
  learnt datasets iris
"""


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
