"""What `fit` leaves behind, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answer, answers, assert_equal_answers, explained, frozen
from tests.conformance.tables import as_table, mixed, numbers

import learnt
from learnt.errors import InputError, LearntError, NotFittedError


class Enough(Exception):
    """Raised by a watcher to stop the work it watches."""


@check()
def fit_returns_the_learner_itself(subject: Subject) -> None:
    """`fit` returns the learner, which then knows the columns it was fitted on."""
    model = subject.new()
    assert model.fit(numbers(), subject.target(60)) is model
    assert model.n_features_in_ == 4
    assert not hasattr(model, "feature_names_in_")


@check("nominal")
def names_of_columns_are_remembered(subject: Subject) -> None:
    """Fitted on named columns, the learner lists them in order."""
    model = subject.fitted(as_table(mixed()))
    assert list(model.feature_names_in_) == list(mixed())
    assert model.n_features_in_ == 5


@check("nominal")
def a_second_fit_forgets_the_first(subject: Subject) -> None:
    """Fitted again on other columns, nothing of the first fit is left."""
    model = subject.fitted(as_table(mixed()))
    model.fit(numbers(), subject.target(60))
    assert frozen(model) == frozen(subject.fitted(numbers()))


@check()
def attributes_learnt_end_in_an_underscore(subject: Subject) -> None:
    """Fitting adds public attributes only with a trailing underscore, and leaves the settings alone."""
    model = subject.fitted(numbers())
    learnt_names = set(vars(model)) - set(model.get_params())
    assert learnt_names
    assert all(name.endswith("_") or name.startswith("_") for name in learnt_names)
    assert frozen(model.get_params()) == frozen(subject.new().get_params())


@check()
def a_learner_not_fitted_says_so(subject: Subject) -> None:
    """Every question to a learner that was not fitted is a NotFittedError, scikit-learn's too."""
    import sklearn.exceptions

    for name in ("predict", "predict_proba", "transform", "explain"):
        if hasattr(subject.new(), name):
            for error in (NotFittedError, sklearn.exceptions.NotFittedError, LearntError):
                with pytest.raises(error, match=subject.name):
                    getattr(subject.new(), name)(numbers())


@check("passes")
def a_learner_not_fitted_says_so_to_a_scan(subject: Subject, tmp_path) -> None:
    """The same when it is asked about a scan."""
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(NotFittedError, match=subject.name):
        answer(subject.new(), learnt.scan(tmp_path / "rows.csv"))


def assert_failing_changes_nothing(subject: Subject, model, error, *args, **kwargs) -> None:
    before = frozen(vars(model))
    with pytest.raises(error):
        model.fit(*args, **kwargs)
    assert frozen(vars(model)) == before


@check()
def a_failed_fit_changes_nothing(subject: Subject) -> None:
    """Bad data leaves a fitted learner fitted as it was, and an unfitted one unfitted."""
    bad, y = numbers(), subject.target(60)
    bad[59, 3] = np.inf
    for model in (subject.new(), subject.fitted(numbers())):
        assert_failing_changes_nothing(subject, model, InputError, bad, y)
        assert_failing_changes_nothing(subject, model, InputError, numbers(0), y)
        assert_failing_changes_nothing(subject, model, InputError, object(), y)
        if subject.supervised:
            assert_failing_changes_nothing(subject, model, InputError, numbers(), y[:5])
            assert_failing_changes_nothing(subject, model, InputError, numbers(), None)
    assert not hasattr(subject.new(), "n_features_in_")


@check()
def a_fit_that_fails_in_the_midst_changes_nothing(subject: Subject, monkeypatch) -> None:
    """An error or Ctrl-C in any pass of the plan leaves the learner as it was."""
    from learnt.engine.engines import LocalEngine

    genuine = LocalEngine.answer
    model, seen = subject.fitted(numbers(30, 2)), []
    before = frozen(vars(model))

    def stop_after(passes: int, error: type[BaseException]) -> None:
        def stop(engine, request):
            seen.append(request)
            if len(seen) > passes:
                raise error("in the midst")
            return genuine(engine, request)

        seen.clear()
        with monkeypatch.context() as patch:
            patch.setattr(LocalEngine, "answer", stop)
            model.fit(numbers(), subject.target(60))

    for error in (MemoryError, KeyboardInterrupt, StopIteration, RuntimeError):
        with pytest.raises((error, RuntimeError)):
            stop_after(0, error)
        assert frozen(vars(model)) == before
    stop_after(10**6, MemoryError)
    model = subject.fitted(numbers(30, 2))
    for passes in range(1, min(len(seen), 5)):
        with pytest.raises(KeyboardInterrupt):
            stop_after(passes, KeyboardInterrupt)
        assert frozen(vars(model)) == before


@check()
def a_watcher_may_stop_the_work(subject: Subject) -> None:
    """An exception raised by whoever watches stops the fit, and the learner stays as it was."""
    steps = []
    with learnt.watch(steps.append):
        subject.fitted(numbers())
    if not steps:
        return  # one quick pass: nothing to report

    def stop(step):
        raise Enough

    for model in (subject.new(), subject.fitted(numbers(30, 2))):
        before = frozen(vars(model))
        with pytest.raises(Enough), learnt.watch(stop):
            model.fit(numbers(), subject.target(60))
        assert frozen(vars(model)) == before


@check()
def watching_changes_nothing(subject: Subject) -> None:
    """A watched fit gives the same bits."""
    with learnt.watch():
        watched = subject.fitted(numbers())
    assert frozen(watched) == frozen(subject.fitted(numbers()))


@check("nominal", by_thirds=True)
def asking_changes_nothing(subject: Subject) -> None:
    """Predicting, scoring and explaining leave every attribute as it was."""
    model, other = subject.fitted(as_table(mixed())), as_table(mixed(20, seed=5))
    before = frozen(model)
    first = answers(model, other)
    if hasattr(model, "score"):
        model.score(other, subject.target(20))
    explained(model, other, 20)
    assert frozen(model) == before
    assert_equal_answers(answers(model, other), first)


@check("nominal")
def one_row_is_predicted_as_among_many(subject: Subject) -> None:
    """Each row's answer does not depend on the rows around it."""
    model, table = subject.fitted(as_table(mixed())), as_table(mixed(20, seed=5))
    one_by_one = [answers(model, table.rows(i, i + 1)) for i in range(20)]
    for name, values in answers(model, table).items():
        np.testing.assert_array_equal(np.concatenate([a[name] for a in one_by_one]), values)
