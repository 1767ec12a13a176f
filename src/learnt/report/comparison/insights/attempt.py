"""Trying a part of the page: one that fails says so, and takes nothing else with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from learnt.errors import LearntError
from learnt.report.comparison.words import short

T = TypeVar("T")


class Failed(str):
    """Why a part is not there, in a sentence."""


def attempted(make: Callable[[], T]) -> T | Failed:
    """What `make` gives, or in its place why it could not be computed. What models warn of was told before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make()
        except LearntError as error:  # in words meant for the reader
            return Failed(f"This could not be computed: {short(error, 300).rstrip('.')}.")
        except Exception as error:
            return Failed(f"This could not be computed ({type(error).__name__}: {short(error, 300)}).")
