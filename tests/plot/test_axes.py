"""What all pictures share."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest

from learnt.errors import LearntError
from learnt.plot.axes import axes_for, evenly, name_axes, name_rows, point_strength

mpl.use("Agg")


@pytest.fixture
def ax():
    import matplotlib.pyplot as plt

    yield axes_for(None, (3, 2))
    plt.close("all")


def test_axes_are_new_unless_given(ax):
    assert ax.figure.get_size_inches().tolist() == [3, 2]
    assert axes_for(ax, without=()) is ax
    assert [side for side, line in ax.spines.items() if line.get_visible()] == ["left", "bottom"]


def test_names_are_no_formulas_and_stay_short(ax):
    name_axes(ax, "$x$", "y" * 100)
    name_rows(ax, ["$a_", "b\nc"], ticks=False)
    ax.figure.canvas.draw()  # a formula that does not end would fail here
    assert (ax.get_xlabel(), len(ax.get_ylabel())) == ("$x$", 60)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["$a_", r"b\nc"]


@pytest.mark.parametrize("n", [0, 1, 5, 6, 1000])
def test_places_are_evenly_apart_and_reach_both_ends(n):
    places = evenly(n, 5)
    assert len(places) == min(n, 5)
    if n:
        assert (places[0], places[-1]) == (0, n - 1)
        assert np.ptp(np.diff(places)) <= 1 if n > 1 else True


def test_points_are_the_fainter_the_more_there_are():
    assert [point_strength(n) for n in (0, 10, 2500, 10**7)] == [0.8, 0.8, 0.6, 0.15]


def test_without_matplotlib_the_message_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(LearntError, match="matplotlib"):
        axes_for(None)
