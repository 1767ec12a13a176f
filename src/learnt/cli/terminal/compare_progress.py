"""What a comparison shows while it runs: a table that fills in on a terminal, lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isnan

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from learnt.evaluate.comparison.running.progress import Line, Progress, line_words
from learnt.evaluate.comparison.words import name_on_one_line, seconds
from learnt.show.numbers import number

_STYLES = {"waiting": "dim", "running": "cyan", "failed": "red", "stopped": "yellow", "skipped": "dim"}
_NAME_WIDTH = 40


@contextmanager
def comparison_progress(quiet: bool = False) -> Iterator[Callable[[Progress], None] | None]:
    """A function that shows each `Progress` on stderr; None where nothing shall be shown."""
    console = Console(stderr=True)
    if quiet:
        yield None
    elif not console.is_terminal:
        yield Lines()
    else:
        with Live(console=console, transient=True, refresh_per_second=8) as live:
            yield lambda progress: live.update(_table(progress, console.height))


class Lines:
    """A line when a learner has finished, and one for the very first score, so that it is seen that work goes on.

    Of a large table the ranking of the first look is a line too.
    """

    def __init__(self) -> None:
        self._silent = True

    def __call__(self, progress: Progress) -> None:
        line = progress.line
        first = self._silent and line.status == "running" and line.folds == 1
        self._silent = self._silent and not line.folds
        if progress.look_over:
            _say(progress, f"first look, {progress.look_rows:,} rows, {progress.metric}", _ranking(progress))
        elif line.status not in ("waiting", "running") or first:
            told = [f"{progress.metric} {number(line.mean)}"] if not isnan(line.mean) else []
            told += [f"{line.folds} of {progress.n_folds} folds"] if line.status != "skipped" else []
            told += [name_on_one_line(line.why, 200)] if line.why else []
            word = "first fold" if line.status == "running" else line.status
            _say(progress, f"{name_on_one_line(line.name)}  {word}", told)


def _say(progress: Progress, what: str, told: list[str]) -> None:
    words = Text(f"{seconds(progress.seconds)}  {what}: {', '.join(told)}")
    Console(stderr=True, soft_wrap=True).print(words, highlight=False)


def _ranking(progress: Progress, most: int = 5) -> list[str]:
    """The best of the first look, each with its score there."""
    seen = [line for line in progress.lines if not isnan(line.first_look)]
    seen.sort(key=lambda line: line.first_look, reverse=progress.higher_is_better)
    return [f"{name_on_one_line(line.name)} {number(line.first_look)}" for line in seen[:most]]


def _table(progress: Progress, height: int) -> Table:
    """The learners that fit on the screen, best scores first, then those at work, then the rest."""
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    table.add_column("learner", no_wrap=True, max_width=_NAME_WIDTH)
    for title in (progress.metric, "folds", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, ratio=1)  # what the figures leave of the line
    ranked = progress.ranked
    room = max(height - 4, 3)
    for line in ranked[:room]:
        table.add_row(*_cells(line, progress), style=_STYLES.get(line.status, ""))
    if len(ranked) > room:
        table.add_row(Text(f"… and {len(ranked) - room} more"), style="dim")
    waiting = sum(line.status == "waiting" for line in progress.lines)
    table.caption = Text(f"{seconds(progress.seconds)}, {waiting} waiting · Ctrl-C stops and shows what there is")
    table.caption_justify = "left"
    return table


def _cells(line: Line, progress: Progress) -> list[Text]:
    cells = (name_on_one_line(line.name, _NAME_WIDTH), *line_words(line, progress))
    return [Text(cell) for cell in cells]
