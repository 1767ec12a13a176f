"""Settings are a constructor's arguments: read, changed, copied and shown, also of learners inside learners."""

from __future__ import annotations

import numpy as np
import pytest

from learnt import clone
from learnt.errors import LearntError
from learnt.learner.parameters import Whole
from learnt.learner.settings import Settings


class Inner(Settings):
    def __init__(self, *, size=3, mode="a"):
        self.size, self.mode = size, mode


class Outer(Settings):
    domains = {"count": Whole(1)}

    def __init__(self, inner=None, *, count=1):
        self.inner, self.count = inner, count


class Bare(Settings):
    pass


def test_deep_settings_reach_inside() -> None:
    inner = Inner(size=7)
    assert Outer(inner).get_params() == {"inner": inner, "count": 1, "inner__size": 7, "inner__mode": "a"}
    assert Outer(inner).get_params(deep=False) == {"inner": inner, "count": 1}


def test_settings_inside_are_changed_by_a_path() -> None:
    outer = Outer(Inner()).set_params(inner__size=9, count=2)
    assert (outer.inner.size, outer.count) == (9, 2)


def test_a_new_learner_inside_is_in_place_before_its_settings_are_changed() -> None:
    new = Inner()
    outer = Outer(Inner()).set_params(inner__size=9, inner=new)
    assert outer.inner is new
    assert new.size == 9


def test_an_unknown_setting_is_an_error_and_changes_nothing() -> None:
    outer = Outer(Inner())
    for wrong in ({"count": 5, "cuont": 6}, {"count": 5, "inner__sise": 6}, {"count": 5, "count__x": 6}):
        with pytest.raises(LearntError):
            outer.set_params(**wrong)
        assert outer.count == 1


def test_a_clone_clones_learners_inside() -> None:
    outer = Outer(Inner(size=np.arange(3)), count=4)
    outer.fitted_ = 1
    twin = clone(outer)
    assert twin.count == 4
    assert twin.inner is not outer.inner
    assert twin.inner.size is not outer.inner.size
    assert twin.inner.size.tolist() == [0, 1, 2]
    assert not hasattr(twin, "fitted_")


def test_a_class_given_as_a_setting_is_kept_as_it_is() -> None:
    assert clone(Outer(Inner)).inner is Inner
    assert Outer(Inner).get_params() == {"inner": Inner, "count": 1}


def test_no_settings_are_fine() -> None:
    assert Bare().get_params() == {}
    assert repr(Bare()) == "Bare()"
    assert isinstance(clone(Bare()), Bare)


def test_the_text_shows_what_differs_from_the_defaults() -> None:
    assert repr(Outer(Inner(size=np.float64(3)), count=1)) == "Outer(inner=Inner(size=3.0))"
    assert repr(Inner(mode="a", size=4)) == "Inner(size=4)"
    assert len(repr(Inner(mode="x" * 1000))) < 100


def test_a_constructor_must_name_its_settings() -> None:
    class Vague(Settings):
        def __init__(self, **settings):
            pass

    with pytest.raises(TypeError, match="Vague"):
        Vague().get_params()
