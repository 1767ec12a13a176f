"""`learnt train`: one learner, one table, one file with the model."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from learnt.cli.arguments.completing import column_names, learner_names, setting_names
from learnt.cli.arguments.given_settings import learner_from
from learnt.cli.arguments.inputs import DATASET, STANDARD_INPUT, kinds_of, load, ordinal_of
from learnt.cli.arguments.options import File, Json, Kinds, Ordinal, Quiet
from learnt.cli.commands.show import json_ready
from learnt.cli.terminal.console import check_place, name, print_json, say
from learnt.cli.terminal.progress import progress
from learnt.cli.writing.results import save_model
from learnt.data.files.scan import Scan, scan
from learnt.data.table import Table
from learnt.errors import InputError

EXAMPLES = """\b
Examples:
  learnt train dataset:labor --learner C45Classifier -o labor.learnt
  learnt train houses.csv --target price --learner LinearRegression -o houses.learnt
  learnt train loans.csv --target paid --learner DecisionTreeClassifier -p max_depth=4 -o loans.learnt
  learnt train 'parts/*.parquet' --target y --learner NaiveBayesClassifier -o y.learnt
"""


def train(
    file: File,
    learner: Annotated[
        str,
        typer.Option("--learner", "-l", help="A name of learnt learners.", autocompletion=learner_names),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model is written to this file.")],
    target: Annotated[
        str | None,
        typer.Option(help="The column to predict; bundled tables know theirs.", autocompletion=column_names),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-p",
            metavar="KEY=VALUE",
            help="A setting; may be given several times.",
            autocompletion=setting_names,
        ),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="A column with the weight of each row.", autocompletion=column_names)
    ] = None,
    kinds: Kinds = None,
    ordinal: Ordinal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit a learner to a table and save the model.

    A folder or a pattern of files is not loaded but read in passes, as large as it may be, by learners marked 'passes'.
    """
    made = learner_from(learner, settings or [])
    check_place(output)
    begun = time.perf_counter()
    with progress(quiet or as_json):
        table, left_out = _rows(_source(file, target, kinds, ordinal), made.needs)
        if made.needs is not None and table.target is None:
            raise InputError(f"{type(made).__name__} learns to predict a column. Name it with --target COLUMN.")
        made.fit(table, None, weight)
    save_model(made, output)
    if as_json:
        print_json(_facts(made, table, left_out, output, time.perf_counter() - begun))
    elif not quiet:
        _tell(made, table, left_out, output)


def _source(file: str, target: str | None, kinds: list[str] | None, ordinal: list[str] | None) -> Table | Scan:
    kinds_, ordinal_ = kinds_of(kinds), ordinal_of(ordinal)
    if file == STANDARD_INPUT or file.startswith(DATASET) or Path(file).is_file():
        return load(file, target, kinds_, ordinal_)
    return scan(file, target, kinds=kinds_, ordinal=ordinal_)


def _rows(table: Table | Scan, needs: Any) -> tuple[Table | Scan, int]:
    """The rows that have a target, and how many do not; a scan is taken as it is."""
    if isinstance(table, Scan) or needs is None or table.target is None:
        return table, 0
    missing = table[table.target].missing
    if missing.all():
        raise InputError(f"The target {table.target!r} holds no values. Choose another.")
    return (table.take(np.flatnonzero(~missing)) if missing.any() else table), int(missing.sum())


def _facts(model: Any, table: Table | Scan, left_out: int, output: Path, seconds: float) -> dict[str, Any]:
    return {
        "learner": type(model).__name__,
        "settings": {key: json_ready(value) for key, value in model.get_params(deep=False).items()},
        "target": table.target if model.needs is not None else None,
        "classes": getattr(model, "classes_", np.array([])).tolist() or None,
        "rows": table.n_rows,
        "rows_without_target": left_out,
        "columns": model.n_features_in_,
        "seconds": round(seconds, 3),
        "file": str(output),
        "bytes": output.stat().st_size,
    }


def _tell(model: Any, table: Table | Scan, left_out: int, output: Path) -> None:
    rows = "" if table.n_rows is None else f"{table.n_rows:,} rows, "
    goal = f" to predict {name(repr(table.target))}" if model.needs is not None else ""
    say(f"{name(repr(model), 200)} learnt{goal} from {rows}{model.n_features_in_:,} columns.")
    if left_out:
        say(f"! {left_out:,} rows have no target and were left out.", "yellow")
    say(f"Written: {output} ({output.stat().st_size:,} bytes)", "dim")
    if model.needs is not None and sys.stdout.isatty():
        say("How good it is on new rows, learnt compare tells.", "dim")
