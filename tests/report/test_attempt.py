"""A part of a page that fails says why, and takes nothing else with it."""

import warnings

import numpy as np
import pytest

from learnt.errors import InputError
from learnt.report.attempt import LONGEST_REASON, Failed, attempt, picture


def raising(error):
    def make():
        raise error

    return make


def test_what_is_made_comes_back_as_it_is_and_without_warnings():
    made = object()

    def make():
        warnings.warn("told before", stacklevel=1)
        return made

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert attempt(make) is made


def test_our_own_errors_speak_for_themselves_and_others_name_their_kind():
    ours = attempt(raising(InputError("There are no rows.")))
    assert ours == "This could not be computed: There are no rows."
    assert attempt(raising(ValueError("odd"))) == "This could not be computed (ValueError: odd)."


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_who_wants_to_stop_is_let_go(error):
    with pytest.raises(error):
        attempt(raising(error()))


def test_reasons_are_short_and_no_markup():
    failed = attempt(raising(ValueError("<script>" + "x" * 5000)))
    assert isinstance(failed, Failed)
    assert len(failed) < LONGEST_REASON + 100
    assert "<script>" not in failed.__html__()
    assert failed.__html__().startswith("<p data-failed>")


def test_a_picture_is_the_figure_of_its_axes_or_why_there_is_none():
    class Axes:
        figure = "the figure"

    assert picture(Axes) == "the figure"
    assert picture(lambda: np.array([[Axes(), Axes()]], dtype=object)) == "the figure"
    assert isinstance(picture(raising(ValueError("no"))), Failed)
