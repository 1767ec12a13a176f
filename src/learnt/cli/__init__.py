"""The command line: `learnt describe FILE` and its companions."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from learnt.errors import LearntError

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 if all went well, 2 if the user can mend it, 1 if we must."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks ▇ shall show ? and not fail
            stream.reconfigure(errors="replace")
    from learnt.cli.app import app

    try:
        app(args=None if args is None else list(args), prog_name="learnt")
    except LearntError as error:
        from rich.console import Console
        from rich.text import Text

        # Text, not markup: column names may hold square brackets.
        Console(stderr=True, soft_wrap=True).print(Text(f"Error: {error}", style="bold red"))
        sys.exit(2)
