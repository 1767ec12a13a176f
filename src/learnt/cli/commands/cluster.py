"""`learnt cluster`: groups of rows that are alike, what makes them different, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from learnt.cli.arguments.chosen_columns import choose_columns
from learnt.cli.arguments.completing import cluster_method_names, column_names
from learnt.cli.arguments.inputs import column_list, load
from learnt.cli.arguments.methods import (
    AS_IT_IS,
    AUTO,
    bring_to_one_scale,
    cluster_methods,
    count_setting,
    learner_for,
    names_of,
)
from learnt.cli.arguments.options import Drop, File, Json, MethodSettings, Quiet, Report
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.arguments.typed import typed_command
from learnt.cli.terminal.console import print_json, safe, width
from learnt.cli.terminal.notes import say_notes
from learnt.cli.terminal.progress import progress
from learnt.cli.writing.results import Results, kept_of, say_written, write_columns
from learnt.cli.writing.steps import Steps
from learnt.errors import ParameterError
from learnt.show.words import spell

if TYPE_CHECKING:
    from learnt.data.table import Array, Table

EXAMPLES = """\b
Examples:
  learnt cluster dataset:iris
  learnt cluster customers.csv --k 4 --report customers.html
  learnt cluster customers.csv --method mixture --drop name --output labelled.csv
  learnt cluster cells.csv --method dbscan --set eps=0.3 --class tissue
"""


@reads_tables
def cluster(
    context: typer.Context,
    file: File,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="kmeans, kmedoids, gaussian, mixture, agglomerative, divisive, dbscan, or a learner's name.",
            autocompletion=cluster_method_names,
        ),
    ] = "kmeans",
    k: Annotated[str, typer.Option("--k", "-k", help="The number of clusters, or auto: chosen from 2 to 10.")] = AUTO,
    drop: Drop = None,
    class_column: Annotated[
        str | None,
        typer.Option(
            "--class",
            help="A column kept out of the clustering and compared with the clusters; bundled tables know theirs.",
            autocompletion=column_names,
        ),
    ] = None,
    settings: MethodSettings = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table with a column cluster, as CSV, to this file.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Save the model to this file; learnt predict puts new rows into its clusters.")
    ] = None,
    report: Report = None,
    seed: Annotated[int, typer.Option(min=0, help="Of learners that draw, and of restarts.")] = 0,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Put the rows of a table into clusters, and tell what makes each cluster different.

    Numbers are brought to one scale; categories and missing cells go in as they are. Columns that number or name the
    rows are left out.
    """
    from learnt.cli.arguments.choosing import number_of_clusters, reach
    from learnt.report.clusters import find

    places = Results(output, save, report)
    places.check()
    made = learner_for(method, cluster_methods(), settings or [], seed)
    wanted = _wanted_clusters(k, made, settings or [])
    with progress(quiet or as_json):
        whole = load(file, None, reading)
        chosen = choose_columns(whole, column_list(drop, whole.names), class_column)
        bring_to_one_scale(made, settings or [])
        choice = number_of_clusters(made, chosen.table, wanted, seed) or reach(made, chosen.table, settings or [])
        made.fit(chosen.table)
        kept_out = [] if chosen.classes is None else [_kept_out(chosen.classes.name)]
        found = find(
            file,
            made,
            chosen.table,
            classes=chosen.classes,
            choice=choice,
            notices=[*kept_out, *chosen.notices()],
            command=typed_command(context),
            seed=seed,
        )
        page = places.page_of(found)
    kept = kept_of(made, chosen.table, reading, whole.notes) if save is not None else None
    with Steps().all() as steps:
        written = places.write(steps, lambda path: _write_table(path, whole, found.labels), made, page, kept)
        say_notes(whole.notes, file, quiet=quiet or as_json)
        if as_json:
            print_json(found.to_dict())
        else:
            _print(found.to_text(width()))
            say_written([] if quiet else written)


def _kept_out(name: str) -> str:
    return f"'{name}' was kept out and is compared with the clusters below."


def _wanted_clusters(k: str, learner: Any, settings: list[str]) -> int | str:
    """The number of clusters asked for, "auto" for a search, or "as it is" where the learner's settings tell."""
    setting = count_setting(learner)
    given = setting is not None and setting in names_of(settings)
    if k.strip().lower() == AUTO:
        return AS_IT_IS if given or setting is None else AUTO
    if setting is None:
        raise ParameterError(f"{type(learner).__name__} finds the number of clusters by itself. Leave out --k.")
    if given:
        raise ParameterError(f"--k and --set {setting}=… were given together. Give one of them.")
    if not k.strip().isdecimal() or int(k) < 1:
        raise ParameterError(f"--k is {spell(k)}. Expected a whole number from 1 up, or auto.")
    return int(k)


def _write_table(output: Path, table: Table, labels: Array) -> None:
    """All columns as they were read, and the cluster of each row."""
    import pyarrow as pa

    write_columns(output, table, ["cluster"], [pa.array(labels)])


def _print(words: str) -> None:
    text = Text(safe(words))
    text.highlight_regex(r"(?m)^! .*(\n  .*)*", "yellow")
    text.highlight_regex(r"(?m)^cluster .*$", "bold")
    Console().print(text, soft_wrap=True)
