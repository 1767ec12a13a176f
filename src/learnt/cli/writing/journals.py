"""Where `learnt compare` keeps the folds it has finished, so that `--resume` finds them."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

from learnt.errors import FileError

KEPT = 30 * 24 * 3600.0  # seconds; nobody resumes what is older


def journal_for(file: str, *settings: object, resume: bool) -> Path | None:
    """The journal of this file and these settings, emptied unless it is to be resumed; None where none can be kept."""
    whole = file if file.startswith("dataset:") else str(Path(file).absolute())
    key = hashlib.blake2b(repr((whole, settings)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    folder = kept_folder()
    path = folder / f"{key}.journal"
    if resume and not path.exists():
        raise FileError("There is nothing to resume: this file and these settings have no unfinished comparison.", file)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _clear_away(folder)
        if not resume:
            path.unlink(missing_ok=True)
        return path if os.access(folder, os.W_OK) else None
    except OSError:  # a home that cannot be written to keeps nobody from comparing
        return None


def kept_folder() -> Path:
    """Where journals are, and what was found by the last comparison of some rows."""
    return _cache() / "learnt" / "compare"


def _clear_away(folder: Path) -> None:
    for old in [*folder.glob("*.journal"), *folder.glob("*.verdict")]:
        if time.time() - old.stat().st_mtime > KEPT:
            old.unlink(missing_ok=True)


def _cache() -> Path:
    """The user's folder for what may be lost."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
