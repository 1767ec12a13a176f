"""The command line: `learnt compare FILE --target COLUMN` and its companions."""

from __future__ import annotations

import errno
import gc
import sys
import tempfile
import warnings
from collections.abc import Sequence

from learnt.errors import LearntError
from learnt.unwritable import FULL, write_error

__all__ = ["main"]

MENDABLE = 2
PIPE_CLOSED = 141  # as a shell reports a program that a closed pipe has ended


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 if all went well, 2 if the user can mend it, 1 if we must."""
    from learnt.cli.terminal.streams import standard_streams

    with standard_streams():
        code = _flush_after(_run(args))
    sys.exit(code)


def _run(args: Sequence[str] | None) -> int:
    """The code to exit with; errors that the user can mend have been told."""
    from learnt.cli.app import app
    from learnt.cli.terminal.console import say_error, say_warning
    from learnt.cli.terminal.streams import ReaderGone

    with warnings.catch_warnings():
        warnings.showwarning = say_warning
        try:
            app(args=None if args is None else list(args), prog_name="learnt")
        except SystemExit as leaving:
            return int(leaving.code or 0)
        except ReaderGone:
            return PIPE_CLOSED
        except LearntError as error:
            say_error(str(error))
            _tidy_up(error)
            return MENDABLE
        except OSError as error:  # of a library below, which keeps files of its own
            if error.errno not in (*FULL, errno.EROFS, errno.EFBIG):
                raise
            say_error(str(write_error("A file", error.filename or tempfile.gettempdir(), error)))
            _tidy_up(error)
            return MENDABLE
    return 0


def _tidy_up(error: BaseException | None) -> None:
    """What a failure has left half done ends now, as long as nothing is shown of it."""
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__
    gc.collect()


def _flush_after(code: int) -> int:
    """The code, or another if what was printed last cannot be written."""
    from learnt.cli.terminal.console import say_error
    from learnt.cli.terminal.streams import ReaderGone, discard

    try:
        sys.stdout.flush()
    except (ReaderGone, LearntError) as error:
        discard(sys.stdout)
        if isinstance(error, ReaderGone):
            return code or PIPE_CLOSED
        if code != MENDABLE:
            say_error(str(error))
        return code or MENDABLE
    return code
