"""`learnt compare`: learners on one table, compared honestly."""

from __future__ import annotations

import contextlib
import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from learnt.cli.arguments.clusters import ClusterAddress, at_cluster
from learnt.cli.arguments.completing import column_names, several_learner_names
from learnt.cli.arguments.durations import seconds_of
from learnt.cli.arguments.inputs import column_list, load
from learnt.cli.arguments.options import Drop, File, Groups, Json, Keep, Quiet, TimeColumn, Weight
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.arguments.typed import as_options, typed_command
from learnt.cli.terminal.console import safe, say, width
from learnt.cli.terminal.notes import say_notes
from learnt.cli.writing.steps import Steps
from learnt.whole_file import check_place

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

EXAMPLES = """\b
Examples:
  learnt compare dataset:iris --target class
  learnt compare houses.csv --target price --metric mae --report houses.html
  learnt compare visits.csv --target ill --groups patient --drop diagnosis --save ill.learnt
  learnt compare loans.csv --target paid --loss costs.csv --time-budget 5m
  learnt compare cells.csv --target ill --learners C45Classifier,NaiveBayesClassifier --repeats 10
  learnt compare houses.csv --target price --cluster tcp://10.0.0.1:8786
"""
INTERRUPTED = 130  # as shells report a program that Ctrl-C has ended


@reads_tables
def compare(
    context: typer.Context,
    file: File,
    target: Annotated[
        str | None,
        typer.Option(help="The column to predict; bundled tables know theirs.", autocompletion=column_names),
    ] = None,
    learners: Annotated[
        str | None,
        typer.Option(
            help="Names or families such as tree and linear, separated by commas, or all; a dozen unless given.",
            autocompletion=several_learner_names,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="What ranks: accuracy, auc, log_loss, rmse, …; unless given accuracy or rmse, and auc where one class "
            "has most of the rows."
        ),
    ] = None,
    cv: Annotated[int, typer.Option(help="Number of folds.")] = 10,
    repeats: Annotated[int, typer.Option(help="Repeats of the cross-validation, shuffled anew.")] = 1,
    tune: Annotated[bool, typer.Option("--tune", help="Search the settings of each learner inside each fold.")] = False,
    task: Annotated[str, typer.Option(help="auto, binary, multiclass or regression.")] = "auto",
    time_budget: Annotated[
        str | None, typer.Option(help="Time for the whole comparison, e.g. 90s, 5m, 1h30m; none unless given.")
    ] = None,
    max_rows: Annotated[
        int | None,
        typer.Option(help="Compare on a stratified sample of so many rows; all unless the time budget is short."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where the same command was stopped or killed.")
    ] = False,
    loss: Annotated[
        Path | None, typer.Option(help="Costs by truth and answer, .csv or .json; answers are chosen by them.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="How far from the best score a readable learner may be; unless given, any that may be the best (●)."
        ),
    ] = None,
    drop: Drop = None,
    keep: Keep = None,
    groups: Groups = None,
    weight: Weight = None,
    time: TimeColumn = None,
    save: Annotated[
        Path | None, typer.Option(help="Fit the most accurate learner to all rows and write the model to this file.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write the report, one HTML file, to this place.")] = None,
    seed: Annotated[int, typer.Option(help="Of the folds, and of learners that draw.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Learners run at once; one per core unless given.")] = None,
    cluster: ClusterAddress = None,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare learners on a table, with the uncertainty of every figure, and say which to use and which to read.

    Columns that number the rows are left out, and columns that give the target away are named; --keep and --drop
    decide otherwise.

    Learners are cross-validated in processes beside this one: first those that answer at once, then those that usually
    win. One that fails, or takes longer than five minutes (an hour with --tune), is reported and holds up nobody; with
    --time-budget, slow ones give way to those that can finish. Ctrl-C gives the results so far, and --resume goes on
    from there. With --cluster, they run beside the workers of a Dask cluster, one for each of their threads.
    """
    from learnt.cli.terminal.compare_progress import comparison_progress
    from learnt.cli.writing.journals import journal_for
    from learnt.cli.writing.verdicts import keep_verdict
    from learnt.evaluate.comparison.entry import compare as run

    budget = None if time_budget is None else seconds_of(time_budget)
    if report is not None:
        check_place(report, "The report")
    if save is not None:
        check_place(save, "The model")
    if quiet:
        warnings.simplefilter("ignore")
    roles = (drop, keep, groups, weight, time)
    journal = journal_for(file, target, cv, repeats, task, seed, reading, roles, resume=resume)
    table = load(file, target, reading)
    say_notes(table.notes, file, quiet=quiet or as_json)
    client = context.with_resource(at_cluster(cluster))
    with comparison_progress(quiet) as show:
        comparison = run(
            table,
            target,
            learners=learners,
            metric=metric,
            cv=cv,
            repeats=repeats,
            tune=tune,
            task=task,
            time_budget=budget,
            max_rows=max_rows,
            resume=journal,
            loss=loss,
            margin=margin,
            drop=column_list(drop, table.names),
            keep=column_list(keep, table.names),
            groups=groups,
            weight=weight,
            time=time,
            random_state=seed,
            n_jobs=jobs,
            cluster=client,
            on_update=show,
        )
    comparison.source, comparison.command = file, typed_command(context, without="resume")
    comparison.reading = reading.settings
    unfinished = journal is not None and any(o.status == "stopped" for o in comparison.outcomes)
    if journal is not None and not unfinished:
        with contextlib.suppress(OSError):
            journal.unlink(missing_ok=True)
    if comparison.done:
        keep_verdict(comparison)
    _finish(comparison, report, save, unfinished, reading, as_json=as_json, quiet=quiet)


def _finish(
    comparison: Comparison,
    report: Path | None,
    save: Path | None,
    unfinished: bool,
    reading: Reading,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show and write what there is; exit with 1 if nothing could be compared, with 130 if it was interrupted."""
    from learnt.cli.writing.verdicts import save_best

    with Steps().all() as steps:
        with steps.one():
            _print(comparison, as_json)
        notes = []
        if unfinished:
            notes.append("The same command with --resume goes on with the stopped learners.")
        if report is not None and comparison.done:
            with steps.one():
                comparison.write(report)
                notes.append(f"Written: {report}")
        if save is not None and comparison.done:
            with steps.one():
                save_best(comparison, save, reading)
                called = comparison.best.name
                notes.append(f"Written: {save} ({called} fitted to all rows; learnt test scores it on new ones)")
        with steps.one():
            for note in [] if quiet else notes:
                say(f"\n{note}", "dim", to_stderr=as_json)
    if comparison.interrupted:
        raise typer.Exit(INTERRUPTED)
    if not comparison.done:
        raise typer.Exit(1)


def _print(comparison: Comparison, as_json: bool) -> None:
    if as_json:
        print(json.dumps(comparison.to_dict(), indent=2, allow_nan=False, default=str), flush=True)
    else:
        Console().print(_coloured_text(comparison), soft_wrap=True)


def _coloured_text(comparison: Comparison) -> Text:
    text = Text(safe(as_options(comparison.to_text(width()))))
    text.highlight_regex(r"(?m)^! .*(\n  .*)*", "yellow")
    text.highlight_regex(r"(?m)^(learner  .*|stopped on the way|failed|skipped)$", "bold")
    text.highlight_regex(r"(?m)^● \S+", "green")
    for row in comparison.leaderboard():
        if row.may_be_best and row.name.isprintable():
            text.highlight_regex(rf"(?m)^{re.escape(row.name)}(?=  )", "green")
    return text
