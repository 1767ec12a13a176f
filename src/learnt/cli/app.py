"""The commands. Imported only when the command line runs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

import learnt
from learnt.cli.progress import progress
from learnt.data.schema import KINDS, Kind
from learnt.errors import FileError, ParameterError

if TYPE_CHECKING:
    from learnt.data.table import Table

app = typer.Typer(
    help="Classical machine learning on tables. Any columns in, every prediction explained.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

DATASET = "dataset:"


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"learnt {learnt.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def describe(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of any format learnt reads, or dataset:NAME.")],
    target: Annotated[str | None, typer.Option(help="The column to predict from the others.")] = None,
    kinds: Annotated[
        list[str] | None, typer.Option(help="Kind of a column, e.g. zip=nominal; may be given several times.")
    ] = None,
    ordinal: Annotated[
        list[str] | None, typer.Option(help="Ordered labels of a column, lowest first, e.g. size=S,M,L.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page to this file as well.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Describe the columns of a table, and what in it deserves a second look."""
    with progress(quiet=as_json):
        table = _load(file, target, _kinds(kinds), _ordinal(ordinal))
        description = learnt.describe(table)
    if html is not None:
        _write(html, description.to_html(title=file))
    if as_json:
        print(json.dumps(description.to_dict(), indent=2, ensure_ascii=False))
        return
    console = Console()
    text = Text(description.to_text(_width()))
    text.highlight_regex(r"(?m)^! .*(\n  .*)*", "yellow")
    text.highlight_regex(r"(?m)^(numeric|categories|target|goes with|correlations|worth a look)( .*)?$", "bold")
    text.highlight_regex(r"[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉]+", "cyan")
    console.print(text, soft_wrap=True)
    if html is not None:
        console.print(Text(f"\nWritten: {html}", style="dim"), soft_wrap=True)


@app.command()
def learners(
    task: Annotated[str | None, typer.Argument(metavar="TASK", help="classification, regression, …")] = None,
) -> None:
    """List the learners: their task, and what they can do."""
    rows = [(e.name, e.task, ", ".join(sorted(e.abilities))) for e in learnt.learners(task)]
    _show(("learner", "task", "abilities"), rows)


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Tell more about this one.")] = None,
) -> None:
    """List the bundled tables; use one as a file by the name dataset:NAME."""
    from learnt import datasets as bundled

    if name is not None:
        print(bundled.info(name.removeprefix(DATASET)))
        return
    about = [bundled.info(key) for key in bundled.names()]
    rows = [(i.name, str(i.rows), str(i.columns), i.target, i.title) for i in about]
    _show(("name", "rows", "columns", "target", "title"), rows, right=(1, 2))


def _load(file: str, target: str | None, kinds: dict[str, Kind], ordinal: dict[str, list[str]]) -> Table:
    overrides: dict[str, Any] = {"kinds": kinds or None, "ordinal": ordinal or None}
    if file.startswith(DATASET):
        from learnt import datasets as bundled

        return learnt.Table(bundled.load(file.removeprefix(DATASET)), target=target, **overrides)
    return learnt.read(file, target=target, **overrides)


def _kinds(pairs: list[str] | None) -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for column, kind in map(_pair, pairs or []):
        if kind not in KINDS:
            raise ParameterError(f"Column {column!r} is given the kind {kind!r}. The kinds are {', '.join(KINDS)}.")
        found[column] = kind
    return found


def _ordinal(pairs: list[str] | None) -> dict[str, list[str]]:
    return {column: labels.split(",") for column, labels in map(_pair, pairs or [])}


def _pair(text: str) -> tuple[str, str]:
    """COLUMN=VALUE in two; column names may hold the sign, so the last one counts."""
    column, sign, value = text.rpartition("=")
    if not (sign and column and value):
        raise ParameterError(f"The option is {text!r}. Expected COLUMN=VALUE, such as zip=nominal.")
    return column, value


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"The page cannot be written: {error.strerror}. Choose another place.", str(path)) from error


def _show(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> None:
    """Aligned columns; what is too long in the last one goes on in the next line, under its title."""
    lines = [titles, *rows]
    widths = [max(len(line[j]) for line in lines) for j in range(len(titles) - 1)]
    start = sum(widths) + 2 * len(widths)
    for k, line in enumerate(lines):
        cells = [c.rjust(w) if j in right else c.ljust(w) for j, (c, w) in enumerate(zip(line, widths, strict=False))]
        last = textwrap.wrap(line[-1], max(_width() - start, 20)) or [""]
        shown = ("\n" + " " * start).join(["  ".join([*cells, last[0]]), *last[1:]])
        Console().print(Text(shown.rstrip(), style="" if k else "bold"), soft_wrap=True)


def _width() -> int:
    """A pipe has no width, and a terminal wider than a page is not filled."""
    console = Console()
    return min(console.width, 120) if console.is_terminal else 100
