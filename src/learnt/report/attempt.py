"""Trying a part of a page: one that fails says so in its place, and takes nothing else with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from learnt.errors import LearntError
from learnt.show.html import escaped
from learnt.show.words import short_name, shorten_text

LONGEST_REASON = 300

T = TypeVar("T")


class Failed(str):
    """Why a part is not there, in a sentence; on a page a paragraph of its own."""

    def __html__(self) -> str:
        return f"<p data-failed>{escaped(str(self))}</p>"

    _repr_html_ = __html__


def attempt(make: Callable[[], T]) -> T | Failed:
    """What `make` gives, or in its place why it could not be computed. What models warn of was told before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make()
        except LearntError as error:  # in words meant for the reader
            return Failed(f"This could not be computed: {_reason(error).rstrip('.')}.")
        except Exception as error:
            return Failed(f"This could not be computed ({type(error).__name__}: {_reason(error)}).")


def picture(draw: Callable[[], Any]) -> Any:
    """The figure that is drawn, or why it is not."""
    made = attempt(draw)
    one = made.flat[0] if hasattr(made, "flat") else made  # some draw on several axes of one figure
    return one if isinstance(one, Failed) else getattr(one, "figure", one)


def _reason(error: Exception) -> str:
    return short_name(shorten_text(str(error), 2 * LONGEST_REASON), LONGEST_REASON)
