"""A file that is written whole or not at all: beside its place first, then moved there in one step.

Whatever happens on the way (a full disk, an error, a kill, a power cut), under the name stands either what stood there
before or all of the new. Everything that learnt writes for somebody goes through here.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from learnt.leftovers import claim, remove_leftovers, temporary_name
from learnt.unwritable import write_errors

Place = str | os.PathLike[str]


@contextmanager
def whole_file(path: Place, what: str = "The file") -> Iterator[BinaryIO]:
    """A file to write bytes to, which takes the name `path` when the block ends well. Until then nothing changes there.

    A link is followed and stays a link. A file that is replaced gives its permissions to the new one; others get those
    that the user's mask says. Devices and pipes are written to directly. What the system refuses is a `WriteError`, in
    which `what` begins the sentence.

    >>> import tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> with whole_file(name) as out:
    ...     _ = out.write(b"all or nothing")
    >>> open(name).read()
    'all or nothing'
    """
    with write_errors(what, path):
        target = os.path.realpath(path)
        former = _checked_status(path)
        out = _opened(os.open(path, os.O_WRONLY), what, path) if _is_device(path, former) else None
    if out is not None:
        with out:
            yield out
        return
    remove_leftovers(os.path.dirname(target))
    with write_errors(what, path):
        scratch, descriptor = _new_file(os.path.dirname(target), former)
    out = _opened(descriptor, what, path)
    try:
        yield out
        with write_errors(what, path):
            out.flush()
            _sync(descriptor)
            if sys.platform == "win32":
                out.close()  # an open file cannot be renamed there
            os.replace(scratch, target)
            _sync_folder(os.path.dirname(target))
    except BaseException:
        with contextlib.suppress(OSError):
            cast(Any, out).raw.close()  # without another try to write what is in the buffer
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise
    out.close()


def write_whole(path: Place, content: str | bytes, what: str = "The file") -> None:
    """The content as a file, text in UTF-8."""
    with whole_file(path, what) as out:
        out.write(content.encode("utf-8") if isinstance(content, str) else content)


def check_place(path: Place, what: str = "The file") -> None:
    """A place that cannot be written to is a `WriteError`, before the work and not after it."""
    with write_errors(what, path):
        if not _is_device(path, _checked_status(path)):
            folder = os.path.dirname(os.path.realpath(path))
            if not stat.S_ISDIR(os.stat(folder).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            if not os.access(folder, os.W_OK | os.X_OK):
                raise _refused(folder)


def _checked_status(path: Place) -> os.stat_result | None:
    """What stands there, None for nothing. A folder, or a file that may not be written to, is not replaced."""
    try:
        former = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(former.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.W_OK):
        raise _refused(path)
    return former


def _is_device(path: Place, former: os.stat_result | None) -> bool:
    """Whether it is written to directly; /dev/stdout is, even where it leads to a file."""
    opened = os.path.abspath(path).startswith(("/dev/fd/", "/dev/std", "/proc/"))
    return former is not None and (opened or not stat.S_ISREG(former.st_mode))


def _refused(path: Place) -> OSError:
    """Why a place may not be written to: a read-only file system is another matter than permissions."""
    flags = os.statvfs(path).f_flag & os.ST_RDONLY if hasattr(os, "statvfs") else 0
    number = errno.EROFS if flags else errno.EACCES
    return OSError(number, os.strerror(number))


def _new_file(folder: str, former: os.stat_result | None) -> tuple[str, int]:
    """A new file in the folder, locked, with the permissions that it shall have at the end."""
    mode = 0o666 if former is None else former.st_mode & 0o777
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        scratch = os.path.join(folder, temporary_name())
        descriptor = os.open(scratch, flags, mode)
        if (lock := claim(descriptor)) == "no locks" or (lock == "ours" and os.fstat(descriptor).st_nlink):
            break
        os.close(descriptor)  # another took it for a leftover before it was locked
    if former is not None and sys.platform != "win32":
        with contextlib.suppress(OSError):  # only root can give a file away
            os.fchown(descriptor, former.st_uid, former.st_gid)
        with contextlib.suppress(OSError):  # some file systems know no permissions
            os.fchmod(descriptor, mode)
    return scratch, descriptor


def _sync(descriptor: int) -> None:
    """What a full disk has hidden so far comes to light here. Some file systems cannot be asked."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS):
            raise


def _sync_folder(folder: str) -> None:
    """So that the new name outlasts a power cut; the file is whole already, so nothing is amiss where it fails."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class _Checked(io.FileIO):
    """Bytes on their way into a file. What is refused names the file; errors of the block itself stay what they are."""

    def __init__(self, descriptor: int, what: str, path: Place):
        super().__init__(descriptor, "wb")
        self._about = what, path

    def write(self, content: Any) -> int:
        with write_errors(*self._about):
            return super().write(content)


def _opened(descriptor: int, what: str, path: Place) -> BinaryIO:
    return cast(BinaryIO, io.BufferedWriter(_Checked(descriptor, what, path), 1 << 16))
