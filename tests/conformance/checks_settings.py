"""Settings: kept as given, checked before any work, copied, shown."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answers, assert_equal_answers, frozen, quietly
from tests.conformance.tables import numbers

import learnt
from learnt.errors import LearntError, ParameterError
from learnt.learner.parameters import Domain


class Untouchable:
    """Data that must not be looked at."""

    def __getattr__(self, name):
        raise AssertionError(f"the data was asked for {name} before the settings were checked")


#: Values no domain allows, and some that one kind of domain forbids.
NEVER = [object(), "nonsense", b"bytes", [], {}, np.nan, np.inf, -np.inf, 1j, [[1], [2, 3]]]


def forbidden(domain: Domain) -> list:
    """Values outside a domain, those just beyond its bounds first."""
    found = [v for v in (-1, 0, -0.5, 1.5, 2, "", None, True, 2**32, 10**400, *NEVER) if v not in domain]
    assert len(found) > 5, f"{domain.words} allows nearly everything"
    return found


@check(rows=False)
def every_setting_has_a_domain(subject: Subject) -> None:
    """Each argument of the constructor has a declared domain, and its default is in it."""
    cls = subject.entry.cls
    assert set(cls.domains) == set(subject.defaults())
    for name, default in subject.defaults().items():
        assert default in cls.domains[name], name


@check(by_thirds=True)
def wrong_settings_are_named_before_any_work(subject: Subject) -> None:
    """A value outside its domain is a ParameterError at fit, before the data is touched, and changes nothing."""
    model = subject.fitted(numbers())
    for name, domain in subject.entry.cls.domains.items():
        right = getattr(model, name)
        for value in forbidden(domain):
            model.set_params(**{name: value})
            before = frozen(vars(model))
            with pytest.raises(ParameterError, match=f"{subject.name}: {name}="):
                model.fit(Untouchable(), Untouchable())
            assert frozen(vars(model)) == before
        model.set_params(**{name: right})


def in_numpy(value: Any) -> Any:
    """A setting as it comes out of an array of settings."""
    match value:
        case bool():
            return np.bool_(value)
        case str():
            return np.str_(value)
        case int():
            return np.int64(value)
        case float():
            return np.float64(value)
    return value


@check(by_thirds=True)
def settings_out_of_arrays_are_settings(subject: Subject, tmp_path) -> None:
    """Strings, booleans and numbers of NumPy's types, as grids hold them, do what Python's do, in a file too."""
    for domain in subject.entry.cls.domains.values():
        for one in getattr(domain, "domains", (domain,)):
            assert all(in_numpy(value) in domain for value in getattr(one, "values", ()))
    x, plain = numbers(), subject.new().get_params(deep=False)
    with quietly():
        model = subject.new(**{name: in_numpy(value) for name, value in plain.items()}).fit(x, subject.target(60))
    assert_equal_answers(answers(model, x), answers(subject.fitted(x), x))
    if hasattr(model, "predict"):
        str(model.explain(x[:2]))
    learnt.save(model, tmp_path / "model.learnt")
    assert_equal_answers(answers(learnt.load(tmp_path / "model.learnt"), x), answers(model, x))


@check(rows=False)
def the_constructor_only_stores(subject: Subject) -> None:
    """Any value is accepted by the constructor and kept as the very object, under its own name."""
    for name in subject.defaults():
        value = object()
        model = subject.entry.cls(**{name: value})
        assert getattr(model, name) is value
        assert model.get_params()[name] is value


@check(rows=False)
def settings_can_be_read_and_changed(subject: Subject) -> None:
    """`get_params` lists the constructor's arguments; `set_params` changes them and refuses others by name."""
    model = subject.new()
    assert set(model.get_params()) == set(inspect.signature(subject.entry.cls).parameters)
    for name in model.get_params():
        value = object()
        assert model.set_params(**{name: value}) is model
        assert getattr(model, name) is value
    with pytest.raises(LearntError, match="'n_unicorns'"):
        model.set_params(n_unicorns=3)


@check()
def a_clone_has_the_settings_and_nothing_learnt(subject: Subject) -> None:
    """`clone`, learnt's and scikit-learn's, copies settings, not what was fitted."""
    import sklearn.base

    model = subject.fitted(numbers())
    for clone in (learnt.clone, sklearn.base.clone):
        twin = clone(model)
        assert twin is not model
        assert frozen(vars(twin)) == frozen(vars(subject.new()))


@check(rows=False)
def a_clone_shares_no_arrays(subject: Subject) -> None:
    """An array given as a setting is copied."""
    for name in subject.defaults():
        given = np.ones((3, 2))
        assert getattr(learnt.clone(subject.new(**{name: given})), name) is not given


@check(rows=False)
def the_text_of_a_learner_makes_it_again(subject: Subject) -> None:
    """`repr` is the constructor call with the settings that differ from the defaults."""
    cls = subject.entry.cls
    assert repr(cls()) == f"{subject.name}()"
    again = eval(repr(subject.new()), {subject.name: cls})
    assert again.get_params() == subject.new().get_params()


@check()
def the_html_of_a_learner_is_harmless(subject: Subject) -> None:
    """The HTML shows name, settings and whether it is fitted, and escapes what the user gave."""
    assert subject.name in subject.new()._repr_html_()
    assert "not fitted" in subject.new()._repr_html_()
    assert "not fitted" not in subject.fitted(numbers())._repr_html_()
    for name in subject.defaults():
        shown = subject.new(**{name: "<script>"})._repr_html_()
        assert name in shown
        assert "<script>" not in shown


@check(rows=False)
def the_entry_tells_the_truth(subject: Subject) -> None:
    """The registry finds the class by name, its task is known, its abilities are known words."""
    from learnt.learner.registry import TASKS, find

    known = {
        "missing",
        "nominal",
        "weights",
        "probabilities",
        "passes",
        "pairwise",
        "sparse",
        "baseline",
        "counts",
        "many classes",
        "text",
        "loss",
        "random",
        "order-dependent",
    }
    assert find(subject.name) is subject.entry.cls
    assert subject.task in TASKS
    assert subject.entry.abilities <= known
    assert subject.can("probabilities") == hasattr(subject.entry.cls, "predict_proba")
    # "random": draws with its default settings. Others may draw when asked to, such as trees with max_features.
    assert not subject.can("random") or "random_state" in subject.defaults()


@check(rows=False)
def the_docstring_teaches(subject: Subject) -> None:
    """The docstring has a runnable example and names every setting."""
    text = inspect.getdoc(subject.entry.cls) or ""
    assert ">>> " in text
    for name in subject.defaults():
        assert f"`{name}`" in text
