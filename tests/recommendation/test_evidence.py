"""Reasons: what a user's own ratings add, adding up to the score."""

import numpy as np
import pytest
from tests.recommendation.rating_box import fitted, planted

ROWS, _ = planted()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"biases": False},
        {"precision": "single"},
        {"feedback": "implicit"},
        {"feedback": "implicit", "biases": False},
        {"nonnegative": True},
        {"solver": "sgd"},
        {"rank": 70},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_parts_add_up_to_the_prediction(settings):
    model = fitted(ROWS, **{"max_iter": 10, "tol": 1e-3} | settings)
    pairs = {"user": [0, 5, 99, 5, 99], "item": [3, 4, 4, 99, 99]}
    found, answers = model.explain(pairs), model.predict(pairs)
    for one, answer in zip(found, answers, strict=True):
        assert one.total == pytest.approx(answer, abs=1e-12)
        assert one.add_up() == pytest.approx(answer, abs=1e-9)
    left = [e for e in found[0].evidence if e.words == "steps the solver left"]
    assert bool(left) is (settings.get("solver") == "sgd")


def test_a_part_is_what_the_rating_changes():
    """Scores are linear in what a user said: without one rating's target, its part is missing."""
    model = fitted(ROWS, max_iter=20, tol=1e-3)
    why = model.explain_one(5, 3)
    item = int(ROWS["item"][ROWS["user"] == 5][0])
    part = next(e for e in why.evidence if e.column == str(item))
    mine = ROWS["user"] == 5
    said = ROWS["rating"][mine].copy()
    neutral = model.mean_ + model.scale_ * model.item_bias_[item]  # what says nothing of this user
    said[0] = neutral
    assert part.value == pytest.approx(ROWS["rating"][mine][0])
    other = fitted(ROWS, max_iter=20, tol=1e-3)
    other.fold_in({"user": ["new"] * mine.sum(), "item": ROWS["item"][mine], "rating": said})
    assert why.total - part.contribution == pytest.approx(other.predict({"user": ["new"], "item": [3]})[0], abs=1e-8)


def test_what_is_unseen_counts_against_all_in_implicit_feedback():
    model = fitted(ROWS, feedback="implicit", max_iter=20, tol=1e-3)
    why = model.explain_one(5, 3)
    assert why.evidence[-1].value == "unseen"
    assert {e.column for e in why.evidence[1:-1]} == {str(i) for i in ROWS["item"][ROWS["user"] == 5]}
    assert why.evidence[0].contribution == pytest.approx(float(model.item_bias_[3]))
    assert np.isfinite(why.total)
