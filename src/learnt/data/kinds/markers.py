"""Texts that stand for a missing cell."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from learnt.data.kinds.options import ReadOptions
from learnt.data.raw import Words
from learnt.data.table import Array

#: The usual ones, in lower case; upper and mixed case count too.
USUAL = frozenset(
    (
        "na",
        "n/a",
        "#n/a",
        "#na",
        "n.a.",
        "nan",
        "-nan",
        "null",
        "none",
        "nil",
        "<na>",
        "nat",
        "?",
        "-",
        "--",
        "–",
        "—",
        ".",
        # what spreadsheets leave where a formula failed
        "#value!",
        "#ref!",
        "#div/0!",
        "#name?",
        "#null!",
        "#num!",
    )
)


def is_usual_marker(text: str) -> bool:
    """Whether a text is one of those that often stand for a missing cell."""
    return len(text) < 8 and text.lower() in USUAL


def are_markers(words: Words, name: str, options: ReadOptions) -> Array:
    """Which words stand for a missing cell, where the column lets them: the empty one always does.

    Labels that the user declares are never missing.
    """
    declared = {str(label) for label in options.ordinal.get(name, ())}
    if options.missing is None:
        found: Iterable[bool] = map(is_usual_marker, words.texts)
    else:
        given = frozenset(options.missing)
        found = (text in given for text in words.texts)
    markers = np.fromiter(found, bool, len(words))
    settled = options.missing_in.get(name)
    if settled:
        markers |= np.fromiter((text in settled for text in words.texts), bool, len(words))
    if declared:
        markers &= np.fromiter((text not in declared for text in words.texts), bool, len(words))
    return markers | are_empty(words)


def are_empty(words: Words) -> Array:
    """Quoted cells with nothing in them."""
    return np.fromiter((not text for text in words.texts), bool, len(words))


def missing_numbers(options: ReadOptions) -> tuple[float, ...]:
    """Numbers that the user says are missing cells: `missing=["-999"]`."""
    found = []
    for text in options.missing or ():
        try:
            found.append(float(text.replace(options.decimal, ".")))
        except ValueError:
            continue
    return tuple(value for value in found if value == value)
