"""A progress bar for long work, fed by `learnt.watch` or by the bytes of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from learnt.watch import Step, watch


@contextmanager
def progress(quiet: bool = False) -> Iterator[None]:
    """Show the steps reported inside the `with` block as a bar on stderr; nothing where no one looks.

    Work that reports a total fills the bar, other work moves it to and fro.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[tuple[str, str], TaskID] = {}

        def show(step: Step) -> None:
            key = (step.learner, step.what)
            if key not in tasks:
                tasks[key] = bars.add_task(" ".join(filter(None, key)), total=None)
            bars.update(tasks[key], completed=step.iteration or 0, total=step.total)

        with watch(show):
            yield


@contextmanager
def byte_progress(total: int | None, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """A function that moves a bar on stderr on by so many bytes; to and fro where the total is not known."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda taken: None
        return
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("", total=total)
        yield lambda taken: bars.advance(task, taken)
