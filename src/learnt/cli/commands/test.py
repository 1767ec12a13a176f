"""`learnt test`: a saved model on rows whose answers are known."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from learnt.cli.arguments.completing import column_names
from learnt.cli.arguments.inputs import load_model
from learnt.cli.arguments.options import File, Json, Quiet, Weight
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.terminal.console import print_json
from learnt.cli.terminal.new_rows import NewRows
from learnt.cli.terminal.notes import note_facts, say_notes

EXAMPLES = """\b
Examples:
  learnt test vote.learnt new_votes.csv
  learnt test houses.learnt sold.csv --target price --json
"""


@reads_tables
def score_on_rows(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that learnt train, or learnt.save, wrote.")],
    file: File,
    target: Annotated[
        str | None,
        typer.Option(
            help="The column of the true answers; models of learnt train know it.", autocompletion=column_names
        ),
    ] = None,
    weight: Weight = None,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a saved model on rows whose answers are known, and say whether it keeps what was promised of it.

    A model that learnt compare --save or learnt train without a learner wrote carries the score that
    cross-validation promised.
    """
    from learnt.cli.arguments.labelled import labelled, read_like, target_of
    from learnt.cli.writing.judged import judged_facts, judged_notices, tell_judged
    from learnt.evaluate.comparison.promise import Promise
    from learnt.evaluate.comparison.scoring import SHOWN
    from learnt.evaluate.metrics.scoring import METRICS
    from learnt.evaluate.new_rows import judge, labelled_rows
    from learnt.saving import read_notes

    fitted = load_model(model)
    notes = read_notes(model)
    promise = Promise.from_dict(notes.get("promise"))
    schema = fitted._given_schema()
    table = read_like(schema, file, reading, Reading.from_dict(notes.get("reading")))
    column = target_of(table, target or notes.get("target"), model)
    features, truth, weights, left_out = labelled(table, column, weight, schema, type(fitted).__name__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of columns where the model was fitted without any
        problem = labelled_rows(fitted, features, truth, weights)
        names = dict.fromkeys([*([promise.metric] if promise is not None else []), *SHOWN[problem.task]])
        judged = judge(fitted, problem, [METRICS[n] for n in names if problem.task in METRICS[n].tasks])
    fresh = NewRows(schema, notes)
    fresh.look_at_names([n for n in table.names if n not in (column.name, weight)])
    fresh.look(features)
    notices = [*judged_notices(judged, left_out, promise), *(note.text for note in fresh.notes())]
    # What its columns are, the model has settled: no flag undoes that here.
    say_notes([n for n in table.notes if n.column not in schema.names], file, quiet=quiet or as_json)
    if as_json:
        facts = judged_facts(judged, fitted, model, file, promise, notices)
        print_json({**facts, "notes": note_facts(table.notes)})
    else:
        tell_judged(judged, fitted, file, promise, notices)
