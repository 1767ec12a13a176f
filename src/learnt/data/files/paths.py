"""Which files a path, a pattern, a folder or a list of these means."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from typing import Any

from learnt.data.files.source import local_path
from learnt.errors import FileError, KindError


def files_of(paths: Any) -> list[tuple[str, str]]:
    """The files in the order given, those of a folder or pattern by name; each with the folder it was found in."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    if not isinstance(paths, Iterable) or hasattr(paths, "read"):
        raise KindError(
            f"Files cannot be scanned from {type(paths).__name__}. A path, a pattern, a folder or a list of "
            "paths was expected. Read open files with learnt.read."
        )
    places = [local_path(os.fspath(path)) for path in paths]
    files = [(file, _folder(place)) for place in places for file in _files_of_one(place)]
    if not files:
        raise FileError("The list of files is empty. Give at least one.")
    return files


def is_folder(path: Any) -> bool:
    return isinstance(path, (str, bytes, os.PathLike)) and os.path.isdir(local_path(os.fspath(path)))


def _folder(path: str) -> str:
    """The folder given, or the part of a pattern before its first sign."""
    if os.path.isdir(path) or not glob.has_magic(path):
        return path if os.path.isdir(path) else os.path.dirname(path)
    while glob.has_magic(path):
        path = os.path.dirname(path)
    return path


def _files_of_one(path: str) -> list[str]:
    if os.path.isdir(path):
        found = sorted(_walk(path))
    elif os.path.exists(path) or not glob.has_magic(path):
        found = [path]  # a file that is not there is reported when it is opened
    else:
        found = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
    if not found:
        raise FileError("There is no file here. Check the folder or pattern.", path)
    return found


def _walk(folder: str) -> Iterator[str]:
    """All files below a folder but hidden ones and the marks (`_SUCCESS`) that other programs leave."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        yield from (os.path.join(place, name) for name in files if name[0] not in "._")
