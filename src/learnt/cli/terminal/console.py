"""What all commands share to show and to write: safe text, aligned columns, files."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from learnt.show.text_table import GAP, column_widths, pad
from learnt.show.words import printable, short_name

WIDEST_NAME = 40
LONGEST_ERROR = 1000


def width() -> int:
    """A pipe has no width, and a terminal wider than a page is not filled."""
    console = Console()
    return min(console.width, 120) if console.is_terminal else 100


def safe(text: str) -> str:
    """Lines whose control characters are spelt out: names and cells of a file never steer the terminal.

    >>> safe("red \\x1b[31m is" + chr(10) + "not red")
    'red \\\\x1b[31m is\\nnot red'
    """
    return "\n".join(map(printable, text.split("\n")))


def say(text: str, style: str = "", *, to_stderr: bool = False) -> None:
    """Print what may hold names of a file; square brackets in them are not markup."""
    Console(stderr=to_stderr).print(Text(safe(text), style=style), soft_wrap=True)


def say_error(message: str) -> None:
    """One line on stderr, whatever the names in it hold."""
    line = "Error: " + short_name(message, LONGEST_ERROR)
    Console(stderr=True).print(Text(line, style="bold red"), soft_wrap=True)


def say_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    """What Python prints with the file and line of ours, as a sentence for the user."""
    Console(stderr=True).print(Text("! " + printable(str(message)), style="yellow"), soft_wrap=True)


def name(text: str, wide: int = WIDEST_NAME) -> str:
    """A name on one line, however long and hostile."""
    return short_name(text, wide)


def show_table(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> None:
    """Aligned columns; what is too long in the last one goes on in the next line, under its title."""
    lines = [titles, *rows]
    widths = column_widths([line[:-1] for line in lines])
    start = sum(widths) + len(GAP) * len(widths)
    for k, line in enumerate(lines):
        cells = [pad(cell, wide, j in right) for j, (cell, wide) in enumerate(zip(line, widths, strict=False))]
        last = textwrap.wrap(line[-1], max(width() - start, 20)) or [""]
        shown = ("\n" + " " * start).join([GAP.join([*cells, last[0]]), *last[1:]])
        say(shown.rstrip(), "" if k else "bold")


def print_json(value: Any) -> None:
    """For programs. All beyond ASCII is escaped, so that names of a file do nothing to a terminal here either."""
    print(json.dumps(value, indent=2, default=str))
