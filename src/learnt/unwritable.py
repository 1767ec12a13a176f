"""What the system says when something cannot be written, in words that say what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from learnt.errors import LearntError, WriteError

FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def write_errors(what: str, path: str | os.PathLike[str], *, advice: str = "") -> Iterator[None]:
    """What the system refuses inside becomes a WriteError that names the file. A closed pipe is no such thing."""
    try:
        yield
    except (LearntError, BrokenPipeError):
        raise
    except OSError as error:
        raise write_error(what, path, error, advice) from error


def write_error(what: str, path: str | os.PathLike[str], error: OSError, advice: str = "") -> WriteError:
    """`what` as the beginning of a sentence: "The report"."""
    why, usual = _reason(error, os.fspath(path))
    made = WriteError(f"{what} cannot be written: {why}. {advice or usual}", str(path))
    made.errno = error.errno
    return made


def _reason(error: OSError, path: str) -> tuple[str, str]:
    folder = os.path.dirname(os.path.realpath(path))
    other = "Choose another place."
    if error.errno == errno.ENOENT and os.path.isdir(folder):  # as in /proc
        return f"the folder {folder!r} takes no files", other
    if error.errno == errno.ENOENT:
        return f"there is no folder {folder!r}", "Make it, or choose another place."
    if error.errno == errno.ENOTDIR:
        return f"{folder!r} is not a folder", other
    if error.errno == errno.EISDIR:
        return "it is a folder", "Choose another name."
    if error.errno in FULL:
        return "the disk is full", "Make room or choose another place. What was there before is as it was."
    if error.errno == errno.EFBIG:
        return "it is larger than files may be here", other
    if error.errno == errno.EROFS:
        return "the file system is read-only", other
    if error.errno in (errno.EACCES, errno.EPERM):
        if os.path.exists(path) and not os.access(path, os.W_OK):
            return "it is write-protected", "Choose another name, or change its permissions."
        return f"nothing may be written into the folder {folder!r}", "Choose another place, or change its permissions."
    if error.errno == errno.ENAMETOOLONG:
        return "the name is too long", "Choose a shorter one."
    if error.errno == errno.ELOOP:
        return "its links lead in a circle", "Choose another name."
    return error.strerror or str(error), other
