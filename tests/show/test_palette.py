"""Colours: told apart, and mixed as paint is."""

from __future__ import annotations

from learnt.show.palette import MARKERS, NO_ANSWER, class_colour, class_marker, mixed


def test_the_first_sixty_classes_have_colours_of_their_own():
    colours = [class_colour(c) for c in range(60)]
    assert len(set(colours)) == 60
    assert all(len(colour) == 7 and int(colour[1:], 16) >= 0 for colour in colours)


def test_no_class_is_grey_and_round():
    assert (class_colour(-1), class_marker(-1)) == (NO_ANSWER, "o")
    assert [class_marker(c) for c in range(11)] == [*MARKERS, MARKERS[0]]


def test_the_ends_of_a_mixture_are_its_colours():
    assert (mixed("#123456", "#ffffff", 1), mixed("#123456", "#ffffff", 0)) == ("#123456", "#ffffff")
