"""Domains of the settings of `BagOfWords`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from learnt.learner.parameters import Domain, Whole


class Share(Domain):
    """A float from 0 to 1; the whole number 1 is none."""

    words = "a share from 0.0 to 1.0"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, float | np.floating) and bool(0 <= value <= 1)


class WordList(Domain):
    words = "None, or a list, tuple, array or set of words"

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, Sequence | Set) or isinstance(value, str | bytes) or len(value) == 0:
            return False
        return all(isinstance(word, str) for word in value)


class NumberedWords(Domain):
    words = "a dict that numbers words from 0 on"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Mapping) or not value or not all(isinstance(word, str) for word in value):
            return False
        return all(number in Whole(0) for number in value.values())


class WordRange(Domain):
    words = "a pair of whole numbers ≥ 1, the smaller first"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) != 2:
            return False
        return value[0] in Whole(1) and value[1] in Whole(int(value[0]), 1000)


class ColumnName(Domain):
    words = "None or the name of a column"

    def __contains__(self, value: object) -> bool:
        return value is None or (isinstance(value, str) and value != "")
