"""`learnt reduce`: a table in few columns, and what they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from learnt.cli.arguments.chosen_columns import ChosenColumns, choose_columns
from learnt.cli.arguments.completing import column_names, reduce_method_names
from learnt.cli.arguments.inputs import column_list, load
from learnt.cli.arguments.methods import bring_to_one_scale, count_setting, learner_for, names_of, reduce_methods
from learnt.cli.arguments.options import Drop, File, Json, MethodSettings, Quiet, Report
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.arguments.typed import typed_command
from learnt.cli.terminal.console import print_json, say, width
from learnt.cli.terminal.notes import say_notes
from learnt.cli.terminal.progress import progress
from learnt.cli.writing.results import Results, kept_of, say_written, write_columns
from learnt.cli.writing.steps import Steps
from learnt.data.table import unknown_column
from learnt.errors import InputError, ParameterError

if TYPE_CHECKING:
    from learnt.data.table import Table

EXAMPLES = """\b
Examples:
  learnt reduce dataset:iris
  learnt reduce genes.csv --components 0.95 --output genes_small.csv
  learnt reduce towns.csv --method mds --components 2 --report map.html
  learnt reduce letters.csv --method lsa --text body --components 20 -o topics.csv
  learnt reduce signals.parquet --method ica --components 4 --append -o sources.csv
"""
SHARE = 0.9  # of the variance, which the components keep unless told otherwise
FEW = 2  # components of methods that know no such share
WIDE = 1000  # columns, from which on leading components are sought alone


@reads_tables
def reduce(
    context: typer.Context,
    file: File,
    method: Annotated[
        str,
        typer.Option(
            "--method", "-m", help="pca, lsa, rp, ica, mds, or a learner's name.", autocompletion=reduce_method_names
        ),
    ] = "pca",
    components: Annotated[
        str | None,
        typer.Option(
            "--components", "-n", help="How many; for pca also the share of the variance to keep, 0.9 unless given."
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            help="For lsa: a column of documents, whose words are counted; nothing else of the table is taken.",
            autocompletion=column_names,
        ),
    ] = None,
    drop: Drop = None,
    class_column: Annotated[
        str | None,
        typer.Option(
            "--class",
            help="A column kept out, by which pictures are coloured; bundled tables know theirs.",
            autocompletion=column_names,
        ),
    ] = None,
    settings: MethodSettings = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the new columns, as CSV, to this file.")
    ] = None,
    append: Annotated[bool, typer.Option("--append", help="Keep the columns of the input, in front.")] = False,
    save: Annotated[Path | None, typer.Option(help="Save the model to this file.")] = None,
    report: Report = None,
    seed: Annotated[int, typer.Option(min=0, help="Of methods that draw.")] = 0,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Turn a table into few columns that say most of it, and tell what they are made of.

    Numbers are brought to one scale; categories and missing cells go in as they are. Columns that number or name the
    rows are left out.
    """
    from learnt.report.reduction import Reduction

    places = Results(output, save, report)
    places.check()
    if append and output is None:
        raise ParameterError("--append was given without --output. Name the file that shall hold the columns.")
    made = learner_for(method, reduce_methods(), settings or [], seed)
    asked = _typed_components(components, made, settings or [])
    if text is not None and not hasattr(made, "words"):
        raise ParameterError(f"{type(made).__name__} reads no documents. Leave out --text, or give --method lsa.")
    with progress(quiet or as_json):
        whole = load(file, None, reading)
        chosen = (
            choose_columns(whole, column_list(drop, whole.names), class_column)
            if text is None
            else _documents(whole, text, class_column)
        )
        bring_to_one_scale(made, settings or [])
        _set_components(made, asked, chosen.table)
        scores = _scores(made, chosen.table if text is None else _texts(chosen.table))
        kept_out = [] if chosen.classes is None else [f"'{chosen.classes.name}' was kept out."]
        notices = [*kept_out, *chosen.notices()]
        found = Reduction(file, made, chosen.table, scores, chosen.classes, notices, typed_command(context))
        page = places.page_of(found)
    kept = kept_of(made, chosen.table, reading, whole.notes) if save is not None and text is None else None
    beside = whole if append else None
    with Steps().all() as steps:
        written = places.write(steps, lambda path: _write_scores(path, beside, scores), made, page, kept)
        say_notes(whole.notes, file, quiet=quiet or as_json)
        if as_json:
            print_json(found.to_dict())
        else:
            say(found.to_text(width()))
            say_written([] if quiet else written)


def _typed_components(components: str | None, learner: Any, settings: list[str]) -> int | float | None:
    """The number, or the share, that was typed; None if nothing was."""
    if components is None:
        return None
    setting = count_setting(learner)
    if setting in names_of(settings):
        raise ParameterError(f"--components and --set {setting}=… were given together. Give one of them.")
    text = components.strip()
    try:
        value: int | float = int(text) if text.isdecimal() else float(text)
    except ValueError:
        value = -1
    if not (value >= 1 if isinstance(value, int) else 0 < value < 1):
        raise ParameterError(f"--components is {components!r}. Expected a whole number from 1 up, or a share below 1.")
    return value


def _set_components(learner: Any, asked: int | float | None, table: Table) -> None:
    setting = count_setting(learner)
    if setting is None:
        return
    cls = type(learner)
    default = cls._defaults()[setting]
    if asked is None:
        if getattr(learner, setting) != default or default == "auto":
            return  # --set has said it, or the learner knows
        width = sum(max(1, len(column.categories)) for column in table.schema)
        by_share = SHARE in cls.domains[setting] and table.sparse is None and width <= WIDE
        few = default if isinstance(default, int) else FEW
        asked = SHARE if by_share else min(few, table.n_rows, max(table.n_columns, FEW))
    if asked not in cls.domains[setting]:
        words = cls.domains[setting].words
        raise ParameterError(f"{cls.__name__}: --components {asked} is not allowed. Expected {words}.")
    learner.set_params(**{setting: asked})


def _documents(table: Table, text: str, class_column: str | None) -> ChosenColumns:
    """The column of documents alone, and the class."""
    others = [name for name in table.names if name not in (text, class_column or table.target)]
    if text not in table:
        raise InputError(unknown_column(text, table.names))
    classes = class_column or table.target
    if table[text].kind == "numeric":
        raise InputError(f"Column {text!r} is numeric. Expected documents. Name another column with --text.")
    return ChosenColumns(table.drop(*others, *([classes] if classes else [])), table[classes] if classes else None, {})


def _texts(table: Table) -> list[str]:
    return ["" if cell is None else str(cell) for cell in table.columns[0].labels()]


def _scores(learner: Any, rows: Any) -> Table:
    from learnt.data.table import Table as TableClass

    scores = learner.fit_transform(rows)
    if isinstance(scores, TableClass):
        return scores
    names = [str(name) for name in learner.get_feature_names_out()]
    return TableClass.of_matrix(np.asarray(scores, dtype=np.float64), names)


def _write_scores(output: Path, beside: Table | None, scores: Table) -> None:
    from learnt.cli.writing.predictions import table_texts

    write_columns(output, beside, scores.names, table_texts(scores))
