"""Temporary files and folders that say whose they are, so that the next run removes those of one that was killed.

Their names hold the machine and the process, and they are locked as long as they are used. One is a leftover if its
process is gone *and* nobody holds its lock: the number of a process says nothing across containers, and some file
systems have no locks.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import weakref
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from learnt.errors import WriteError
from learnt.unwritable import write_errors

if sys.platform != "win32":
    import fcntl

_NAME = re.compile(r"\.?learnt-([0-9a-f]{8})-([1-9][0-9]{0,9})-[0-9a-f]{12}(\.tmp)?")
ROOM_FOR_TEMPORARY_FILES = "Make room there, or set TMPDIR to another folder."
_seen: set[str] = set()  # folders that were looked through: once is enough, or many saves would be slow


def temporary_name() -> str:
    """A name for a file of this process; short, since names have limits, and hidden."""
    return f".{_own_name()}.tmp"


def claim(descriptor: int) -> Literal["ours", "taken", "no locks"]:
    """Lock an open file or folder until it is closed; who has it now."""
    if sys.platform == "win32":
        return "no locks"
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "taken"
    except OSError:
        return "no locks"
    return "ours"


def remove_leftovers(folder: str) -> None:
    """Remove what killed runs of this user on this machine left in a folder. What cannot be removed stays."""
    if folder in _seen:
        return
    _seen.add(folder)
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match and match[1] == _machine() and not _at_work(int(match[2])):
                with contextlib.suppress(OSError):
                    _remove(entry)


class ScratchFolder:
    """A folder of this process, in the system's temporary directory unless told; removed by `close` or with the object.

    What cannot be written there is told as `write_errors` of `unwritable` does, with `ROOM_FOR_TEMPORARY_FILES`.
    """

    def __init__(self, inside: Path | None = None) -> None:
        try:
            above = tempfile.gettempdir() if inside is None else str(inside)
        except FileNotFoundError as error:
            raise WriteError("Temporary files find no folder with room. Set TMPDIR to one.") from error
        with write_errors("Temporary files", above, advice=ROOM_FOR_TEMPORARY_FILES):
            remove_leftovers(above)
            self.path = Path(above) / _own_name()
            self.path.mkdir(mode=0o700)
            lock = -1 if sys.platform == "win32" else os.open(self.path, os.O_RDONLY)
            if lock >= 0:
                claim(lock)
        self.close = weakref.finalize(self, _remove_folder, self.path, lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _own_name() -> str:
    return f"learnt-{_machine()}-{os.getpid()}-{secrets.token_hex(6)}"


def _machine() -> str:
    import platform

    return hashlib.blake2b(platform.node().encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()


def _at_work(pid: int) -> bool:
    """Whether the process may still be there. Its number may be ours by chance: then the lock decides."""
    if sys.platform == "win32" or pid == os.getpid():
        return False  # Windows lets nobody remove an open file
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _remove(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    is_folder = stat.S_ISDIR(status.st_mode)
    if sys.platform == "win32":
        if not is_folder:
            os.unlink(entry.path)
        return
    if status.st_uid != os.geteuid() or not (is_folder or stat.S_ISREG(status.st_mode)):
        return
    descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if claim(descriptor) == "ours":
            shutil.rmtree(entry.path, ignore_errors=True) if is_folder else os.unlink(entry.path)
    finally:
        os.close(descriptor)


def _remove_folder(path: Path, lock: int) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if lock >= 0:
        os.close(lock)
