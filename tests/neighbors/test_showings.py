"""Rows shown as often as they weigh."""

from __future__ import annotations

import numpy as np
import pytest

from learnt.errors import InputError
from learnt.neighbors.showings import showings


def test_whole_weights_are_copies_side_by_side():
    assert showings(3, np.array([2.0, 0.0, 1.0])).tolist() == [0, 0, 2]


def test_other_weights_are_relative_to_the_smallest():
    assert showings(3, np.array([0.5, 0.25, 0.75])).tolist() == [0, 0, 1, 2, 2, 2]


def test_a_row_that_weighs_a_millionth_does_not_show_the_others_a_million_times():
    shown = np.bincount(showings(3, np.array([0.5, 1e-6, 0.25])), minlength=3)
    assert shown.tolist() == [200, 0, 100]


def test_too_many_copies_are_refused():
    with pytest.raises(InputError, match="Divide the weights"):
        showings(2, np.array([1e9, 1.0]))
