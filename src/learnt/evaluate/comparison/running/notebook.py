"""What a comparison shows while it runs in a notebook: a table below the cell that fills in, and is gone at the end."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from learnt.evaluate.comparison.running.progress import Progress, line_words
from learnt.evaluate.comparison.words import name_on_one_line, seconds
from learnt.show.html import Ready, html_table, isolated
from learnt.show.words import printable

REFRESH = 0.25  # seconds between two tables


@contextmanager
def looking_on(on_update: Callable[[Progress], Any] | None) -> Iterator[Callable[[Progress], Any] | None]:
    """Who looks on: the function given; without one, the notebook that this runs in, if it does."""
    if on_update is not None or not _in_notebook():
        yield on_update
        return
    display: Any = importlib.import_module("IPython.display").display
    shown = display(Ready(""), display_id=True)
    last = 0.0

    def show(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= REFRESH:
            shown.update(progress_html(progress))
            last = time.monotonic()

    try:
        yield show
    finally:
        shown.update(Ready(""))


def _in_notebook() -> bool:
    """Whether this is the kernel of a notebook; IPython in a terminal has none."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return ask is not None and getattr(ask(), "kernel", None) is not None


def progress_html(progress: Progress) -> Ready:
    """The learners so far, best first; scores of the first look are marked as such."""
    rows = [
        [isolated(name_on_one_line(line.name)), *map(isolated, line_words(line, progress))]
        for line in progress.ranked
        if line.status != "skipped"
    ]
    head = ("learner", printable(progress.metric), "folds", "time", "")
    return html_table(head, rows, left=(0, 4), caption=f"after {seconds(progress.seconds)}")
