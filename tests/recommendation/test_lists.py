"""Lists of items, best first."""

import numpy as np

from learnt.recommendation.lists import Scored, best_places


def test_the_best_are_found_and_ties_go_to_what_was_rated_more():
    scores = np.array([1.0, 3.0, 3.0, -np.inf, 2.0, 3.0])
    weights = np.array([1.0, 1.0, 5.0, 9.0, 1.0, 1.0])
    assert best_places(scores, weights, 4).tolist() == [2, 1, 5, 4]
    assert best_places(scores, weights, 1).tolist() == [2]
    assert best_places(scores, weights, 99).tolist() == [2, 1, 5, 4, 0]
    assert best_places(np.full(2, -np.inf), weights, 3).tolist() == []


def test_a_list_is_a_sequence_of_pairs():
    found = Scored(("a", "b"), (2.0, 1.0))
    assert list(found) == [("a", 2.0), ("b", 1.0)]
    assert found[1] == ("b", 1.0)
    assert found[:1] == Scored(("a",), (2.0,))
    assert found.to_table().to_dict() == {"item": ["a", "b"], "score": [2.0, 1.0]}
