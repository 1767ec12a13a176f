"""A learner that chooses its own settings: tuning inside `fit`, so that whoever cross-validates it is honest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

from learnt.data.files.scan import Scan
from learnt.data.notes import Note
from learnt.data.table import Array, Table
from learnt.engine.training import prepare
from learnt.errors import InputError
from learnt.evaluate.foreign import check_learner, features_for, learner_task
from learnt.evaluate.problem import problem
from learnt.evaluate.tuning.board import Board, Candidate
from learnt.evaluate.tuning.searching import DOMAINS, Search, whole_seed
from learnt.evaluate.tuning.spaces import Settings, value_words
from learnt.explain import Explanations
from learnt.learner.base import Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.text.counting import TextUse, text_use

#: What is handed on to the model where it has it, besides `predict`.
_HANDED_ON = ("predict_proba", "predict_log_proba", "decision_function")


class Tuned(Learner, abstract=True):
    """A learner whose `fit` searches its settings by cross-validation, then fits with the best on all rows.

    Cross-validating it is nested by construction: the rows of a test fold never choose the settings they are judged by.

    >>> from learnt import cross_validate, datasets
    >>> from learnt.tree import DecisionTreeClassifier
    >>> model = Tuned(DecisionTreeClassifier(), space={"max_depth": [1, 2, 3]})
    >>> model.fit(datasets.iris()).settings_
    {'max_depth': 3}
    >>> round(cross_validate(model, datasets.iris(), cv=10).mean("accuracy"), 2)
    0.93

    {settings}

    Attributes: `model_`, the learner with the best settings, fitted; `settings_`, those settings; `candidates_`, all
    that were tried, with their inner scores, best first. Save `model_`, not the search.
    """

    needs = "classes"  # a target of some kind; which one is the learner's to say
    takes_groups: ClassVar[bool] = True

    learner: Any = setting(
        None,
        "one of learnt, or anything with scikit-learn's `fit`, `predict`, `get_params` and `set_params`",
        kw_only=False,
    )
    space: Any = setting(None, "as for `tune`", default=None)
    search: str = setting(DOMAINS["search"], "as for `tune`", default="grid")
    n: int | None = setting(DOMAINS["n"], "as for `tune`", default=None)
    metric: Any = setting(None, "as for `tune`", default=None)
    cv: Any = setting(None, "as for `tune`", default=5)
    random_state: Any = setting(DOMAINS["random_state"], "as for `tune`", default=0)
    time_budget: float | None = setting(DOMAINS["time_budget"], "as for `tune`", default=None)

    model_: Any = attribute()
    settings_: Settings = attribute()
    candidates_: list[Candidate] = attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search on inner folds of these rows, then fit on all of them. Rows of a group stay together."""
        self._check_parameters()
        check_learner(self.learner)
        rows = problem(X, y, sample_weight=sample_weight, groups=groups, task=self.task)
        search = Search(**{**self.get_params(deep=False), "random_state": whole_seed(self.random_state)})
        board = search.run(rows)
        return self._with(search.fitted(board, rows), board, rows.table)

    def _with(self, model: Any, board: Board, table: Table) -> Self:
        twin = self._twin(table.schema.without_documents, getattr(model, "classes_", None))
        twin.model_ = model
        twin.settings_ = dict(board.best.settings)
        twin.candidates_ = board.in_order()
        return self._become(twin)

    # What the learner inside is

    @property
    def task(self) -> str:  # type: ignore[override]
        return learner_task(self.learner)

    @property
    def abilities(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset(getattr(self.learner, "abilities", ())) - {"passes"}

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use(self.learner, "labels")

    @property
    def fit_cost(self) -> float:  # type: ignore[override]
        """As if ten candidates were tried; only the order matters."""
        return 10 * float(getattr(self.learner, "fit_cost", 30.0))

    @property
    def simplicity(self) -> float:  # type: ignore[override]
        return float(getattr(self.learner, "simplicity", 50.0))

    @property
    def readable(self) -> bool:  # type: ignore[override]
        return bool(getattr(self.learner, "readable", False))

    @property
    def notes_(self) -> tuple[Note, ...]:
        """What the model with the best settings did to columns of text."""
        self._fitted_schema()
        found: tuple[Note, ...] = getattr(self.model_, "notes_", ())
        return found

    @property
    def chosen_words(self) -> dict[str, str]:
        """The settings of the fitted model in words; what a fold remembers of it."""
        return {key: value_words(value) for key, value in self.settings_.items()}

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__

    def __str__(self) -> str:
        return str(self.model_) if self.__sklearn_is_fitted__() else repr(self)

    # What the model inside answers

    def predict(self, X: Any) -> Array:
        """What the model with the best settings answers."""
        answers: Array = self._ask("predict", X)
        return answers

    def __getattr__(self, name: str) -> Callable[[Any], Array]:
        if name in _HANDED_ON and hasattr(self.__dict__.get("learner"), name):
            return partial(self._ask, name)
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)  # type: ignore[no-any-return]  # raises what the property raised
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _ask(self, method: str, X: Any) -> Any:
        self._fitted_schema()
        return getattr(self.model_, method)(self._model_input(X))

    def _model_input(self, X: Any) -> Any:
        if isinstance(self.model_, Learner) or isinstance(X, Scan):
            return X
        return features_for(self.model_, X if isinstance(X, Table) else Table(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score of the model with the best settings: accuracy or R²."""
        self._fitted_schema()
        needs: Any = "classes" if "classes_" in self.__dict__ else "numbers"
        test = prepare(X, y, sample_weight, needs, type(self).__name__)
        assert isinstance(test.source, Table)
        truth = test.target if test.classes is None else test.classes[test.target]
        weights = {} if test.weights is None else {"sample_weight": test.weights}
        return float(self.model_.score(self._model_input(test.source), truth, **weights))

    def explain(self, X: Any) -> Explanations:
        """The arithmetic behind the answers of the model with the best settings."""
        self._fitted_schema()
        if not isinstance(self.model_, Learner):
            raise InputError(f"{type(self.model_).__name__} is none of learnt's learners, and explains nothing.")
        return self.model_.explain(X)
