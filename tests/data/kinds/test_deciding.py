"""From the words of a whole column to what it is, and what the user says of it."""

from __future__ import annotations

import numpy as np
import pytest

from learnt.data.kinds import ReadOptions, decide
from learnt.data.raw import Words
from learnt.errors import FileError


def words(*texts: str, counts=None) -> Words:
    n = len(texts)
    counts = np.ones(n, np.int64) if counts is None else np.array(counts, np.int64)
    return Words(texts, np.zeros(n, bool), counts, np.arange(1, n + 1))


CASES = [
    (("true", "FALSE"), 0, "boolean", None),
    (("1,5", "2,25"), 0, "numeric", None),
    (("€5", "€1,200"), 0, "numeric", "number"),
    (("31.12.2024", "01.02.2023"), 0, "numeric", "date"),
    (("12:30", "07:45"), 0, "numeric", "time"),
    (("a", "b"), 0, "nominal", None),
    (("01067", "10115"), 0, "nominal", None),
    ((), 5, "numeric", None),
    (("-", "NA"), 40, "numeric", None),
    (("-", "NA", "b"), 0, "nominal", None),
]


@pytest.mark.parametrize(("texts", "n_numbers", "kind", "sort"), CASES)
def test_a_column_is_what_all_its_words_are(texts, n_numbers, kind, sort):
    found = decide("c", words(*texts), n_numbers, 0, ReadOptions())
    assert found.kind == kind
    assert (None if found.form is None else found.form.sort) == sort
    if n_numbers == 0:  # the order of the words does not matter
        again = decide("c", words(*reversed(texts)), 0, 0, ReadOptions())
        assert (again.kind, again.form, again.categories) == (found.kind, found.form, found.categories)


@pytest.mark.parametrize(("odd", "kind"), [(5, "numeric"), (6, "nominal")])
def test_nearly_all_numbers_are_95_of_100(odd, kind):
    found = decide("c", words("unknown", counts=[odd]), 100 - odd, 0, ReadOptions())
    assert found.kind == kind


def test_what_the_user_says_goes_before_and_what_contradicts_it_is_named():
    assert decide("c", words("5", "6"), 0, 0, ReadOptions(kinds={"c": "nominal"})).kind == "nominal"
    assert decide("c", words("20240501"), 0, 0, ReadOptions(kinds={"c": "date"})).form.sort == "date"
    with pytest.raises(FileError, match="'b'") as caught:
        decide("c", words("5", "b"), 0, 0, ReadOptions(kinds={"c": "numeric"}))
    assert caught.value.line == 2


def test_labels_that_the_user_declares_are_never_missing():
    found = decide("c", words("-", "+"), 0, 0, ReadOptions(ordinal={"c": ["-", "+"]}))
    assert set(found.categories) == {"-", "+"}
