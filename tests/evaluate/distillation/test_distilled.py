"""What an imitation says of itself."""

import pytest

import learnt
from learnt.errors import InputError
from learnt.evaluate.distillation.distilled import Distilled
from learnt.evaluate.metrics.intervals import Interval


def imitation(classes, student="a tree"):
    return Distilled(student, Interval(0.875, 0.5, 0.95, 0.95, "Wilson"), 0.5, 20, 1000, 8, classes)


def test_classes_are_counted_and_numbers_have_r2():
    words = imitation(True).words
    assert (
        "87.5 % of the answers (95 % interval 50.0 % to 95.0 %; a constant answer: 50.0 %) on 8 rows held out" in words
    )
    assert "fitted to 20 rows and 1,000 artificial ones" in words
    assert imitation(False).words.startswith("Imitates with R² 0.875 (95 % interval 0.5 to 0.95) on 8 rows held out")


def test_it_is_printed_with_its_student_and_shown_without_markup_of_others():
    found = imitation(True, student="x < 3 & y")
    assert str(found).startswith("x < 3 & y\n\nImitates")
    assert "x &lt; 3 &amp; y" in found._repr_html_()


def test_a_student_without_a_picture_is_not_drawn():
    with pytest.raises(InputError, match="has no picture"):
        imitation(True, student=learnt.LogisticRegression()).draw()
