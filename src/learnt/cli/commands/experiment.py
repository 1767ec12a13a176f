"""`learnt experiment`: what the textbook claims, tried."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from learnt.cli.arguments.options import Json, Quiet
from learnt.cli.terminal.console import print_json, say, show_table
from learnt.data.naming import nearest_name
from learnt.errors import InputError
from learnt.report.experiment import experiment_page
from learnt.whole_file import check_place

EXAMPLES = """\b
Examples:
  learnt experiment
  learnt experiment no_free_lunch
  learnt experiment double_descent --html double_descent.html
"""


def experiment(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which; without a name they are listed.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with the picture to this file.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run an experiment of learning theory, print its figures and say what they show."""
    from learnt.theory.experiments import EXPERIMENTS

    if name is None:
        rows = [(key, (run.__doc__ or "").split("\n")[0]) for key, run in EXPERIMENTS.items()]
        if as_json:
            print_json([{"name": key, "about": about} for key, about in rows])
        else:
            show_table(("experiment", "what it does"), rows)
        return
    chosen = name.replace("-", "_")
    if chosen not in EXPERIMENTS:
        near = nearest_name(chosen, list(EXPERIMENTS))
        hint = "learnt experiment lists them." if near is None else f"Did you mean {near!r}?"
        raise InputError(f"There is no experiment {name!r}. {hint}")
    if html is not None:
        check_place(html, "The page")
    found = EXPERIMENTS[chosen](random_state=seed)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)
    if html is not None:
        experiment_page(found).write(html)
        if not quiet and not as_json:
            say(f"\nWritten: {html}", "dim")
