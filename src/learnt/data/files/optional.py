"""Packages that only some files need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from learnt.errors import MissingPackageError


def needed_package(package: str, extra: str, what: str, file: str) -> Any:
    """The package, or an error that says what to install."""
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackageError(
            f"{what} are read by the package {package}, which is not installed. Install it: "
            f"pip install 'learnt[{extra}]'. (file {file!r})"
        ) from error
