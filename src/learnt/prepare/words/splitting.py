"""Texts as sequences of words, in the order they stand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Column
from learnt.errors import KindError

#: Runs of two or more letters, digits or underscores, of any script: the words that `BagOfWords` counts.
WORD = re.compile(r"\w\w+")


def split_words(texts: Any, *, lowercase: bool = True) -> list[Array]:
    """The words of each text in their order, as arrays: sequences for `LSTMClassifier` and `HiddenMarkovModel`.

    Words are those that `BagOfWords` counts. Takes a list, an array, a series or a column of texts; a missing text is
    an empty one.

    >>> [words.tolist() for words in split_words(["To be, or not to be", None])]
    [['to', 'be', 'or', 'not', 'to', 'be'], []]
    """
    if isinstance(texts, str | bytes):
        raise KindError("One text was given. Expected one text per row, such as a list of them. Put it into a list.")
    column = texts if isinstance(texts, Column) else to_vector(texts, "texts")
    if column.kind not in ("nominal", "ordinal") and not column.missing.all():
        raise KindError(f"The cells are {column.kind}. Expected texts, or None where one is missing.")
    cells = ["" if text is None or column.kind == "numeric" else str(text) for text in column.labels()]
    return [np.array(WORD.findall(text.lower() if lowercase else text), dtype=np.str_) for text in cells]
