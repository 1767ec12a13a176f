"""Where `learnt compare` keeps the folds it has finished, so that `--resume` finds them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
import time
import warnings
from pathlib import Path

from learnt.errors import FileError
from learnt.evaluate.journal import in_use
from learnt.unwritable import write_error

KEPT = 30 * 24 * 3600.0  # seconds; nobody resumes what is older


def journal_for(file: str, *settings: object, resume: bool) -> Path | None:
    """A new journal for this file and these settings, or the one to resume; None where none can be kept.

    Those of comparisons that were stopped stay; that they can be resumed, or that nothing can be kept, is a warning.
    """
    whole = file if file.startswith("dataset:") else str(Path(file).absolute())
    key = hashlib.blake2b(repr((whole, settings)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    folder = kept_folder()
    there = [(path, n) for path in folder.glob(f"{key}*.journal") if (n := _folds(path)) is not None]
    stopped = [(path, n) for path, n in there if not in_use(path)]
    if resume:
        if there and not stopped:
            raise FileError("It is still being compared, by another process. Wait for it, or leave out --resume.", file)
        if not stopped:
            raise FileError(
                "There is nothing to resume: this file and these settings have no unfinished comparison.", file
            )
        return max(stopped, key=lambda found: found[1])[0]
    most = max((n for _, n in stopped), default=0)
    if most:
        warnings.warn(
            f"The same comparison was stopped before, and {most} of its folds are kept: --resume goes on with them. "
            "This one starts anew.",
            stacklevel=2,
        )
    path = folder / f"{key}-{secrets.token_hex(4)}.journal"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _clear_away(folder)
        path.touch(mode=0o600, exist_ok=False)
    except OSError as error:  # a home that cannot be written to keeps nobody from comparing
        advice = "The comparison goes on without one, and cannot be resumed if it is stopped."
        warnings.warn(str(write_error("The journal", path, error, advice)), stacklevel=2)
        return None
    return path


def _folds(path: Path) -> int | None:
    """How many folds a journal holds, None where it cannot be read."""
    try:
        with path.open("rb") as file:
            return max(sum(1 for line in file) - 1, 0)
    except OSError:
        return None


def kept_folder() -> Path:
    """Where journals are, and what was found by the last comparison of some rows."""
    return _cache() / "learnt" / "compare"


def _clear_away(folder: Path) -> None:
    for old in [*folder.glob("*.journal"), *folder.glob("*.verdict")]:
        with contextlib.suppress(OSError):  # another may have removed it
            if time.time() - old.stat().st_mtime > KEPT:
                old.unlink(missing_ok=True)


def _cache() -> Path:
    """The user's folder for what may be lost."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
