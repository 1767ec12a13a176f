"""Defining a learner registers it; everyone who needs them all finds them."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import learnt
from learnt.errors import ParameterError
from learnt.learner import registry
from learnt.learner.base import Regressor


def test_all_learners_are_listed_by_name() -> None:
    names = [entry.name for entry in learnt.learners()]
    assert names == sorted(names)
    assert {"KMeans", "LinearRegression", "MajorityClassifier", "MeanRegressor"} <= set(names)


def test_learners_are_listed_by_task() -> None:
    for task in registry.TASKS:
        assert all(entry.task == task for entry in learnt.learners(task))
    assert sum(len(learnt.learners(task)) for task in registry.TASKS) == len(learnt.learners())


def test_an_unknown_task_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"'juggling'.*regression"):
        learnt.learners("juggling")


def test_every_learner_is_a_name_of_the_package() -> None:
    for entry in learnt.learners():
        assert getattr(learnt, entry.name) is entry.cls
        assert entry.name in learnt.__all__


def test_defining_a_learner_registers_it(own_learners_apart) -> None:
    class Mine(Regressor):
        abilities = frozenset({"weights"})

    assert registry.find("Mine") is Mine
    assert registry._entries["Mine"].task == "regression"
    assert "Mine" not in [entry.name for entry in learnt.learners()]  # it is the user's, not the package's


def test_learners_of_the_user_are_listed_when_asked_for(own_learners_apart) -> None:
    class Mine(Regressor):
        pass

    assert "Mine" in [entry.name for entry in learnt.learners("regression", own=True)]
    assert "Mine" not in [entry.name for entry in learnt.learners("classification", own=True)]


def test_abstract_and_private_learners_are_not_registered(own_learners_apart) -> None:
    class Halfway(Regressor, abstract=True):
        pass

    class _Hidden(Regressor):
        pass

    assert registry.find("Halfway") is None
    assert registry.find("_Hidden") is None


def test_bases_are_no_learners() -> None:
    assert not {"Learner", "Classifier", "Regressor", "Clusterer"} & {e.name for e in learnt.learners()}


def test_who_does_not_exist_is_not_found() -> None:
    assert registry.find("Nobody") is None


def test_what_is_drawn_is_the_same_again_unless_asked_otherwise():
    defaults = {
        entry.name: inspect.signature(entry.cls).parameters["random_state"].default
        for entry in learnt.learners()
        if "random_state" in inspect.signature(entry.cls).parameters
    }
    assert len(defaults) > 15
    assert set(defaults.values()) == {0}, defaults


def families_after(code: str) -> set[str]:
    """The families of learners that a fresh process has imported after some lines."""
    code = f"import sys\n{code}\nprint(*{{m.split('.')[1] for m in sys.modules if m.startswith('learnt.')}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    return {family for family in done.stdout.split() if f"learnt.{family}" in registry.FAMILIES}


def test_a_name_is_found_without_importing_the_families_of_others() -> None:
    assert families_after("from learnt.learner.registry import find\nfind('MeanRegressor')") == {"baseline"}
    by_tree = families_after("from learnt.learner.registry import find\nassert find('C45Classifier')")
    assert "tree" in by_tree
    assert not by_tree & {"cluster", "reduce", "ensemble", "neighbors", "linear", "bayes"}


def test_a_name_that_nobody_has_is_sought_everywhere() -> None:
    assert registry.find("NoSuchLearner") is None
    assert registry.find("compare") is None  # public, and no learner


@pytest.mark.costly
def test_comparing_is_imported_without_any_learner() -> None:
    """What a comparison needs before its workers have anything to do; families come as they are named."""
    assert not families_after("import learnt\nlearnt.compare") - {"prepare"}
    field = families_after(
        "import learnt\nfrom learnt.evaluate.comparison.field import field_of\n"
        "from learnt.evaluate.problem import problem\n"
        "assert len(field_of(problem({'x': [1.0, 2.0]}, [1.0, 2.5]))) == 12"
    )
    assert not field & {"cluster", "graphical", "recommendation"}


def test_learners_of_the_user_are_told_apart(own_learners_apart) -> None:
    class MeanOfMine(learnt.MeanRegressor):
        """The mean."""

    assert [e.name for e in registry.own_learners("regression")] == ["MeanOfMine"]
    assert registry.own_learners("classification") == []
    assert registry.entry_of("MeanOfMine").own
    assert not registry.entry_of("MeanRegressor").own
