"""`learnt train`: one table, one file with the model of one learner: the one named, or the most accurate."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from learnt.cli.arguments.clusters import ClusterAddress, at_cluster
from learnt.cli.arguments.completing import column_names, learner_names, setting_names
from learnt.cli.arguments.given_settings import learner_from
from learnt.cli.arguments.inputs import column_list, is_one_table, load, without_columns
from learnt.cli.arguments.options import Drop, File, Groups, Json, Keep, Quiet, TimeColumn, Weight
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.commands.show import json_ready
from learnt.cli.terminal.console import name, print_json, say
from learnt.cli.terminal.notes import note_facts, note_lines, say_notes
from learnt.cli.terminal.progress import progress
from learnt.cli.writing.results import kept_of, save_model
from learnt.data.files.scan import Scan, scan
from learnt.data.notes import Note
from learnt.data.table import Table
from learnt.describe.suspects import identifiers
from learnt.errors import InputError, LeftOutWarning, ParameterError
from learnt.show.words import count_of
from learnt.whole_file import check_place

EXAMPLES = """\b
Examples:
  learnt train votes.csv --target Class -o votes.learnt
  learnt train dataset:labor --learner C45Classifier -o labor.learnt
  learnt train houses.csv --target price --learner LinearRegression -o houses.learnt
  learnt train loans.csv --target paid --learner DecisionTreeClassifier -p max_depth=4 -o loans.learnt
  learnt train 'parts/*.parquet' --target y --learner NaiveBayesClassifier -o y.learnt
  learnt train 'parts/*.parquet' --target y -l LogisticRegression --cluster tcp://10.0.0.1:8786 -o y.learnt
"""


@reads_tables
def train(
    context: typer.Context,
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model is written to this file.")],
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            "-l",
            help="A name of learnt learners; without one they are compared and the most accurate is taken.",
            autocompletion=learner_names,
        ),
    ] = None,
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
    drop: Drop = None,
    keep: Keep = None,
    groups: Groups = None,
    weight: Weight = None,
    time: TimeColumn = None,
    cluster: ClusterAddress = None,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit a learner to a table and save the model.

    Without --learner the learners are compared first, as learnt compare does, unless that was done for the same rows
    already; the most accurate one is fitted to all rows. --keep, --groups and --time are for that comparison.

    A folder or a pattern of files is not loaded but read in passes, as large as it may be, by learners marked 'passes'.
    With --cluster, so is a single file, by the workers; a comparison runs on them, too.
    """
    check_place(output, "The model")
    client = context.with_resource(at_cluster(cluster))
    begun = perf_counter()
    if learner is None:
        table = _loaded(file, target, reading, settings)
        roles = (column_list(drop, table.names), column_list(keep, table.names), groups, weight, time)
        from learnt.cli.commands.train_best import train_best

        say_notes(table.notes, file, quiet=quiet or as_json)
        best = train_best(table, target, roles, output, reading, client, quiet=quiet or as_json)
        if as_json:
            seconds = perf_counter() - begun
            facts = _facts(best.model, best.target, best.n_rows, best.left_out, output, seconds)
            print_json({**facts, **best.facts, "notes": note_facts((*table.notes, *best.model.notes_))})
        elif not quiet:
            _tell(best.model, best.target, best.n_rows, best.left_out, output)
        return
    for option, given in (("--keep", keep), ("--groups", groups), ("--time", time)):
        if given:
            raise ParameterError(f"{option} is for comparing, and --learner names one. Leave out one of the two.")
    made = learner_from(learner, settings or [])
    with progress(quiet or as_json):
        source = _source(file, target, reading, by_workers=client is not None)
        read_notes = tuple(getattr(source, "notes", ()))
        rows, left_out = _rows(without_columns(source, drop), made.needs)
        if made.needs is not None and rows.target is None:
            raise InputError(f"{type(made).__name__} learns to predict a column. Name it with --target COLUMN.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)  # said below, once
            made.fit(rows, None, weight)
    known = {"target": rows.target} if made.needs is not None else {}
    save_model(made, output, {**known, **kept_of(made, rows, reading, read_notes)})
    notes = (*read_notes, *identifier_notes(rows, (rows.target, weight)))
    say_notes(notes, file, quiet=quiet or as_json)
    about = (made, rows.target, rows.n_rows, left_out, output)
    if as_json:
        print_json({**_facts(*about, perf_counter() - begun), "notes": note_facts((*notes, *made.notes_))})
    elif not quiet:
        _tell(*about)


def _loaded(file: str, target: str | None, reading: Reading, settings: list[str] | None) -> Table:
    """A table to compare learners on."""
    if settings:
        raise ParameterError("Settings were given, and no learner to have them. Name one with --learner.")
    found = _source(file, target, reading)
    if isinstance(found, Scan):
        raise ParameterError("A folder or a pattern is read in passes and cannot be compared on. Name a --learner.")
    return found


def _source(file: str, target: str | None, reading: Reading, *, by_workers: bool = False) -> Table | Scan:
    if is_one_table(file) and not (by_workers and Path(file).is_file()):
        return load(file, target, reading)
    return scan(file, target, **reading.settings)


def _rows(table: Table | Scan, needs: Any) -> tuple[Table | Scan, int]:
    """The rows that have a target, and how many do not; a scan is taken as it is."""
    if isinstance(table, Scan) or needs is None or table.target is None:
        return table, 0
    missing = table[table.target].missing
    if missing.all():
        raise InputError(f"The target {table.target!r} holds no values. Choose another.")
    return (table.take(np.flatnonzero(~missing)) if missing.any() else table), int(missing.sum())


def identifier_notes(table: Table | Scan, roles: Sequence[str | None]) -> tuple[Note, ...]:
    """Columns that number or name the rows, which a named learner is given like all others."""
    if isinstance(table, Scan) or table.sparse is not None:
        return ()
    found = identifiers([c for c in table.columns if c.name not in roles])
    return tuple(Note(s.column, f"{s.words}. It was left in.", f"--drop {shlex.quote(s.column)}") for s in found)


def _facts(
    model: Any, target: str | None, n_rows: int | None, left_out: int, output: Path, seconds: float
) -> dict[str, Any]:
    return {
        "learner": type(model).__name__,
        "settings": {key: json_ready(value) for key, value in model.get_params(deep=False).items()},
        "target": target if model.needs is not None else None,
        "classes": getattr(model, "classes_", np.array([])).tolist() or None,
        "rows": n_rows,
        "rows_without_target": left_out,
        "columns": model.n_features_in_,
        "seconds": round(seconds, 3),
        "file": str(output),
        "bytes": output.stat().st_size,
    }


def _tell(model: Any, target: str | None, n_rows: int | None, left_out: int, output: Path) -> None:
    rows = "" if n_rows is None else f"{count_of(n_rows, 'row')}, "
    goal = f" to predict {name(repr(target))}" if model.needs is not None else ""
    say(f"{name(repr(model), 200)} learnt{goal} from {rows}{count_of(model.n_features_in_, 'column')}.")
    for line in note_lines(model.notes_):
        say(line)
    if left_out:
        say(f"! {left_out:,} rows have no target and were left out.", "yellow")
    say(f"Written: {output} ({output.stat().st_size:,} bytes)", "dim")
    if model.needs is not None and sys.stdout.isatty():
        say("How good it is on new rows, learnt test tells.", "dim")
