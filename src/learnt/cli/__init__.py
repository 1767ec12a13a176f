"""The command line: `learnt compare FILE --target COLUMN` and its companions."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from learnt.errors import LearntError

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 if all went well, 2 if the user can mend it, 1 if we must."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks ▇ shall show ? and not fail
            stream.reconfigure(errors="replace")
    from learnt.cli.app import app
    from learnt.cli.terminal.console import say_error, say_warning

    with warnings.catch_warnings():
        warnings.showwarning = say_warning
        try:
            app(args=None if args is None else list(args), prog_name="learnt")
        except LearntError as error:
            say_error(str(error))
            sys.exit(2)
