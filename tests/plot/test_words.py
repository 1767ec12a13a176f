"""Words in a plane."""

import numpy as np
import pytest

from learnt import WordVectors
from learnt.errors import InputError
from learnt.plot.words import label_offsets, word_places
from learnt.show.figure_svg import svg_of


def test_places_are_the_first_two_principal_components():
    rows = np.random.default_rng(0).normal(size=(30, 6)) * [5, 3, 1, 1, 1, 1]
    places, shares = word_places(rows)
    values, axes = np.linalg.eigh(np.cov(rows.T))
    for c in range(2):
        expected = (rows - rows.mean(axis=0)) @ axes[:, -1 - c]
        np.testing.assert_allclose(np.abs(places[:, c]), np.abs(expected), atol=1e-9)
        assert shares[c] == pytest.approx(values[-1 - c] / values.sum())


@pytest.mark.parametrize("rows", [[[1.0], [2.0]], [[1.0, 0.0], [1.0, 0.0]]])
def test_one_number_or_no_difference_can_be_drawn(rows):
    assert svg_of(lambda ax: WordVectors(["a", "b"], rows).plot(ax=ax)).startswith("<svg")


def test_each_word_is_written_once():
    vectors = WordVectors(["$x_1$", "dog", "中"], np.eye(3))
    drawn = []
    svg_of(lambda ax: drawn.append(vectors.plot(["dog", "$x_1$", "dog"], ax)))
    assert [text.get_text() for text in drawn[0].texts] == ["dog", r"\$x_1\$"]


def test_labels_keep_away_from_each_other_and_from_dots_where_there_is_room():
    dots = np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 6.0], [100.0, 0.0]])
    offsets = np.array(label_offsets(dots, [30.0] * 4, 8.0))
    assert offsets[3].tolist() == [3, 3]  # alone: up and to the right
    low = dots + offsets
    boxes = [(*a, *(a + np.array([30, 8]))) for a in low] + [(*(d - 1), *(d + 1)) for d in dots]
    for i in range(4):
        for j in range(len(boxes)):
            if j != i:
                a, b = boxes[i], boxes[j]
                assert min(a[2], b[2]) <= max(a[0], b[0]) or min(a[3], b[3]) <= max(a[1], b[1])


def test_one_word_is_refused():
    with pytest.raises(InputError, match="two"):
        WordVectors(["a", "b"], np.eye(2)).plot(["a"])
